/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instructions of a program, its jumps, and its constants.
 */
#include <string.h>

#include "generate.h"
#include "tree/errors.h"

void *
d_growing_add(struct d_compiler *c, struct growing *growing, size_t size)
{
	char *at = growing->at;

	if (growing->count == growing->room) {
		growing->room = growing->room == 0 ? 8 : 2 * growing->room;
		at = d_allocate(c, growing->room * size);
		if (growing->count != 0)
			memcpy(at, growing->at, growing->count * size);
		growing->at = at;
	}
	return (at + growing->count++ * size);
}

/* Returns the longest program; probes of the consumer may have longer ones. */
static uint32_t
words_max(const struct generator *g)
{
	const struct d_node *one = g->clause->descriptions;
	const char *provider, *name;

	for (; one != NULL; one = one->next) {
		provider = one->description->field[D_FIELD_PROVIDER];
		name = one->description->field[D_FIELD_NAME];
		if (strcmp(provider, "dtrace") != 0 &&
		    strcmp(provider, "profile") != 0 &&
		    strcmp(name, "BEGIN") != 0 && strcmp(name, "END") != 0 &&
		    strcmp(name, "ERROR") != 0 &&
		    strncmp(name, "tick-", 5) != 0 &&
		    strncmp(name, "profile-", 8) != 0)
			return (TBUF_TARGET_WORDS);
	}
	/* A jump that compares with an immediate cannot go farther. */
	return (UINT16_MAX);
}

/* True if an instruction needs the thread's own memory. */
static bool
visits(enum tbuf_operation operation, unsigned scope)
{
	switch (operation) {
	case TBUF_OP_LDV:
	case TBUF_OP_STV:
		return (scope >= TBUF_SCOPE_THREAD);
	case TBUF_OP_LDR:
	case TBUF_OP_STT:
	case TBUF_OP_STB:
		return (scope != TBUF_SCOPE_GLOBAL);
	case TBUF_OP_KEYN:
	case TBUF_OP_TMP:
	case TBUF_OP_CALL:
		return (true);
	default:
		return (false);
	}
}

static uint32_t
clause_flags(enum tbuf_operation operation, unsigned scope)
{
	uint32_t flags = visits(operation, scope) ? TBUF_CLAUSE_VISIT : 0;

	switch (operation) {
	case TBUF_OP_ROOM:
		return (flags | TBUF_CLAUSE_ROOM);
	case TBUF_OP_EXIT:
		return (flags | TBUF_CLAUSE_EXIT);
	case TBUF_OP_SPEC:
		return (flags | TBUF_CLAUSE_SPECULATE);
	default:
		return (flags);
	}
}

void
d_emit(struct generator *g, enum tbuf_operation operation, unsigned a,
    unsigned b, unsigned c, uint32_t immediate)
{
	struct tbuf_d_place *place, *last = g->places.at;
	uint64_t *word;

	if (g->code.count == words_max(g))
		d_fail_at(g->c, g->clause, D_CG_EXPR, "program has more than "
		    "%u instructions", words_max(g));
	if (g->places.count == 0 ||
	    last[g->places.count - 1].action != g->action ||
	    last[g->places.count - 1].part != g->part) {
		place = d_growing_add(g->c, &g->places, sizeof(*place));
		place->at = g->code.count;
		place->action = g->action;
		place->part = g->part;
	}
	word = d_growing_add(g->c, &g->code, sizeof(*word));
	*word = tbuf_word(operation, a, b, c, immediate);
	g->flags |= clause_flags(operation, c);
}

unsigned
d_register(struct generator *g, unsigned n)
{
	if (n >= TBUF_REGISTERS)
		d_fail(g->c, D_NOREG,
		    "Insufficient registers to generate code");
	return (n);
}

bool
d_is_immediate(uint64_t value)
{
	return ((uint64_t)(int64_t)(int32_t)(uint32_t)value == value);
}

void
d_emit_number(struct generator *g, unsigned to, uint64_t value)
{
	d_register(g, to);
	d_emit(g, TBUF_OP_LDI, to, 0, 0, (uint32_t)value);
	if (!d_is_immediate(value))
		d_emit(g, TBUF_OP_LDIH, to, 0, 0, (uint32_t)(value >> 32));
}

void
d_emit_move(struct generator *g, unsigned to, unsigned from)
{
	if (to != from)
		d_emit(g, TBUF_OP_MOV, d_register(g, to), from, 0, 0);
}

void
d_emit_forget(struct generator *g)
{
	const uint64_t *code = g->code.at;

	if (g->code.count != 0 && g->label != g->code.count &&
	    tbuf_word_operation(code[g->code.count - 1]) == TBUF_OP_MOV)
		g->code.count--;
}

/* Returns the offset of a text among the constants, adding it if needed. */
static uint32_t
constant(struct generator *g, const char *text)
{
	const char *all = g->constants.at;
	uint32_t at = 0;

	while (at < g->constants.count && strcmp(all + at, text) != 0)
		at += (uint32_t)strlen(all + at) + 1;
	if (at < g->constants.count)
		return (at);
	do
		*(char *)d_growing_add(g->c, &g->constants, 1) = *text;
	while (*text++ != '\0');
	return (at);
}

void
d_emit_text(struct generator *g, unsigned to, const char *text)
{
	d_emit(g, TBUF_OP_LDC, d_register(g, to), 0, 0, constant(g, text));
}

/* The arguments are in registers from `to` on, where the result will be. */
void
d_emit_call(struct generator *g, unsigned to, enum tbuf_subroutine subroutine,
    unsigned count)
{
	d_emit(g, TBUF_OP_CALL, d_register(g, to), to, count,
	    (uint32_t)subroutine);
	g->temporaries = true;
}

/* --- jumps --------------------------------------------------------------- */

static bool
compares_immediate(unsigned operation)
{
	return (operation >= TBUF_OP_JEQI && operation <= TBUF_OP_JAGEUI);
}

void
d_emit_jump(struct generator *g, enum tbuf_operation operation, unsigned a,
    unsigned b, uint32_t immediate, struct label *label)
{
	struct jump *jump = d_allocate(g->c, sizeof(*jump));

	jump->at = g->code.count;
	jump->next = label->jumps;
	label->jumps = jump;
	d_emit(g, operation, a, b, 0, immediate);
}

void
d_label_set(struct generator *g, struct label *label)
{
	uint64_t *code = g->code.at, word;
	const struct jump *jump;
	uint32_t distance;

	for (jump = label->jumps; jump != NULL; jump = jump->next) {
		distance = g->code.count - jump->at - 1;
		word = code[jump->at];
		if (compares_immediate(tbuf_word_operation(word)))
			code[jump->at] = word | (uint64_t)distance << 16;
		else
			code[jump->at] = word | (uint64_t)distance << 32;
	}
	label->jumps = NULL;
	g->label = g->code.count;
}

/* --- whole programs ------------------------------------------------------- */

void
d_code_begin(struct generator *g)
{
	g->code = g->constants = g->places = g->used = (struct growing){ 0 };
	g->bindings = NULL;
	g->action = g->label = 0;
	g->depth = g->waiting = 0;
	g->create = false;
	g->temporaries = g->keep = false;
}

void
d_mark_destructive(struct generator *g, const struct identifier *one)
{
	g->flags |= TBUF_CLAUSE_DESTRUCTIVE;
	if (g->c->destructive == NULL)
		g->c->destructive = one->name;
}
