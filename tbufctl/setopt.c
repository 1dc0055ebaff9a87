/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * setopt(): options that a clause changes while tracing goes on.
 */
#include <errno.h>
#include <string.h>

#include "action.h"
#include "flag.h"
#include "format.h"
#include "messages.h"

static const char illegal[] = "Operation illegal when tracing is active";

/* What is this program's own. */
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

const char *
action_setopt(struct format *f, const char *name, const char *value)
{
	bool *flag = find_flag(f, name);
	int error = -ENOENT;

	if (flag != NULL)
		return (flag_parse(value, flag) == 0 ? NULL : MSG_SET_VALUE);
	if (f->consumer != NULL)
		error = tbuf_consumer_set(f->consumer, name, value);
	switch (error) {
	case 0:
		return (NULL);
	case -ENOENT:
		return (MSG_SET_NAME);
	case -EINVAL:
		return (MSG_SET_VALUE);
	default:
		return (illegal);
	}
}
