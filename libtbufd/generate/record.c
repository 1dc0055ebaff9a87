/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Statements and their records.
 *
 * The statements between two ifs make one record.  Room for it is taken before
 * the first of them, so without room none has an effect.
 */
#include <string.h>

#include "builtins.h"
#include "generate.h"
#include "tree/errors.h"

/* --- pieces --------------------------------------------------------------- */

static struct tbuf_d_piece *
add_piece(struct generator *g, struct tbuf_d_piece piece)
{
	struct tbuf_d_piece *to = d_growing_add(g->c, &g->layout.pieces,
	    sizeof(*to));

	*to = piece;
	return (to);
}

/*
 * Records an argument that is used by name alone with the site's own type, and
 * so args[N] of floating point, which may have 32 bits.
 */
static bool
put_argument(struct generator *g, const struct d_node *node)
{
	struct tbuf_d_piece piece = { .kind = TBUF_PIECE_ARGUMENT };
	unsigned number;

	if (node->kind != NODE_VARIABLE)
		return (false);
	if ((node->identifier->flags & IDENTIFIER_ARGUMENT) != 0)
		piece.argument = d_name_selector(g, node->identifier);
	else if (d_type_is_float(node->type) &&
	    d_is_argument(g, node, &number))
		piece.argument = number;
	else
		return (false);
	piece.shape = d_shape(g, g->c->types.type_int64);
	d_emit(g, TBUF_OP_PUTA, 0, 0, 0, piece.argument);
	add_piece(g, piece);
	return (true);
}

static void
put_piece(struct generator *g, struct tbuf_d_piece piece, unsigned reg)
{
	uint32_t size = piece.shape->size;

	switch (piece.kind) {
	case TBUF_PIECE_TEXT:
		d_emit(g, TBUF_OP_PUTT, reg, 0, 0, 0);
		break;
	case TBUF_PIECE_BYTES:
		d_emit(g, TBUF_OP_PUTB, reg, 0, 0, piece.bytes);
		break;
	case TBUF_PIECE_STACK:
		d_emit(g, TBUF_OP_PUTS, reg, 0, 0, TBUF_STACK_ROOM);
		break;
	default:
		d_emit(g, TBUF_OP_PUT, reg, 0, 0, size == 1 || size == 2 ||
		    size == 4 ? size : 8);
	}
	add_piece(g, piece);
}

/* Records a stack, as its raw bytes if it is unwound later. */
static void
put_stack(struct generator *g, const struct d_node *node)
{
	struct tbuf_d_piece piece = d_piece_stack(g, node->identifier->id,
	    d_frames(g, node));

	if (d_is_raw(g, node)) {
		piece.kind = TBUF_PIECE_STACK;
		d_raw_image(g, 0);
	} else
		d_value(g, node, 0);
	put_piece(g, piece, 0);
}

static void
put(struct generator *g, const struct d_node *node)
{
	if (put_argument(g, node))
		return;
	if (node->type == g->c->types.type_stack) {
		put_stack(g, node);
		return;
	}
	d_value(g, node, 0);
	put_piece(g, node->type == g->c->types.type_usymaddr ?
	    d_piece_symbol(g, node->identifier->id) :
	    d_piece(g, node->type), 0);
}

/* --- records -------------------------------------------------------------- */

static uint32_t
aligned(uint32_t at, uint32_t alignment)
{
	return ((at + alignment - 1) & -alignment);
}

/* Computes a record's maximum size, and its size as DTrace counts it. */
static void
measure(const struct generator *g, struct tbuf_d_record *record)
{
	uint32_t strsize, i, size;
	const struct tbuf_d_piece *piece = record->pieces;

	strsize = (uint32_t)d_type_size(g->c->types.type_string);
	for (i = 0; i < record->npieces; i++, piece++) {
		size = piece->shape->size;
		switch (piece->kind) {
		case TBUF_PIECE_TEXT:
			record->bytes = aligned(record->bytes, 2) + 2 +
			    strsize;
			record->charge += strsize;
			break;
		case TBUF_PIECE_BYTES:
			record->bytes += piece->bytes;
			record->charge += piece->bytes;
			break;
		case TBUF_PIECE_STACK:
			record->bytes = aligned(record->bytes, 2) + 2 +
			    TBUF_STACK_ROOM;
			record->charge += piece->bytes;
			break;
		case TBUF_PIECE_ARGUMENT:
			record->bytes = aligned(record->bytes, 8) + 8 +
			    strsize;
			record->charge = aligned(record->charge, 8) + size;
			break;
		default:
			size = size == 1 || size == 2 || size == 4 ? size : 8;
			record->bytes = aligned(record->bytes, 8) + 8;
			record->charge = aligned(record->charge, size) + size;
		}
	}
	record->bytes = aligned(record->bytes, 8);
}

