/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Types.  Each type but an array is one structure, so two types are equal if
 * their addresses are; const and volatile are parsed and ignored.
 */
#ifndef LIBTBUFD_TREE_TYPES_H
#define LIBTBUFD_TREE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names.h"

enum type_kind {
	TYPE_INTEGER,		/* and void, with 0 bits */
	TYPE_FLOAT,
	TYPE_POINTER,
	TYPE_ARRAY,
	TYPE_FUNCTION,
	TYPE_STRUCT,
	TYPE_UNION,
	TYPE_ENUM,
	TYPE_FORWARD,		/* a tag that is not defined (yet) */
	TYPE_TYPEDEF,
};

#define TYPE_SIGNED	0x01
#define TYPE_CHARACTER	0x02
#define TYPE_BITFIELD	0x04
#define TYPE_PACKED	0x08	/* a bit-field that shares its bytes */
#define TYPE_UNSIGNED	0x10	/* an enum without negative values */

struct tbuf_d_shape;
struct translator;

struct member {
	struct member *next;
	const char *name;	/* NULL: its members belong to the outer type */
	struct type *type;
	uint64_t offset;
};

/* The name of a member, also of one in members without a name. */
struct member_name {
	struct d_name entry;
	const struct member *member;
	uint64_t offset;
};

struct enumerator {
	struct d_name entry;	/* among those of a script's enum */
	struct enumerator *next;
	const char *name;
	int value;
};

struct type {
	struct d_name entry;	/* among all types with a name */
	struct type *next;	/* in order of creation */
	enum type_kind kind;
	enum type_kind tag;	/* of a TYPE_FORWARD: kind of its tag */
	unsigned flags;
	unsigned bits;		/* integers, floats, enums if not 32 */
	unsigned bit;		/* first bit of a bit-field in its bytes */
	unsigned number;	/* in order of creation */
	const char *name;	/* tag of struct, union, enum; or NULL */
	struct type *of;	/* of a pointer, array or typedef */
	struct type *pointer;	/* to this type, once it was needed */
	struct type *bit_field;	/* next bit-field of the same base type */
	uint64_t count;		/* elements of an array */
	uint64_t size;		/* struct, union: end of the last member */
	unsigned alignment;
	struct member *members;
	struct enumerator *enumerators;
	/* Of a type that a script declares: the last one, and all names. */
	struct member *last_member;
	struct enumerator *last_enumerator;
	struct d_name *names;
	struct translator *translators, *last_translator;	/* to it */
	/* Id in a traced program (import.c), or 0. */
	uint64_t import;
	bool imported;		/* defined by a traced program */
	bool sought;		/* import was tried, do not repeat it */
	bool weak;		/* of d_kernel: a script may redeclare it */
	bool visited;		/* d_type_each_member() has been here */
	/* The type's form in the output of script number shape_of. */
	const struct tbuf_d_shape *shape;
	unsigned shape_of;
};

struct types {
	struct d_name *imports;		/* by id */
	unsigned nimports;
	uint64_t nmembers;		/* of imported types */
	struct type *first, **last;
	struct d_name *names;
	unsigned count;
	unsigned own;		/* types with lower numbers are D's own */
	/* Types that the compiler itself needs. */
	struct type *type_void, *type_char, *type_int, *type_size;
	struct type *type_int64, *type_uint64, *type_ptrdiff;
	struct type *type_string, *type_dynamic, *type_function;
	struct type *type_stack, *type_symaddr, *type_usymaddr;
	struct type *constants[6];	/* int … unsigned long long */
};

struct d_compiler;

void	d_types_init(struct d_compiler *c);
/* Sets the size of strings after the option strsize has changed. */
void	d_types_strsize(struct d_compiler *c);

/* Finds a type by its name: "int", "struct s", "char *"; or NULL. */
struct type *d_type_find(struct d_compiler *c, const char *name);
struct type *d_type_find_tag(struct d_compiler *c, enum type_kind tag,
	    const char *name);
struct type *d_type_add(struct d_compiler *c, enum type_kind kind,
	    const char *name);
struct type *d_type_pointer(struct d_compiler *c, struct type *to);
struct type *d_type_array(struct d_compiler *c, struct type *of,
	    uint64_t count);
struct type *d_type_typedef(struct d_compiler *c, const char *name,
	    struct type *of);
/*
 * Returns the bit-field: with bytes of its own, or, if `packed` is TYPE_PACKED,
 * one that shares its bytes as in C.
 */
struct type *d_type_bit_field(struct d_compiler *c, struct type *of,
	    unsigned bit, unsigned bits, unsigned packed);
/* Returns false if the name is taken. */
bool	d_type_add_member(struct d_compiler *c, struct type *composite,
	    const char *name, struct type *type);
bool	d_type_add_enumerator(struct d_compiler *c, struct type *type,
	    const char *name, int value);
/* Returns the enumerator of an enum with a name, or NULL. */
const struct enumerator *d_type_enumerator(const struct type *type,
	    const char *name);

/* --- types of traced programs (import.c) ------------------------------ */

/* Resolves typedefs, and defines a tag that only a traced program defines. */
struct type *d_type_complete(struct d_compiler *c, const struct type *type);
/* Adds a typedef of a traced program to the types; false if there is none. */
bool	d_type_import(struct d_compiler *c, const char *name);
struct type *d_type_of_id(struct d_compiler *c, uint64_t id);
/* Finds the enum of an enumerator; NULL if there is none. */
struct type *d_type_of_enumerator(struct d_compiler *c, const char *name,
	    int *value);
/* Forgets a definition, as the script defines the tag itself. */
void	d_type_forget(struct type *type);

/* --- properties ------------------------------------------------------ */

/* Resolves typedefs. */
struct type *d_type_resolve(const struct type *type);
/*
 * Visits the members with a name, also those in members without one, until
 * visit() returns true, which is then returned.  Types of programs may contain
 * each other many times: each is visited once, as a second visit would find
 * only names that came before.
 */
bool	d_type_each_member(const struct type *type, uint64_t offset,
	    bool (*visit)(void *, const struct member *, uint64_t offset),
	    void *arg);
/* Finds a member by name, also in members without a name. */
const struct member *d_type_member(const struct type *type, const char *name,
	    uint64_t *offset);
uint64_t d_type_size(const struct type *type);
unsigned d_type_alignment(const struct type *type);
bool	d_type_compatible(const struct type *a, const struct type *b);
/* Returns a hash that compatible types have in common. */
uint64_t d_type_hash(const struct type *type);
/* Returns the type of an operation on integers of these types. */
struct type *d_type_promote(struct d_compiler *c, struct type *a,
	    struct type *b);

bool	d_type_is_void(const struct type *type);
bool	d_type_is_integer(const struct type *type);	/* or enum */
bool	d_type_is_float(const struct type *type);
bool	d_type_is_scalar(const struct type *type);
bool	d_type_is_signed(const struct type *type);
/* True if values are sign-extended; those of an enum may be, too. */
bool	d_type_has_sign(const struct type *type);
bool	d_type_is_bit_field(const struct type *type);
/* True for a pointer to void or to a function. */
bool	d_type_is_void_pointer(const struct type *type);
/* True for a pointer to, or an array of, char. */
bool	d_type_is_char_string(const struct type *type);

/* Returns the name for messages, in the arena. */
const char *d_type_name(struct d_compiler *c, const struct type *type);

#endif
