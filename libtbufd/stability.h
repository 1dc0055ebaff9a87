/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stability: how much a program relies on interfaces that may change.  It has
 * three levels: of names, of their meaning, and of platforms; a node has the
 * lowest of its parts.  A description has the levels of its provider's fields,
 * which are Unstable where no provider is named.
 */
#ifndef D_STABILITY_H
#define D_STABILITY_H

#include "tree/tree.h"

/* Assigns a node the lowest level of its parts; fails if it is too low. */
void	d_stability_assign(struct d_compiler *c, struct d_node *node);
/*
 * Begins the check of a clause for one of its descriptions: assigns the
 * description its stability, and fails if that is too low.
 */
void	d_stability_begin(struct d_compiler *c, const struct d_node *clause,
	    struct d_node *description);
/* Lowers a clause's stability to that of `checked`, a copy of it. */
void	d_stability_end(struct d_node *clause, const struct d_node *checked);
/* Returns the stability of a built-in name. */
struct d_stability d_stability_builtin(unsigned id);
/* True for a provider of DTrace that exists without a target. */
bool	d_stability_provider(const char *name);
/* Assigns a translator's result the lowest level of its members. */
void	d_stability_translator(struct translator *translator);

#endif
