/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Options by name.  The names are DTrace's; those that this version does not
 * take are known too, so that the refusal can say why.
 */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/run.h"
#include "consumer/tools.h"

#define STATUSRATE_MAX	(10 * TBUF_SECOND)

enum kind {		/* how a value is written */
	SIZE,
	BYTES,
	STRSIZE,
	RATE,
	RATE_OR_NONE,	/* 0: as often as can be */
	STATUSRATE,
	FLAG,
	CPU,
	POLICY,
	RESIZE,
	SETTING,	/* a flag that any number sets, too */
	NUMBER,
	ENCODING,
	PROGRAM,	/* belongs to D programs */
	KERNEL,		/* has no meaning in user space */
	COMMAND		/* is the command's, not the library's */
};

#define FIELD(name)	offsetof(struct tbuf_options, name)

static const struct option {
	const char *name;
	enum kind kind;
	size_t field;
} options[] = {
	{ "bufsize", SIZE, FIELD(bufsize) },
	{ "bufpolicy", POLICY, FIELD(bufpolicy) },
	{ "bufresize", RESIZE, FIELD(bufresize) },
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

	{ "aggsize", SIZE, FIELD(aggsize) },
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

	{ "aggpercpu", PROGRAM, 0 }, { "amin", PROGRAM, 0 },
	{ "argref", PROGRAM, 0 },
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
	{ "nolibs", PROGRAM, 0 },
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

/* The words of one list count from 0; the list ends with NULL. */
static int
parse_word(const char *value, const char *const *words, int64_t *number)
{
	int64_t i;

	for (i = 0; value != NULL && words[i] != NULL; i++)
		if (strcmp(words[i], value) == 0) {
			*number = i;
			return (0);
		}
	return (-EINVAL);
}

static int
parse_flag(const char *value, int64_t *number)
{
	static const char *const words[] = {
		"no", "yes", "disable", "enable", "disabled", "enabled",
		"false", "true", "off", "on", "unset", "set", NULL
	};

	if (value == NULL) {
		*number = 1;
		return (0);
	}
	if (parse_word(value, words, number) != 0)
		return (-EINVAL);
	*number %= 2;
	return (0);
}

/* A bare name is 0; yes and no are numbers. */
static int
parse_number(const char *value, int64_t *number)
{
	char *end;

	*number = 0;
	if (value == NULL || parse_flag(value, number) == 0)
		return (0);
	if (!isdigit((unsigned char)*value))
		return (-EINVAL);
	errno = 0;
	*number = strtoll(value, &end, 0);
	return (errno != 0 || *end != '\0' ? -EINVAL : 0);
}

/* Numbers set it, 0 too. */
static int
parse_setting(const char *value, int64_t *number)
{
	if (parse_flag(value, number) == 0)
		return (0);
	if (parse_number(value, number) != 0)
		return (-EINVAL);
	*number = 1;
	return (0);
}

static int
parse_cpu(const char *value, int64_t *number)
{
	struct tbuf_cpus online;
	char *end;

	if (value == NULL)
		value = "0";
	if (!isdigit((unsigned char)*value))
		return (-EINVAL);
	errno = 0;
	*number = strtoll(value, &end, 0);
	if (errno != 0 || *end != '\0' || *number >= TBUF_NCPUS)
		return (-EINVAL);
	tbuf_cpus_online(&online);
	return (tbuf_cpus_has(&online, (unsigned)*number) ? 0 : -EINVAL);
}

/* A bare name of a size is 0, as DTrace has it. */
static int
parse_bytes(const char *value, int64_t *number)
{
	uint64_t bytes = 0;

	if (value != NULL && tbuf_parse_size(value, &bytes) != 0)
		return (-EINVAL);
	if (bytes > INT64_MAX)
		return (-EINVAL);
	*number = (int64_t)bytes;
	return (0);
}

/* What is too small for a record is refused when tracing is to begin. */
static int
parse_buffer(const char *value, int64_t *number)
{
	if (parse_bytes(value, number) != 0 || (value != NULL && *number == 0))
		return (-EINVAL);
	*number &= ~INT64_C(7);
	return (0);
}

static int
parse_string(const char *value, int64_t *number)
{
	if (parse_bytes(value, number) != 0 || *number < TBUF_STRSIZE_MIN)
		return (-EINVAL);
	if (*number > TBUF_STRSIZE_MAX)
		*number = TBUF_STRSIZE_MAX;
	return (0);
}

static int
parse_period(const char *value, int64_t *number)
{
	uint64_t ns;

	if (value == NULL || tbuf_parse_rate(value, &ns) != 0 ||
	    ns > INT64_MAX)
		return (-EINVAL);
	*number = (int64_t)ns;
	return (0);
}

static int
parse_period_or_none(const char *value, int64_t *number)
{
	*number = 0;
	if (value != NULL && strcmp(value, "0") == 0)
		return (0);
	return (parse_period(value, number));
}

static int
parse_status(const char *value, int64_t *number)
{
	int error = parse_period(value, number);

	if (error == 0 && (uint64_t)*number > STATUSRATE_MAX)
		*number = STATUSRATE_MAX;
	return (error);
}

static int
parse_policy(const char *value, int64_t *number)
{
	int64_t i;

	for (i = 0; value != NULL && i < TBUF_NPOLICIES; i++)
		if (strcmp(value, tbuf_policies[i].name) == 0) {
			*number = i;
			return (0);
		}
	return (-EINVAL);
}

static int
parse_value(enum kind kind, const char *value, int64_t *number)
{
	static const char *const resizes[] = { "auto", "manual", NULL };
	static const char *const encodings[] = {
		"default", "ascii", "utf8", NULL
	};

	switch (kind) {
	case SIZE:
		return (parse_buffer(value, number));
	case BYTES:
		return (parse_bytes(value, number));
	case STRSIZE:
		return (parse_string(value, number));
	case RATE:
		return (parse_period(value, number));
	case RATE_OR_NONE:
		return (parse_period_or_none(value, number));
	case STATUSRATE:
		return (parse_status(value, number));
	case FLAG:
		return (parse_flag(value, number));
	case SETTING:
		return (parse_setting(value, number));
	case NUMBER:
		return (parse_number(value, number));
	case CPU:
		return (parse_cpu(value, number));
	case POLICY:
		return (parse_policy(value, number));
	case RESIZE:
		return (parse_word(value, resizes, number));
	case ENCODING:
		return (parse_word(value, encodings, number));
	default:
		return (-ENOTSUP);
	}
}

/* Those of the second part may change while tracing is active. */
static bool
is_live(const struct option *option)
{
	return (option->field >= FIELD(switchrate));
}

/* Every option in force is 64 bits wide. */
static void *
option_field(const struct tbuf_options *o, const struct option *option)
{
	return ((char *)(uintptr_t)o + option->field);
}

/* What a wrong value is, so that it says what would be right. */
static const char *const wrong[] = {
	[SIZE] = "no size, such as 64k or 4m",
	[BYTES] = "no size, such as 64k or 4m",
	[STRSIZE] = "no size of 2 or more, such as 256 or 1k",
	[RATE] = "no rate, such as 10hz or 100ms",
	[RATE_OR_NONE] = "no rate, such as 10hz or 100ms",
	[STATUSRATE] = "no rate, such as 10hz or 100ms",
	[FLAG] = "no flag, such as on or off",
	[SETTING] = "no flag, such as on or off",
	[NUMBER] = "no number, such as 0 or 2",
	[ENCODING] = "none of ascii, utf8",
	[CPU] = "no CPU that is online",
	[POLICY] = "none of switch, fill, ring",
	[RESIZE] = "none of auto, manual"
};

static int
refuse(struct tbuf_consumer *c, const struct option *option,
    const char *value)
{
	switch (option->kind) {
	case PROGRAM:
		return (tbuf_consumer_fail(c, -ENOTSUP,
		    "-x %s: not in this version", option->name));
	case KERNEL:
		return (tbuf_consumer_fail(c, -ENOTSUP,
		    "failed to set -x %s: No meaning in user space",
		    option->name));
	case COMMAND:
		return (tbuf_consumer_fail(c, -ENOTSUP,
		    "failed to set -x %s: No meaning to the library",
		    option->name));
	default:
		return (tbuf_consumer_fail(c, -EINVAL, "failed to set -x %s: "
		    "Invalid value for specified option: '%.99s' is %s",
		    option->name, value != NULL ? value : "",
		    wrong[option->kind]));
	}
}

int
tbuf_consumer_set(struct tbuf_consumer *c, const char *name,
    const char *value)
{
	const struct option *option = option_find(name);
	int64_t number;

	if (option == NULL)
		return (tbuf_consumer_fail(c, -ENOENT,
		    "failed to set -x %s: Invalid option name", name));
	if (c->state != TBUF_RUN_NEW && !is_live(option))
		return (tbuf_consumer_fail(c, -EBUSY, "failed to set -x %s: "
		    "Operation illegal when tracing is active", name));
	if (parse_value(option->kind, value, &number) != 0)
		return (refuse(c, option, value));
	memcpy(option_field(&c->options, option), &number, sizeof(number));
	return (0);
}

int
tbuf_consumer_get(const struct tbuf_consumer *c, const char *name,
    int64_t *value)
{
	const struct option *option = option_find(name);

	if (option == NULL || option->kind >= PROGRAM)
		return (-ENOENT);
	memcpy(value, option_field(&c->options, option), sizeof(*value));
	return (0);
}

void
tbuf_consumer_terms(const struct tbuf_consumer *c, struct tbuf_terms *terms)
{
	const struct tbuf_options *o = &c->options;

	memset(terms, 0, sizeof(*terms));
	terms->bufsize = o->bufsize;
	terms->flags = (o->follow ? TBUF_S_FOLLOW : 0) |
	    (tbuf_policy(o->bufpolicy)->deadline ? 0 : TBUF_S_KEEP) |
	    (tbuf_policy(o->bufpolicy)->live ? TBUF_S_GROW : 0);
	terms->run = c->run;
	terms->policy = (uint32_t)o->bufpolicy;
	terms->strsize = (uint32_t)o->strsize;
	terms->only_cpu = (int32_t)o->cpu;
	terms->owner_pid = (uint32_t)getpid();
	terms->owner_uid = geteuid();
	terms->needs = c->needs;
	tbuf_copy(terms->owner, program_invocation_short_name,
	    sizeof(terms->owner));
}
