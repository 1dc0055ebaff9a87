/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks of the aggregating functions' arguments, in DTrace's order.
 */
#include <string.h>

#include "builtins.h"
#include "check.h"
#include "tree/errors.h"

/* --- lquantize(value, base, limit, step, increment) ---------------------- */

static int64_t
linear_bound(struct d_compiler *c, const struct d_node *argument,
    unsigned number, enum d_tag type, enum d_tag range)
{
	int64_t value = (int64_t)argument->value;

	if (argument->kind != NODE_INTEGER)
		d_fail_at(c, argument, type, "lquantize( ) argument #%u must "
		    "be an integer constant", number);
	if (value < INT32_MIN || value > INT32_MAX)
		d_fail_at(c, argument, range, "lquantize( ) argument #%u "
		    "must be a 32-bit quantity", number);
	return (value);
}

static uint64_t
linear_step(struct d_compiler *c, const struct d_node *step)
{
	if (step == NULL)
		return (1);
	if (!d_node_is_positive(step))
		d_fail_at(c, step, D_LQUANT_STEPTYPE, "lquantize( ) argument "
		    "#3 must be a non-zero positive integer constant");
	if (step->value > UINT16_MAX)
		d_fail_at(c, step, D_LQUANT_STEPVAL,
		    "lquantize( ) argument #3 must be a 16-bit quantity");
	return (step->value);
}

static void
linear_matches(struct d_compiler *c, const struct d_node *node,
    const uint64_t *was, const uint64_t *is)
{
	int64_t limit = (int64_t)was[0] + (int64_t)(was[1] * was[2]);
	int64_t found = (int64_t)is[0] + (int64_t)(is[1] * is[2]);

	if (was[0] != is[0])
		d_fail_at(c, node, D_LQUANT_MATCHBASE, "lquantize( ) base "
		    "(argument #1) doesn't match previous declaration: "
		    "expected %jd, found %jd", (intmax_t)was[0],
		    (intmax_t)is[0]);
	if (was[1] * was[2] != is[1] * is[2])
		d_fail_at(c, node, D_LQUANT_MATCHLIM, "lquantize( ) limit "
		    "(argument #2) doesn't match previous declaration: "
		    "expected %jd, found %jd", (intmax_t)limit,
		    (intmax_t)found);
	if (was[2] != is[2])
		d_fail_at(c, node, D_LQUANT_MATCHSTEP, "lquantize( ) step "
		    "(argument #3) doesn't match previous declaration: "
		    "expected %jd, found %jd", (intmax_t)was[2],
		    (intmax_t)is[2]);
}

/* Stores constant arguments; later ones of the aggregation must match. */
static void
remember(struct d_compiler *c, const struct d_node *node,
    const uint64_t *arguments, void (*match)(struct d_compiler *,
    const struct d_node *, const uint64_t *, const uint64_t *))
{
	struct identifier *one = node->identifier;

	if (one->quantized)
		match(c, node, one->quantize, arguments);
	one->quantized = true;
	memcpy(one->quantize, arguments, sizeof(one->quantize));
}

/* Checks the increment, which is the last argument. */
static void
check_increment(struct d_compiler *c, const struct d_node *node,
    const struct d_node *increment, unsigned most)
{
	const char *name = node->left->identifier->name;

	if (increment == NULL)
		return;
	if (!d_type_is_scalar(increment->type))
		d_fail_at(c, node, D_PROTO_ARG, "%s( ) increment value "
		    "(argument #%u) must be of scalar type", name, most);
	if (increment->next != NULL)
		d_fail_at(c, increment, D_PROTO_LEN, "%s( ) prototype "
		    "mismatch: %u args passed, at most %u expected", name,
		    most + d_node_count(increment->next), most);
}

static void
check_lquantize(struct d_compiler *c, const struct d_node *node)
{
	const struct d_node *base = node->left->arguments->next;
	const struct d_node *limit = base->next, *step = limit->next;
	uint64_t arguments[4] = { 0 };
	int64_t from, to;

	from = linear_bound(c, base, 1, D_LQUANT_BASETYPE, D_LQUANT_BASEVAL);
	to = linear_bound(c, limit, 2, D_LQUANT_LIMTYPE, D_LQUANT_LIMVAL);
	if (to <= from)
		d_fail_at(c, node, D_LQUANT_MISMATCH, "lquantize( ) base "
		    "(argument #1) must be less than limit (argument #2)");
	arguments[0] = (uint64_t)from;
	arguments[2] = linear_step(c, step);
	arguments[1] = (uint64_t)(to - from) / arguments[2];
	if (arguments[1] == 0)
		d_fail_at(c, node, D_LQUANT_STEPLARGE, "lquantize( ) step "
		    "(argument #3) too large: must have at least one "
		    "quantization level");
	if (arguments[1] > UINT16_MAX)
		d_fail_at(c, node, D_LQUANT_STEPSMALL, "lquantize( ) step "
		    "(argument #3) too small: number of quantization levels "
		    "must be a 16-bit quantity");
	remember(c, node, arguments, linear_matches);
	check_increment(c, node, step == NULL ? NULL : step->next, 5);
}

/* --- llquantize(value, factor, low, high, steps, increment) -------------- */

static uint64_t
magnitude(struct d_compiler *c, const struct d_node *argument,
    unsigned number, enum d_tag type, enum d_tag range)
{
	if (argument->kind != NODE_INTEGER)
		d_fail_at(c, argument, type, "llquantize( ) argument #%u "
		    "must be an integer constant", number);
	if (argument->value > UINT16_MAX)
		d_fail_at(c, argument, range, "llquantize( ) argument #%u "
		    "must be an unsigned 16-bit quantity", number);
	return (argument->value);
}

