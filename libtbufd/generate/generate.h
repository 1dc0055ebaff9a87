/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The code generator: from checked trees to a script of program.h.
 *
 * A value is computed into a given register, `to`; its computation may use the
 * registers above, while those below hold values that are still needed.  So the
 * arguments of a call are in consecutive registers, as the machine requires.
 * Values of deeply nested expressions, and the last parts of a long key, wait
 * in variables (spill.c); the parameters of inlines do not.
 *
 * Numbers in registers are always extended to 64 bits by their type.  Texts,
 * structures and arrays are represented by their address.
 */
#ifndef LIBTBUFD_GENERATE_GENERATE_H
#define LIBTBUFD_GENERATE_GENERATE_H

#include "builtins.h"
#include "check.h"
#include "machine/code.h"
#include "machine/program.h"

/* An array that grows; `room` counts elements. */
struct growing {
	void *at;
	uint32_t count, room;
};

/* A jump to a label with an unknown place. */
struct jump {
	struct jump *next;
	uint32_t at;
};

struct label {
	struct jump *jumps;
};

/* A parameter of an inline or a translator, which is in a register. */
struct binding {
	struct binding *next;
	const struct identifier *identifier;
	const struct type *type;
	unsigned reg;
};

/* A record's layout, until the record is complete. */
struct layout {
	struct growing actions;		/* struct tbuf_d_action */
	struct growing pieces;		/* struct tbuf_d_piece */
};

/* A variable or an aggregation that the script uses. */
struct slot {
	struct slot *next;
	struct identifier *identifier;
	struct tbuf_d_variable variable;
};

/* The tree of a script's clause. */
struct generated {
	struct d_node *clause;
	const struct d_node *source;
	unsigned program;		/* number of the source */
	struct identifier **names;	/* as the clause's `names` */
	uint32_t nnames;
};

struct generator {
	struct d_compiler *c;

	/* The script. */
	struct growing clauses;		/* struct tbuf_d_clause */
	struct growing generated;	/* struct generated, for each */
	struct slot *variables, **last_variable;
	uint32_t scopes[TBUF_SCOPES];	/* ids in use */
	struct identifier *aggregation;	/* the last one; list by `older` */
	uint32_t naggregations;
	const struct d_node *first_if;	/* first clause with an if */

	/* The clause. */
	const struct d_node *clause;
	uint32_t flags;			/* TBUF_CLAUSE_ */
	struct identifier *names[TBUF_D_NAMES_MAX];
	uint32_t nnames;

	/* The program. */
	struct growing code;		/* uint64_t */
	struct growing constants;	/* char */
	struct growing places;		/* struct tbuf_d_place */
	struct growing used;		/* struct tbuf_d_record */
	struct binding *bindings;
	unsigned depth;			/* of nested values */
	struct identifier *spilled;	/* nameless; list by `older` */
	unsigned waiting;		/* how many of these are in use */
	struct layout layout;
	uint32_t action;		/* number of the current action */
	uint32_t actions;		/* actions so far */
	uint32_t part;			/* the current one, an EPID's index */
	uint32_t label;			/* place of the last label */
	struct label end;		/* end of the program */
	bool create;			/* make the object that is stored to */
	bool temporaries;		/* exist since the last TBUF_OP_FREE */
	bool keep;			/* a pointer to one may exist */
	bool conditional;		/* the clause has an if */
	bool parted;			/* a condition may end by itself */
};

/* --- code.c: words, jumps, constants --------------------------- */

/* Returns one more element, zeroed. */
void	*d_growing_add(struct d_compiler *c, struct growing *growing,
	    size_t size);
void	d_emit(struct generator *g, enum tbuf_operation operation, unsigned a,
	    unsigned b, unsigned c, uint32_t immediate);
void	d_emit_number(struct generator *g, unsigned to, uint64_t value);
void	d_emit_text(struct generator *g, unsigned to, const char *text);
/* Notes that the value computed last is not needed. */
void	d_emit_forget(struct generator *g);
void	d_emit_move(struct generator *g, unsigned to, unsigned from);
void	d_emit_call(struct generator *g, unsigned to,
	    enum tbuf_subroutine subroutine, unsigned count);
