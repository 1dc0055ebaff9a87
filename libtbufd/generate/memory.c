/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values in memory, by their types, and keys.
 */
#include "generate.h"
#include "tree/errors.h"

#define TREGS	8

/* --- loads ---------------------------------------------------------------- */

static enum tbuf_operation
load_operation(uint64_t size, bool sign)
{
	switch (size) {
	case 1:
		return (sign ? TBUF_OP_LD1S : TBUF_OP_LD1U);
	case 2:
		return (sign ? TBUF_OP_LD2S : TBUF_OP_LD2U);
	case 4:
		return (sign ? TBUF_OP_LD4S : TBUF_OP_LD4U);
	default:
		return (TBUF_OP_LD8);
	}
}

/* Returns the size of the largest load or store of `left` bytes. */
static unsigned
part(uint64_t left)
{
	return (left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1);
}

/* Loads a bit-field's bytes; their number need not be a power of two. */
static void
load_bytes(struct generator *g, uint64_t size, unsigned address,
    uint32_t offset, unsigned to)
{
	uint64_t done;

	d_emit(g, TBUF_OP_LDI, d_register(g, to), 0, 0, 0);
	for (done = 0; done < size; done += part(size - done)) {
		d_emit(g, load_operation(part(size - done), false),
		    d_register(g, to + 1), address, 0,
		    offset + (uint32_t)done);
		d_emit(g, TBUF_OP_SHLI, to + 1, to + 1, 0,
		    (uint32_t)(8 * done));
		d_emit(g, TBUF_OP_OR, to, to, to + 1, 0);
	}
}

static void
load_bits(struct generator *g, const struct type *type, unsigned address,
    uint32_t offset, unsigned to)
{
	unsigned unused = 64 - type->bits;
	unsigned reg = (address > to ? address : to) + 1;

	load_bytes(g, d_type_size(type), address, offset, reg);
	d_emit(g, TBUF_OP_SHLI, to, reg, 0, unused - type->bit);
	d_emit(g, (type->flags & TYPE_SIGNED) != 0 ? TBUF_OP_SHRSI :
	    TBUF_OP_SHRUI, to, to, 0, unused);
}

void
d_memory_load(struct generator *g, const struct type *type, unsigned address,
    uint32_t offset, unsigned to)
{
	const struct type *base = d_type_resolve(type);
	bool sign = d_type_has_sign(base);

	d_register(g, to);
	if (d_is_object(type)) {
		if (offset == 0)
			d_emit_move(g, to, address);
		else
			d_emit(g, TBUF_OP_ADDI, to, address, 0, offset);
	} else if (d_type_is_bit_field(base))
		load_bits(g, base, address, offset, to);
	else
		d_emit(g, load_operation(d_type_size(base), sign), to,
		    address, 0, offset);
}

/* --- stores --------------------------------------------------------------- */

static enum tbuf_operation
store_operation(uint64_t size)
{
	switch (size) {
	case 1:
		return (TBUF_OP_ST1);
	case 2:
		return (TBUF_OP_ST2);
	case 4:
		return (TBUF_OP_ST4);
	default:
		return (TBUF_OP_ST8);
	}
}

static void
store_bytes(struct generator *g, uint64_t size, unsigned address,
    uint32_t offset, unsigned from)
{
	uint64_t done;

	for (done = 0; done < size; done += part(size - done)) {
		d_emit(g, TBUF_OP_SHRUI, d_register(g, from + 1), from, 0,
		    (uint32_t)(8 * done));
		d_emit(g, store_operation(part(size - done)), from + 1,
		    address, 0, offset + (uint32_t)done);
	}
}

/* Stores a bit-field; other bits of its bytes are not changed. */
static void
store_bits(struct generator *g, const struct type *type, unsigned address,
    uint32_t offset, unsigned from)
{
	uint64_t size = d_type_size(type);
	uint64_t mask = (~UINT64_C(0) >> (64 - type->bits)) << type->bit;
	unsigned reg = from + 1;

	if ((type->flags & TYPE_PACKED) == 0) {
		store_bytes(g, size, address, offset, from);
		return;
	}
	load_bytes(g, size, address, offset, reg);
	d_emit_number(g, d_register(g, reg + 1), ~mask);
	d_emit(g, TBUF_OP_AND, reg, reg, reg + 1, 0);
	d_emit(g, TBUF_OP_SHLI, d_register(g, reg + 2), from, 0, type->bit);
	d_emit_number(g, reg + 1, mask);
	d_emit(g, TBUF_OP_AND, reg + 1, reg + 1, reg + 2, 0);
	d_emit(g, TBUF_OP_OR, reg, reg, reg + 1, 0);
	store_bytes(g, size, address, offset, reg);
}

