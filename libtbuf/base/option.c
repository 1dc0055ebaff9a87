/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses values of options.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "base/policy.h"
#include "layout/layout.h"

const char *const tbuf_option_wrong[TBUF_OPTION_KINDS] = {
	[TBUF_OPTION_SIZE] = "not a size (examples: 64k, 4m)",
	[TBUF_OPTION_BYTES] = "not a size (examples: 64k, 4m)",
	[TBUF_OPTION_STRSIZE] = "not a size of 2 or more (examples: 256, 1k)",
	[TBUF_OPTION_FLAG] = "not a flag (examples: on, off)",
	[TBUF_OPTION_CPU] = "not an online CPU",
	[TBUF_OPTION_POLICY] = "not one of switch, fill, ring",
	[TBUF_OPTION_RESIZE] = "not one of auto, manual",
	[TBUF_OPTION_SCOPE] = "not one of cpu, thread",
	[TBUF_OPTION_NBUF] = "not a number from 1 to 1023",
	[TBUF_OPTION_UNITS] = "not a number from 0 to 1024",
	[TBUF_OPTION_UNITSIZE] = "not a size from 1k to 64m (example: 64k)",
	[TBUF_OPTION_UNITPOLICY] = "not one of fill, ring",
	[TBUF_OPTION_TIME] = "not a time (examples: 10ms, 30s, 0 for none)"
};

/* Reads an unsigned integer as in C, without a sign or blanks before it. */
static int
integer(const char *text, uint64_t *value, char **end)
{
	if (*text < '0' || *text > '9')
		return (-EINVAL);
	errno = 0;
	*value = strtoull(text, end, 0);
	return (errno != 0 ? -EINVAL : 0);
}

int
tbuf_option_bytes(const char *text, uint64_t *bytes)
{
	static const char units[] = "kmgt";
	const char *unit;
	uint64_t value;
	unsigned shift = 0;
	char *end;

	if (integer(text, &value, &end) != 0)
		return (-EINVAL);
	if (*end != '\0') {
		if ((unit = strchr(units, *end | 0x20)) == NULL ||
		    end[1] != '\0')
			return (-EINVAL);
		shift = 10 * (unsigned)(unit - units + 1);
	}
	if (value > UINT64_MAX >> shift)
		return (-EINVAL);
	*bytes = value << shift;
	return (0);
}

int
tbuf_option_word(const char *value, const char *const *words, int64_t *number)
{
	int64_t i;

	for (i = 0; value != NULL && words[i] != NULL; i++)
		if (strcmp(words[i], value) == 0) {
			*number = i;
			return (0);
		}
	return (-EINVAL);
}

/* A size; 0 for a bare name, as in DTrace. */
static int
bytes(const char *value, int64_t *number)
{
	uint64_t size = 0;

	if (value != NULL && tbuf_option_bytes(value, &size) != 0)
		return (-EINVAL);
	*number = (int64_t)size;
	return (size > INT64_MAX ? -EINVAL : 0);
}

/* A buffer's size; if too small for a record it is refused at the start. */
static int
buffer(const char *value, int64_t *number)
{
	if (bytes(value, number) != 0 || (value != NULL && *number == 0))
		return (-EINVAL);
	*number &= ~INT64_C(7);
	return (0);
}

static int
string(const char *value, int64_t *number)
{
	if (bytes(value, number) != 0 || *number < TBUF_STRSIZE_MIN)
		return (-EINVAL);
	return (0);
}

/* A flag; upper and lower case are the same. */
static int
flag(const char *value, int64_t *number)
{
	static const char *const words[] = {
		"no", "yes", "disable", "enable", "disabled", "enabled",
		"false", "true", "off", "on", "unset", "set", NULL
	};
	char word[sizeof("disabled")];
	size_t i = 0;

	*number = 1;
	if (value == NULL)
		return (0);
	for (; value[i] != '\0'; i++) {
		if (i == sizeof(word) - 1)
			return (-EINVAL);
		word[i] = (char)(value[i] | 0x20);
	}
	word[i] = '\0';
	if (tbuf_option_word(word, words, number) != 0)
		return (-EINVAL);
	*number %= 2;
	return (0);
}

/* A whole number from `least` to `most`. */
static int
number_in(const char *value, uint64_t least, uint64_t most, int64_t *number)
{
	uint64_t n;
	char *end;

	if (value == NULL || integer(value, &n, &end) != 0 || *end != '\0' ||
	    n < least || n > most)
		return (-EINVAL);
	*number = (int64_t)n;
	return (0);
}

/* The size of a unit's table, rounded up to a power of two. */
static int
unit_size(const char *value, int64_t *number)
{
	uint64_t size = TBUF_UNITSIZE_MIN, wanted;

	if (value == NULL || tbuf_option_bytes(value, &wanted) != 0 ||
	    wanted < TBUF_UNITSIZE_MIN || wanted > TBUF_UNITSIZE_MAX)
		return (-EINVAL);
	while (size < wanted)
		size *= 2;
	*number = (int64_t)size;
	return (0);
}

