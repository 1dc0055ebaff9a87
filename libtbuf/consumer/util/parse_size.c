/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses sizes and rates in the syntax of DTrace's options.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/option.h"
#include "consumer/util/util.h"
#include "tbuf_consumer.h"

/* Parses an unsigned integer as C writes it, without a sign or a blank. */
static int
parse_integer(const char *text, uint64_t *value, const char **end)
{
	char *stop;

	if (!isdigit((unsigned char)*text))
		return (-EINVAL);
	errno = 0;
	*value = strtoull(text, &stop, 0);
	if (errno != 0)
		return (-EINVAL);
	*end = stop;
	return (0);
}

static int
multiply(uint64_t value, uint64_t by, uint64_t *result)
{
	return (__builtin_mul_overflow(value, by, result) ? -EINVAL : 0);
}

int
tbuf_parse_size(const char *text, uint64_t *bytes)
{
	return (tbuf_option_bytes(text, bytes));
}

int
tbuf_parse_rate(const char *text, uint64_t *nanoseconds)
{
	static const struct {
		const char *name;
		uint64_t ns;		/* 0: a frequency */
	} units[] = {
		{ "", 0 }, { "hz", 0 },
		{ "ns", 1 }, { "nsec", 1 },
		{ "us", 1000 }, { "usec", 1000 },
		{ "ms", 1000000 }, { "msec", 1000000 },
		{ "s", TBUF_SECOND }, { "sec", TBUF_SECOND },
		{ "m", 60 * TBUF_SECOND }, { "min", 60 * TBUF_SECOND },
		{ "h", 3600 * TBUF_SECOND }, { "hour", 3600 * TBUF_SECOND },
		{ "d", 86400 * TBUF_SECOND }, { "day", 86400 * TBUF_SECOND },
	};
	const char *end;
	uint64_t value;
	size_t i;

	if (parse_integer(text, &value, &end) != 0 || value == 0)
		return (-EINVAL);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcasecmp(end, units[i].name) != 0)
			continue;
		if (units[i].ns != 0)
			return (multiply(value, units[i].ns, nanoseconds));
		*nanoseconds = value < TBUF_SECOND ? TBUF_SECOND / value : 1;
		return (0);
	}
	return (-EINVAL);
}
