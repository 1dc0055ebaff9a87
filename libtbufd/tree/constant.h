/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Constants, the script's arguments, macro variables and control lines.
 */
#ifndef LIBTBUFD_TREE_CONSTANT_H
#define LIBTBUFD_TREE_CONSTANT_H

#include "tree.h"

/* Replaces escapes; *unescaped is the length, as the text may contain NULs. */
char	*d_unescape(struct d_compiler *c, const char *text, size_t length,
	    size_t *unescaped);
void	d_read_integer(struct d_compiler *c, const char *text,
	    struct literal *literal);
void	d_read_character(struct d_compiler *c, const char *text,
	    size_t length, struct literal *literal);

/* The kind of token that replaces $N. */
enum argument_kind {
	ARGUMENT_STRING,
	ARGUMENT_INTEGER,
	ARGUMENT_NAME,
};

/* Expands $$N, which is always a string. */
char	*d_argument_string(struct d_compiler *c, const char *token);
enum argument_kind d_argument(struct d_compiler *c, const char *token,
	    const char **text, struct literal *literal);
/* Returns the value of $pid and so on; fails with D_MACRO_UNDEF. */
int64_t	d_macro(struct d_compiler *c, const char *token, unsigned dollars);
/* Fails with D_MACRO_UNUSED if an argument is not used. */
void	d_arguments_used(struct d_compiler *c);
/* Expands a macro in a probe description; NULL if it is not defined. */
const char *d_macro_text(struct d_compiler *c, const char *name);

/* Processes a line that begins with #. */
void	d_control(struct d_compiler *c, struct d_node *words);
/* Fails with D_PRAGMA_UNUSED if a pragma's name was never defined. */
void	d_pragmas_used(struct d_compiler *c);

/* Records that a provider is declared, so that pragmas may name it. */
void	d_pragmas_declare(struct d_compiler *c, const char *provider);

#endif
