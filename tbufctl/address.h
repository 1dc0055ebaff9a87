/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Addresses of programs, as ustack(), usym() and their like have recorded
 * them: behind the image that they belong to.
 */
#ifndef TBUFCTL_ADDRESS_H
#define TBUFCTL_ADDRESS_H

#include <stdbool.h>

#include "datum.h"
#include "output.h"

/* -x stackindent */
#define ADDRESS_INDENT	14

struct options;

/* Before anything is printed. */
void	address_begin(const struct options *);

/* Did stack() or ustack() give it?  An address or usym() or its like? */
bool	address_is_stack(const struct datum *);
bool	address_is_symbol(const struct datum *);

/* A line for each frame. */
void	address_put_stack(struct output *, const struct datum *);
/* What usym() or its like is shown as, appended without any blanks. */
void	address_put_symbol(struct output *, const struct datum *);

#endif
