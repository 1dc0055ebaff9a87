/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scenarios and defects by name.  See by_name.h.
 */
#include <err.h>
#include <string.h>

#include "by_name.h"

unsigned
model_by_name(const void *table, unsigned n, size_t entry, const char *kind,
    const char *name)
{
	const char *own;
	unsigned i;

	for (i = 0; i < n; i++) {
		memcpy(&own, (const char *)table + i * entry, sizeof(own));
		if (strcmp(own, name) == 0)
			return (i);
	}
	errx(2, "no such %s: %s", kind, name);
}
