/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Code generation: from checked trees to a script of program.h.
 *
 * A value is computed into a given register, `to`; the registers above it are
 * free to be used for that, those below hold what is still needed.  So the
 * arguments of a call lie one behind the other, as the machine wants them.
 * What is nested deeper, and the parts of a long key, wait in variables
 * (spill.c); the parameters of inlines do not.
 *
 * Numbers in registers are extended to 64 bits by their type, always.  Texts,
 * structures and arrays are their address.
 */
#ifndef LIBTBUFD_GENERATE_GENERATE_H
#define LIBTBUFD_GENERATE_GENERATE_H

#include "builtins.h"
#include "check.h"
#include "machine/code.h"
#include "machine/program.h"

/* Memory that grows: `room` is of elements. */
struct growing {
	void *at;
	uint32_t count, room;
};

/* A jump that does not know yet where it goes. */
struct jump {
	struct jump *next;
	uint32_t at;
};

struct label {
	struct jump *jumps;
};

/* What a name of an inline or a translator stands for: a register. */
struct binding {
	struct binding *next;
	const struct identifier *identifier;
	const struct type *type;
	unsigned reg;
};

/* A record that is being laid out. */
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

struct generator {
	struct d_compiler *c;

	/* The script. */
	struct growing clauses;		/* struct tbuf_d_clause */
	struct slot *variables, **last_variable;
	uint32_t scopes[TBUF_SCOPES];	/* ids that are used */
	struct identifier *aggregation;	/* the last one; older ones behind */
	uint32_t naggregations;
	const struct d_node *first_if;	/* the first clause with an if */

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
	unsigned depth;			/* of the values in each other */
	struct identifier *spilled;	/* for what waits; deeper ones behind */
	unsigned waiting;		/* in those */
	struct layout layout;
	uint32_t action;		/* the one that is generated */
	uint32_t actions;		/* so many are behind */
	uint32_t part;			/* the clause's, as an EPID counts */
	uint32_t label;			/* the last one that was set */
	struct label end;		/* the program's */
	bool create;			/* an object that is stored to */
	bool temporaries;		/* since the last `free` */
	bool keep;			/* a pointer to one may be left */
	bool conditional;		/* there is an if */
	bool parted;			/* a condition can end by itself */
};

/* --- code.c: words, jumps, constants --------------------------- */

/* One more element, which is 0. */
void	*d_growing_add(struct d_compiler *c, struct growing *growing,
	    size_t size);
void	d_emit(struct generator *g, enum tbuf_operation operation, unsigned a,
	    unsigned b, unsigned c, uint32_t immediate);
void	d_emit_number(struct generator *g, unsigned to, uint64_t value);
void	d_emit_text(struct generator *g, unsigned to, const char *text);
/* Nobody needs the value that was computed last. */
void	d_emit_forget(struct generator *g);
void	d_emit_move(struct generator *g, unsigned to, unsigned from);
void	d_emit_call(struct generator *g, unsigned to,
	    enum tbuf_subroutine subroutine, unsigned count);
/* A jump; a, and of those that compare b and the immediate, are operands. */
void	d_emit_jump(struct generator *g, enum tbuf_operation operation,
	    unsigned a, unsigned b, uint32_t immediate, struct label *label);
/* The label is here. */
void	d_label_set(struct generator *g, struct label *label);
/* Can it be an immediate? */
bool	d_is_immediate(uint64_t value);
/* The register, if there are so many. */
unsigned d_register(struct generator *g, unsigned n);
/* What the program has become. */
void	d_code_begin(struct generator *g);
struct tbuf_d_program d_code_end(struct generator *g);

/* --- output_type.c --------------------------------------------------- */

const struct tbuf_d_shape *d_shape(struct generator *g,
	    const struct type *type);
/* How a value of the type is recorded, or is part of a key. */
struct tbuf_d_piece d_piece(struct generator *g, const struct type *type);
/* The same of a call of ustack() or its like. */
struct tbuf_d_piece d_piece_stack(struct generator *g, enum builtin id,
	    uint32_t frames);
struct tbuf_d_piece d_piece_symbol(struct generator *g, enum builtin id);

/* --- storage.c: variables, aggregations ------------------------ */

struct slot *d_slot(struct generator *g, struct identifier *identifier);
uint32_t d_aggregation(struct generator *g, struct identifier *identifier);
enum tbuf_aggregator d_aggregator(const struct identifier *function);
uint64_t d_aggregation_parameter(const struct identifier *aggregation,
	    enum tbuf_aggregator function);
/* The selector of an argument that is used by name. */
unsigned d_name_selector(struct generator *g, struct identifier *identifier);
/* What a key is made of. */
struct tbuf_d_piece *d_key_pieces(struct generator *g,
	    const struct signature *signature);
/* The variables and aggregations that the script has used. */
void	d_storage_end(struct generator *g, struct tbuf_d_script *script);

/* --- spill.c ---------------------------------------------------- */

/*
 * `count` left operands or arguments are in registers: where the next one is to
 * be computed.  Behind that d_resume(), with what d_wait() has returned: then
 * all of them are in `to` and in the registers above.
 */
unsigned d_wait(struct generator *g, const struct d_node *right,
	    unsigned to, unsigned count);
void	d_resume(struct generator *g, unsigned to, unsigned count,
	    unsigned right);

/* The parts of a key: the first ones in registers, all others in variables. */
struct keys {
	unsigned at;			/* the first register */
	unsigned count;
	unsigned kept;			/* so many are in registers */
	unsigned waiting;		/* the variable of the next one */
};

