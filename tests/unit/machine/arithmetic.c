/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The machine's arithmetic and jumps: each operation is compared with another
 * way to compute it, for operands at the limits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static struct fixture f;

static void
setup(void)
{
	fixture_begin(&f);
}

static void
teardown(void)
{
	fixture_end(&f);
}

static const uint64_t edges[] = {
	0, 1, 2, 3, 7, 31, 32, 33, 62, 63, 64, 65, 127, 128, 255, 256, 1000,
	INT16_MAX, INT16_MAX + 1, UINT16_MAX, INT32_MAX - 1, INT32_MAX,
	(uint64_t)INT32_MAX + 1, UINT32_MAX, UINT64_C(1) << 32,
	UINT64_C(0x123456789abcdef0), INT64_MAX - 1, INT64_MAX,
	(uint64_t)INT64_MIN, (uint64_t)INT64_MIN + 1, (uint64_t)-64,
	(uint64_t)-3, (uint64_t)-2, (uint64_t)-1
};
#define NEDGES	(sizeof(edges) / sizeof(edges[0]))

typedef __int128 wide;

/* Computes the result in 128 bits, bit by bit and by powers of two. */
static bool
expected(unsigned operation, uint64_t x, uint64_t y, uint64_t *result)
{
	wide sx = (int64_t)x, sy = (int64_t)y, power;
	unsigned i;

	if (operation >= TBUF_OP_DIVS && operation <= TBUF_OP_MODU && y == 0)
		return (false);
	for (power = 1, i = 0; i < y % 64; i++)
		power *= 2;
	switch (operation) {
	case TBUF_OP_ADD:
		*result = (uint64_t)(sx + sy);
		break;
	case TBUF_OP_SUB:
		*result = (uint64_t)(sx - sy);
		break;
	case TBUF_OP_MUL:
		*result = (uint64_t)((unsigned __int128)x * y);
		break;
	case TBUF_OP_DIVS:
		*result = (uint64_t)(sx / sy);
		break;
	case TBUF_OP_DIVU:
		*result = (uint64_t)((wide)x / (wide)y);
		break;
	case TBUF_OP_MODS:
		*result = (uint64_t)(sy < 0 ? -(sx % sy) : sx % sy);
		break;
	case TBUF_OP_MODU:
		*result = (uint64_t)((wide)x % (wide)y);
		break;
	case TBUF_OP_SHL:
		*result = (uint64_t)((unsigned __int128)x *
		    (unsigned __int128)power);
		break;
	case TBUF_OP_SHRU:
		*result = (uint64_t)((wide)x / power);
		break;
	case TBUF_OP_SHRS:	/* rounds down, not towards 0 */
		*result = (uint64_t)((sx - (sx < 0 ? power - 1 : 0)) / power);
		break;
	default:
		for (*result = 0, i = 0; i < 64; i++) {
			unsigned p = x >> i & 1, q = y >> i & 1;
			uint64_t bit = operation == TBUF_OP_AND ? p && q :
			    operation == TBUF_OP_OR ? p || q : p != q;

			*result |= bit << i;
		}
	}
	return (true);
}

static void
binary(unsigned operation, uint64_t x, uint64_t y)
{
	uint64_t want, got;
	bool defined = expected(operation, x, y, &want), small;

	fixture_clear(&f);
	number(&f, 3, x);
	number(&f, 4, y);
	op(&f, operation, 5, 3, 4, 0);
	if (!defined) {
		faults(&f, TBUF_FAULT_DIVIDE, 0);
		ck_assert_uint_eq(f.m.fault.at, f.m.length - 1);
	} else {
		got = returns(&f, 5);
		ck_assert_msg(got == want, "operation %#x of %" PRId64
		    ", %" PRId64 ": %" PRId64 " instead of %" PRId64,
		    operation, (int64_t)x, (int64_t)y, (int64_t)got,
		    (int64_t)want);
	}
	small = (uint64_t)(int32_t)y == y;
	if (!small)
		return;
	fixture_clear(&f);
	number(&f, 3, x);
	op(&f, operation + 0x10, 5, 3, 0, y);
	if (!defined)
		faults(&f, TBUF_FAULT_DIVIDE, 0);
	else
		ck_assert_uint_eq(returns(&f, 5), want);
}

