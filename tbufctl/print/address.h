/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Addresses of programs that ustack(), usym() and the like have recorded, after
 * the image that they belong to.
 */
#ifndef TBUFCTL_PRINT_ADDRESS_H
#define TBUFCTL_PRINT_ADDRESS_H

#include <sys/types.h>

#include <stdbool.h>

#include "base/output.h"
#include "typed_value.h"

struct options;
struct tbuf_consumer;

/*
 * address_begin() prepares the printing of addresses; the pid is $target, or 0.
 * address_end() frees all symbols.
 */
void	address_begin(const struct options *, struct tbuf_consumer *,
	    pid_t target);
/* Sets the number of blanks before a frame; 0 is the default of 14. */
void	address_indent(int);
void	address_end(void);

/*
 * address_is_stack() is true for a value of stack() or ustack(),
 * address_is_symbol() for one of usym(), sym() and the like.
 */
bool	address_is_stack(const struct datum *);
bool	address_is_symbol(const struct datum *);

/* Prints a stack, one frame on a line. */
void	address_put_stack(struct output *, const struct datum *);
/*
 * Prints the name of frame n, 0 being the site, with its offset in the function
 * if `offset` is set.  Returns false if there is no such frame.
 */
bool	address_put_frame(struct output *, const struct datum *, unsigned n,
	    bool offset);
/* Appends the name of a symbol, without padding. */
void	address_put_symbol(struct output *, const struct datum *);
/* Appends a symbol's name, treating an integer as an address of $target. */
void	address_put_target(struct output *, const struct datum *);

#endif
