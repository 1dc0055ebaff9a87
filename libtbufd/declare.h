/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Declarations: the specifiers read so far, declarators, and their meaning.
 * Each level has a struct declaration: that of a structure's members or of a
 * parameter list has an outer one.
 */
#ifndef D_DECLARE_H
#define D_DECLARE_H

#include "tree/compiler.h"

enum storage {
	STORAGE_NONE,
	STORAGE_AUTO,
	STORAGE_REGISTER,
	STORAGE_STATIC,
	STORAGE_EXTERN,
	STORAGE_TYPEDEF,
	STORAGE_SELF,
	STORAGE_THIS,
};

#define ATTRIBUTE_SIGNED	0x01
#define ATTRIBUTE_UNSIGNED	0x02
#define ATTRIBUTE_SHORT		0x04
#define ATTRIBUTE_LONG		0x08
#define ATTRIBUTE_LONG_LONG	0x10

/* A step from a declarator to its type; the nearest to the name is first. */
enum derivation_kind {
	DERIVE_POINTER,
	DERIVE_ARRAY,
	DERIVE_ASSOCIATIVE,
	DERIVE_FUNCTION,
};

struct derivation {
	struct derivation *next;
	enum derivation_kind kind;
	bool unsized;			/* [] */
	uint64_t count;
	struct d_node *parameters;
};

struct declarator {
	const char *name;		/* NULL: an abstract declarator */
	struct derivation *first;
};

struct declaration {
	struct declaration *outer;
	enum storage storage;
	unsigned attributes;
	bool has_kind;			/* basic type, tag or typedef read */
	bool has_name;			/* a type's name was read */
	enum type_kind kind;		/* TYPE_TYPEDEF: any name */
	const char *name;
	struct type *type;		/* defined here */
	struct declarator *declarator;	/* a type's name that is redeclared */
	int enumerator;			/* value of the last one */
};

void	d_declare_push(struct d_compiler *c);
void	d_declare_pop(struct d_compiler *c);

/* Add specifiers, as they are read. */
void	d_declare_storage(struct d_compiler *c, enum storage storage);
void	d_declare_attribute(struct d_compiler *c, unsigned attribute);
void	d_declare_specifier(struct d_compiler *c, enum type_kind kind,
	    const char *name);
/* Begins struct name { … }; its members are declared one level deeper. */
void	d_declare_composite(struct d_compiler *c, enum type_kind kind,
	    const char *name);
void	d_declare_member(struct d_compiler *c, struct declarator *declarator,
	    struct d_node *bits);
void	d_declare_enumerator(struct d_compiler *c, const char *name,
	    struct d_node *value);

/* Build declarators. */
struct declarator *d_declarator(struct d_compiler *c, const char *name);
struct declarator *d_declarator_derive(struct d_compiler *c,
	    struct declarator *declarator, struct derivation *derivation);
struct derivation *d_derive_pointer(struct d_compiler *c,
	    struct derivation *next);
struct derivation *d_derive_array(struct d_compiler *c,
	    struct d_node *dimension);
struct derivation *d_derive_function(struct d_compiler *c,
	    struct d_node *parameters);

/* Returns the type of the specifiers with this declarator. */
struct type *d_declare_type(struct d_compiler *c,
	    struct declarator *declarator);
struct d_node *d_declare_parameter(struct d_compiler *c,
	    struct declarator *declarator);
/* Declares the specifiers alone, or with one more declarator. */
void	d_declare(struct d_compiler *c, struct declarator *declarator);
void	d_declare_end(struct d_compiler *c);
struct d_node *d_declare_inline(struct d_compiler *c,
	    struct declarator *declarator, struct d_node *expression);
/* Checks a prototype's parameters.  Returns their number. */
#define PROTOTYPE_VARIABLE	0x1	/* may end in ... */
#define PROTOTYPE_VOID		0x2	/* may be (void) */
#define PROTOTYPE_NAMELESS	0x4
unsigned d_declare_prototype(struct d_compiler *c, struct d_node *parameters,
	    const struct d_node *formal, const char *what, unsigned allowed);

/* --- provider.c ----------------------------------------------------------- */

struct d_node *d_provider_probe(struct d_compiler *c, const char *name,
	    struct d_node *input, struct d_node *output);
struct d_node *d_provider(struct d_compiler *c, const char *name,
	    struct d_node *probes);

#endif