START_TEST(binary_operations_are_those_of_wider_numbers)
{
	unsigned operation, i, j;

	for (operation = TBUF_OP_ADD; operation <= TBUF_OP_SHRU; operation++)
		for (i = 0; i < NEDGES; i++)
			for (j = 0; j < NEDGES; j++)
				binary(operation, edges[i], edges[j]);
}
END_TEST

/* Returns the result of the n-th comparison of the table. */
static bool
holds(unsigned n, uint64_t x, uint64_t y)
{
	wide a = n >= 6 ? (wide)x : (wide)(int64_t)x;
	wide b = n >= 6 ? (wide)y : (wide)(int64_t)y;
	const bool table[] = { a - b == 0, a - b != 0, a - b < 0, a - b <= 0,
	    a - b > 0, a - b >= 0, a - b < 0, a - b <= 0, a - b > 0,
	    a - b >= 0 };

	return (table[n]);
}

/* Returns true if the jump is taken: it skips that r9 is set to 1. */
static bool
jumps(unsigned operation, unsigned a, unsigned b, unsigned c, uint64_t i)
{
	op(&f, operation, a, b, c, i);
	number(&f, 9, 1);
	return (returns(&f, 9) == 0);
}

static void
compare(unsigned n, uint64_t x, uint64_t y)
{
	bool want = holds(n, x, y);

	fixture_clear(&f);
	number(&f, 1, x);
	number(&f, 2, y);
	op(&f, TBUF_OP_SEQ + n, 3, 1, 2, 0);
	ck_assert_uint_eq(returns(&f, 3), want);
	fixture_clear(&f);
	number(&f, 1, x);
	number(&f, 2, y);
	ck_assert_int_eq(jumps(TBUF_OP_JEQ + n, 1, 2, 0, 1), want);
	if ((uint64_t)(int32_t)y != y)
		return;
	fixture_clear(&f);
	number(&f, 1, x);
	op(&f, TBUF_OP_SEQI + n, 3, 1, 0, y);
	ck_assert_uint_eq(returns(&f, 3), want);
	fixture_clear(&f);
	number(&f, 1, x);
	ck_assert_int_eq(jumps(TBUF_OP_JEQI + n, 1, 1, 0, y), want);
	fixture_clear(&f);
	f.values[4] = x;
	f.m.nargs = 5;
	ck_assert_int_eq(jumps(TBUF_OP_JAEQI + n, 4, 1, 0, y), want);
	/* The jump uses a name bound to the argument, and is not first. */
	fixture_clear(&f);
	op(&f, TBUF_OP_FREE, 0, 0, 0, 0);
	f.m.binding = UINT64_C(4) << 4 * 11;
	ck_assert_int_eq(jumps(TBUF_OP_JAEQI + n, TBUF_SELECT_NAME + 11, 1, 0,
	    y), want);
}

START_TEST(comparisons_have_five_forms)
{
	unsigned n, i, j;

	for (n = 0; n < 10; n++)
		for (i = 0; i < NEDGES; i++)
			for (j = 0; j < NEDGES; j++)
				compare(n, edges[i], edges[j]);
}
END_TEST

static uint64_t
unary(unsigned operation, uint64_t x)
{
	fixture_clear(&f);
	number(&f, 3, x);
	op(&f, operation, 5, 3, 0, 0);
	return (returns(&f, 5));
}

/* Returns the low bits of a number, by its highest one extended if `sign`. */
static uint64_t
extended(uint64_t x, unsigned bits, bool sign)
{
	uint64_t power = UINT64_C(1) << bits, low = x % power;

	return (sign && low >= power / 2 ? low - power : low);
}

