/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * struct d_compiler, which the passes of the compiler share.
 */
#ifndef LIBTBUFD_TREE_COMPILER_H
#define LIBTBUFD_TREE_COMPILER_H

#include <setjmp.h>

#include "arena.h"
#include "identifiers.h"
#include "tbufd.h"
#include "types.h"

struct declaration;
struct generated;
struct guess;
struct lowered;
struct origin;
struct pragma;

struct d_compiler {
	struct arena arena;
	const struct d_options *options;

	/* Retained from one source to the next. */
	struct types types;
	struct table globals;
	struct table called;		/* names of functions in calls only */
	struct table threads;		/* self-> */
	struct table aggregations;
	struct d_name *translators;	/* by both types */
	unsigned generation;		/* number of the source, from 1 */
	unsigned scripts;		/* scripts generated so far */
	const char *destructive;	/* first such action generated */
	struct origin *origins;
	struct lowered *lowered, **last_lowered;	/* d_lowered() */
	const struct generated *generated;	/* the last script's clauses */

	/* The source that is being compiled. */
	const struct d_source *source;
	struct d_error *error;
	jmp_buf *escape;		/* for longjmp() at an error */
	bool *argument_used;
	struct table locals;		/* this-> */
	struct table names;		/* used as identifiers, not types */
	struct table *inner;		/* parameters, before the globals */
	struct table arguments;		/* of the clause's probes */
	struct guess *guesses;		/* classes assumed for these */

	/* The name that the next error is about, if it is one. */
	enum d_unknown unknown;
	const char *unknown_name;
	const struct type *unknown_in;	/* type sought for a D_UNKNOWN_MEMBER */

	/* Place of an error. */
	const char *file;		/* of #line */
	const char *region;
	int line;

	/* State of the lexer, part of it set by the parser. */
	void *scanner;
	int before[2];			/* last two tokens, latest first */
	unsigned tokens;		/* tokens read so far */
	const char *missed;		/* last unknown name where a type is */
	unsigned missed_at;		/* expected, and its token's number */
	const char *module;		/* of a tag: module`struct tag */
	int parentheses, brackets, braces;
	unsigned include_depth;
	bool tag_follows;		/* after struct, union, enum */
	bool member_follows;		/* after . and -> */
	bool in_dimension;		/* between [ ] of a declarator */
	bool in_translator_input;
	int comment_state;		/* state to return to after a comment */
	struct d_node *words;		/* of a control line */
	struct pragma *pragmas;		/* for names not defined yet */
	struct declared *declared;	/* providers */
	struct declaration *declaration;

	struct d_node *root;
	const struct d_description *description;	/* of this clause */
	const struct d_node *descriptions;	/* all of this clause */
};

/* Attributes errors to this program from now on. */
void	d_origin(struct d_compiler *c, const struct d_node *program);
void	d_lex_begin(struct d_compiler *c);
/* Make the lexer read a clause, or the text between clauses. */
void	d_lex_expression(struct d_compiler *c);
void	d_lex_outer(struct d_compiler *c);
/* Returns the text of the last token. */
const char *d_lex_text(struct d_compiler *c);

#endif
