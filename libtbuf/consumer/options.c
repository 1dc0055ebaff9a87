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

#include "consumer/internal.h"

#define STATUSRATE_MAX	(10 * TBUF_SECOND)
#define STRSIZE_MAX	TBUF_RECORD_MAX

enum kind {		/* how a value is written */
	SIZE,
	STRSIZE,
	RATE,
	STATUSRATE,
	FLAG,
	CPU,
	POLICY,
	RESIZE,
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

	{ "quiet", COMMAND, 0 }, { "zdefs", COMMAND, 0 },
	{ "droptags", COMMAND, 0 },

	{ "aggsize", PROGRAM, 0 }, { "aggrate", PROGRAM, 0 },
	{ "aggsortkey", PROGRAM, 0 }, { "aggsortrev", PROGRAM, 0 },
	{ "aggsortpos", PROGRAM, 0 }, { "aggsortkeypos", PROGRAM, 0 },
	{ "agghist", PROGRAM, 0 }, { "aggpack", PROGRAM, 0 },
	{ "aggpercpu", PROGRAM, 0 }, { "aggzoom", PROGRAM, 0 },
	{ "amin", PROGRAM, 0 }, { "argref", PROGRAM, 0 },
	{ "cleanrate", PROGRAM, 0 }, { "core", PROGRAM, 0 },
	{ "cpp", PROGRAM, 0 }, { "cppargs", PROGRAM, 0 },
	{ "cpphdrs", PROGRAM, 0 }, { "cpppath", PROGRAM, 0 },
	{ "debug", PROGRAM, 0 }, { "defaultargs", PROGRAM, 0 },
	{ "define", PROGRAM, 0 }, { "destructive", PROGRAM, 0 },
	{ "disasm", PROGRAM, 0 }, { "dynvarsize", PROGRAM, 0 },
	{ "empty", PROGRAM, 0 }, { "errtags", PROGRAM, 0 },
	{ "flowindent", PROGRAM, 0 }, { "incdir", PROGRAM, 0 },
	{ "iregs", PROGRAM, 0 }, { "jstackframes", PROGRAM, 0 },
	{ "jstackstrsize", PROGRAM, 0 }, { "libdir", PROGRAM, 0 },
	{ "nolibs", PROGRAM, 0 }, { "nspec", PROGRAM, 0 },
	{ "pspec", PROGRAM, 0 }, { "rawbytes", PROGRAM, 0 },
	{ "setenv", PROGRAM, 0 }, { "specsize", PROGRAM, 0 },
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
	bytes &= ~UINT64_C(7);
	if (bytes > INT64_MAX)
		return (-EINVAL);
	*number = (int64_t)bytes;
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
parse_value(enum kind kind, const char *value, int64_t *number)
{
	static const char *const policies[] = {
		"switch", "fill", "ring", NULL
	};
	static const char *const resizes[] = { "auto", "manual", NULL };
	int error;

	switch (kind) {
	case SIZE:
		return (parse_bytes(value, number));
	case STRSIZE:
		error = parse_bytes(value, number);
		if (error == 0 && *number > STRSIZE_MAX)
			*number = STRSIZE_MAX;
		return (error != 0 || *number == 0 ? -EINVAL : 0);
	case RATE:
		return (parse_period(value, number));
	case STATUSRATE:
		error = parse_period(value, number);
		if (error == 0 && (uint64_t)*number > STATUSRATE_MAX)
			*number = STATUSRATE_MAX;
		return (error);
	case FLAG:
		return (parse_flag(value, number));
	case CPU:
		return (parse_cpu(value, number));
	case POLICY:
		return (parse_word(value, policies, number));
	case RESIZE:
		return (parse_word(value, resizes, number));
	default:
		return (-ENOTSUP);
	}
}

/* Every option in force is 64 bits wide. */
static void *
option_field(const struct tbuf_options *o, const struct option *option)
{
	return ((char *)(uintptr_t)o + option->field);
}

static int
refuse(struct tbuf_consumer *c, const struct option *option)
{
	switch (option->kind) {
	case PROGRAM:
		return (tbuf_consumer_fail(c, -ENOTSUP,
		    "-x %s: D programs are not in this version",
		    option->name));
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
		    "Invalid value for specified option", option->name));
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
	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "failed to set -x %s: "
		    "Operation illegal when tracing is active", name));
	if (parse_value(option->kind, value, &number) != 0)
		return (refuse(c, option));
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
