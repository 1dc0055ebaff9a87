/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes for bindings, which know only functions and pointers.  A program that
 * calls none of these functions, and is static, does not contain them.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <stdlib.h>

#include "tbuf.h"

struct tbuf_probe {
	struct tbuf_site site;
};

struct tbuf_probe *
tbuf_probe_new(const char *provider, const char *module, const char *function,
    const char *name, uint32_t selection, unsigned nargs,
    const enum tbuf_type *types, const char *const *names)
{
	struct tbuf_probe *probe = calloc(1, sizeof(*probe));
	int error;

	if (probe == NULL)
		return (NULL);
	tbuf_probe_select(&probe->site, selection);
	error = tbuf_probe_register(&probe->site, provider, module, function,
	    name, nargs, types, names);
	if (error != 0) {
		free(probe);
		errno = -error;
		return (NULL);
	}
	return (probe);
}

void
tbuf_probe_free(struct tbuf_probe *probe)
{
	int saved = errno;

	if (probe == NULL)
		return;
	tbuf_probe_unregister(&probe->site);
	free(probe);
	errno = saved;
}

int
tbuf_probe_wanted(const struct tbuf_probe *probe)
{
	return (probe != NULL && tbuf_probe_enabled(&probe->site));
}

int
tbuf_probe_emit(struct tbuf_probe *probe, unsigned nvalues,
    const uint64_t *values)
{
	if (probe == NULL)
		return (0);
	if (nvalues != probe->site.nargs)
		return (-EINVAL);
	tbuf_probe_fire(&probe->site, values);
	return (0);
}
