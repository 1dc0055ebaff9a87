/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * print(): prints a value by its type.
 */
#ifndef TBUFCTL_PRINT_PRINT_TYPE_H
#define TBUFCTL_PRINT_PRINT_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/output.h"
#include "typed_value.h"

/* Prints a value with its type: "int 0x17", or "struct s {" and its members. */
void	print_value(struct output *, const struct datum *);

/*
 * Prints the memory at `address`, of which `bytes` holds the beginning: members
 * with their types, except those that are 0 and those that begin at or after
 * the limit.
 */
void	print_pointed(struct output *, uint64_t address,
	    const struct datum *bytes, uint64_t limit);

/* Prints the name of an enumerator, or its number. */
void	print_enumerator(struct output *, const struct tbuf_d_shape *,
	    uint64_t number);

/* Returns true for a structure or a union. */
bool	print_is_structure(const struct tbuf_d_shape *);

#endif
