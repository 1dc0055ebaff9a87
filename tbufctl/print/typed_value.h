/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A value that a clause has recorded, with its type, for trace(), printf() and
 * print().
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
	uint64_t number;	/* cut to `size` bytes and sign-extended */
	double floating;
	const char *data;	/* of a text or bytes */
	size_t length;
	const struct tbuf_d_shape *shape;	/* NULL: unknown */
};

void	datum_get(struct datum *, const struct tbuf_d_piece *,
	    const struct tbuf_value *);

/* Loads an integer of `size` bytes from our memory and extends its sign. */
uint64_t datum_load(const void *, unsigned size, bool is_signed);

/* Returns the floating-point number that a register holds as its bits. */
double	datum_double(uint64_t bits, unsigned size);

/* Returns the number of bytes before the first NUL. */
size_t	datum_text_length(const struct datum *);

#endif
