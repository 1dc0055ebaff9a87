/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stubs of aarch64, encoded on any processor, and run by an interpreter of the
 * few instructions in them, after the Arm architecture's manual.
 */
#include <string.h>

#include <check.h>

#include "lib/check_main.h"
#include "patch/aarch64.h"

#define AT	UINT64_C(0x7f0000010000)	/* address of a stub */
#define PLACE	(AT + (100u << 20))
#define BACK	(PLACE + PATCH_NOP)
#define HIT	UINT64_C(0x7ffff0001230)
#define PROBE	UINT64_C(0x555500004560)
#define STACK	64u				/* bytes of the stack */

/* Registers, a stack that ends at `top`, and one word of other memory. */
struct machine {
	uint64_t x[31], sp, pc;
	uint64_t stack[STACK / 8], top;
	uint64_t low;			/* lowest stack pointer */
	uint64_t word_at;
	uint32_t word;
	const uint8_t *stub;
	size_t size;
};

static int64_t
signed_field(uint32_t word, unsigned low, unsigned bits)
{
	int64_t n = word >> low & ((1u << bits) - 1);

	return (n >= 1 << (bits - 1) ? n - (1 << bits) : n);
}

static uint64_t *
on_stack(struct machine *m, uint64_t at)
{
	ck_assert_uint_ge(at, m->sp);
	ck_assert_uint_lt(at, m->top);
	ck_assert_uint_eq(m->sp % 16, 0);
	return (&m->stack[(at - (m->top - STACK)) / 8]);
}

/* Returns a word of the stub: instructions, or a constant. */
static uint64_t
of_stub(const struct machine *m, uint64_t at, size_t size)
{
	uint64_t value = 0;

	ck_assert_uint_eq(at % size, 0);
	ck_assert_uint_le(at - AT, m->size - size);
	memcpy(&value, m->stub + (at - AT), size);
	return (value);
}

/* Runs stp and ldp of 64 bits, pre-indexed and post-indexed. */
static bool
pair(struct machine *m, uint32_t word)
{
	unsigned first = word & 0x1f, second = word >> 10 & 0x1f;
	int64_t by = 8 * signed_field(word, 15, 7);

	if ((word >> 5 & 0x1f) != 31 || first == 31 || second == 31)
		return (false);
	if ((word & 0xffc00000) == 0xa9800000) {	/* stp, pre-indexed */
		m->sp += (uint64_t)by;
		m->low = m->sp < m->low ? m->sp : m->low;
		*on_stack(m, m->sp) = m->x[first];
		*on_stack(m, m->sp + 8) = m->x[second];
	} else if ((word & 0xffc00000) == 0xa8c00000) {	/* ldp, post-indexed */
		m->x[first] = *on_stack(m, m->sp);
		m->x[second] = *on_stack(m, m->sp + 8);
		m->sp += (uint64_t)by;
	} else
		return (false);
	return (true);
}

static void
step(struct machine *m)
{
	uint32_t word = (uint32_t)of_stub(m, m->pc, 4);
	unsigned to = word & 0x1f, from = word >> 5 & 0x1f;
	uint64_t at = m->pc, near;

	near = at + (uint64_t)(4 * signed_field(word, 5, 19));
	m->pc += 4;
	if (pair(m, word))
		return;
	if (word >> 24 == 0x58)				/* ldr x, constant */
		m->x[to] = of_stub(m, near, 8);
	else if (word >> 24 == 0x34) {			/* cbz w */
		if ((uint32_t)m->x[to] == 0)
			m->pc = near;
	} else if (word >> 26 == 5)			/* b */
		m->pc = at + (uint64_t)(4 * signed_field(word, 0, 26));
	else if ((word & 0xfffffc1f) == 0xd61f0000)	/* br */
		m->pc = m->x[from];
	else if ((word & 0xfffffc00) == 0xb9400000) {	/* ldr w, [x] */
		ck_assert_uint_eq(m->x[from], m->word_at);
		m->x[to] = m->word;
	} else
		ck_abort_msg("%#x at %#llx", word, (unsigned long long)at);
}

/* Runs the machine until it leaves the stub. */
static void
run(struct machine *m)
{
	unsigned steps = 0;

	for (; m->pc - AT < m->size; step(m))
		ck_assert_uint_lt(steps++, 100);
}

static void
begin(struct machine *m, const uint8_t *stub, size_t size)
{
	unsigned i;

	*m = (struct machine){ .stub = stub, .size = size, .pc = AT,
	    .top = 0x7ffffffff000, .word_at = 0x1234567890 };
	m->sp = m->low = m->top - 16;
	for (i = 0; i < 31; i++)
		m->x[i] = 0x0101010101010101 * (i + 1);
}