static struct tbuf_d_record
finish(const struct generator *g)
{
	struct tbuf_d_record record = {
		.actions = g->layout.actions.at,
		.nactions = g->layout.actions.count,
		.pieces = g->layout.pieces.at,
		.npieces = g->layout.pieces.count
	};

	measure(g, &record);
	return (record);
}

static struct tbuf_d_action *
begin_action(struct generator *g, enum tbuf_d_action_kind kind)
{
	struct tbuf_d_action *action = d_growing_add(g->c,
	    &g->layout.actions, sizeof(*action));

	action->kind = kind;
	action->first = g->layout.pieces.count;
	return (action);
}

/* Ends an action; the pieces added since its begin belong to it. */
static void
end_action(struct generator *g)
{
	struct tbuf_d_action *all = g->layout.actions.at;
	struct tbuf_d_action *action = &all[g->layout.actions.count - 1];

	action->count = g->layout.pieces.count - action->first;
}

/* --- actions -------------------------------------------------------------- */

/* Records values; messages about faults count each one as an action. */
static void
put_list(struct generator *g, const struct d_node *list)
{
	for (; list != NULL; list = list->next) {
		put(g, list);
		if (list->next != NULL)
			g->action++;
	}
}

/* Generates printf() and so on. */
static void
formatted(struct generator *g, struct tbuf_d_action *action,
    const struct d_node *list)
{
	action->format = list->text;
	put_list(g, list->next);
}

static const uint32_t *
aggregation_list(struct generator *g, const struct d_node *list,
    uint32_t *count)
{
	uint32_t *ids = d_allocate(g->c, d_node_count(list) * sizeof(*ids));

	for (*count = 0; list != NULL; list = list->next)
		ids[(*count)++] = d_aggregation(g, list->identifier);
	return (ids);
}

static void
print_aggregations(struct generator *g, struct tbuf_d_action *action,
    const struct d_node *list)
{
	if (list->kind == NODE_STRING) {
		action->format = list->text;
		list = list->next;
	}
	action->aggregations = aggregation_list(g, list,
	    &action->naggregations);
}

/* Generates clear() and so on, with one aggregation and maybe a number. */
static void
change_aggregation(struct generator *g, struct tbuf_d_action *action,
    const struct d_node *list)
{
	uint32_t *id = d_allocate(g->c, sizeof(*id));

	*id = d_aggregation(g, list->identifier);
	action->aggregations = id;
	action->naggregations = 1;
	put_list(g, list->next);
}

static void
put_bytes(struct generator *g, unsigned reg, const struct type *type,
    uint32_t size)
{
	struct tbuf_d_piece piece = {
		.kind = TBUF_PIECE_BYTES, .bytes = size,
		.shape = d_shape(g, type)
	};

	put_piece(g, piece, reg);
}

/* Records a pointer and the value there if that has a size, or a value. */
static void
print(struct generator *g, struct tbuf_d_action *action,
    const struct d_node *node)
{
	const struct type *type = d_type_resolve(node->type);

	if (type->kind != TYPE_POINTER || d_type_size(type->of) == 0) {
		put(g, node);
		return;
	}
	action->pointer = 1;
	d_value(g, node, 0);
	d_may_copyin(g, node);
	put_piece(g, d_piece(g, node->type), 0);
	put_bytes(g, 0, type->of, (uint32_t)d_type_size(type->of));
}

