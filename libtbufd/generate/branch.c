/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Conditions and comparisons, as values and as jumps.
 */
#include "generate.h"

/* The order is that of the machine's comparisons: LT to GE, then unsigned. */
enum relation { EQ, NE, LT, LE, GT, GE, LTU, LEU, GTU, GEU };

/* A comparison of signed or unsigned numbers, or of texts. */
struct comparison {
	const struct d_node *left, *right;
	enum relation relation;
	const struct type *type;	/* for integers; or NULL */
	bool texts;
};

static enum relation
relation(enum operator op, bool sign)
{
	switch (op) {
	case OP_EQUAL:
		return (EQ);
	case OP_UNEQUAL:
		return (NE);
	case OP_LESS:
		return (sign ? LT : LTU);
	case OP_LESS_EQUAL:
		return (sign ? LE : LEU);
	case OP_GREATER:
		return (sign ? GT : GTU);
	default:
		return (sign ? GE : GEU);
	}
}

static enum relation
inverse(enum relation r)
{
	static const enum relation table[] = {
		[EQ] = NE, [NE] = EQ, [LT] = GE, [LE] = GT, [GT] = LE,
		[GE] = LT, [LTU] = GEU, [LEU] = GTU, [GTU] = LEU, [GEU] = LTU,
	};

	return (table[r]);
}

static bool
is_comparison(const struct d_node *node)
{
	return (node->kind == NODE_BINARY && node->op >= OP_EQUAL &&
	    node->op <= OP_GREATER_EQUAL);
}

/* True for a text, or a value that can be compared with one. */
static bool
as_text(const struct generator *g, const struct d_node *node)
{
	return (d_is_text(g, node->type) ||
	    d_type_is_char_string(node->type) ||
	    (node->kind == NODE_INTEGER && node->value == 0));
}

/* True for a folded constant that does not fit its type. */
static bool
is_wide(const struct d_node *node)
{
	return (node->kind == NODE_INTEGER &&
	    d_wrap(node->type, node->value) != node->value);
}

static struct comparison
comparison(struct generator *g, const struct d_node *node)
{
	struct comparison c = { .left = node->left, .right = node->right };
	bool sign = false;

	c.texts = (d_is_text(g, c.left->type) ||
	    d_is_text(g, c.right->type)) && as_text(g, c.left) &&
	    as_text(g, c.right);
	if (d_type_is_integer(c.left->type) &&
	    d_type_is_integer(c.right->type)) {
		c.type = d_type_promote(g->c, c.left->type, c.right->type);
		sign = d_type_is_signed(c.type);
		if (is_wide(c.left) || is_wide(c.right))
			c.type = sign ? g->c->types.type_int64 :
			    g->c->types.type_uint64;
	}
	c.relation = relation(node->op, sign || c.texts);
	return (c);
}

static void
operand(struct generator *g, const struct comparison *c,
    const struct d_node *node, unsigned to)
{
	if (c->texts)
		d_value_text(g, node, to);
	else if (c->type != NULL)
		d_value_as(g, node, c->type, to);
	else
		d_value(g, node, to);
}

/* Computes the right operand; a text's address must stay in a register. */
static void
operand_right(struct generator *g, const struct comparison *c, unsigned to)
{
	unsigned at = c->texts ? d_register(g, to + 1) :
	    d_wait(g, c->right, to, 1);

	operand(g, c, c->right, at);
	d_resume(g, to, 1, at);
}

static bool
has_immediate(const struct comparison *c, uint64_t *value)
{
	if (c->texts || c->right->kind != NODE_INTEGER)
		return (false);
	*value = d_wrap(c->type != NULL ? c->type : c->right->type,
	    c->right->value);
	return (d_is_immediate(*value));
}

