/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Addresses of programs, as ustack(), usym() and their like have recorded
 * them: behind the image that they belong to.
 */
#ifndef TBUFCTL_PRINT_ADDRESS_H
#define TBUFCTL_PRINT_ADDRESS_H

#include <sys/types.h>

#include <stdbool.h>

#include "typed_value.h"
#include "base/output.h"

struct options;
struct tbuf_consumer;

/*
 * Before anything is printed, and when nothing more is.  The target is $target,
 * or 0.
 */
void	address_begin(const struct options *, struct tbuf_consumer *,
	    pid_t target);
/* Blanks before a frame, from now on; 0: as at the beginning. */
void	address_indent(int);
void	address_end(void);

/* Did stack() or ustack() give it?  usym() or its like? */
bool	address_is_stack(const struct datum *);
bool	address_is_symbol(const struct datum *);

/* A line for each frame. */
void	address_put_stack(struct output *, const struct datum *);
/* Of each frame what it is called, from the site on; false: there is none. */
bool	address_put_frame(struct output *, const struct datum *, unsigned n,
	    bool offset);
/* What usym() or its like is shown as, appended without any blanks. */
void	address_put_symbol(struct output *, const struct datum *);
/* The same, where a number is an address of $target. */
void	address_put_target(struct output *, const struct datum *);

#endif