static void
trace_memory(struct generator *g, struct tbuf_d_action *action,
    const struct d_node *address)
{
	const struct d_node *size = address->next;

	(void)action;
	if (size->value > INT32_MAX)
		d_fail_at(g->c, size, D_CG_EXPR,
		    "tracemem( ) size is too large for a record");
	d_value_as(g, address, d_type_pointer(g->c, g->c->types.type_void), 0);
	d_may_copyin(g, address);
	put_bytes(g, 0, address->type, (uint32_t)size->value);
	if (size->next != NULL)
		put(g, size->next);
}

static void
set_option(struct generator *g, struct tbuf_d_action *action,
    const struct d_node *list)
{
	(void)action;
	for (; list != NULL; list = list->next) {
		d_value_text(g, list, 0);
		put_piece(g, d_piece(g, g->c->types.type_string), 0);
	}
}

/* Computes an int for an operation. */
static void
operate(struct generator *g, enum tbuf_operation operation,
    const struct d_node *node)
{
	d_value_as(g, node, g->c->types.type_int, 0);
	d_emit(g, operation, 0, 0, 0, 0);
}

static void
leave(struct generator *g, struct tbuf_d_action *action,
    const struct d_node *status)
{
	(void)action;
	operate(g, TBUF_OP_EXIT, status);
	put_piece(g, d_piece(g, g->c->types.type_int), 0);
}

static void
values(struct generator *g, struct tbuf_d_action *action,
    const struct d_node *list)
{
	(void)action;
	put_list(g, list);
}

/* Records all arguments that a probe can have; one that it lacks is 0. */
static void
record(struct generator *g, struct tbuf_d_action *action,
    const struct d_node *list)
{
	struct tbuf_d_piece piece = {
		.kind = TBUF_PIECE_ARGUMENT,
		.shape = d_shape(g, g->c->types.type_int64)
	};

	(void)action;
	(void)list;
	for (; piece.argument <= BUILTIN_arg9 - BUILTIN_arg0;
	    piece.argument++) {
		d_emit(g, TBUF_OP_PUTA, 0, 0, 0, piece.argument);
		add_piece(g, piece);
	}
}

/* Actions that record data; those without a function record their own value. */
static const struct {
	enum builtin id;
	enum tbuf_d_action_kind kind;
	void (*generate)(struct generator *, struct tbuf_d_action *,
	    const struct d_node *list);
} actions[] = {
	{ BUILTIN_clear, TBUF_ACTION_CLEAR, change_aggregation },
	{ BUILTIN_denormalize, TBUF_ACTION_DENORMALIZE, change_aggregation },
	{ BUILTIN_exit, TBUF_ACTION_EXIT, leave },
	{ BUILTIN_freopen, TBUF_ACTION_FREOPEN, formatted },
	{ BUILTIN_ftruncate, TBUF_ACTION_FTRUNCATE, values },
	{ BUILTIN_func, TBUF_ACTION_FUNC, NULL },
	{ BUILTIN_jstack, TBUF_ACTION_USTACK, NULL },
	{ BUILTIN_mod, TBUF_ACTION_MOD, NULL },
	{ BUILTIN_normalize, TBUF_ACTION_NORMALIZE, change_aggregation },
	{ BUILTIN_print, TBUF_ACTION_PRINT, print },
	{ BUILTIN_printa, TBUF_ACTION_PRINTA, print_aggregations },
	{ BUILTIN_printf, TBUF_ACTION_PRINTF, formatted },
	{ BUILTIN_record, TBUF_ACTION_RECORD, record },
	{ BUILTIN_setopt, TBUF_ACTION_SETOPT, set_option },
	{ BUILTIN_stack, TBUF_ACTION_STACK, NULL },
	{ BUILTIN_sym, TBUF_ACTION_SYM, NULL },
	{ BUILTIN_system, TBUF_ACTION_SYSTEM, formatted },
	{ BUILTIN_trace, TBUF_ACTION_TRACE, values },
	{ BUILTIN_tracemem, TBUF_ACTION_TRACEMEM, trace_memory },
	{ BUILTIN_trunc, TBUF_ACTION_TRUNC, change_aggregation },
	{ BUILTIN_uaddr, TBUF_ACTION_UADDR, NULL },
	{ BUILTIN_ufunc, TBUF_ACTION_UFUNC, NULL },
	{ BUILTIN_umod, TBUF_ACTION_UMOD, NULL },
	{ BUILTIN_ustack, TBUF_ACTION_USTACK, NULL },
	{ BUILTIN_usym, TBUF_ACTION_USYM, NULL },
};