START_TEST(unary_operations)
{
	unsigned i;

	for (i = 0; i < NEDGES; i++) {
		uint64_t x = edges[i];

		ck_assert_uint_eq(unary(TBUF_OP_MOV, x), x);
		ck_assert_uint_eq(unary(TBUF_OP_NEG, x) + x, 0);
		ck_assert_uint_eq(unary(TBUF_OP_NOT, x) + x, UINT64_MAX);
		ck_assert_uint_eq(unary(TBUF_OP_LNOT, x), x == 0);
		ck_assert_uint_eq(unary(TBUF_OP_EXT1S, x),
		    extended(x, 8, true));
		ck_assert_uint_eq(unary(TBUF_OP_EXT2S, x),
		    extended(x, 16, true));
		ck_assert_uint_eq(unary(TBUF_OP_EXT4S, x),
		    extended(x, 32, true));
		ck_assert_uint_eq(unary(TBUF_OP_EXT1U, x),
		    extended(x, 8, false));
		ck_assert_uint_eq(unary(TBUF_OP_EXT2U, x),
		    extended(x, 16, false));
		ck_assert_uint_eq(unary(TBUF_OP_EXT4U, x),
		    extended(x, 32, false));
	}
}
END_TEST

START_TEST(jumps_go_forward_and_end_the_program_beyond_it)
{
	ck_assert(jumps(TBUF_OP_JMP, 0, 0, 0, 1));
	fixture_clear(&f);
	ck_assert(jumps(TBUF_OP_JZ, 1, 0, 0, 1));
	fixture_clear(&f);
	ck_assert(!jumps(TBUF_OP_JNZ, 1, 0, 0, 1));
	fixture_clear(&f);
	number(&f, 1, 5);
	ck_assert(jumps(TBUF_OP_JNZ, 1, 0, 0, 1));
	fixture_clear(&f);
	number(&f, 1, 5);
	ck_assert(!jumps(TBUF_OP_JZ, 1, 0, 0, 1));
	/* A jump ends at the program's end: distances are unsigned. */
	fixture_clear(&f);
	f.m.value = 1;
	op(&f, TBUF_OP_JMP, 0, 0, 0, UINT32_MAX);
	number(&f, 1, 1);
	op(&f, TBUF_OP_RET, 1, 0, 0, 0);
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_DONE);
	ck_assert_uint_eq(f.m.value, 0);
	/* A run starts with registers of 0; register numbers are masked. */
	fixture_clear(&f);
	number(&f, 0xf1, 9);
	ck_assert_uint_eq(returns(&f, 1), 9);
	fixture_clear(&f);
	ck_assert_uint_eq(returns(&f, 1), 0);
}
END_TEST

START_TEST(an_empty_program_and_a_word_of_zero_end)
{
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_DONE);
	op(&f, 0, 0, 0, 0, 0);
	op(&f, TBUF_OP_FAULT, 0, 0, 0, TBUF_FAULT_STACK);
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_DONE);
}
END_TEST

START_TEST(what_is_no_operation_is_a_fault)
{
	bool known[256] = { false };
	unsigned i;

#define KNOWN(n, NAME, name, fields, immediate)	known[n] = true;
	TBUF_OPERATIONS(KNOWN)
	for (i = 0; i < 256; i++) {
		if (known[i])
			continue;
		fixture_clear(&f);
		op(&f, TBUF_OP_FREE, 0, 0, 0, 0);
		op(&f, i, 1, 2, 3, 4);
		faults(&f, TBUF_FAULT_ILLEGAL, 0);
		ck_assert_uint_eq(f.m.fault.at, 1);
	}
}
END_TEST

START_TEST(faults_are_raised_by_number)
{
	unsigned i;

	for (i = 1; i < TBUF_FAULTS; i++) {
		fixture_clear(&f);
		number(&f, 2, 0x1234);
		op(&f, TBUF_OP_FAULT, 2, 0, 0, i);
		faults(&f, i, 0x1234);
		ck_assert_ptr_nonnull(tbuf_fault_name(i));
	}
	fixture_clear(&f);
	op(&f, TBUF_OP_FAULT, 2, 0, 0, 0);
	faults(&f, TBUF_FAULT_ILLEGAL, 0);
	fixture_clear(&f);
	op(&f, TBUF_OP_FAULT, 2, 0, 0, TBUF_FAULTS);
	faults(&f, TBUF_FAULT_ILLEGAL, 0);
	ck_assert_ptr_null(tbuf_fault_name(0));
	ck_assert_ptr_null(tbuf_fault_name(TBUF_FAULTS));
}
END_TEST

