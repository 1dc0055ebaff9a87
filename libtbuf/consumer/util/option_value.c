/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses the values of the options in options.c.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/util/option_value.h"
#include "consumer/util/util.h"
#include "tbuf_consumer.h"

#define STATUSRATE_MAX	(10 * TBUF_SECOND)

static const char *const wrong[] = {
	[TBUF_SETTING_RATE] = "not a rate (examples: 10hz, 100ms)",
	[TBUF_SETTING_RATE_OR_NONE] = "not a rate (examples: 10hz, 100ms)",
	[TBUF_SETTING_STATUSRATE] = "not a rate (examples: 10hz, 100ms)",
	[TBUF_SETTING_NUMBER] = "not a number (examples: 0, 2)",
	[TBUF_SETTING_ENCODING] = "not an encoding (ascii, utf8)",
	[TBUF_SETTING_RULES] =
	    "not level or a list of OUTCOME:MASK (example: "
	    "0:2,*:0xffffffff)"
};

static bool
is_number(unsigned kind)
{
	return (kind == TBUF_SETTING_NUMBER || kind == TBUF_SETTING_FLAG);
}

/* Returns the kind of base/option.h that parses values of this kind. */
static enum tbuf_option_kind
common_kind(unsigned kind)
{
	return (is_number(kind) ? TBUF_OPTION_FLAG :
	    (enum tbuf_option_kind)kind);
}

/* Parses an integer.  Any integer sets a flag, 0 too. */
static int
parse_integer(unsigned kind, const char *value, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(value, &end, 0);
	if (errno != 0 || *end != '\0')
		return (-EINVAL);
	if (kind == TBUF_SETTING_FLAG)
		*number = 1;
	return (0);
}

static int
parse_period(unsigned kind, const char *value, int64_t *number)
{
	uint64_t ns = 0;

	if (value == NULL)
		return (-EINVAL);
	if ((kind != TBUF_SETTING_RATE_OR_NONE || strcmp(value, "0") != 0) &&
	    (tbuf_parse_rate(value, &ns) != 0 || ns > INT64_MAX))
		return (-EINVAL);
	if (kind == TBUF_SETTING_STATUSRATE && ns > STATUSRATE_MAX)
		ns = STATUSRATE_MAX;
	*number = (int64_t)ns;
	return (0);
}

static int
parse(unsigned kind, const char *value, int64_t *number)
{
	static const char *const encodings[] = {
		"default", "ascii", "utf8", NULL
	};

	/* An option without a value is 0. */
	*number = 0;
	if (kind == TBUF_SETTING_NUMBER && value == NULL)
		return (0);
	if (is_number(kind) && value != NULL && isdigit((unsigned char)*value))
		return (parse_integer(kind, value, number));
	if (kind >= TBUF_SETTING_RATE && kind <= TBUF_SETTING_STATUSRATE)
		return (parse_period(kind, value, number));
	if (kind == TBUF_SETTING_ENCODING)
		return (tbuf_option_word(value, encodings, number));
	return (tbuf_option_value(common_kind(kind), value, number));
}

static bool
is_online(int64_t cpu)
{
	struct tbuf_cpus online;

	tbuf_cpus_online(&online);
	return (tbuf_cpus_has(&online, (unsigned)cpu));
}

int
tbuf_setting_read(unsigned kind, const char *value, void *field)
{
	int64_t number;

	if (kind != TBUF_SETTING_RULES) {
		if (parse(kind, value, &number) != 0 ||
		    (kind == TBUF_OPTION_CPU && !is_online(number)))
			return (-EINVAL);
		memcpy(field, &number, sizeof(number));
		return (0);
	}
	return (tbuf_option_rules(value, field));
}

const char *
tbuf_setting_wrong(unsigned kind)
{
	return (kind < TBUF_OPTION_KINDS || kind == TBUF_SETTING_FLAG ?
	    tbuf_option_wrong[common_kind(kind)] : wrong[kind]);
}
