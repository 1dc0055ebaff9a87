/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of a run's options: those that sessions know, too, and others.
 */
#ifndef TBUF_CONSUMER_UTIL_OPTION_VALUE_H
#define TBUF_CONSUMER_UTIL_OPTION_VALUE_H

#include "base/option.h"

/* Kinds of values beside enum tbuf_option_kind. */
enum tbuf_setting_kind {
	TBUF_SETTING_RATE = TBUF_OPTION_KINDS,	/* a period in ns */
	TBUF_SETTING_RATE_OR_NONE,	/* 0: as often as can be */
	TBUF_SETTING_STATUSRATE,
	TBUF_SETTING_FLAG,		/* a flag that any number sets, too */
	TBUF_SETTING_NUMBER,
	TBUF_SETTING_ENCODING,
	TBUF_SETTING_RULES,		/* of work units: several words */
	TBUF_SETTING_KINDS
};

/*
 * Parses a value, NULL for a bare name, into a field of 64 bits, or into
 * TBUF_UNIT_RULES of them.  Returns 0, -EINVAL or, for too many rules, -E2BIG;
 * the field is as it was then.
 */
int	tbuf_setting_read(unsigned kind, const char *value, void *field);

/* Returns the text for a wrong value, which says what would be right. */
const char *tbuf_setting_wrong(unsigned kind);

#endif
