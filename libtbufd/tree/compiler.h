/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the passes of the compiler share.
 */
#ifndef LIBTBUFD_TREE_COMPILER_H
#define LIBTBUFD_TREE_COMPILER_H

#include <setjmp.h>

#include "arena.h"
#include "identifiers.h"
#include "tbufd.h"
#include "types.h"

struct declaration;
struct guess;
struct origin;
struct pragma;
struct translator;

struct d_compiler {
	struct arena arena;
	const struct d_options *options;

	/* What one source leaves to the next. */
	struct types types;
	struct table globals;
	struct table threads;		/* self-> */
	struct table aggregations;
	struct translator *translators;
	unsigned generation;		/* counts sources, from 1 */
	unsigned scripts;		/* counts what was generated */
	struct origin *origins;

	/* The source that is being compiled. */
	const struct d_source *source;
	struct d_error *error;
	jmp_buf *escape;		/* where an error leaves to */
	bool *argument_used;
	struct table locals;		/* this-> */
	struct table names;		/* seen as identifiers: no types */
	struct table *inner;		/* parameters, before the globals */
	struct table arguments;		/* of the clause's probes, after them */
	struct guess *guesses;		/* of which class they are */

	/* What the next error is about, if it is a name. */
	enum d_unknown unknown;
	const char *unknown_name;
	const struct type *unknown_in;	/* whose member it would be */

	/* Where an error is. */
	const char *file;		/* of #line */
	const char *region;
	int line;

	/* The lexer, and what the parser tells it. */
	void *scanner;
	int before[2];			/* the last tokens, the latest first */
	unsigned tokens;		/* counts them */
	const char *missed;		/* the last word that is no type where */
	unsigned missed_at;		/* one is expected, and its token */
	const char *module;		/* of a tag: module`struct tag */
	int parentheses, brackets, braces;
	unsigned include_depth;
	bool tag_follows;		/* after struct, union, enum */
	bool member_follows;		/* after . and -> */
	bool in_dimension;		/* between [ ] of a declarator */
	bool in_translator_input;
	int comment_state;		/* what a comment interrupts */
	struct d_node *words;		/* of a control line */
	struct pragma *pragmas;		/* of names that are not there yet */
	struct declared *declared;	/* providers */
	struct declaration *declaration;

	struct d_node *root;
	const struct d_description *description;	/* of this clause */
};

/* Errors are this program's from now on. */
void	d_origin(struct d_compiler *c, const struct d_node *program);
void	d_lex_begin(struct d_compiler *c);
/* From the grammar, for the lexer: what follows is a clause or an outer one. */
void	d_lex_expression(struct d_compiler *c);
void	d_lex_outer(struct d_compiler *c);
/* The text of the last token. */
const char *d_lex_text(struct d_compiler *c);

#endif
