/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Options by name.  The names are DTrace's.  Options that this version does
 * not accept are known, too, so that the refusal can give a reason.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "consumer/run/run.h"
#include "consumer/util/option_value.h"
#include "consumer/util/util.h"

enum kind {		/* format of the value */
	SIZE = TBUF_OPTION_SIZE,
	BYTES = TBUF_OPTION_BYTES,
	STRSIZE = TBUF_OPTION_STRSIZE,
	FLAG = TBUF_OPTION_FLAG,
	CPU = TBUF_OPTION_CPU,
	POLICY = TBUF_OPTION_POLICY,
	RESIZE = TBUF_OPTION_RESIZE,
	SCOPE = TBUF_OPTION_SCOPE,
	NBUF = TBUF_OPTION_NBUF,
	UNITS = TBUF_OPTION_UNITS,
	UNITSIZE = TBUF_OPTION_UNITSIZE,
	UNITPOLICY = TBUF_OPTION_UNITPOLICY,
	RATE = TBUF_SETTING_RATE,
	RATE_OR_NONE = TBUF_SETTING_RATE_OR_NONE,
	STATUSRATE = TBUF_SETTING_STATUSRATE,
	SETTING = TBUF_SETTING_FLAG,
	NUMBER = TBUF_SETTING_NUMBER,
	ENCODING = TBUF_SETTING_ENCODING,
	RULES = TBUF_SETTING_RULES,
	PROGRAM = TBUF_SETTING_KINDS,	/* belongs to D programs */
	KERNEL,		/* has no meaning in user space */
	COMMAND		/* of the command, not the library */
};

#define FIELD(name)	offsetof(struct tbuf_options, name)

static const struct option {
	char name[16];		/* an array, as pointers need relocations */
	enum kind kind;
	size_t field;
} options[] = {
	{ "bufsize", SIZE, FIELD(bufsize) },
	{ "bufpolicy", POLICY, FIELD(bufpolicy) },
	{ "bufresize", RESIZE, FIELD(bufresize) },
	{ "bufscope", SCOPE, FIELD(bufscope) },
	{ "nbuf", NBUF, FIELD(nbuf) },
	{ "switchrate", RATE, FIELD(switchrate) },
	{ "statusrate", STATUSRATE, FIELD(statusrate) },
	{ "strsize", STRSIZE, FIELD(strsize) },
	{ "cpu", CPU, FIELD(cpu) },
	{ "temporal", FLAG, FIELD(temporal) },
	{ "follow", FLAG, FIELD(follow) },

	{ "dynvarsize", BYTES, FIELD(dynvarsize) },
	{ "scratchsize", BYTES, FIELD(scratchsize) },
	{ "nspec", NUMBER, FIELD(nspec) },
	{ "specsize", BYTES, FIELD(specsize) },
	{ "cleanrate", RATE, FIELD(cleanrate) },

	{ "nunits", UNITS, FIELD(nunits) },
	{ "unitsize", UNITSIZE, FIELD(unitsize) },
	{ "unitpolicy", UNITPOLICY, FIELD(unitpolicy) },
	{ "unitselect", RULES, FIELD(unitselect) },

	{ "aggsize", SIZE, FIELD(aggsize) },
	{ "aggpercpu", SETTING, FIELD(aggpercpu) },
	{ "aggrate", RATE_OR_NONE, FIELD(aggrate) },
	{ "aggsortkey", SETTING, FIELD(aggsortkey) },
	{ "aggsortrev", SETTING, FIELD(aggsortrev) },
	{ "aggsortpos", NUMBER, FIELD(aggsortpos) },
	{ "aggsortkeypos", NUMBER, FIELD(aggsortkeypos) },
	{ "agghist", SETTING, FIELD(agghist) },
	{ "aggpack", SETTING, FIELD(aggpack) },
	{ "aggzoom", SETTING, FIELD(aggzoom) },
	{ "encoding", ENCODING, FIELD(encoding) },

	{ "quiet", COMMAND, 0 }, { "zdefs", COMMAND, 0 },
	{ "droptags", COMMAND, 0 }, { "flowindent", COMMAND, 0 },

	{ "amin", PROGRAM, 0 }, { "argref", PROGRAM, 0 },
	{ "core", PROGRAM, 0 },
	{ "cpp", PROGRAM, 0 }, { "cppargs", PROGRAM, 0 },
	{ "cpphdrs", PROGRAM, 0 }, { "cpppath", PROGRAM, 0 },
	{ "debug", PROGRAM, 0 }, { "defaultargs", PROGRAM, 0 },
	{ "define", PROGRAM, 0 }, { "destructive", PROGRAM, 0 },
	{ "disasm", PROGRAM, 0 },
	{ "empty", PROGRAM, 0 }, { "errtags", PROGRAM, 0 },
	{ "incdir", PROGRAM, 0 }, { "iregs", PROGRAM, 0 },
	{ "jstackframes", PROGRAM, 0 }, { "jstackstrsize", PROGRAM, 0 },
	{ "libdir", PROGRAM, 0 },
	{ "nolibs", PROGRAM, 0 }, { "noresolve", PROGRAM, 0 },
	{ "pspec", PROGRAM, 0 }, { "rawbytes", PROGRAM, 0 },
	{ "setenv", PROGRAM, 0 },
	{ "stackframes", PROGRAM, 0 }, { "stackindent", PROGRAM, 0 },
	{ "stdc", PROGRAM, 0 }, { "strip", PROGRAM, 0 },
	{ "syslibdir", PROGRAM, 0 }, { "tree", PROGRAM, 0 },
	{ "tregs", PROGRAM, 0 }, { "udefs", PROGRAM, 0 },
	{ "undef", PROGRAM, 0 }, { "unodefs", PROGRAM, 0 },
	{ "unsetenv", PROGRAM, 0 }, { "ustackframes", PROGRAM, 0 },
	{ "verbose", PROGRAM, 0 }, { "version", PROGRAM, 0 },

	{ "ctypes", KERNEL, 0 }, { "dtypes", KERNEL, 0 },
	{ "evaltime", KERNEL, 0 }, { "grabanon", KERNEL, 0 },
	{ "kdefs", KERNEL, 0 }, { "knodefs", KERNEL, 0 },
	{ "late", KERNEL, 0 }, { "lazyload", KERNEL, 0 },
	{ "ldpath", KERNEL, 0 }, { "linkmode", KERNEL, 0 },
	{ "linktype", KERNEL, 0 }, { "pgmax", KERNEL, 0 },
};