/* Computes factor^exponent.  Returns false if it needs more than 64 bits. */
static bool
power(uint64_t factor, uint64_t exponent, uint64_t *value)
{
	for (*value = 1; exponent > 0; exponent--)
		if (__builtin_mul_overflow(*value, factor, value))
			return (false);
	return (true);
}

static void
check_magnitudes(struct d_compiler *c, const struct d_node *argument,
    uint64_t *a)
{
	const struct d_node *low = argument->next, *high = low->next;
	uint64_t value;

	if (argument->kind != NODE_INTEGER)
		d_fail_at(c, argument, D_LLQUANT_FACTORTYPE, "llquantize( ) "
		    "argument #1 must be an integer constant");
	a[0] = argument->value;
	if (a[0] > UINT16_MAX || a[0] < 2)
		d_fail_at(c, argument, D_LLQUANT_FACTORVAL, "llquantize( ) "
		    "argument #1 must be an unsigned 16-bit quantity greater "
		    "than or equal to 2");
	a[1] = magnitude(c, low, 2, D_LLQUANT_LMAGTYPE, D_LLQUANT_LMAGVAL);
	a[2] = magnitude(c, high, 3, D_LLQUANT_HMAGTYPE, D_LLQUANT_HMAGVAL);
	if (a[2] < a[1])
		d_fail_at(c, high, D_LLQUANT_HMAGVAL, "llquantize( ) "
		    "argument #3 (high magnitude) must be at least argument "
		    "#2 (low magnitude)");
	if (!power(a[0], a[2] + 1, &value))
		d_fail_at(c, high, D_LLQUANT_HMAGVAL, "llquantize( ) "
		    "argument #3 (high magnitude) will cause overflow of 64 "
		    "bits");
}

static void
check_many_steps(struct d_compiler *c, const struct d_node *factor,
    const uint64_t *a)
{
	uint64_t value;

	if (a[3] % a[0] != 0)
		d_fail_at(c, factor, D_LLQUANT_FACTORVAL, "llquantize() "
		    "argument #4 (steps) must be a multiple of argument #1 "
		    "(factor) when steps>factor");
	if (a[1] == 0 && a[0] * a[0] % a[3] != 0)
		d_fail_at(c, factor, D_LLQUANT_STEPVAL, "llquantize() "
		    "argument #4 (steps) must evenly divide the square of "
		    "argument #1 (factor) when steps>factor and lmag==0");
	power(a[0], a[1] + 1, &value);
	if (a[1] != 0 && value % a[3] != 0)
		d_fail_at(c, factor, D_LLQUANT_STEPVAL, "llquantize() "
		    "argument #4 (steps) must evenly divide pow(argument #1 "
		    "(factor), lmag (argument #2) + 1) when steps>factor and "
		    "lmag>0");
}

static void
log_matches(struct d_compiler *c, const struct d_node *node,
    const uint64_t *was, const uint64_t *is)
{
	static const char *const names[] = {
		"factor", "lmag", "hmag", "steps",
	};
	static const enum d_tag tags[] = {
		D_LLQUANT_MATCHFACTOR, D_LLQUANT_MATCHLMAG,
		D_LLQUANT_MATCHHMAG, D_LLQUANT_MATCHSTEPS,
	};
	unsigned i;

	for (i = 0; i < 4; i++)
		if (was[i] != is[i])
			d_fail_at(c, node, tags[i], "llquantize() %s "
			    "(argument #%u) doesn't match previous "
			    "declaration: expected %ju, found %ju", names[i],
			    i + 1, (uintmax_t)was[i], (uintmax_t)is[i]);
}

static void
check_llquantize(struct d_compiler *c, const struct d_node *node)
{
	const struct d_node *factor = node->left->arguments->next;
	const struct d_node *steps = factor->next->next->next;
	uint64_t arguments[4];

	check_magnitudes(c, factor, arguments);
	if (!d_node_is_positive(steps))
		d_fail_at(c, steps, D_LLQUANT_STEPTYPE, "llquantize( ) "
		    "argument #4 must be a non-zero positive integer "
		    "constant");
	arguments[3] = steps->value;
	if (steps->value > UINT16_MAX)
		d_fail_at(c, steps, D_LLQUANT_STEPVAL, "llquantize( ) "
		    "argument #4 must be an unsigned 16-bit quantity");
	if (arguments[3] < arguments[0] && arguments[0] % arguments[3] != 0)
		d_fail_at(c, factor, D_LLQUANT_FACTORVAL, "llquantize() "
		    "argument #4 (steps) must evenly divide argument #1 "
		    "(factor) when steps<factor");
	if (arguments[3] > arguments[0])
		check_many_steps(c, factor, arguments);
	remember(c, node, arguments, log_matches);
	check_increment(c, node, steps->next, 6);
}

/* --- any function --------------------------------------------------------- */

void
d_check_aggregating(struct d_compiler *c, struct d_node *node)
{
	const struct d_node *call = node->left;

	if (call == NULL)
		d_fail_at(c, node, D_AGG_NULL,
		    "expression has null effect: @%s", node->identifier->name);
	if (call->arguments != NULL &&
	    !d_type_is_scalar(call->arguments->type))
		d_fail_at(c, call, D_AGG_SCALAR,
		    "%s( ) argument #1 must be of scalar type",
		    call->identifier->name);
	switch (call->identifier->id) {
	case BUILTIN_lquantize:
		check_lquantize(c, node);
		break;
	case BUILTIN_llquantize:
		check_llquantize(c, node);
		break;
	case BUILTIN_quantize:
		check_increment(c, node, call->arguments->next, 2);
		break;
	}
}
