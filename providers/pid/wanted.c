/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * TBUF_PID has descriptions of probes, separated by commas:
 *
 *	pid$target:module:function:name
 *
 * with globs in all fields; an empty one matches everything.  pid$target is the
 * process that read the variable first: its descendants, which inherit the
 * variable, have other numbers, and a program that it executes has the same.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pid.h"

#define SETTING		"TBUF_PID"
#define TARGET		"TBUF_PID_TARGET"
#define FIELDS		4u

/* Descriptions for this process; the provider has been compared already. */
static struct wanted {
	const char *module, *function, *name;
} *all;
static size_t count;
static char *text;

/* Returns true if this process is the target; the first one is. */
static bool
is_target(void)
{
	const char *value = getenv(TARGET);
	char number[32];

	(void)snprintf(number, sizeof(number), "%jd", (intmax_t)getpid());
	if (value == NULL)
		(void)setenv(TARGET, number, 1);
	return (value == NULL || strcmp(value, number) == 0);
}

static bool
is_this(const char *provider)
{
	char name[32];

	if (strcmp(provider, "pid$target") == 0)
		return (is_target());
	(void)snprintf(name, sizeof(name), "pid%jd", (intmax_t)getpid());
	return (*provider == '\0' || fnmatch(provider, name, 0) == 0);
}

/* Adds one description.  Its fields are aligned at the right. */
static void
add(char *description)
{
	const char *fields[FIELDS] = { "", "", "", "" };
	struct wanted *more;
	unsigned i = FIELDS;
	char *colon;

	while (i-- > 0) {
		colon = strrchr(description, ':');
		fields[i] = colon == NULL ? description : colon + 1;
		if (colon == NULL)
			break;
		*colon = '\0';
	}
	if (!is_this(fields[0]) ||
	    (more = reallocarray(all, count + 1, sizeof(*all))) == NULL)
		return;
	all = more;
	all[count++] = (struct wanted){ fields[1], fields[2], fields[3] };
}

bool
pid_wanted_begin(void)
{
	const char *setting = getenv(SETTING);
	char *rest, *description;

	if (setting == NULL || (text = rest = strdup(setting)) == NULL)
		return (false);
	while ((description = strsep(&rest, ",")) != NULL)
		if (*description != '\0')
			add(description);
	return (count > 0);
}

void
pid_wanted_end(void)
{
	free(all);
	free(text);
	all = NULL;
	text = NULL;
	count = 0;
}

static bool
matches(const char *glob, const char *field)
{
	return (*glob == '\0' || fnmatch(glob, field, 0) == 0);
}

/* A module's name is also each part of it before a dot, or a.out. */
static bool
module_matches(const char *glob, const char *module, bool is_program,
    char name[PID_MODULE])
{
	char *dot = name;

	(void)snprintf(name, PID_MODULE, "%s", module);
	if (matches(glob, module))
		return (true);
	if (is_program && matches(glob, "a.out")) {
		(void)snprintf(name, PID_MODULE, "a.out");
		return (true);
	}
	while ((dot = strchr(dot + 1, '.')) != NULL) {
		*dot = '\0';
		if (matches(glob, name))
			return (true);
		*dot = '.';
	}
	return (false);
}

bool
pid_wanted_module(const char *module, bool is_program, char name[PID_MODULE])
{
	size_t i;

	for (i = 0; i < count; i++)
		if (module_matches(all[i].module, module, is_program, name))
			return (true);
	return (false);
}

bool
pid_wanted(const char *module, bool is_program, const char *function,
    enum pid_name name)
{
	const char *text_of_name = name == PID_ENTRY ? "entry" : "return";
	char unused[PID_MODULE];
	size_t i;

	for (i = 0; i < count; i++)
		if (matches(all[i].name, text_of_name) &&
		    matches(all[i].function, function) &&
		    module_matches(all[i].module, module, is_program,
		    unused))
			return (true);
	return (false);
}
