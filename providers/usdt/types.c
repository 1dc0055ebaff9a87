/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Types and names of arguments: from the provider files that are installed,
 * then from those of $TBUF_USDT_FILES, which override them.
 */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "usdt.h"

static void
describe_all(void *arg, const struct usdt_description *d)
{
	struct usdt_sites *sites = arg;
	struct usdt_group *g;

	for (g = sites->groups; g != NULL; g = g->next)
		usdt_probe_describe(&g->probe, d);
}

static bool
is_first(const struct usdt_sites *sites, const struct usdt_group *of)
{
	const struct usdt_group *g;

	for (g = sites->groups; g != of; g = g->next)
		if (strcmp(g->probe.provider, of->probe.provider) == 0)
			return (false);
	return (true);
}

void
usdt_describe_groups(struct usdt_sites *sites)
{
	const char *files = getenv("TBUF_USDT_FILES");
	char *list = strdup(files == NULL ? "" : files), *rest = list, *path;
	const struct usdt_group *g;
	unsigned line;

	for (g = sites->groups; g != NULL; g = g->next)
		if (is_first(sites, g))
			usdt_file_installed(g->probe.provider, describe_all,
			    sites);
	/* A file with an error describes the probes before the error. */
	while ((path = strsep(&rest, ":")) != NULL)
		if (*path != '\0')
			(void)usdt_file_read(path, describe_all, sites, &line);
	free(list);
}
