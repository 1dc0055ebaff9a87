/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Formats of printf(), printa() and similar actions, parsed.
 */
#ifndef D_PRINTF_H
#define D_PRINTF_H

#include "tree/compiler.h"

/* The values that a conversion accepts. */
enum conversion_accepts {
	ACCEPTS_ADDRESS,	/* pointer or integer */
	ACCEPTS_KERNEL_ADDRESS,
	ACCEPTS_USER_ADDRESS,
	ACCEPTS_STACK,
	ACCEPTS_TIME,		/* an integer of 8 bytes */
	ACCEPTS_STRING,
	ACCEPTS_WIDE_STRING,
	ACCEPTS_CHARACTER,	/* an integer of up to 4 bytes */
	ACCEPTS_FLOAT,
	ACCEPTS_INTEGER,
	ACCEPTS_SHORT,		/* by its type's name, signed or not */
	ACCEPTS_LONG,
	ACCEPTS_LONG_LONG,	/* or a typedef of a 64-bit integer */
	ACCEPTS_TYPE,		/* exactly the named type */
	ACCEPTS_NOTHING,	/* %% */
};

struct conversion {
	const char *name;	/* "lld" */
	const char *prototype;	/* for messages; or the type */
	enum conversion_accepts accepts;
};

#define FORMAT_ALTERNATE	0x01	/* # */
#define FORMAT_DYNAMIC_WIDTH	0x02	/* * */
#define FORMAT_DYNAMIC_PRECISION 0x04	/* .* */
#define FORMAT_PLUS		0x08
#define FORMAT_LEFT		0x10	/* - */
#define FORMAT_ZERO		0x20
#define FORMAT_SPACE		0x40
#define FORMAT_GROUP		0x80	/* ' */
#define FORMAT_AGGREGATION	0x100	/* @ */
#define FORMAT_PRECISION	0x200	/* a precision is present */

/* A piece of a format: literal text, then a conversion or NULL. */
struct format_piece {
	struct format_piece *next;
	const char *prefix;
	size_t prefix_length;
	const struct conversion *conversion;
	unsigned flags;
	unsigned width, precision;
	unsigned number;	/* of the piece, from 1 */
};

/* Parses a format; fails with D_SYNTAX if it is malformed. */
struct format_piece *d_format_read(struct d_compiler *c, const char *format);

#endif
