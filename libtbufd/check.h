/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The checks: names are looked up, expressions get their types, actions and
 * aggregations their arguments.  A node's check gives the node that takes its
 * place.  A tree may be checked again.
 */
#ifndef D_CHECK_H
#define D_CHECK_H

#include "tree/tree.h"

/* --- for the parser and compile.c -------------------------------------- */

/* How its value is used: IDENTIFIER_READ, IDENTIFIER_WRITTEN; or 0. */
struct d_node *d_check(struct d_compiler *c, struct d_node *node,
	    unsigned use);
void	d_check_program(struct d_compiler *c, struct d_node *program);
/* A clause, when types of its probes' arguments have changed. */
void	d_check_again(struct d_compiler *c, struct d_node *clause);
void	d_check_inline(struct d_compiler *c, struct d_node *node,
	    struct d_node *expression);
struct d_node *d_check_translator(struct d_compiler *c, struct type *to,
	    struct type *from, const char *name, struct d_node *members);

/* --- guess.c: arguments of probes that are not there yet ---------------- */

enum d_class d_guess(struct d_compiler *c, const char *name,
	    uint64_t number);
/* Of trees that were not checked yet. */
struct d_node *d_tree_copy(struct d_compiler *c, const struct d_node *list);
void	d_check_guessing(struct d_compiler *c, struct d_node *clause,
	    void (*check)(struct d_compiler *, struct d_node *));

/* --- among the checks -------------------------------------------------- */

void	d_check_list(struct d_compiler *c, struct d_node **list, unsigned use);
struct d_node *d_check_unary(struct d_compiler *c, struct d_node *node);
struct d_node *d_check_binary(struct d_compiler *c, struct d_node *node,
	    unsigned use);
struct d_node *d_check_conditional(struct d_compiler *c, struct d_node *node);
struct d_node *d_check_assign(struct d_compiler *c, struct d_node *node);
struct d_node *d_check_index(struct d_compiler *c, struct d_node *node,
	    unsigned use);
struct d_node *d_check_member(struct d_compiler *c, struct d_node *node,
	    unsigned use);
struct d_node *d_check_xlate(struct d_compiler *c, struct d_node *node);
void	d_check_aggregation(struct d_compiler *c, struct d_node *node);

/* A name of a table; made in it if it is new and may be. */
void	d_resolve(struct d_compiler *c, struct d_node *node,
	    struct table *table, enum identifier_kind kind, bool create);
/* Type and arguments of a variable or a call. */
void	d_check_identifier(struct d_compiler *c, struct d_node *node,
	    struct d_node **arguments);
/* The signature that a prototype or the first use gives. */
void	d_check_signature(struct d_compiler *c, struct d_node *node,
	    const struct d_node *arguments, const char *prefix,
	    const char *suffix);
struct identifier *d_node_translated(struct d_compiler *c,
	    const struct d_node *node);

/* Do they go together as pointers; of which type is what both are? */
bool	d_pointers_compatible(struct d_compiler *c, const struct d_node *left,
	    const struct d_node *right, struct type **type);
/* May the right one be passed for, or assigned to, the left one? */
bool	d_argument_compatible(struct d_compiler *c, const struct d_node *left,
	    const struct d_node *right);
_Noreturn void d_fail_operands(struct d_compiler *c, const struct d_node *left,
	    enum operator op, const struct d_node *right);

/* After the types: what a clause's statements do, in their order. */
struct clause_state {
	bool commits, speculates, records;
};

void	d_check_statement(struct d_compiler *c, struct clause_state *state,
	    struct d_node *statement);
void	d_check_action(struct d_compiler *c, struct d_node *call);
void	d_check_aggregating(struct d_compiler *c, struct d_node *node);
/* Expressions call functions alone, no actions. */
void	d_check_calls(struct d_compiler *c, const struct d_node *node);

/* --- formats ----------------------------------------------------------- */

/*
 * A format of printf() and its like against its arguments; of printa() against
 * an aggregation's keys.
 */
void	d_check_format(struct d_compiler *c, const struct d_node *call,
	    const char *format, const struct d_node *arguments);
void	d_check_aggregation_format(struct d_compiler *c,
	    const struct d_node *call, const char *format,
	    const struct identifier *aggregation);

#endif
