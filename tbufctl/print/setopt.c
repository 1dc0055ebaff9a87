/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * setopt(): sets options from a clause, while tracing goes on.
 */
#include <errno.h>
#include <string.h>

#include "action.h"
#include "address.h"
#include "base/bool_value.h"
#include "base/messages.h"
#include "format.h"
#include "options/command_line.h"

static const char illegal[] = "Operation illegal when tracing is active";

/* Returns the flag of an option of tbufctl itself, or NULL. */
static bool *
find_flag(struct format *f, const char *name)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{ "quiet", &f->quiet },
		{ "flowindent", &f->indent },
		{ "rawbytes", &f->rawbytes },
		{ "noerror", &f->noerror }
	};
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(flags[i].name, name) == 0)
			return (flags[i].flag);
	return (NULL);
}

/*
 * Sets stackindent or printsize.  Returns false for other names.  *why is NULL,
 * or why the value is wrong.
 */
static bool
set_number(struct format *f, const char *name, const char *value,
    const char **why)
{
	bool is_indent = strcmp(name, "stackindent") == 0;
	uint64_t number;

	*why = NULL;
	if (!is_indent && strcmp(name, "printsize") != 0)
		return (false);
	if (!flag_number(value, is_indent ? SETTING_INDENT_MAX : UINT64_MAX,
	    &number))
		*why = MSG_SET_VALUE;
	else if (is_indent)
		address_indent((int)number);
	else
		f->printsize = number;
	return (true);
}

const char *
action_setopt(struct format *f, const char *name, const char *value)
{
	bool *flag = find_flag(f, name);
	int error = -ENOENT;
	const char *why;
	bool unused;

	if (flag != NULL)
		return (flag_parse(value, flag) == 0 ? NULL : MSG_SET_VALUE);
	if (set_number(f, name, value, &why))
		return (why);
	if (strcmp(name, "quietresize") == 0)
		return (flag_parse(value, &unused) == 0 ? NULL :
		    MSG_SET_VALUE);
	if ((why = setting_late(name, value)) != SETTING_OTHER)
		return (why);
	if (f->consumer != NULL)
		error = tbuf_consumer_set(f->consumer, name, value);
	switch (error) {
	case 0:
		return (NULL);
	case -ENOENT:
		return (setting_is_known(name) ? illegal : MSG_SET_NAME);
	case -EINVAL:
		return (MSG_SET_VALUE);
	default:
		return (illegal);
	}
}
