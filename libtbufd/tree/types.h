/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Types.  Each type but an array is one structure, so that two are the same if
 * their addresses are; const and volatile are read and forgotten.
 */
#ifndef LIBTBUFD_TREE_TYPES_H
#define LIBTBUFD_TREE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum type_kind {
	TYPE_INTEGER,		/* void too: of no bits */
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
#define TYPE_UNSIGNED	0x10	/* an enum of no negative values */

struct tbuf_d_shape;

struct member {
	struct member *next;
	const char *name;	/* NULL: its members are the outer one's */
	struct type *type;
	uint64_t offset;
};

struct enumerator {
	struct enumerator *next;
	const char *name;
	int value;
};

struct type {
	struct type *next;	/* in the order of their making */
	struct type *chain;	/* of the same hash */
	enum type_kind kind;
	enum type_kind tag;	/* of a TYPE_FORWARD: what it announces */
	unsigned flags;
	unsigned bits;		/* integers, floats, enums if not 32 */
	unsigned bit;		/* of a bit-field: its first one in there */
	unsigned number;	/* counts types */
	const char *name;	/* the tag of struct, union, enum; or NULL */
	struct type *of;	/* what it points to, is made of, stands for */
	struct type *pointer;	/* to this one, once it was needed */
	struct type *bit_field;	/* others of this one's bit-fields */
	uint64_t count;		/* an array's elements */
	uint64_t size;		/* struct and union: to the last member's end */
	unsigned alignment;
	struct member *members;
	struct enumerator *enumerators;
	/* Of a program (import.c): its id, or 0. */
	uint64_t import;
	bool imported;		/* this is its definition */
	bool sought;		/* no program has it */
	bool weak;		/* D's, which a script may declare otherwise */
	/* What output knows of it, in the shape_of-th script. */
	const struct tbuf_d_shape *shape;
	unsigned shape_of;
};

#define TYPES_HASH	128

struct import;

struct types {
	struct import *imports[TYPES_HASH];	/* by id */
	unsigned nimports;
	struct type *first, **last;
	struct type *hash[TYPES_HASH];
	unsigned count;
	unsigned own;		/* those before it are D's, no script's */
	/* Those that the compiler itself needs. */
	struct type *type_void, *type_char, *type_int, *type_size;
	struct type *type_int64, *type_uint64, *type_ptrdiff;
	struct type *type_string, *type_dynamic, *type_function;
	struct type *type_stack, *type_symaddr, *type_usymaddr;
	struct type *constants[6];	/* int … unsigned long long */
};

struct d_compiler;

void	d_types_init(struct d_compiler *c);
/* How large a string is, once the option says it anew. */
void	d_types_strsize(struct d_compiler *c);

/* By the name that a prototype has: "int", "struct s", "char *"; or NULL. */
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
/* One that has its bytes for itself, and one among others in C's way. */
struct type *d_type_bit_field(struct d_compiler *c, struct type *of,
	    unsigned bits);
struct type *d_type_packed_field(struct d_compiler *c, struct type *of,
	    unsigned bit, unsigned bits);
/* False if there is one of that name. */
bool	d_type_add_member(struct d_compiler *c, struct type *composite,
	    const char *name, struct type *type);
bool	d_type_add_enumerator(struct d_compiler *c, struct type *type,
	    const char *name, int value);

/* --- types of the programs that are traced (import.c) ---------------- */

/* Through typedefs; a tag that only a program defines is defined. */
struct type *d_type_complete(struct d_compiler *c, const struct type *type);
/* A typedef or another name of a program's; from now on it is found. */
bool	d_type_import(struct d_compiler *c, const char *name);
struct type *d_type_of_id(struct d_compiler *c, uint64_t id);
/* The enum that an enumerator belongs to; NULL if there is none. */
struct type *d_type_of_enumerator(struct d_compiler *c, const char *name,
	    int *value);
/* The script defines this tag itself. */
void	d_type_forget(struct type *type);

/* --- what they are --------------------------------------------------- */

/* Through typedefs. */
struct type *d_type_resolve(const struct type *type);
/* Through typedefs, bit-fields and tags that were defined later. */
const struct member *d_type_member(const struct type *type, const char *name,
	    uint64_t *offset);
uint64_t d_type_size(const struct type *type);
unsigned d_type_alignment(const struct type *type);
bool	d_type_compatible(const struct type *a, const struct type *b);
/* The type of an operation on integers of these types. */
struct type *d_type_promote(struct d_compiler *c, struct type *a,
	    struct type *b);

bool	d_type_is_void(const struct type *type);
bool	d_type_is_integer(const struct type *type);	/* enums too */
bool	d_type_is_float(const struct type *type);
bool	d_type_is_scalar(const struct type *type);
bool	d_type_is_signed(const struct type *type);
/* Its values are extended by their sign: enums, too. */
bool	d_type_has_sign(const struct type *type);
bool	d_type_is_bit_field(const struct type *type);
/* A pointer to void or to a function. */
bool	d_type_is_void_pointer(const struct type *type);
/* A pointer to, or an array of, char. */
bool	d_type_is_char_string(const struct type *type);
/* Passed by its address: struct, array and the like. */
bool	d_type_is_reference(const struct type *type);

/* As messages name it; lies in the arena. */
const char *d_type_name(struct d_compiler *c, const struct type *type);

#endif