static void
act(struct generator *g, const struct d_node *call)
{
	const struct d_node *list = call->arguments;
	unsigned id = call->identifier->id;
	struct tbuf_d_action *action;
	size_t i;

	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (actions[i].id != id)
			continue;
		if (id == BUILTIN_system || id == BUILTIN_freopen)
			d_mark_destructive(g, call->identifier);
		action = begin_action(g, actions[i].kind);
		if (actions[i].generate != NULL)
			actions[i].generate(g, action, list);
		else
			put(g, call);
		end_action(g);
		return;
	}
	if (id == BUILTIN_commit)
		operate(g, TBUF_OP_COMMIT, list);
	else if (id == BUILTIN_discard)
		operate(g, TBUF_OP_DISCARD, list);
	else if (id == BUILTIN_speculate)
		operate(g, TBUF_OP_SPEC, list);
	else if (id == BUILTIN_snapshot)
		d_emit(g, TBUF_OP_SNAPSHOT, 0, 0, 0, 0);
	else
		d_call(g, call, 0);
}

/* --- aggregations --------------------------------------------------------- */

/* Returns the index of the increment argument, from 0. */
static unsigned
increment_place(unsigned id)
{
	return (id == BUILTIN_quantize ? 1 : id == BUILTIN_lquantize ? 4 : 5);
}

static void
weigh(struct generator *g, const struct d_node *call, unsigned to)
{
	const struct d_node *one = call->arguments;
	unsigned i;

	for (i = increment_place(call->identifier->id); one != NULL && i > 0;
	    i--)
		one = one->next;
	if (one == NULL)
		d_emit_number(g, to, 1);
	else
		d_value(g, one, to);
}

static bool
any_raw(const struct generator *g, const struct d_node *key)
{
	while (key != NULL && !d_is_raw(g, key))
		key = key->next;
	return (key != NULL);
}

static void
put_keys(struct generator *g, const struct d_node *key,
    const struct signature *signature, const struct keys *keys, unsigned above)
{
	struct tbuf_d_piece *piece = d_key_pieces(g, signature);
	unsigned i;

	for (i = 0; key != NULL; key = key->next, i++) {
		if (d_is_raw(g, key))
			piece[i].kind = TBUF_PIECE_STACK;
		put_piece(g, piece[i], d_keys_part(g, keys, i, above));
	}
}

/*
 * Aggregates by a key with a stack that is unwound later: the key and the value
 * make a record of their own, which the consumer aggregates.
 */
static void
aggregate_aside(struct generator *g, const struct d_node *node,
    enum tbuf_aggregator function, const struct keys *keys, unsigned value)
{
	const struct tbuf_d_piece number = d_piece(g, g->c->types.type_int64);
	const uint32_t record = g->used.count;
	const struct layout outer = g->layout;
	struct tbuf_d_action *action;

	d_growing_add(g->c, &g->used, sizeof(struct tbuf_d_record));
	g->layout = (struct layout){ 0 };
	d_emit(g, TBUF_OP_ASIDE, 0, 0, 0, 0);
	action = begin_action(g, TBUF_ACTION_AGGREGATE);
	action->aggregations = aggregation_list(g, node,
	    &action->naggregations);
	put_keys(g, node->arguments, node->identifier->signature, keys,
	    value + 2);
	if (function != TBUF_AGG_COUNT)
		put_piece(g, number, value);
	if (function >= TBUF_AGG_QUANTIZE)
		put_piece(g, number, value + 1);
	end_action(g);
	((struct tbuf_d_record *)g->used.at)[record] = finish(g);
	g->layout = outer;
	d_emit(g, TBUF_OP_EMIT, 0, 0, 0, record);
}

/* Computes an aggregated value; a constant has all its 64 bits. */
static void
aggregated(struct generator *g, const struct d_node *node, unsigned to)
{
	if (node->kind == NODE_INTEGER)
		d_emit_number(g, d_register(g, to), node->value);
	else
		d_value(g, node, to);
}

