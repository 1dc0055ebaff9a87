/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What tokens stand for: constants, and the arguments of the script.
 */
#ifndef LIBTBUFD_TREE_CONSTANT_H
#define LIBTBUFD_TREE_CONSTANT_H

#include "tree.h"

/* Without its escapes; *length may be given back, for there may be NULs. */
char	*d_unescape(struct d_compiler *c, const char *text, size_t length,
	    size_t *unescaped);
void	d_read_integer(struct d_compiler *c, const char *text,
	    struct literal *literal);
void	d_read_character(struct d_compiler *c, const char *text,
	    size_t length, struct literal *literal);

/* What $N is replaced by. */
enum argument_kind {
	ARGUMENT_STRING,
	ARGUMENT_INTEGER,
	ARGUMENT_NAME,
};

/* $$N: always a string. */
char	*d_argument_string(struct d_compiler *c, const char *token);
enum argument_kind d_argument(struct d_compiler *c, const char *token,
	    const char **text, struct literal *literal);
/* $pid and its like; D_MACRO_UNDEF. */
int64_t	d_macro(struct d_compiler *c, const char *token, unsigned dollars);
/* Is every argument used?  D_MACRO_UNUSED. */
void	d_arguments_used(struct d_compiler *c);
/* In probe descriptions: NULL if it is not defined. */
const char *d_macro_text(struct d_compiler *c, const char *name);

/* A line that begins with #. */
void	d_control(struct d_compiler *c, struct d_node *words);
/* Has each name that a pragma is about been defined?  D_PRAGMA_UNUSED. */
void	d_pragmas_used(struct d_compiler *c);

/* A provider that is declared: pragmas may be about it. */
void	d_pragmas_declare(struct d_compiler *c, const char *provider);

#endif