/* All registers have their first values; x16 and x17 may be taken. */
static void
check_registers(const struct machine *m, unsigned taken)
{
	unsigned i;

	for (i = 0; i < 31; i++)
		if (taken == 0 || (i != 16 && i != 17))
			ck_assert_uint_eq(m->x[i],
			    0x0101010101010101 * (i + 1));
}

static void
encode(struct machine *m, uint8_t stub[PATCH_STUB])
{
	begin(m, stub, PATCH_STUB);
	ck_assert(patch_stub_encode(stub, AT, BACK,
	    (const uint32_t *)(uintptr_t)m->word_at,
	    (const void *)(uintptr_t)PROBE, HIT));
}

START_TEST(nothing_happens_while_nobody_traces)
{
	uint8_t stub[PATCH_STUB];
	struct machine m;

	encode(&m, stub);
	run(&m);
	ck_assert_uint_eq(m.pc, BACK);
	ck_assert_uint_eq(m.sp, m.top - 16);
	ck_assert_uint_eq(m.low, m.top - 32);
	check_registers(&m, 0);
}
END_TEST

START_TEST(who_traces_is_told_and_comes_back)
{
	uint8_t stub[PATCH_STUB];
	struct machine m;

	encode(&m, stub);
	m.word = 1u << 31;
	run(&m);
	ck_assert_uint_eq(m.pc, HIT);
	ck_assert_uint_eq(m.x[17], PROBE);
	ck_assert_uint_eq(m.sp, m.top - 32);
	ck_assert_uint_eq(*on_stack(&m, m.sp), 0x0101010101010101 * 17);
	ck_assert_uint_eq(*on_stack(&m, m.sp + 8), 0x0101010101010101 * 18);
	check_registers(&m, 1);
	m.pc = AT + PATCH_STUB_BEHIND;
	run(&m);
	ck_assert_uint_eq(m.pc, BACK);
	ck_assert_uint_eq(m.sp, m.top - 16);
	check_registers(&m, 0);
}
END_TEST

START_TEST(functions_are_replaced_however_far)
{
	uint8_t stub[PATCH_FAR];
	struct machine m;

	begin(&m, stub, sizeof(stub));
	patch_far_encode(stub, HIT);
	run(&m);
	ck_assert_uint_eq(m.pc, HIT);
	ck_assert_uint_eq(m.low, m.sp);
	m.x[16] = 0x0101010101010101 * 17;	/* linkers may use it */
	check_registers(&m, 0);
}
END_TEST

/* Branches reach 128 MiB backwards, and a word less forwards. */
START_TEST(branches_reach_so_far)
{
	static const int64_t far = 128 << 20;
	uint8_t stub[PATCH_STUB];
	uint32_t word;

	ck_assert(patch_branch(AT, AT + (uint64_t)far - 4, &word));
	ck_assert_uint_eq(patch_target(word, AT), AT + (uint64_t)far - 4);
	ck_assert(!patch_branch(AT, AT + (uint64_t)far, &word));
	ck_assert(patch_branch(AT, AT - (uint64_t)far, &word));
	ck_assert_uint_eq(patch_target(word, AT), AT - (uint64_t)far);
	ck_assert(!patch_branch(AT, AT - (uint64_t)far - 4, &word));
	ck_assert(!patch_branch(AT, AT + 2, &word));
	ck_assert(!patch_stub_encode(stub, AT, AT + 2 * (uint64_t)far, NULL,
	    NULL, HIT));
}
END_TEST

START_TEST(who_has_called_is_kept_or_not)
{
	static const uint32_t code[] = {
		0xd10083ff,		/* sub sp, sp, #32 */
		0xa9017bfd,		/* stp x29, x30, [sp, #16] */
		0xd503201f,		/* nop */
		0xf9000bf3,		/* str x19, [sp, #16] */
		0xf81f0ffe,		/* str x30, [sp, #-16]! */
		0xd503201f
	};
	uintptr_t at = (uintptr_t)code;
	struct patch_range whole = { .start = at, .end = at + sizeof(code) };
	struct patch_range later = { .start = at + 8, .end = whole.end };

	ck_assert(!patch_keeps_link(&whole, at + 4));
	ck_assert(patch_keeps_link(&whole, at + 8));
	ck_assert(!patch_keeps_link(&later, at + 16));
	ck_assert(patch_keeps_link(&later, at + 20));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("aarch64");
	TCase *t = tcase_create("aarch64");

	tcase_add_test(t, nothing_happens_while_nobody_traces);
	tcase_add_test(t, who_traces_is_told_and_comes_back);
	tcase_add_test(t, functions_are_replaced_however_far);
	tcase_add_test(t, branches_reach_so_far);
	tcase_add_test(t, who_has_called_is_kept_or_not);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
