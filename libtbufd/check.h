/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The checks: they look up names, assign types to expressions, and check the
 * arguments of actions and aggregations.  Each returns the node that takes the
 * checked node's place.  A tree may be checked again.
 */
#ifndef D_CHECK_H
#define D_CHECK_H

#include "tree/tree.h"

/* --- for the parser and compile.c -------------------------------------- */

/* use: IDENTIFIER_READ, IDENTIFIER_WRITTEN, both or 0. */
struct d_node *d_check(struct d_compiler *c, struct d_node *node,
	    unsigned use);
void	d_check_program(struct d_compiler *c, struct d_node *program);
/* Checks a clause again after types of its probes' arguments have changed. */
void	d_check_again(struct d_compiler *c, struct d_node *clause);
void	d_check_inline(struct d_compiler *c, struct d_node *node,
	    struct d_node *expression);
struct d_node *d_check_translator(struct d_compiler *c, struct type *to,
	    struct type *from, const char *name, struct d_node *members);

/* --- guess.c: arguments of probes that do not exist yet ----------------- */

enum d_class d_guess(struct d_compiler *c, const char *name,
	    uint64_t number);
/* Copies trees that were not checked yet. */
struct d_node *d_tree_copy(struct d_compiler *c, const struct d_node *list);
void	d_check_guessing(struct d_compiler *c, struct d_node *clause,
	    void (*check)(struct d_compiler *, struct d_node *));

/* --- within the checks ------------------------------------------------- */

/* Checks a list up to its first if, whose place it returns. */
struct d_node **d_check_list(struct d_compiler *c, struct d_node **list,
	    unsigned use);
struct d_node *d_check_unary(struct d_compiler *c, struct d_node *node);
struct d_node *d_check_binary(struct d_compiler *c, struct d_node *node,
	    unsigned use);
struct d_node *d_check_conditional(struct d_compiler *c, struct d_node *node);
struct d_node *d_check_assign(struct d_compiler *c, struct d_node *node);
struct d_node *d_check_index(struct d_compiler *c, struct d_node *node,
	    unsigned use);
struct d_node *d_check_member(struct d_compiler *c, struct d_node *node,
	    unsigned use);
/*
 * class_text.c: d_class_text() returns an expression for the text of an object
 * of C++, or NULL.  The other functions return those for the place and the text
 * of a string view, or of the one that a pointer leads to.
 */
struct d_node *d_class_text(struct d_compiler *c, struct d_node *object);
struct d_node *d_view_place(struct d_compiler *c, struct d_node *object,
	    enum operator op);
struct d_node *d_view_text(struct d_compiler *c, struct d_node *object,
	    enum operator op);
struct d_node *d_check_xlate(struct d_compiler *c, struct d_node *node);
/* Fails unless both operands are integers. */
void	d_check_integers(struct d_compiler *c, const struct d_node *node);
void	d_check_aggregation(struct d_compiler *c, struct d_node *node);

/* Fails for the name of a variable that does not exist. */
_Noreturn void d_fail_variable(struct d_compiler *c, enum d_unknown what,
	    const char *name);
/* Gives args[N] the type of the parameter that the argument has, if any. */
struct d_node *d_check_argument(struct d_compiler *, struct d_node *);
/*
 * Returns the value of a function's parameter, if it is one's name and no
 * other; or NULL.  Only the types of the function say that it has this
 * parameter.
 */
struct d_node *d_check_parameter(struct d_compiler *, struct d_node *);
/* Returns a member of a structure that is passed by value; or NULL. */
struct d_node *d_check_part(struct d_compiler *, struct d_node *);
/* Returns true if the clause's probes have an argument of this name. */
bool	d_names_argument(struct d_compiler *c, const char *name);
/* Looks a name up in a table, and adds it if it is new and `create`. */
void	d_resolve(struct d_compiler *c, struct d_node *node,
	    struct table *table, enum identifier_kind kind, bool create);
/* Checks the arguments of a variable or a call, and assigns its type. */
void	d_check_identifier(struct d_compiler *c, struct d_node *node,
	    struct d_node **arguments);
/* Checks arguments against a signature, from a prototype or the first use. */
void	d_check_signature(struct d_compiler *c, struct d_node *node,
	    const struct d_node *arguments, const char *prefix,
	    const char *suffix);
struct identifier *d_node_translated(struct d_compiler *c,
	    const struct d_node *node);

const struct d_node *d_translator_member(const struct translator *translator,
	    const char *name);

/* True if both go together as pointers; *type is then the common type. */
bool	d_pointers_compatible(struct d_compiler *c, const struct d_node *left,
	    const struct d_node *right, struct type **type);
/* True if the right one may be passed for, or assigned to, the left one. */
bool	d_argument_compatible(struct d_compiler *c, const struct d_node *left,
	    const struct d_node *right);
_Noreturn void d_fail_operands(struct d_compiler *c, const struct d_node *left,
	    enum operator op, const struct d_node *right);

/* The effects of a clause's statements so far, in their order. */
struct clause_state {
	bool commits, speculates, records;
};

void	d_check_statement(struct d_compiler *c, struct clause_state *state,
	    struct d_node *statement);
void	d_check_action(struct d_compiler *c, struct d_node *call);
void	d_check_aggregating(struct d_compiler *c, struct d_node *node);
/* Fails if an expression calls an action. */
void	d_check_calls(struct d_compiler *c, const struct d_node *node);

/* --- formats ----------------------------------------------------------- */

/*
 * Check a format of printf() and similar actions against its arguments, or of
 * printa() against an aggregation's keys.
 */
void	d_check_format(struct d_compiler *c, const struct d_node *call,
	    const char *format, const struct d_node *arguments);
void	d_check_aggregation_format(struct d_compiler *c,
	    const struct d_node *call, const char *format,
	    const struct identifier *aggregation);

#endif
