/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses -x text=COMPONENT[:LEVEL],... into probe descriptions: each level of a
 * component is a probe.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <tbuf_text.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "command_line.h"
#include "text_option.h"

static const char *const levels[] = {
	"off", "severe", "warning", "info", "debug", "flow"
};

/* Returns the number of a valid level; an empty one is the highest. */
static int
level_of(const char *text)
{
	int level;

	for (level = 0; level < TBUF_FLOW; level++)
		if (strcasecmp(text, levels[level]) == 0 ||
		    (*text == '0' + level && text[1] == '\0'))
			break;
	return (level);
}

/* Adds a comma list of descriptions, for a component up to its level. */
static int
add_component(struct options *o, char *element)
{
	char *colon = strchr(element, ':');
	char list[TBUF_FLOW * 300], *p = list;
	int last = TBUF_FLOW, level;
	const char *name = element;

	if (colon != NULL) {
		*colon = '\0';
		last = level_of(colon + 1);
	}
	if (strcasecmp(name, "ALL") == 0)
		name = "*";
	if (last == 0)
		return (0);
	for (level = TBUF_SEVERE; level <= last; level++)
		p += snprintf(p, list + sizeof(list) - p, "%stext::%.255s:%s",
		    level == TBUF_SEVERE ? "" : ",", name, levels[level]);
	return (program_add(&o->program, 'n',
	    words_add(&o->texts, "%s", list)));
}

int
text_add(struct options *o, const char *list)
{
	const char *wrong = "a list of components is missing";
	char *setting = NULL, *p, *element;
	int status = 0;

	if (list != NULL && *list != '\0') {
		setting = string_format("traceComponents=%s", list);
		/* These characters would make the descriptions a D program. */
		if (strpbrk(list, "{/;") != NULL)
			wrong = "the value must be a list of components";
		else if (tbuf_text_check(setting, &wrong) == 0)
			wrong = NULL;
	}
	if (wrong != NULL)
		status = bad_usage(MSG_SET_OTHER, "text", wrong);
	p = status != 0 ? NULL : strchr(setting, '=') + 1;
	while (status == 0 && (element = strsep(&p, ",")) != NULL)
		status = add_component(o, element);
	free(setting);
	return (status);
}
