/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Spilling: when registers run short, left operands, arguments of calls and
 * parts of keys are stored in nameless variables of the clause while later
 * values are computed.
 */
#include "generate.h"

/* First register to be spilled; those above suffice for a call. */
#define SPILL_FROM	8

/* True if the node needs only its own register. */
static bool
is_leaf(const struct d_node *node)
{
	return (node->kind == NODE_INTEGER || node->kind == NODE_STRING ||
	    (node->kind == NODE_VARIABLE && node->arguments == NULL));
}

/* Returns the id of the variable for a value if `others` are waiting. */
static uint32_t
variable_id(struct generator *g, unsigned others)
{
	struct identifier **at = &g->spilled, *one;
	unsigned i;

	for (i = 0; i < others; i++)
		at = &(*at)->older;
	if (*at == NULL) {
		*at = one = d_allocate(g->c, sizeof(*one));
		one->name = "";
		one->kind = IDENTIFIER_SCALAR;
		one->flags = IDENTIFIER_LOCAL;
		one->type = g->c->types.type_int64;
	}
	d_slot(g, *at)->variable.is_written = 1;
	return (d_slot(g, *at)->variable.id);
}

static void
leave(struct generator *g, unsigned from)
{
	d_emit(g, TBUF_OP_STV, from, 0, TBUF_SCOPE_CLAUSE,
	    variable_id(g, g->waiting++));
}

static void
fetch(struct generator *g, unsigned to, unsigned others)
{
	d_emit(g, TBUF_OP_LDV, d_register(g, to), 0, TBUF_SCOPE_CLAUSE,
	    variable_id(g, others));
}

unsigned
d_wait(struct generator *g, const struct d_node *right, unsigned to,
    unsigned count)
{
	unsigned i;

	if (count == 0 || to + count <= SPILL_FROM || is_leaf(right))
		return (d_register(g, to + count));
	for (i = 0; i < count; i++)
		leave(g, to + i);
	return (to);
}

void
d_resume(struct generator *g, unsigned to, unsigned count, unsigned right)
{
	if (right != to || count == 0)
		return;
	d_emit_move(g, d_register(g, to + count), to);
	while (count-- > 0)
		fetch(g, to + count, --g->waiting);
}

unsigned
d_keys_add(struct generator *g, struct keys *keys, unsigned to)
{
	if (keys->count++ == 0)
		*keys = (struct keys){ .at = to, .count = 1 };
	if (to < SPILL_FROM) {
		keys->in_registers++;
		return (to + 1);
	}
	if (keys->count == keys->in_registers + 1)
		keys->waiting = g->waiting;
	leave(g, to);
	return (to);
}

unsigned
d_keys_part(struct generator *g, const struct keys *keys, unsigned part,
    unsigned above)
{
	if (part < keys->in_registers)
		return (keys->at + part);
	fetch(g, above, keys->waiting + part - keys->in_registers);
	return (above);
}
