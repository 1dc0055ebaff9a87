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

#define FIELD(name)	offsetof(struct tbuf_options, name)
#define OPTION(name, kind)	{ #name, kind, FIELD(name) }

static const struct option {
	char name[16];		/* an array, as pointers need relocations */
	unsigned kind;		/* format of the value */
	size_t field;
} options[] = {
	OPTION(bufsize, TBUF_OPTION_SIZE),
	OPTION(bufpolicy, TBUF_OPTION_POLICY),
	OPTION(bufresize, TBUF_OPTION_RESIZE),
	OPTION(bufscope, TBUF_OPTION_SCOPE),
	OPTION(nbuf, TBUF_OPTION_NBUF),
	OPTION(switchrate, TBUF_SETTING_RATE),
	OPTION(statusrate, TBUF_SETTING_STATUSRATE),
	OPTION(strsize, TBUF_OPTION_STRSIZE),
	OPTION(cpu, TBUF_OPTION_CPU),
	OPTION(temporal, TBUF_OPTION_FLAG),
	OPTION(dropsoon, TBUF_OPTION_FLAG),
	OPTION(packetsize, TBUF_OPTION_BYTES),
	OPTION(follow, TBUF_OPTION_FLAG),

	OPTION(dynvarsize, TBUF_OPTION_BYTES),
	OPTION(scratchsize, TBUF_OPTION_BYTES),
	OPTION(nspec, TBUF_SETTING_NUMBER),
	OPTION(specsize, TBUF_OPTION_BYTES),
	OPTION(cleanrate, TBUF_SETTING_RATE),
	OPTION(snaprate, TBUF_SETTING_RATE),

	OPTION(nunits, TBUF_OPTION_UNITS),
	OPTION(unitsize, TBUF_OPTION_UNITSIZE),
	OPTION(unitpolicy, TBUF_OPTION_UNITPOLICY),
	OPTION(unitselect, TBUF_SETTING_RULES),
	OPTION(unitslow, TBUF_OPTION_TIME),
	OPTION(unithung, TBUF_OPTION_TIME),

	OPTION(aggsize, TBUF_OPTION_SIZE),
	OPTION(aggpercpu, TBUF_SETTING_FLAG),
	OPTION(aggrate, TBUF_SETTING_RATE_OR_NONE),
	OPTION(aggsortkey, TBUF_SETTING_FLAG),
	OPTION(aggsortrev, TBUF_SETTING_FLAG),
	OPTION(aggsortpos, TBUF_SETTING_NUMBER),
	OPTION(aggsortkeypos, TBUF_SETTING_NUMBER),
	OPTION(agghist, TBUF_SETTING_FLAG),
	OPTION(aggpack, TBUF_SETTING_FLAG),
	OPTION(aggzoom, TBUF_SETTING_FLAG),
	OPTION(encoding, TBUF_SETTING_ENCODING),
};

/* Options of DTrace that are refused, and why. */
static const struct {
	char why[48];
	char names[48][16];
} refused[] = {
	{ "No meaning to the library", {
		"quiet", "zdefs", "droptags", "flowindent"
	} },
	{ "handled by tbufctl, not by the library", {	/* D programs' */
		"amin", "argref", "core", "cpp", "cppargs", "cpphdrs",
		"cpppath", "debug", "defaultargs", "define", "destructive",
		"disasm", "empty", "errtags", "incdir", "iregs",
		"jstackframes", "jstackstrsize", "libdir", "nolibs",
		"noresolve", "pspec", "rawbytes", "setenv", "stackframes",
		"stackindent", "stdc", "strip", "syslibdir", "tree", "tregs",
		"udefs", "undef", "unodefs", "unsetenv", "ustackframes",
		"verbose", "version"
	} },
	{ "No meaning in user space", {
		"ctypes", "dtypes", "evaltime", "grabanon", "kdefs",
		"knodefs", "late", "lazyload", "ldpath", "linkmode",
		"linktype", "pgmax"
	} }
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
	o->snaprate = TBUF_SECOND;
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

/* Returns why an option is refused, or NULL if it is unknown. */
static const char *
refusal(const char *name)
{
	const char (*one)[16];
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		for (one = refused[i].names; **one != '\0'; one++)
			if (strcmp(*one, name) == 0)
				return (refused[i].why);
	return (NULL);
}

/* Returns 0 if an option may be set now, else an error with its message. */
static int
check_option(struct tbuf_consumer *c, const struct option *option,
    const char *name)
{
	const char *why = option == NULL ? refusal(name) : NULL;

	if (option == NULL && why == NULL)
		return (tbuf_consumer_fail(c, -ENOENT,
		    "failed to set -x %s: Invalid option name", name));
	if (c->state != TBUF_RUN_NEW && (option == NULL || !is_live(option)))
		return (tbuf_consumer_fail(c, -EBUSY, "failed to set -x %s: "
		    "Operation illegal when tracing is active", name));
	return (why == NULL ? 0 : tbuf_consumer_fail(c, -ENOTSUP,
	    "failed to set -x %s: %s", name, why));
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
	/* Future targets get these when their sessions begin. */
	TAILQ_FOREACH(t, &c->targets, link) {
		if (option->kind == TBUF_SETTING_RULES)
			tbuf_units_rule(c, t);
		if (option->field == FIELD(unitslow) && t->time.slope != 0)
			tbuf_units_set_slow(c, t);
		if (option->field == FIELD(unithung))
			tbuf_units_set_hung(c, t);
	}
	return (0);
}

int
tbuf_consumer_get(const struct tbuf_consumer *c, const char *name,
    int64_t *value)
{
	const struct option *option = option_find(name);

	if (option == NULL || option->kind == TBUF_SETTING_RULES)
		return (-ENOENT);
	memcpy(value, option_field(&c->options, option), sizeof(*value));
	return (0);
}