static void
aggregate(struct generator *g, const struct d_node *node)
{
	const struct d_node *call = node->left;
	struct signature *signature = node->identifier->signature;
	enum tbuf_aggregator function = d_aggregator(call->identifier);
	uint32_t id = d_aggregation(g, node->identifier);
	bool raw = any_raw(g, node->arguments);
	struct keys keys;
	unsigned to = 0;

	if (node->arguments != NULL) {
		to = d_keys(g, node->arguments, signature, raw, 0, &keys);
		g->action += signature->count;
	}
	if (function != TBUF_AGG_COUNT)
		aggregated(g, call->arguments, to);
	if (function >= TBUF_AGG_QUANTIZE)
		weigh(g, call, to + 1);
	if (raw) {
		aggregate_aside(g, node, function, &keys, to);
		return;
	}
	if (function >= TBUF_AGG_LQUANTIZE)
		d_emit_number(g, to + 2, d_aggregation_parameter(
		    node->identifier, function));
	if (node->arguments != NULL)
		d_key_build(g, signature, &keys, to + 3);
	d_emit(g, TBUF_OP_UPD, to, to + 1, function, id);
}

/* --- statements ----------------------------------------------------------- */

static bool
is_call(const struct d_node *statement, unsigned id)
{
	return (statement->kind == NODE_ACTION &&
	    statement->left->identifier->id == id);
}

static bool
is_recording(const struct d_node *statement)
{
	if (statement->kind != NODE_ACTION)
		return (false);
	switch (statement->left->identifier->id) {
	case BUILTIN_commit:
	case BUILTIN_discard:
	case BUILTIN_snapshot:
	case BUILTIN_raise:
	case BUILTIN_stop:
	case BUILTIN_chill:
	case BUILTIN_panic:
	case BUILTIN_breakpoint:
		return (false);
	default:
		return (true);
	}
}

static void
statement(struct generator *g, const struct d_node *node)
{
	g->c->line = node->line;
	g->action = ++g->actions;
	if (node->kind == NODE_ACTION)
		act(g, node->left);
	else if (node->left->kind == NODE_AGGREGATION)
		aggregate(g, node->left);
	else {
		d_value(g, node->left, 0);
		d_emit_forget(g);
	}
	g->actions = g->action;
	if (g->temporaries && !g->keep)
		d_emit(g, TBUF_OP_FREE, 0, 0, 0, 0);
	g->temporaries = g->temporaries && g->keep;
}

/* Returns the statement before which room is taken: after speculate(). */
static const struct d_node *
room_before(const struct d_node *list, const struct d_node *end)
{
	const struct d_node *one;

	for (one = list; one != end; one = one->next)
		if (is_call(one, BUILTIN_speculate))
			return (one->next);
	return (list);
}

/*
 * DTrace makes separate clauses of a clause's parts: predicate, conditions, and
 * the statements between ifs.  Each counts its own actions.  After exit() no
 * later part runs, except in END.  A fault in one part ends all.
 */
static bool
ends(const struct generator *g)
{
	const struct d_node *one = g->clause->descriptions;

	for (; one != NULL; one = one->next)
		if (strcmp(one->description->field[D_FIELD_NAME], "END") == 0)
			return (false);
	return (true);
}

/* Begins a part, which has an EPID, with or without a record. */
static void
begin_part(struct generator *g)
{
	g->part = g->used.count;
	d_growing_add(g->c, &g->used, sizeof(struct tbuf_d_record));
}

/*
 * Adds EPIDs of DTrace's own clauses: one at ERROR that notes a fault, once a
 * script, one that clears it, and the predicate's condition.
 */
static void
begin_parts(struct generator *g)
{
	const unsigned before = 1 + (g->clause == g->first_if) +
	    (g->clause->condition != NULL);

	while (g->used.count < before)
		d_growing_add(g->c, &g->used, sizeof(struct tbuf_d_record));
	g->part = before - 1;
}

static bool
any_recording(const struct d_node *list, const struct d_node *end)
{
	const struct d_node *one = list;

	while (one != end && !is_recording(one))
		one = one->next;
	return (list == end || one != end);
}

/*
 * Generates the statements between two ifs.  A stop without a message, as by
 * speculate() of an id that is not active, ends these statements only.
 */
