/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Identifiers, and the tables in which they are found.
 */
#ifndef LIBTBUFD_TREE_IDENTIFIERS_H
#define LIBTBUFD_TREE_IDENTIFIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names.h"
#include "tbufd.h"
#include "types.h"

enum identifier_kind {
	IDENTIFIER_SCALAR,
	IDENTIFIER_ARRAY,
	IDENTIFIER_POINTER,		/* self and this without -> */
	IDENTIFIER_FUNCTION,
	IDENTIFIER_AGGREGATING,
	IDENTIFIER_ACTION,
	IDENTIFIER_AGGREGATION,
	IDENTIFIER_ENUMERATOR,
	IDENTIFIER_TRANSLATED,		/* result of xlate < T > */
	IDENTIFIER_TRANSLATED_POINTER,	/* result of xlate < T * > */
};

/* Uses so far. */
#define IDENTIFIER_READ		0x001
#define IDENTIFIER_WRITTEN	0x002
#define IDENTIFIER_DECLARED	0x004
/* Properties. */
#define IDENTIFIER_WRITABLE	0x008
#define IDENTIFIER_INLINE	0x010
#define IDENTIFIER_LOCAL	0x020	/* this-> */
#define IDENTIFIER_THREAD	0x040	/* self-> */
#define IDENTIFIER_BUILTIN	0x080
#define IDENTIFIER_ARGUMENT	0x200	/* of the clause's probes */
#define IDENTIFIER_ALLOCA	0x100	/* has held alloca()'s addresses */
#define IDENTIFIER_OTHER	0x400	/* has held other addresses */
#define IDENTIFIER_ABSENT	0x800	/* the probe has no such argument */

/* The parameters of a function, the keys of an array or aggregation. */
struct signature {
	unsigned count;
	int at_least;			/* required, then any; or -1 */
	int optional;			/* first that may be missing, or -1 */
	struct type **types;		/* NULL: any */
	uint32_t frames;		/* in a key's stack; 0: unknown */
	uint16_t *asked;		/* per key: BUILTIN_usym, ... */
};

struct slot;
struct translator;
struct d_node;

struct identifier {
	struct d_name entry;		/* in its table */
	struct identifier *next;	/* in order of creation */
	enum identifier_kind kind;
	unsigned flags;
	unsigned id;			/* of a built-in: enum builtin */
	unsigned number;		/* position in its table */
	unsigned generation;		/* source that made it; 0: none */
	struct d_stability stability;
	int line;
	const char *name;
	const char *prototype;		/* of a built-in: its type */
	struct type *type;
	struct type *pointer;		/* of an argument, or NULL */
	struct signature *signature;
	struct identifier *aggregating;	/* function of an aggregation */
	uint64_t quantize[4];		/* constant arguments of that */
	bool quantized;
	struct d_node *body;		/* expression of an inline */
	struct table *parameters;	/* of an inline array */
	struct translator *translator;

	/* In the script that is generated, number slot_of: */
	unsigned slot_of;
	struct slot *slot;		/* of a variable */
	struct identifier *older;	/* in the lists of struct generator */
};

struct table {
	struct table *outer;		/* searched next */
	struct identifier *first, **last;
	struct d_name *names;
	unsigned count;
};

struct d_compiler;

void	d_table_init(struct table *table);
struct identifier *d_table_find(const struct table *table, const char *name);
struct identifier *d_table_add(struct d_compiler *c, struct table *table,
	    const char *name, enum identifier_kind kind, unsigned flags);
/* Makes an identifier that is in no table yet. */
struct identifier *d_identifier_make(struct d_compiler *c, const char *name,
	    enum identifier_kind kind, unsigned flags);
void	d_table_insert(struct table *table, struct identifier *identifier);
/* Searches parameters first, then globals. */
struct identifier *d_global_find(const struct d_compiler *c,
	    const char *name);
/* True if it was never declared, read or written. */
bool	d_identifier_is_new(const struct d_compiler *c,
	    const struct identifier *identifier);
/* Returns the identifier that an inline finally stands for. */
struct identifier *d_identifier_resolve(struct identifier *identifier);
/* Returns "scalar", "associative array" and so on, for messages. */
const char *d_identifier_kind_name(enum identifier_kind kind);

/* Adds the names that every program of this version knows. */
void	d_builtins_init(struct d_compiler *c);
/* Adds constants: of errno, signals, flags of open(2), ... */
void	d_predefined_init(struct d_compiler *c);

#endif