static void
store_object(struct generator *g, const struct type *type, unsigned address,
    uint32_t offset, unsigned from)
{
	unsigned reg = from + 1;

	d_emit_move(g, reg, from);
	d_emit(g, TBUF_OP_ADDI, d_register(g, reg + 1), address, 0, offset);
	d_emit_number(g, reg + 2, d_type_size(type));
	d_emit_call(g, reg, TBUF_SUB_BCOPY, 3);
}

/*
 * Stores a text's characters, and a NUL if there is room, in one copy; NULL is
 * stored as the empty text, as a text in memory is never NULL.
 */
static void
store_text(struct generator *g, const struct type *type, unsigned address,
    uint32_t offset, unsigned from)
{
	struct label null = { NULL }, full = { NULL }, end = { NULL };
	unsigned reg = from + 1;

	d_emit_jump(g, TBUF_OP_JZ, from, 0, 0, &null);
	d_emit_move(g, reg, from);
	d_emit_call(g, reg, TBUF_SUB_TEXT, 1);
	d_emit(g, TBUF_OP_ADDI, d_register(g, reg + 1), address, 0, offset);
	d_emit_move(g, reg + 2, reg);
	d_emit_call(g, reg + 2, TBUF_SUB_STRLEN, 1);
	d_emit_jump(g, TBUF_OP_JGEUI, reg + 2, 0,
	    (uint32_t)d_type_size(type), &full);
	d_emit(g, TBUF_OP_ADDI, reg + 2, reg + 2, 0, 1);
	d_label_set(g, &full);
	d_emit(g, TBUF_OP_CALL, d_register(g, reg + 3), reg, 3,
	    TBUF_SUB_BCOPY);
	d_emit_jump(g, TBUF_OP_JMP, 0, 0, 0, &end);
	d_label_set(g, &null);
	d_emit_number(g, reg, 0);
	d_emit(g, TBUF_OP_ST1, reg, address, 0, offset);
	d_label_set(g, &end);
}

void
d_memory_store(struct generator *g, const struct type *type,
    unsigned address, uint32_t offset, unsigned from)
{
	const struct type *base = d_type_resolve(type);

	if (d_is_text(g, type))
		store_text(g, type, address, offset, from);
	else if (d_is_object(type))
		store_object(g, type, address, offset, from);
	else if (d_type_is_bit_field(base))
		store_bits(g, base, address, offset, from);
	else
		d_emit(g, store_operation(d_type_size(base)), from, address,
		    0, offset);
}

/* --- keys ----------------------------------------------------------------- */

/* Notes the function that records an address, such as usym(), once a key. */
static void
note(struct generator *g, const struct d_node *node,
    struct signature *signature, unsigned number)
{
	if (signature->asked == NULL)
		signature->asked = d_allocate(g->c, signature->count *
		    sizeof(*signature->asked));
	if (signature->asked[number] == 0)
		signature->asked[number] = (uint16_t)node->identifier->id;
}

static bool
is_usym(const struct generator *g, const struct type *type)
{
	return (type == g->c->types.type_usymaddr);
}

/* --- frames of a key's stacks --------------------------------------------- */

struct lowered {
	struct lowered *next;
	const char *note;
};

const char *
d_lowered(const struct d_compiler *c, unsigned n)
{
	const struct lowered *one = c->lowered;

	while (one != NULL && n-- != 0)
		one = one->next;
	return (one == NULL ? NULL : one->note);
}

static void
note_lowered(struct generator *g, const struct d_node *node, uint32_t asked,
    uint32_t frames)
{
	struct d_compiler *c = g->c;
	struct lowered *one = d_allocate(c, sizeof(*one));

	if (c->lowered == NULL)
		c->last_lowered = &c->lowered;
	one->note = d_format(c, "%s(%u) in a key lowered to %u frames",
	    node->identifier->name, asked, frames);
	if (c->source->has_lines)
		one->note = d_format(c, "line %d: %s", node->line, one->note);
	*c->last_lowered = one;
	c->last_lowered = &one->next;
}