static void
block(struct generator *g, const struct d_node *list,
    const struct d_node *end, bool more)
{
	struct label past = { NULL };
	const struct d_node *one, *room = room_before(list, end);
	bool records = any_recording(list, end), exits = false;
	uint32_t number = g->used.count;

	g->actions = 0;
	g->layout = (struct layout){ 0 };
	if (g->conditional)
		begin_part(g);
	else if (records)
		d_growing_add(g->c, &g->used, sizeof(struct tbuf_d_record));
	if (more || g->parted)
		d_emit_jump(g, TBUF_OP_PART, 0, 0, 0, &past);
	for (one = list; one != end; one = one->next) {
		if (records && one == room)
			d_emit(g, TBUF_OP_ROOM, 0, 0, 0, number);
		exits = exits || is_call(one, BUILTIN_exit);
		statement(g, one);
	}
	if (!records) {
		d_label_set(g, &past);
		return;
	}
	((struct tbuf_d_record *)g->used.at)[number] = finish(g);
	d_emit(g, TBUF_OP_EMIT, 0, 0, 0, number);
	if (exits && g->conditional && ends(g))
		d_emit_jump(g, TBUF_OP_JMP, 0, 0, 0, &g->end);
	d_label_set(g, &past);
}

static void body(struct generator *g, const struct d_node *list, bool more);

static bool
stores_itself(const struct d_node *node)
{
	switch (node->kind) {
	case NODE_UNARY:
		return (node->op >= OP_PRE_INCREMENT &&
		    node->op <= OP_POST_DECREMENT);
	case NODE_BINARY:
		return (node->op >= OP_ASSIGN && node->op <= OP_OR_ASSIGN);
	default:
		return (node->identifier != NULL &&
		    (node->identifier->flags & IDENTIFIER_INLINE) != 0);
	}
}

/* True if an evaluation may drop a store, itself or in an inline. */
static bool
stores(const struct d_node *node)
{
	const struct d_node *one;

	if (node == NULL)
		return (false);
	for (one = node->arguments; one != NULL; one = one->next)
		if (stores(one))
			return (true);
	return (stores_itself(node) || stores(node->condition) ||
	    stores(node->left) || stores(node->right));
}

/* Generates a condition; a stop without a message makes it false. */
static void
condition(struct generator *g, const struct d_node *node, struct label *no)
{
	begin_part(g);
	g->action = 1;
	if (stores(node)) {
		d_emit_jump(g, TBUF_OP_PART, 0, 0, 0, no);
		g->parted = true;
	}
	d_branch(g, node, false, no, 0);
}

static void
choose(struct generator *g, const struct d_node *node, bool more)
{
	struct label no = { NULL }, end = { NULL };

	g->c->line = node->line;
	condition(g, node->condition, &no);
	body(g, node->left, more);
	if (node->right != NULL)
		d_emit_jump(g, TBUF_OP_JMP, 0, 0, 0, &end);
	d_label_set(g, &no);
	/* DTrace gives an else a condition of its own. */
	if (node->right != NULL)
		begin_part(g);
	body(g, node->right, more);
	d_label_set(g, &end);
}

static void
body(struct generator *g, const struct d_node *list, bool more)
{
	const struct d_node *end;

	while (list != NULL) {
		for (end = list; end != NULL && end->kind != NODE_IF; )
			end = end->next;
		if (end != list)
			block(g, list, end, more || end != NULL);
		if (end == NULL)
			return;
		choose(g, end, more || end->next != NULL);
		list = end->next;
	}
}

void
d_program(struct generator *g)
{
	const struct d_node *clause = g->clause;

	g->action = g->actions = g->part = 0;
	g->end.jumps = NULL;
	g->parted = false;
	g->conditional = d_has_if(clause->arguments);
	if (g->conditional)
		begin_parts(g);
	if (clause->condition != NULL) {
		g->action = g->conditional ? 1 : 0;
		g->c->line = clause->line;
		d_branch(g, clause->condition, false, &g->end, 0);
	}
	if (clause->arguments != NULL)
		body(g, clause->arguments, false);
	else
		block(g, NULL, NULL, false);
	d_label_set(g, &g->end);
}
