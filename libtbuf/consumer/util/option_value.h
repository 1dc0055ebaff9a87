/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of a run's options: the kinds of base/option.h, which sessions have
 * too, and further kinds.
 */
#ifndef TBUF_CONSUMER_UTIL_OPTION_VALUE_H
#define TBUF_CONSUMER_UTIL_OPTION_VALUE_H

#include "base/option.h"

/* Kinds of values that enum tbuf_option_kind does not have. */
enum tbuf_setting_kind {
	TBUF_SETTING_RATE = TBUF_OPTION_KINDS,	/* a period in ns */
	TBUF_SETTING_RATE_OR_NONE,	/* 0: as often as possible */
	TBUF_SETTING_STATUSRATE,
	TBUF_SETTING_FLAG,		/* a flag that any number sets */
	TBUF_SETTING_NUMBER,
	TBUF_SETTING_ENCODING,
	TBUF_SETTING_RULES		/* rules of work units: several words */
};

/*
 * Parses a value (NULL: the option has none) into a field of 64 bits, or into
 * TBUF_UNIT_RULES of them.  Returns 0, -EINVAL or, for too many rules, -E2BIG;
 * an error leaves the field unchanged.
 */
int	tbuf_setting_read(unsigned kind, const char *value, void *field);

/* Returns the text that describes valid values, for an error message. */
const char *tbuf_setting_wrong(unsigned kind);

#endif
