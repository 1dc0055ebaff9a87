/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of options.
 */
#include "cold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/option.h"
#include "common/policy.h"
#include "layout.h"

const char *const tbuf_option_wrong[TBUF_OPTION_KINDS] = {
	[TBUF_OPTION_SIZE] = "no size, such as 64k or 4m",
	[TBUF_OPTION_BYTES] = "no size, such as 64k or 4m",
	[TBUF_OPTION_STRSIZE] = "no size of 2 or more, such as 256 or 1k",
	[TBUF_OPTION_FLAG] = "no flag, such as on or off",
	[TBUF_OPTION_CPU] = "no CPU that is online",
	[TBUF_OPTION_POLICY] = "none of switch, fill, ring",
	[TBUF_OPTION_RESIZE] = "none of auto, manual",
	[TBUF_OPTION_SCOPE] = "none of cpu, thread",
	[TBUF_OPTION_NBUF] = "no number from 1 to 1023"
};

/* An unsigned integer in a C base, without a sign or a blank in front. */
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

/* A bare name of a size is 0, as DTrace has it. */
static int
bytes(const char *value, int64_t *number)
{
	uint64_t size = 0;

	if (value != NULL && tbuf_option_bytes(value, &size) != 0)
		return (-EINVAL);
	*number = (int64_t)size;
	return (size > INT64_MAX ? -EINVAL : 0);
}

/* What is too small for a record is refused when tracing is to begin. */
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
	if (*number > TBUF_STRSIZE_MAX)
		*number = TBUF_STRSIZE_MAX;
	return (0);
}

static int
flag(const char *value, int64_t *number)
{
	static const char *const words[] = {
		"no", "yes", "disable", "enable", "disabled", "enabled",
		"false", "true", "off", "on", "unset", "set", NULL
	};

	*number = 1;
	if (value == NULL)
		return (0);
	if (tbuf_option_word(value, words, number) != 0)
		return (-EINVAL);
	*number %= 2;
	return (0);
}

/* A bare name is CPU 0. */
static int
cpu(const char *value, int64_t *number)
{
	uint64_t n = 0;
	char *end;

	if (value != NULL && (integer(value, &n, &end) != 0 || *end != '\0'))
		return (-EINVAL);
	*number = (int64_t)n;
	return (n < TBUF_NCPUS ? 0 : -EINVAL);
}

static int
nbuf(const char *value, int64_t *number)
{
	uint64_t n;
	char *end;

	if (value == NULL || integer(value, &n, &end) != 0 || *end != '\0' ||
	    n < 1 || n > TBUF_SIDES_MAX - 1)
		return (-EINVAL);
	*number = (int64_t)n;
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
		return (cpu(value, number));
	case TBUF_OPTION_POLICY:
		return (policy(value, number));
	case TBUF_OPTION_RESIZE:
		return (tbuf_option_word(value, resizes, number));
	case TBUF_OPTION_SCOPE:
		return (tbuf_option_word(value, scopes, number));
	case TBUF_OPTION_NBUF:
		return (nbuf(value, number));
	default:
		return (-EINVAL);
	}
}
