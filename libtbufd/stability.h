/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stability: how much a program relies on what may change.  Of names, of what
 * they mean, and of machines it has one each; a node has the lowest of its
 * parts.  Descriptions have that of their provider's fields, which nobody
 * vouches for where no provider is named.
 */
#ifndef D_STABILITY_H
#define D_STABILITY_H

#include "tree/tree.h"

/* A node whose parts have theirs; less than the options want is an error. */
void	d_stability_assign(struct d_compiler *c, struct d_node *node);
/*
 * A clause begins to be checked for one of its descriptions: that has its own,
 * and the clause must not be below what is wanted.
 */
void	d_stability_begin(struct d_compiler *c, const struct d_node *clause,
	    struct d_node *description);
/* Of one of them it was `checked`: the clause's is that of the lowest. */
void	d_stability_end(struct d_node *clause, const struct d_node *checked);
/* Of a name that every program knows. */
struct d_stability d_stability_builtin(unsigned id);
/* Is it one of DTrace's that there is without a target? */
bool	d_stability_provider(const char *name);
/* A translator's result, by its members. */
void	d_stability_translator(struct translator *translator);

#endif