void
tbuf_options_init(struct tbuf_options *o)
{
	memset(o, 0, sizeof(*o));
	o->bufsize = 4 << 20;
	o->bufpolicy = TBUF_SWITCH;
	o->nbuf = TBUF_THREAD_LANES_FIRST;
	o->switchrate = TBUF_SECOND;
	o->statusrate = TBUF_SECOND;
	o->strsize = 256;
	o->dynvarsize = 1 << 20;
	o->scratchsize = 256;
	o->nspec = 1;
	o->specsize = 32 << 10;
	o->cleanrate = TBUF_SECOND / 101;
	o->aggsize = 4 << 20;
	o->aggrate = TBUF_SECOND;
	o->cpu = -1;
	o->unitsize = 64 << 10;
	tbuf_unit_rules_init(o->unitselect);
}

static const struct option *
option_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(options[i].name, name) == 0)
			return (&options[i]);
	return (NULL);
}

/* Returns true for options from switchrate on: they may change during a run. */
static bool
is_live(const struct option *option)
{
	return (option->field >= FIELD(switchrate));
}

/* Returns an option's field, which is 64 bits wide for all accepted options. */
static void *
option_field(const struct tbuf_options *o, const struct option *option)
{
	return ((char *)(uintptr_t)o + option->field);
}

/* Returns 0 if an option may be set now, else an error with its message. */
static int
check_option(struct tbuf_consumer *c, const struct option *option,
    const char *name)
{
	if (option == NULL)
		return (tbuf_consumer_fail(c, -ENOENT,
		    "failed to set -x %s: Invalid option name", name));
	if (c->state != TBUF_RUN_NEW && !is_live(option))
		return (tbuf_consumer_fail(c, -EBUSY, "failed to set -x %s: "
		    "Operation illegal when tracing is active", name));
	switch (option->kind) {
	case PROGRAM:
		return (tbuf_consumer_fail(c, -ENOTSUP,
		    "failed to set -x %s: handled by "
		    "tbufctl, not by the library", name));
	case KERNEL:
		return (tbuf_consumer_fail(c, -ENOTSUP,
		    "failed to set -x %s: No meaning in user space", name));
	case COMMAND:
		return (tbuf_consumer_fail(c, -ENOTSUP,
		    "failed to set -x %s: No meaning to the library", name));
	default:
		return (0);
	}
}

int
tbuf_consumer_set(struct tbuf_consumer *c, const char *name,
    const char *value)
{
	const struct option *option = option_find(name);
	int error = check_option(c, option, name);
	struct tbuf_target *t;

	if (error != 0)
		return (error);
	error = tbuf_setting_read(option->kind, value,
	    option_field(&c->options, option));
	if (error == -E2BIG)
		return (tbuf_consumer_fail(c, error, "failed to set -x %s: "
		    "more than %u outcomes", name, TBUF_UNIT_RULES - 1));
	if (error != 0)
		return (tbuf_consumer_fail(c, error, "failed to set -x %s: "
		    "Invalid value for specified option: '%.99s' is %s", name,
		    value != NULL ? value : "",
		    tbuf_setting_wrong(option->kind)));
	c->strict |= option->field == FIELD(switchrate);
	/* Future targets get the rules when their sessions begin. */
	if (option->kind == RULES)
		TAILQ_FOREACH(t, &c->targets, link)
			tbuf_units_rule(c, t);
	return (0);
}

int
tbuf_consumer_get(const struct tbuf_consumer *c, const char *name,
    int64_t *value)
{
	const struct option *option = option_find(name);

	if (option == NULL || option->kind >= RULES)
		return (-ENOENT);
	memcpy(value, option_field(&c->options, option), sizeof(*value));
	return (0);
}
