/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * C's types, as far as a provider file needs them.
 */
#ifndef TBUF_PROVIDERS_USDT_TYPE_H
#define TBUF_PROVIDERS_USDT_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include <tbuf.h>

#pragma GCC visibility push(hidden)

/* The words of a type, counted one after the other: `unsigned long int`. */
struct usdt_type {
	unsigned is_unsigned, is_signed, shorts, longs, pointers;
	bool complete;		/* the words are enough for a type */
	bool is_void;
	enum tbuf_type base;	/* TBUF_NONE: not known */
};

/* Adds a word.  Returns false if it is no word of a type. */
bool	usdt_type_word(struct usdt_type *, const char *word, size_t length);

/* Returns the type as which such an argument is traced. */
enum tbuf_type usdt_type_of(const struct usdt_type *);

#pragma GCC visibility pop

#endif
