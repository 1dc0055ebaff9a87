/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A value that a clause has recorded, with its type: what trace(), printf()
 * and print() show.
 */
#ifndef TBUFCTL_PRINT_TYPED_VALUE_H
#define TBUFCTL_PRINT_TYPED_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf_consumer.h>
#include "machine/program.h"

enum datum_kind {
	DATUM_INTEGER,
	DATUM_FLOAT,
	DATUM_TEXT,
	DATUM_BYTES
};

struct datum {
	enum datum_kind kind;
	bool is_signed;
	unsigned size;		/* bytes that an integer has in D */
	uint64_t number;	/* cut to them, and extended by its sign */
	double floating;
	const char *data;	/* of a text, or bytes */
	size_t length;
	const struct tbuf_d_shape *shape;	/* NULL: not known */
};

void	datum_get(struct datum *, const struct tbuf_d_piece *,
	    const struct tbuf_value *);

/* An integer of `size` bytes in memory of ours, extended by its sign. */
uint64_t datum_load(const void *, unsigned size, bool is_signed);

/* Bytes up to the first NUL. */
size_t	datum_text_length(const struct datum *);

#endif
