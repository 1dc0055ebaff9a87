/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Operands that wait for want of registers: the left one is stored in a
 * variable of the clause, which has no name, while the right one is computed.
 */
#include "generate.h"

/* From here on; above are enough for a call with its arguments. */
#define SPILL_FROM	8

/* Can it need more than its own register? */
static bool
is_leaf(const struct d_node *node)
{
	return (node->kind == NODE_INTEGER || node->kind == NODE_STRING ||
	    (node->kind == NODE_VARIABLE && node->arguments == NULL));
}

/* The variable of the next operand that waits while others do. */
static uint32_t
variable_id(struct generator *g)
{
	struct identifier **at = &g->spilled, *one;
	unsigned i;

	for (i = 0; i < g->waiting; i++)
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

unsigned
d_wait(struct generator *g, const struct d_node *right, unsigned to)
{
	if (to < SPILL_FROM || is_leaf(right))
		return (d_register(g, to + 1));
	d_emit(g, TBUF_OP_STV, to, 0, TBUF_SCOPE_CLAUSE, variable_id(g));
	g->waiting++;
	return (to);
}

void
d_resume(struct generator *g, unsigned to, unsigned right)
{
	if (right != to)
		return;
	g->waiting--;
	d_emit_move(g, d_register(g, to + 1), to);
	d_emit(g, TBUF_OP_LDV, to, 0, TBUF_SCOPE_CLAUSE, variable_id(g));
}