/* One more, which is in the register; the one that is free behind it. */
unsigned d_keys_add(struct generator *g, struct keys *keys, unsigned to);
/* The register of a part: its own, or `above`; parts are asked for in turn. */
unsigned d_keys_part(struct generator *g, const struct keys *keys,
	    unsigned part, unsigned above);

/* --- value.c --------------------------------------------------- */

/* The node's value, of its type. */
void	d_value(struct generator *g, const struct d_node *node, unsigned to);
/* The same, converted as an assignment does. */
void	d_value_as(struct generator *g, const struct d_node *node,
	    const struct type *type, unsigned to);
/* As a text: what a pointer points to is brought. */
void	d_value_text(struct generator *g, const struct d_node *node,
	    unsigned to);
void	d_convert(struct generator *g, const struct type *from,
	    const struct type *type, unsigned reg);
/* Its operator's right operand has been converted to the node's type. */
void	d_arithmetic(struct generator *g, enum operator op,
	    const struct type *type, unsigned to, unsigned right);
bool	d_is_text(const struct generator *g, const struct type *type);
/* Passed by its address, a text or not. */
bool	d_is_object(const struct type *type);

/* --- branch.c -------------------------------------------------- */

/* Jump if the node is true, or if it is not. */
void	d_branch(struct generator *g, const struct d_node *node, bool sense,
	    struct label *label, unsigned to);
void	d_comparison(struct generator *g, const struct d_node *node,
	    unsigned to);

/* --- lvalue.c: what can be loaded and stored -------------------- */

enum place_kind {
	PLACE_VARIABLE,
	PLACE_MEMORY,
};

struct place {
	enum place_kind kind;
	const struct type *type;
	struct slot *slot;		/* of a variable */
	struct signature *signature;
	struct keys keys;
	unsigned address;		/* a register */
	uint32_t offset;
};

/* The first register that is still free. */
unsigned d_place_open(struct generator *g, const struct d_node *node,
	    bool write, unsigned to, struct place *place);
void	d_place_load(struct generator *g, const struct place *place,
	    unsigned to);
/* The register above is free, too. */
void	d_place_store(struct generator *g, const struct place *place,
	    unsigned from);
void	d_assignment(struct generator *g, const struct d_node *node,
	    unsigned to);
void	d_step(struct generator *g, const struct d_node *node, unsigned to);
/* Is what an address points to surely D's own memory? */
bool	d_is_own(const struct generator *g, const struct d_node *node);
/* Through a pointer to what may not be. */
void	d_may_copyin(struct generator *g, const struct d_node *pointer);

/* --- memory.c -------------------------------------------------- */

void	d_memory_load(struct generator *g, const struct type *type,
	    unsigned address, uint32_t offset, unsigned to);
void	d_memory_store(struct generator *g, const struct type *type,
	    unsigned address, uint32_t offset, unsigned from);
/*
 * Keys: their values, then as often as needed the key that they make.  Raw: of
 * a stack that others unwind the value is its image, and they make a record.
 */
unsigned d_keys(struct generator *g, const struct d_node *arguments,
	    struct signature *signature, bool raw, unsigned to,
	    struct keys *keys);
void	d_key_build(struct generator *g, const struct signature *signature,
	    const struct keys *keys, unsigned above);

/* --- call.c ---------------------------------------------------- */

void	d_call(struct generator *g, const struct d_node *node, unsigned to);
/* How many addresses a call of ustack() or its like gives; they themselves. */
#define FRAMES_MAX	1000u
uint32_t d_frames(const struct generator *g, const struct d_node *node);
void	d_stack(struct generator *g, const struct d_node *node,
	    uint32_t frames, unsigned to);
/* A program's that others unwind, and the image that its addresses are of. */
bool	d_is_raw(const struct generator *g, const struct d_node *node);
void	d_raw_image(struct generator *g, unsigned to);
/* What usym() and its like record: addresses, with their image or without. */
void	d_symbol(struct generator *g, const struct d_node *node, unsigned to);
/* An argument of the probe, text or number. */
void	d_builtin(struct generator *g, const struct d_node *node, unsigned to);
/* The address of one that is a text: false if the node is no argument. */
bool	d_argument_address(struct generator *g, const struct d_node *node,
	    unsigned to);
bool	d_is_argument(const struct generator *g, const struct d_node *node,
	    unsigned *selector);

/* --- translated.c ---------------------------------------------- */

/* A member of what is translated: false if it is not. */
bool	d_translated_member(struct generator *g, const struct d_node *node,
	    unsigned to);
/* All of it, as a structure in memory. */
void	d_translated(struct generator *g, const struct d_node *node,
	    unsigned to);
bool	d_inline(struct generator *g, const struct d_node *node, unsigned to);
/* The parameters' values, in registers; the first one behind them. */
unsigned d_inline_bind(struct generator *g, const struct d_node *node,
	    unsigned to);
const struct binding *d_binding(const struct generator *g,
	    const struct identifier *identifier);

/* --- specialize.c: programs by the classes of arguments ------------ */

struct choices {
	struct growing programs;	/* struct tbuf_d_program */
	struct growing records;		/* struct tbuf_d_record */
	struct growing places;		/* struct tbuf_d_place */
	uint32_t nplaces;		/* of each program */
};

void	d_choices(struct generator *g, struct d_node *clause,
	    struct choices *to);

/* --- record.c: statements -------------------------------------- */

void	d_program(struct generator *g);

#endif