/* Returns the most bytes of a part, with padding; of a stack without frames. */
static uint64_t
part_room(const struct generator *g, const struct type *type)
{
	uint64_t size = type == g->c->types.type_stack ? 8 :
	    is_usym(g, type) ? 16 :
	    d_is_text(g, type) ? d_type_size(g->c->types.type_string) + 2 :
	    d_is_object(type) ? d_type_size(type) : 8;

	return ((size + 7) & ~UINT64_C(7));
}

/*
 * Returns the frames of each stack in a key: as many as its room has space for.
 * Long texts, which need not be that long, leave half of it to the stacks.
 */
static uint32_t
key_frames(struct generator *g, const struct d_node *node,
    const struct signature *signature)
{
	uint32_t asked = d_frames(g, node), frames;
	uint64_t room = TBUF_KEY_ROOM, texts = 0, stacks = 0, part;
	unsigned i;

	/* A stack that is unwound later is not in a target's key. */
	if (d_is_raw(g, node))
		return (asked);
	for (i = 0; i < signature->count; i++) {
		part = part_room(g, signature->types[i]);
		stacks += signature->types[i] == g->c->types.type_stack;
		if (d_is_text(g, signature->types[i]))
			texts += part;
		else
			room -= part < room ? part : room;
	}
	room -= texts < room / 2 ? texts : room / 2;
	frames = (uint32_t)(room / (8 * stacks));
	if (asked <= frames || frames == 0)
		return (asked);
	note_lowered(g, node, asked, frames);
	return (frames);
}

/* Computes a part; all stacks have as many frames as that of the first key. */
static void
key_value(struct generator *g, const struct d_node *node,
    struct signature *signature, unsigned number, bool raw, unsigned to)
{
	if (is_usym(g, signature->types[number]) ||
	    signature->types[number] == g->c->types.type_stack)
		note(g, node, signature, number);
	if (is_usym(g, signature->types[number])) {
		d_symbol(g, node, to);
		return;
	}
	if (signature->types[number] != g->c->types.type_stack) {
		d_value_as(g, node, signature->types[number], to);
		return;
	}
	if (signature->frames == 0)
		signature->frames = key_frames(g, node, signature);
	if (raw && d_is_raw(g, node))
		d_raw_image(g, to);
	else
		d_stack(g, node, signature->frames, to);
}

/* Checks the number of parts: DTrace allows one more than -x tregs. */
static void
check_parts(const struct generator *g, const struct keys *keys)
{
	uint64_t tregs = g->c->options->tregs;

	if (keys->count > (tregs == 0 ? TREGS : tregs) + 1)
		d_fail(g->c, D_UNTAGGED,
		    "Insufficient tuple registers to generate code");
}

unsigned
d_keys(struct generator *g, const struct d_node *arguments,
    struct signature *signature, bool raw, unsigned to, struct keys *keys)
{
	bool create = g->create;

	*keys = (struct keys){ 0 };
	g->create = false;
	for (; arguments != NULL; arguments = arguments->next) {
		key_value(g, arguments, signature, keys->count, raw, to);
		to = d_keys_add(g, keys, to);
		check_parts(g, keys);
	}
	g->create = create;
	return (to);
}

/* Returns the bytes of a number in a key, by its declared type. */
static uint32_t
key_size(const struct type *type)
{
	uint64_t size = d_type_size(type);

	return (size == 1 || size == 2 ? (uint32_t)size :
	    size == 3 || size == 4 ? 4 : 8);
}

void
d_key_build(struct generator *g, const struct signature *signature,
    const struct keys *keys, unsigned above)
{
	const struct type *type;
	unsigned i, reg;

	for (i = 0; i < signature->count; i++) {
		type = signature->types[i];
		reg = d_keys_part(g, keys, i, above);
		if (d_is_text(g, type))
			d_emit(g, TBUF_OP_KEYT, reg, 0, 0, 0);
		else if (type == g->c->types.type_stack)
			d_emit(g, TBUF_OP_KEYB, reg, 0, 0,
			    d_piece_stack(g, signature->asked[i],
			    signature->frames).bytes);
		else if (is_usym(g, type))
			d_emit(g, TBUF_OP_KEYB, reg, 0, 0,
			    d_piece_symbol(g, signature->asked[i]).bytes);
		else if (d_is_object(type))
			d_emit(g, TBUF_OP_KEYB, reg, 0, 0,
			    (uint32_t)d_type_size(type));
		else
			d_emit(g, TBUF_OP_KEY, reg, 0, 0,
			    key_size(type));
	}
}