START_TEST(an_index_is_held_against_its_bound)
{
	number(&f, 2, 9);
	op(&f, TBUF_OP_BOUND, 2, 0, 0, 10);
	ck_assert_uint_eq(returns(&f, 2), 9);
	fixture_clear(&f);
	number(&f, 2, 10);
	op(&f, TBUF_OP_BOUND, 2, 0, 0, 10);
	faults(&f, TBUF_FAULT_INDEX, 10);
	fixture_clear(&f);
	number(&f, 2, (uint64_t)-1);
	op(&f, TBUF_OP_BOUND, 2, 0, 0, 10);
	faults(&f, TBUF_FAULT_INDEX, (uint64_t)-1);
}
END_TEST

START_TEST(arguments_by_number_and_by_name)
{
	unsigned i;

	f.m.nargs = 10;
	f.m.binding = UINT64_C(0xf123456789);
	for (i = 0; i < 10; i++)
		f.values[i] = 100 + i;
	for (i = 0; i < 10; i++) {
		fixture_clear(&f);
		op(&f, TBUF_OP_LDA, 1, 0, 0, i);
		ck_assert_uint_eq(returns(&f, 1), 100 + i);
	}
	for (i = 0; i < 9; i++) {
		fixture_clear(&f);
		op(&f, TBUF_OP_LDA, 1, 0, 0, TBUF_SELECT_NAME + i);
		ck_assert_uint_eq(returns(&f, 1), 109 - i);
	}
	/* Such an argument does not exist. */
	fixture_clear(&f);
	op(&f, TBUF_OP_LDA, 1, 0, 0, TBUF_SELECT_NAME + 9);
	ck_assert_uint_eq(returns(&f, 1), 0);
	f.m.nargs = 3;
	fixture_clear(&f);
	op(&f, TBUF_OP_LDA, 1, 0, 0, 3);
	ck_assert_uint_eq(returns(&f, 1), 0);
}
END_TEST

/* Each exponent, with fractions of no bit, of some and of all bits. */
START_TEST(an_argument_of_type_float_is_a_double)
{
	static const uint32_t fractions[] = {
		0, 1, 2, 0x12345, 0x200000, 0x400000, 0x400001, 0x7fffff
	};
	uint32_t exponent, bits;
	uint64_t expected;
	unsigned i;
	double wide;
	float x;

	f.m.nargs = 1;
	f.types[0] = TBUF_FLOAT;
	for (exponent = 0; exponent < 512; exponent++)
		for (i = 0; i < 8; i++) {
			bits = exponent << 23 | fractions[i];
			memcpy(&x, &bits, sizeof(x));
			wide = (double)x;
			memcpy(&expected, &wide, sizeof(wide));
			/* A processor makes each NaN quiet. */
			if (wide != wide)
				expected ^= (expected ^ (uint64_t)bits << 29) &
				    UINT64_C(1) << 51;
			f.values[0] = bits;
			fixture_clear(&f);
			op(&f, TBUF_OP_LDA, 1, 0, 0, 0);
			ck_assert_uint_eq(returns(&f, 1), expected);
		}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("machine");
	TCase *tc = tcase_create("numbers");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, binary_operations_are_those_of_wider_numbers);
	tcase_add_test(tc, comparisons_have_five_forms);
	tcase_add_test(tc, unary_operations);
	tcase_add_test(tc, jumps_go_forward_and_end_the_program_beyond_it);
	tcase_add_test(tc, an_empty_program_and_a_word_of_zero_end);
	tcase_add_test(tc, what_is_no_operation_is_a_fault);
	tcase_add_test(tc, faults_are_raised_by_number);
	tcase_add_test(tc, an_index_is_held_against_its_bound);
	tcase_add_test(tc, arguments_by_number_and_by_name);
	tcase_add_test(tc, an_argument_of_type_float_is_a_double);
	suite_add_tcase(suite, tc);
	return (run_suite(suite));
}
