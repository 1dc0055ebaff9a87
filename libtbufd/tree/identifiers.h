/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names: what they stand for, and the tables that they are found in.
 */
#ifndef LIBTBUFD_TREE_IDENTIFIERS_H
#define LIBTBUFD_TREE_IDENTIFIERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tbufd.h"
#include "types.h"

enum identifier_kind {
	IDENTIFIER_SCALAR,
	IDENTIFIER_ARRAY,
	IDENTIFIER_POINTER,		/* self and this themselves */
	IDENTIFIER_FUNCTION,
	IDENTIFIER_AGGREGATING,
	IDENTIFIER_ACTION,
	IDENTIFIER_AGGREGATION,
	IDENTIFIER_ENUMERATOR,
	IDENTIFIER_TRANSLATED,		/* the result of xlate < T > */
	IDENTIFIER_TRANSLATED_POINTER,	/* of xlate < T * > */
};

/* What was done with it. */
#define IDENTIFIER_READ		0x001
#define IDENTIFIER_WRITTEN	0x002
#define IDENTIFIER_DECLARED	0x004
/* What it is. */
#define IDENTIFIER_WRITABLE	0x008
#define IDENTIFIER_INLINE	0x010
#define IDENTIFIER_LOCAL	0x020	/* this-> */
#define IDENTIFIER_THREAD	0x040	/* self-> */
#define IDENTIFIER_BUILTIN	0x080
#define IDENTIFIER_ARGUMENT	0x200	/* of the clause's probes */
#define IDENTIFIER_ALLOCA	0x100	/* has held an address of alloca() */
#define IDENTIFIER_OTHER	0x400	/* has held another one */

/* The parameters of a function, the keys of an array or aggregation. */
struct signature {
	unsigned count;
	int at_least;			/* this many, then any; or -1 */
	int optional;			/* the first that may be missing; -1 */
	struct type **types;		/* NULL: any */
	uint32_t frames;		/* of stacks among the keys; 0 */
	uint16_t *asked;		/* of each: ustack(), usym(), ... */
};

struct slot;
struct translator;
struct d_node;

struct identifier {
	struct identifier *next;	/* in the order of their making */
	struct identifier *chain;
	enum identifier_kind kind;
	unsigned flags;
	unsigned id;			/* of a built-in one: enum builtin */
	unsigned number;		/* counts those of a table */
	unsigned generation;		/* of the source that made it; 0 none */
	struct d_stability stability;
	int line;
	const char *name;
	const char *prototype;		/* of a built-in one: its type */
	struct type *type;
	struct type *pointer;		/* an argument's, where it is one */
	struct signature *signature;
	struct identifier *aggregating;	/* an aggregation's function */
	uint64_t quantize[4];		/* its constant arguments */
	bool quantized;
	struct d_node *body;		/* an inline's expression */
	struct table *parameters;	/* an inline array's */
	struct translator *translator;

	/* In the script that is generated, the slot_of-th: */
	unsigned slot_of;
	struct slot *slot;		/* a variable's */
	struct identifier *older;	/* an aggregation before this one */
};

#define TABLE_HASH	64

struct table {
	struct table *outer;		/* looked into next */
	struct identifier *first, **last;
	struct identifier *hash[TABLE_HASH];
	unsigned count;
};

struct d_compiler;

void	d_table_init(struct table *table);
struct identifier *d_table_find(const struct table *table, const char *name);
struct identifier *d_table_add(struct d_compiler *c, struct table *table,
	    const char *name, enum identifier_kind kind, unsigned flags);
/* Make one that is in no table (yet). */
struct identifier *d_identifier_make(struct d_compiler *c, const char *name,
	    enum identifier_kind kind, unsigned flags);
void	d_table_insert(struct table *table, struct identifier *identifier);
/* Parameters first, then globals. */
struct identifier *d_global_find(const struct d_compiler *c,
	    const char *name);
/* Never declared, read or written so far. */
bool	d_identifier_is_new(const struct d_compiler *c,
	    const struct identifier *identifier);
/* What an inline stands for, in the end. */
struct identifier *d_identifier_resolve(struct identifier *identifier);
/* "scalar", "associative array": as messages say it. */
const char *d_identifier_kind_name(enum identifier_kind kind);

/* The names that every program knows, by version. */
void	d_builtins_init(struct d_compiler *c);
/* Constants: of errno, signals, flags of open(2), ... */
void	d_predefined_init(struct d_compiler *c);

#endif