/* Emits a jump; a, b and the immediate are operands of comparisons. */
void	d_emit_jump(struct generator *g, enum tbuf_operation operation,
	    unsigned a, unsigned b, uint32_t immediate, struct label *label);
/* Sets the label to the current place. */
void	d_label_set(struct generator *g, struct label *label);
/* True if the value fits an immediate. */
bool	d_is_immediate(uint64_t value);
/* Returns n; fails if there is no such register. */
unsigned d_register(struct generator *g, unsigned n);
void	d_code_begin(struct generator *g);
/* Sets TBUF_CLAUSE_DESTRUCTIVE, and notes the first such action. */
void	d_mark_destructive(struct generator *g, const struct identifier *one);

/* --- output_type.c --------------------------------------------------- */

bool	d_is_text(const struct generator *g, const struct type *type);
/* True if values are passed by address, texts included. */
bool	d_is_object(const struct type *type);
const struct tbuf_d_shape *d_shape(struct generator *g,
	    const struct type *type);
/* Describe how a type's value is recorded, or is part of a key. */
struct tbuf_d_piece d_piece(struct generator *g, const struct type *type);
/* Describe the value of ustack() and similar calls. */
struct tbuf_d_piece d_piece_stack(struct generator *g, enum builtin id,
	    uint32_t frames);
struct tbuf_d_piece d_piece_symbol(struct generator *g, enum builtin id);

/* --- storage.c: variables, aggregations ------------------------ */

struct slot *d_slot(struct generator *g, struct identifier *identifier);
uint32_t d_aggregation(struct generator *g, struct identifier *identifier);
enum tbuf_aggregator d_aggregator(const struct identifier *function);
uint64_t d_aggregation_parameter(const struct identifier *aggregation,
	    enum tbuf_aggregator function);
/* Returns the selector of an argument that is used by name. */
unsigned d_name_selector(struct generator *g, struct identifier *identifier);
/* Describes the parts of a key. */
struct tbuf_d_piece *d_key_pieces(struct generator *g,
	    const struct signature *signature);
/* Stores the used variables and aggregations in the script. */
void	d_storage_end(struct generator *g, struct tbuf_d_script *script);

/* --- spill.c ---------------------------------------------------- */

/*
 * Nested operands: `count` of them are in registers.  d_wait() returns the
 * register of the next one.  After its computation d_resume(), with that
 * register, moves all to `to` and the registers above.
 */
unsigned d_wait(struct generator *g, const struct d_node *right,
	    unsigned to, unsigned count);
void	d_resume(struct generator *g, unsigned to, unsigned count,
	    unsigned right);

/* Parts of a key: the first ones in registers, the others in variables. */
struct keys {
	unsigned at;			/* the first register */
	unsigned count;
	unsigned in_registers;		/* parts in registers */
	unsigned waiting;		/* variable of the next part */
};

/* Adds a part that is in register `to`.  Returns the next free register. */
unsigned d_keys_add(struct generator *g, struct keys *keys, unsigned to);
/* Returns the register of a part, which may be loaded into `above`. */
unsigned d_keys_part(struct generator *g, const struct keys *keys,
	    unsigned part, unsigned above);

/* --- value.c --------------------------------------------------- */

/* Computes the node's value, of its type. */
void	d_value(struct generator *g, const struct d_node *node, unsigned to);
/* Computes the node's value and converts it as an assignment does. */
void	d_value_as(struct generator *g, const struct d_node *node,
	    const struct type *type, unsigned to);
/* Computes a text; one that a pointer points to is copied in. */
void	d_value_text(struct generator *g, const struct d_node *node,
	    unsigned to);
void	d_convert(struct generator *g, const struct type *from,
	    const struct type *type, unsigned reg);
/* Applies an operator; the right operand has been converted to the type. */
void	d_arithmetic(struct generator *g, enum operator op,
	    const struct type *type, unsigned to, unsigned right);

/* --- branch.c -------------------------------------------------- */

/* Jumps if the node's truth is `sense`. */
void	d_branch(struct generator *g, const struct d_node *node, bool sense,
	    struct label *label, unsigned to);
void	d_comparison(struct generator *g, const struct d_node *node,
	    unsigned to);

