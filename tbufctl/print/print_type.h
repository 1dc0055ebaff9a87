/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * print(): a value by its type.
 */
#ifndef TBUFCTL_PRINT_PRINT_TYPE_H
#define TBUFCTL_PRINT_PRINT_TYPE_H

#include <stdint.h>

#include "typed_value.h"
#include "base/output.h"

/* "int 0x17", "struct s {" and what is in it. */
void	print_value(struct output *, const struct datum *);

/*
 * What a pointer points to, of which `bytes` has the beginning: members with
 * their types, without those that are 0, and those that begin at the limit or
 * behind it.
 */
void	print_pointed(struct output *, uint64_t address,
	    const struct datum *bytes, uint64_t limit);

/* The name of an enumerator, or its number. */
void	print_enumerator(struct output *, const struct tbuf_d_shape *,
	    uint64_t number);

#endif
