/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Benches in which this process is both target and consumer.
 */
#include <err.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "self.h"

struct tbuf_consumer *
bench_trace(const char *enabling, unsigned probes)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	if (c == NULL)
		err(1, "tbuf_consumer_new");
	if (tbuf_consumer_set(c, "bufpolicy", "ring") != 0 ||
	    tbuf_consumer_set(c, "bufsize", "1m") != 0 ||
	    tbuf_consumer_enable(c, enabling) < 0 ||
	    tbuf_consumer_grab(c, getpid()) != 0 || tbuf_consumer_go(c) != 0)
		errx(1, "%s", tbuf_consumer_error(c));
	if (probes != 0 && tbuf_consumer_matched(c, 0) != probes)
		errx(1, "the provider is not there");
	return (c);
}

void
bench_preload(char *argv[], const char *provider)
{
	const char *directory = getenv("TBUF_PROVIDERS");
	char path[PATH_MAX];

	if (directory == NULL)
		errx(1, "TBUF_PROVIDERS is not set: make bench");
	snprintf(path, sizeof(path), "%s/libtbuf-%s.so", directory, provider);
	if (access(path, R_OK) != 0) {
		printf("the %s provider was not built\n", provider);
		exit(0);
	}
	setenv("LD_PRELOAD", path, 1);
	execl("/proc/self/exe", argv[0], "preloaded", (char *)NULL);
	err(1, "exec");
}