/* --- lvalue.c: places that are loaded and stored ------------------ */

enum place_kind {
	PLACE_VARIABLE,
	PLACE_MEMORY,
};

struct place {
	enum place_kind kind;
	const struct type *type;
	struct slot *slot;		/* for a variable */
	struct signature *signature;
	struct keys keys;
	unsigned address;		/* a register */
	uint32_t offset;
};

/* Finds a node's place.  Returns the first register that is still free. */
unsigned d_place_open(struct generator *g, const struct d_node *node,
	    bool write, unsigned to, struct place *place);
void	d_place_load(struct generator *g, const struct place *place,
	    unsigned to);
/* Stores `from`; the register above it must be free. */
void	d_place_store(struct generator *g, const struct place *place,
	    unsigned from);
void	d_assignment(struct generator *g, const struct d_node *node,
	    unsigned to);
void	d_step(struct generator *g, const struct d_node *node, unsigned to);
/* True if an address surely points to D's own memory. */
bool	d_is_own(const struct generator *g, const struct d_node *node);
/* Sets TBUF_CLAUSE_COPYIN unless the pointer is to D's own memory. */
void	d_may_copyin(struct generator *g, const struct d_node *pointer);

/* --- memory.c -------------------------------------------------- */

void	d_memory_load(struct generator *g, const struct type *type,
	    unsigned address, uint32_t offset, unsigned to);
void	d_memory_store(struct generator *g, const struct type *type,
	    unsigned address, uint32_t offset, unsigned from);
/*
 * Computes a key's parts; d_key_build() then makes keys of them.  With `raw`,
 * for a record, a stack that is unwound later is represented by its image.
 */
unsigned d_keys(struct generator *g, const struct d_node *arguments,
	    struct signature *signature, bool raw, unsigned to,
	    struct keys *keys);
void	d_key_build(struct generator *g, const struct signature *signature,
	    const struct keys *keys, unsigned above);

/* --- call.c ---------------------------------------------------- */

void	d_call(struct generator *g, const struct d_node *node, unsigned to);
/* Number of addresses of ustack() and similar calls; their computation. */
#define FRAMES_MAX	1000u
uint32_t d_frames(const struct generator *g, const struct d_node *node);
void	d_stack(struct generator *g, const struct d_node *node,
	    uint32_t frames, unsigned to);
/* True for a traced program's stack that is unwound later; its image's id. */
bool	d_is_raw(const struct generator *g, const struct d_node *node);
void	d_raw_image(struct generator *g, unsigned to);
/* Computes the value of usym() and so on: addresses, most with their image. */
void	d_symbol(struct generator *g, const struct d_node *node, unsigned to);
/* Computes a built-in variable or an argument of the probe. */
void	d_builtin(struct generator *g, const struct d_node *node, unsigned to);
/* Loads an argument's address, as it may be a text; false for other nodes. */
bool	d_argument_address(struct generator *g, const struct d_node *node,
	    unsigned to);
bool	d_is_argument(const struct generator *g, const struct d_node *node,
	    unsigned *selector);

/* --- translated.c ---------------------------------------------- */

/* Computes a member of a translated value; false for other nodes. */
bool	d_translated_member(struct generator *g, const struct d_node *node,
	    unsigned to);
/* Computes a translated value as a structure in memory. */
void	d_translated(struct generator *g, const struct d_node *node,
	    unsigned to);
bool	d_inline(struct generator *g, const struct d_node *node, unsigned to);
/* Binds an inline's parameters.  Returns the next free register. */
unsigned d_inline_bind(struct generator *g, const struct d_node *node,
	    unsigned to);
const struct binding *d_binding(const struct generator *g,
	    const struct identifier *identifier);

/* --- specialize.c: programs by the classes of arguments ------------ */

struct choices {
	struct growing programs;	/* struct tbuf_d_program */
	struct growing records;		/* struct tbuf_d_record */
	struct growing places;		/* struct tbuf_d_place */
	uint32_t nplaces;		/* for each program */
};

void	d_choices(struct generator *g, struct d_node *clause,
	    struct choices *to);

/* --- record.c: statements -------------------------------------- */

void	d_program(struct generator *g);

#endif