/* A time with a unit of DTrace's, long or short; 0 needs none. */
static int
time_in(const char *value, int64_t *number)
{
	static const struct {
		char name[2][5];
		uint16_t factor;	/* of the unit before it */
	} units[] = {
		{ { "ns", "nsec" }, 1 }, { { "us", "usec" }, 1000 },
		{ { "ms", "msec" }, 1000 }, { { "s", "sec" }, 1000 },
		{ { "m", "min" }, 60 }, { { "h", "hour" }, 60 },
		{ { "d", "day" }, 24 }
	};
	uint64_t n, ns = 1;
	unsigned i;
	char *end;

	if (value == NULL || integer(value, &n, &end) != 0)
		return (-EINVAL);
	*number = 0;
	if (n == 0 && *end == '\0')
		return (0);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		ns *= units[i].factor;
		if (strcmp(end, units[i].name[0]) == 0 ||
		    strcmp(end, units[i].name[1]) == 0)
			break;
	}
	if (i == sizeof(units) / sizeof(units[0]) || n >= TBUF_TIME_MAX / ns)
		return (-EINVAL);
	*number = (int64_t)(n * ns);
	return (0);
}

/* Reads OUTCOME:, or *: for the outcomes that have no rule. */
static int
outcome(const char **p, int32_t *value)
{
	char *end = NULL;
	long n;

	*value = TBUF_UNIT_NO_OUTCOME;
	if (**p == '*') {
		end = (char *)(uintptr_t)*p + 1;
	} else {
		if (**p != '-' && (**p < '0' || **p > '9'))
			return (-EINVAL);
		errno = 0;
		n = strtol(*p, &end, 0);
		if (errno != 0 || n <= INT32_MIN || n > INT32_MAX ||
		    end == *p)
			return (-EINVAL);
		*value = (int32_t)n;
	}
	*p = end + 1;
	return (*end == ':' ? 0 : -EINVAL);
}

/* Sets the rule of an outcome, or a free rule.  Returns 0 or -E2BIG. */
static int
rule_set(uint64_t *rules, int32_t value, uint32_t mask)
{
	unsigned i, free = TBUF_UNIT_RULES - 1;

	if (value == TBUF_UNIT_NO_OUTCOME) {
		rules[free] = tbuf_unit_rule(value, mask);
		return (0);
	}
	for (i = TBUF_UNIT_RULES - 1; i-- > 0;) {
		if (tbuf_unit_outcome(rules[i]) == value)
			break;
		if (tbuf_unit_outcome(rules[i]) == TBUF_UNIT_NO_OUTCOME)
			free = i;
	}
	if (i > TBUF_UNIT_RULES)
		i = free;
	if (i == TBUF_UNIT_RULES - 1)
		return (-E2BIG);
	rules[i] = tbuf_unit_rule(value, mask);
	return (0);
}

/* Sets the default rules, with this first one. */
static void
rules_default(uint64_t *rules, uint64_t first)
{
	unsigned i;

	rules[0] = first;
	for (i = 1; i < TBUF_UNIT_RULES; i++)
		rules[i] = tbuf_unit_default(i);
}

int
tbuf_option_rules(const char *p, uint64_t *rules)
{
	uint64_t made[TBUF_UNIT_RULES], mask;
	int32_t value;
	char *end;
	int error;

	if (p != NULL && strcmp(p, "level") == 0) {
		rules_default(rules, TBUF_UNIT_LEVELS);
		return (0);
	}
	memcpy(made, rules, sizeof(made));
	if (made[0] == TBUF_UNIT_LEVELS)
		rules_default(made, tbuf_unit_default(0));
	for (;; p = end + 1) {
		if (p == NULL || outcome(&p, &value) != 0 ||
		    integer(p, &mask, &end) != 0 || mask > UINT32_MAX ||
		    (*end != ',' && *end != '\0'))
			return (-EINVAL);
		error = rule_set(made, value, (uint32_t)mask);
		if (error != 0)
			return (error);
		if (*end == '\0')
			break;
	}
	memcpy(rules, made, sizeof(made));
	return (0);
}

static int
policy(const char *value, int64_t *number)
{
	int64_t i;

	for (i = 0; value != NULL && i < TBUF_NPOLICIES; i++)
		if (strcmp(value, tbuf_policies[i].name) == 0) {
			*number = i;
			return (0);
		}
	return (-EINVAL);
}

int
tbuf_option_value(enum tbuf_option_kind kind, const char *value,
    int64_t *number)
{
	static const char *const resizes[] = { "auto", "manual", NULL };
	static const char *const scopes[] = { "cpu", "thread", NULL };
	static const char *const policies[] = { "fill", "ring", NULL };

	switch (kind) {
	case TBUF_OPTION_SIZE:
		return (buffer(value, number));
	case TBUF_OPTION_BYTES:
		return (bytes(value, number));
	case TBUF_OPTION_STRSIZE:
		return (string(value, number));
	case TBUF_OPTION_FLAG:
		return (flag(value, number));
	case TBUF_OPTION_CPU:
		/* 0 for a bare name. */
		return (number_in(value == NULL ? "0" : value, 0,
		    TBUF_NCPUS - 1, number));
	case TBUF_OPTION_POLICY:
		return (policy(value, number));
	case TBUF_OPTION_RESIZE:
		return (tbuf_option_word(value, resizes, number));
	case TBUF_OPTION_SCOPE:
		return (tbuf_option_word(value, scopes, number));
	case TBUF_OPTION_NBUF:
		return (number_in(value, 1, TBUF_THREAD_LANES_MAX - 1,
		    number));
	case TBUF_OPTION_UNITS:
		return (number_in(value, 0, TBUF_NUNITS, number));
	case TBUF_OPTION_UNITSIZE:
		return (unit_size(value, number));
	case TBUF_OPTION_UNITPOLICY:
		return (tbuf_option_word(value, policies, number));
	case TBUF_OPTION_TIME:
		return (time_in(value, number));
	default:
		return (-EINVAL);
	}
}