void
d_comparison(struct generator *g, const struct d_node *node, unsigned to)
{
	struct comparison c = comparison(g, node);
	uint64_t value;

	operand(g, &c, c.left, to);
	if (has_immediate(&c, &value)) {
		d_emit(g, TBUF_OP_SEQI + c.relation, to, to, 0,
		    (uint32_t)value);
		return;
	}
	operand_right(g, &c, to);
	if (c.texts) {
		d_emit(g, TBUF_OP_TCMP, to, to, to + 1, 0);
		d_emit(g, TBUF_OP_SEQI + c.relation, to, to, 0, 0);
		return;
	}
	d_emit(g, TBUF_OP_SEQ + c.relation, to, to, to + 1, 0);
}

static void
branch_texts(struct generator *g, const struct comparison *c,
    struct label *label, unsigned to)
{
	operand(g, c, c->left, to);
	operand_right(g, c, to);
	if (c->relation <= NE) {
		d_emit_jump(g, c->relation == EQ ? TBUF_OP_TJEQ : TBUF_OP_TJNE,
		    to, to + 1, 0, label);
		return;
	}
	d_emit(g, TBUF_OP_TCMP, to, to, to + 1, 0);
	d_emit_jump(g, TBUF_OP_JEQI + c->relation, to, 0, 0, label);
}

/* Compares an argument with a constant in one jump, as predicates often do. */
static bool
branch_argument(struct generator *g, const struct comparison *c,
    uint64_t value, struct label *label)
{
	unsigned selector;

	if (c->type == NULL || d_type_size(c->type) != 8 ||
	    d_type_size(c->left->type) != 8)
		return (false);
	if (c->left->kind == NODE_VARIABLE &&
	    (c->left->identifier->flags & IDENTIFIER_ARGUMENT) != 0)
		selector = d_name_selector(g, c->left->identifier);
	else if (!d_is_argument(g, c->left, &selector))
		return (false);
	d_emit_jump(g, TBUF_OP_JAEQI + c->relation, selector, 0,
	    (uint32_t)value, label);
	return (true);
}

static void
branch_comparison(struct generator *g, const struct d_node *node, bool sense,
    struct label *label, unsigned to)
{
	struct comparison c = comparison(g, node);
	uint64_t value;

	if (!sense)
		c.relation = inverse(c.relation);
	if (c.texts) {
		branch_texts(g, &c, label, to);
		return;
	}
	if (has_immediate(&c, &value)) {
		if (branch_argument(g, &c, value, label))
			return;
		operand(g, &c, c.left, to);
		d_emit_jump(g, TBUF_OP_JEQI + c.relation, to, 0,
		    (uint32_t)value, label);
		return;
	}
	operand(g, &c, c.left, to);
	operand_right(g, &c, to);
	d_emit_jump(g, TBUF_OP_JEQ + c.relation, to, to + 1, 0, label);
}

/* Jumps for && and ||; the left operand may decide alone. */
static void
branch_logical(struct generator *g, const struct d_node *node, bool sense,
    struct label *label, unsigned to)
{
	bool decides = node->op == OP_LOGICAL_OR;
	struct label past = { NULL };

	d_branch(g, node->left, decides, sense == decides ? label : &past, to);
	d_branch(g, node->right, sense, label, to);
	d_label_set(g, &past);
}

void
d_branch(struct generator *g, const struct d_node *node, bool sense,
    struct label *label, unsigned to)
{
	d_register(g, to);
	if (node->kind == NODE_UNARY && node->op == OP_NOT)
		d_branch(g, node->left, !sense, label, to);
	else if (node->kind == NODE_BINARY && (node->op == OP_LOGICAL_AND ||
	    node->op == OP_LOGICAL_OR))
		branch_logical(g, node, sense, label, to);
	else if (is_comparison(node))
		branch_comparison(g, node, sense, label, to);
	else if (node->kind == NODE_INTEGER) {
		if ((node->value != 0) == sense)
			d_emit_jump(g, TBUF_OP_JMP, 0, 0, 0, label);
	} else {
		d_value(g, node, to);
		d_emit_jump(g, sense ? TBUF_OP_JNZ : TBUF_OP_JZ, to, 0, 0,
		    label);
	}
}
