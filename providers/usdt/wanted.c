/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes with semaphores that are raised even while no consumer traces them.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "usdt.h"

#define FIELDS	4

/* An empty field matches everything, as in descriptions of probes. */
static bool
field_matches(const char *glob, const char *field)
{
	return (*glob == '\0' || fnmatch(glob, field, 0) == 0);
}

/* Fields are aligned at the right, with the name. */
static bool
matches(char *description, const struct usdt_group *g)
{
	const char *fields[FIELDS] = {
		g->probe.provider, g->module, g->function, g->probe.name
	};
	unsigned i = FIELDS;
	char *colon;

	while (i-- > 0) {
		colon = strrchr(description, ':');
		if (!field_matches(colon == NULL ? description : colon + 1,
		    fields[i]))
			return (false);
		if (colon == NULL)
			return (true);
		*colon = '\0';
	}
	return (false);
}

bool
usdt_wanted(const struct usdt_group *g)
{
	const char *setting = getenv("TBUF_USDT");
	char *list, *rest, *description;
	bool wanted = false;

	if (setting == NULL)
		return (false);
	list = rest = strdup(setting);
	while (!wanted && (description = strsep(&rest, ",")) != NULL)
		wanted = *description != '\0' && matches(description, g);
	free(list);
	return (wanted);
}
