/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Numbers of a step that are neither arguments nor constants; such as one that
 * is computed from another one and a constant, as the machine would do it:
 * (timestamp - self->ts) / 1000.  `up` of its cut is the operation; `down` and
 * `is_signed` cut the result.
 */
#include "machine/integer.h"
#include "target/clause/plan.h"
#include "target/self/thread.h"

#define OPERATION(NAME)	(TBUF_OP_##NAME - TBUF_OP_ADD)

/* Applies an operation.  If the plan is of two programs y may be 0, too. */
static bool
operate(unsigned operation, uint64_t *x, uint64_t y)
{
	switch (operation) {
	case OPERATION(ADD):
		*x += y;
		return (true);
	case OPERATION(SUB):
		*x -= y;
		return (true);
	case OPERATION(MUL):
		*x *= y;
		return (true);
	case OPERATION(AND):
		*x &= y;
		return (true);
	case OPERATION(SHL):
		*x <<= y & 63;
		return (true);
	case OPERATION(SHRS):
		*x = tbuf_shift_signed(*x, y);
		return (true);
	case OPERATION(SHRU):
		*x >>= y & 63;
		return (true);
	case OPERATION(DIVS) ... OPERATION(MODU):
		if (y != 0)
			*x = tbuf_divide(operation, *x, y);
		return (y != 0);
	}
	return (false);
}

/* Returns a number that is not computed. */
static inline struct tbuf_known
plain(unsigned at, uint64_t time, uint64_t self, uint64_t second)
{
	if (at == TBUF_CUT_ELAPSED)
		return ((struct tbuf_known){ time - self, true });
	if (at == TBUF_CUT_TIME)
		return ((struct tbuf_known){ time, true });
	if (at == TBUF_CUT_SELF)
		return ((struct tbuf_known){ self, true });
	if (at == TBUF_CUT_SECOND)
		return ((struct tbuf_known){ second, true });
	if (at == TBUF_CUT_TID)
		return ((struct tbuf_known){ tbuf_thread.tid,
		    tbuf_thread.tid != 0 });
	return ((struct tbuf_known){ 0, false });
}

struct tbuf_known
tbuf_number_other(const struct tbuf_number *n, const uint64_t *words,
    uint64_t size, uint64_t time, uint64_t self, uint64_t second)
{
	unsigned down = n->cut.down % 64;
	struct tbuf_known x;

	if (n->cut.at != TBUF_CUT_COMPUTED)
		return (plain(n->cut.at, time, self, second));
	if (n->of.at * sizeof(*words) < size)
		x = (struct tbuf_known){ tbuf_cut_out(&n->of, words), true };
	else
		x = plain(n->of.at, time, self, second);
	x.is = x.is && operate(n->cut.up, &x.value, n->constant);
	x.value <<= down;
	x.value = n->cut.is_signed ? (uint64_t)((int64_t)x.value >> down) :
	    x.value >> down;
	return (x);
}
