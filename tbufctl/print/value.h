/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes the values of arguments: one visitor for all formats.
 */
#ifndef TBUFCTL_PRINT_VALUE_H
#define TBUFCTL_PRINT_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include <tbuf_consumer.h>

#include "base/output.h"
#include "base/write_number.h"
#include "typed_value.h"

/* Differences between the formats. */
struct value_style {
	const char *null;	/* for a NULL string, or no finite number */
	const char *byte;	/* before two digits of an unprintable byte */
	bool controls;		/* escapes are characters: U+0080 to U+009f */
	const char *quote;	/* around pointers and bytes */
	bool finite;		/* a number that is not finite is null */
	const char *cut;	/* after a value that strsize cut */
};

/* Most bytes that value_escape() makes of one byte. */
#define VALUE_ESCAPED	6

/*
 * Writes text as it is between quotes, into room for VALUE_ESCAPED times its
 * size.  Returns the end.
 */
char	*value_escape(char *, const void *text, size_t size,
	    const struct value_style *);

/*
 * Append values other than integers and return the end.  value_put_data() makes
 * room for a text or bytes, and for `after` bytes more; value_put_other() takes
 * all other types.
 */
char	*value_put_data(struct output *, char *p, const struct tbuf_value *,
	    const struct value_style *, size_t after);
char	*value_put_other(char *p, const struct tbuf_value *,
	    const struct value_style *);

/* Converts a clause's value to the type that it has in the script. */
void	value_typed(struct tbuf_value *, const struct tbuf_d_piece *,
	    const struct tbuf_value *);

/*
 * Appends a value at p, where there is room for OUTPUT_NUMBER bytes.  Returns
 * the end.  After a text there is room for `after` bytes, even if there was
 * less before.
 */
static inline char *
value_put(struct output *out, char *p, const struct tbuf_value *v,
    const struct value_style *style, size_t after)
{
	switch (v->type) {
	case TBUF_INT8:
	case TBUF_INT16:
	case TBUF_INT32:
	case TBUF_INT64:
		return (put_signed(p, v->i));
	case TBUF_UINT8:
	case TBUF_UINT16:
	case TBUF_UINT32:
	case TBUF_UINT64:
		return (put_unsigned(p, v->u));
	case TBUF_STRING:
	case TBUF_STRING_SIZED:
	case TBUF_BINARY:
		return (value_put_data(out, p, v, style, after));
	default:
		return (value_put_other(p, v, style));
	}
}

#endif
