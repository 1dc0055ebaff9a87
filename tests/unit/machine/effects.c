/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The machine's memory, variables, keys, records and effects.
 */
#include <inttypes.h>
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

static uint64_t
own(uint32_t offset)
{
	return (tbuf_address(TBUF_OBJECT_GLOBAL, 3, offset));
}

static void
access_faults(unsigned operation, uint64_t base, uint64_t more,
    uint64_t address)
{
	fixture_clear(&f);
	number(&f, 2, base);
	op(&f, operation, 1, 2, 0, more);
	faults(&f, TBUF_FAULT_ADDRESS, address);
}

START_TEST(loads_extend_and_stores_cut)
{
	static const struct {
		unsigned store, load;
		uint64_t want;
	} table[] = {
		{ TBUF_OP_ST1, TBUF_OP_LD1U, 0xf8 },
		{ TBUF_OP_ST1, TBUF_OP_LD1S, (uint64_t)-8 },
		{ TBUF_OP_ST2, TBUF_OP_LD2U, 0xf7f8 },
		{ TBUF_OP_ST2, TBUF_OP_LD2S, (uint64_t)-0x808 },
		{ TBUF_OP_ST4, TBUF_OP_LD4U, 0xf5f6f7f8 },
		{ TBUF_OP_ST4, TBUF_OP_LD4S, UINT64_C(0xfffffffff5f6f7f8) },
		{ TBUF_OP_ST8, TBUF_OP_LD8, UINT64_C(0xf1f2f3f4f5f6f7f8) }
	};
	unsigned i, n;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		fixture_clear(&f);
		memset(f.array, 0xaa, sizeof(f.array));
		number(&f, 1, UINT64_C(0xf1f2f3f4f5f6f7f8));
		number(&f, 2, own(7));
		op(&f, table[i].store, 1, 2, 0, (uint64_t)-4);
		op(&f, table[i].load, 3, 2, 0, (uint64_t)-4);
		ck_assert_uint_eq(returns(&f, 3), table[i].want);
		for (n = 0; n < sizeof(f.array); n++)
			if (n < 3 || n >= 3u + (1u << (table[i].store -
			    TBUF_OP_ST1)))
				ck_assert_uint_eq(f.array[n], 0xaa);
	}
}
END_TEST

START_TEST(addresses_are_held_against_their_objects)
{
	/* Loads after a variable's end get zeros, and stores are faults. */
	memset(f.array, 0xaa, sizeof(f.array));
	fixture_clear(&f);
	number(&f, 2, own(0));
	op(&f, TBUF_OP_LD8, 1, 2, 0, 9);
	ck_assert_uint_eq(returns(&f, 1), UINT64_C(0xaaaaaaaaaaaaaa));
	fixture_clear(&f);
	number(&f, 2, own(0));
	op(&f, TBUF_OP_LD1U, 1, 2, 0, 16);
	ck_assert_uint_eq(returns(&f, 1), 0);
	access_faults(TBUF_OP_LD1U, own(0), (uint64_t)-1, own(0) - 1);
	access_faults(TBUF_OP_ST8, own(0), 9, own(9));
	access_faults(TBUF_OP_ST1, own(0), INT32_MAX, own(INT32_MAX));
	access_faults(TBUF_OP_LD4U, own(UINT32_MAX), 1, own(0) +
	    (UINT64_C(1) << 32));
	/* The address names an unknown kind of object, or no object. */
	access_faults(TBUF_OP_LD1U, tbuf_address(31, 0, 0), 0,
	    tbuf_address(31, 0, 0));
	access_faults(TBUF_OP_LD1U, tbuf_address(TBUF_OBJECT_ARGUMENT, 0, 0),
	    0, tbuf_address(TBUF_OBJECT_ARGUMENT, 0, 0));
	access_faults(TBUF_OP_LD1U, tbuf_address(TBUF_OBJECT_SCRATCH, 0, 0),
	    0, tbuf_address(TBUF_OBJECT_SCRATCH, 0, 0));
	access_faults(TBUF_OP_LD1U, 0, 0, 0);
	access_faults(TBUF_OP_LD1U, 0, 1, 1);
	/* The program's memory can be read, and is never written. */
	access_faults(TBUF_OP_ST1, 0x1000, 0, 0x1000);
	fixture_clear(&f);
	number(&f, 2, 0x1000);
	op(&f, TBUF_OP_LD2U, 1, 2, 0, 2);
	ck_assert_uint_eq(returns(&f, 1), 'o' | 'g' << 8);
	/* Constants can be read. */
	fixture_clear(&f);
	text(&f, 2, "abc");
	op(&f, TBUF_OP_LD1U, 1, 2, 0, 3);
	ck_assert_uint_eq(returns(&f, 1), 0);
	access_faults(TBUF_OP_LD4U, tbuf_address(TBUF_OBJECT_CONSTANT, 0, 0),
	    1, tbuf_address(TBUF_OBJECT_CONSTANT, 0, 1));
}
END_TEST

/* Sets the n-th argument. */
static void
argument(unsigned n, uint8_t type, const void *value)
{
	f.types[n] = type;
	f.values[n] = (uint64_t)(uintptr_t)value;
	f.m.nargs = n + 1 > f.m.nargs ? n + 1 : f.m.nargs;
}

static uint64_t
length(uint32_t n, uint32_t offset)
{
	fixture_clear(&f);
	op(&f, TBUF_OP_LDAT, 2, 0, 0, n);
	op(&f, TBUF_OP_ADDI, 2, 2, 0, offset);
	op(&f, TBUF_OP_CALL, 1, 2, 1, TBUF_SUB_STRLEN);
	return (returns(&f, 1));
}

START_TEST(text_arguments_are_read_in_place)
{
	/* No byte after a string's NUL may be read, nor any after strsize. */
	uint8_t *end = f.pages + 4096;
	struct tbuf_bytes sized = { end - 5, 5 };

	memcpy(end - 6, "hello", 6);
	argument(0, TBUF_STRING, end - 6);
	argument(1, TBUF_STRING_SIZED, &sized);
	argument(2, TBUF_STRING, NULL);
	argument(3, TBUF_INT64, (void *)(uintptr_t)0x1000);
	ck_assert_uint_eq(length(0, 0), 5);
	ck_assert_uint_eq(length(0, 2), 3);
	ck_assert_uint_eq(length(0, 5), 0);
	sized.data = end - 6;
	ck_assert_uint_eq(length(1, 1), 4);
	ck_assert_uint_eq(length(1, 5), 0);
	/* Addresses after a string's end are faults. */
	fixture_clear(&f);
	op(&f, TBUF_OP_LDAT, 2, 0, 0, 0);
	op(&f, TBUF_OP_ADDI, 2, 2, 0, 6);
	op(&f, TBUF_OP_CALL, 1, 2, 1, TBUF_SUB_STRLEN);
	faults(&f, TBUF_FAULT_ADDRESS,
	    tbuf_address(TBUF_OBJECT_ARGUMENT, 0, 6));
	access_faults(TBUF_OP_LD1U, tbuf_address(TBUF_OBJECT_ARGUMENT, 0, 0),
	    6, tbuf_address(TBUF_OBJECT_ARGUMENT, 0, 6));
	access_faults(TBUF_OP_LD2U, tbuf_address(TBUF_OBJECT_ARGUMENT, 0, 0),
	    5, tbuf_address(TBUF_OBJECT_ARGUMENT, 0, 5));
	access_faults(TBUF_OP_ST1, tbuf_address(TBUF_OBJECT_ARGUMENT, 0, 0),
	    0, tbuf_address(TBUF_OBJECT_ARGUMENT, 0, 0));
	fixture_clear(&f);
	op(&f, TBUF_OP_LDAT, 2, 0, 0, 0);
	op(&f, TBUF_OP_LD1U, 1, 2, 0, 5);
	ck_assert_uint_eq(returns(&f, 1), 0);
	/* A NULL string is 0, and a number is loaded as it is. */
	fixture_clear(&f);
	op(&f, TBUF_OP_LDAT, 1, 0, 0, 2);
	ck_assert_uint_eq(returns(&f, 1), 0);
	fixture_clear(&f);
	op(&f, TBUF_OP_LDAT, 1, 0, 0, 3);
	ck_assert_uint_eq(returns(&f, 1), 0x1000);
	/* A longer string is cut at strsize. */
	memset(end - FIXTURE_STRSIZE, 'x', FIXTURE_STRSIZE);
	argument(0, TBUF_STRING, end - FIXTURE_STRSIZE);
	ck_assert_uint_eq(length(0, 0), FIXTURE_STRSIZE);
	ck_assert_uint_eq(length(0, 30), 2);
	ck_assert_uint_eq(length(0, 32), 0);
}
END_TEST

static int64_t
order(const char *left, const char *right)
{
	fixture_clear(&f);
	text(&f, 2, left);
	text(&f, 3, right);
	op(&f, TBUF_OP_TCMP, 1, 2, 3, 0);
	return ((int64_t)returns(&f, 1));
}

START_TEST(texts_compare_as_unsigned_bytes)
{
	ck_assert_int_eq(order("abc", "abc"), 0);
	ck_assert_int_eq(order("abc", "abd"), -1);
	ck_assert_int_eq(order("abd", "abc"), 1);
	ck_assert_int_eq(order("ab", "abc"), -1);
	ck_assert_int_eq(order("abc", "ab"), 1);
	ck_assert_int_eq(order("", "a"), -1);
	ck_assert_int_eq(order("\xff", "a"), 1);
	ck_assert_int_eq(order(NULL, ""), -1);
	ck_assert_int_eq(order("", NULL), 1);
	ck_assert_int_eq(order(NULL, NULL), 0);
	/* Both strings are cut at strsize. */
	ck_assert_int_eq(order("abcdefghijklmnopqrstuvwxyz012345x",
	    "abcdefghijklmnopqrstuvwxyz012345y"), 0);
	fixture_clear(&f);
	number(&f, 2, 0x1000);
	text(&f, 3, "a");
	op(&f, TBUF_OP_TCMP, 1, 2, 3, 0);
	faults(&f, TBUF_FAULT_ADDRESS, 0x1000);
}
END_TEST

/* Compares an argument of any length and alignment before a page's end. */
static void
compare_argument(unsigned length, unsigned before, const char *other)
{
	uint8_t *at = f.pages + 4096 - before - length - 1;
	int64_t want;

	memcpy(at, "abcdefghijklmnopqrst", length);
	at[length] = '\0';
	want = strcmp((const char *)at, other);
	argument(0, TBUF_STRING, at);
	fixture_clear(&f);
	op(&f, TBUF_OP_LDAT, 2, 0, 0, 0);
	text(&f, 3, other);
	op(&f, TBUF_OP_TCMP, 1, 2, 3, 0);
	ck_assert_int_eq((int64_t)returns(&f, 1), (want > 0) - (want < 0));
	fixture_clear(&f);
	op(&f, TBUF_OP_LDAT, 2, 0, 0, 0);
	text(&f, 4, "xyz");
	text(&f, 3, other);
	op(&f, TBUF_OP_TCMP, 1, 3, 2, 0);
	ck_assert_int_eq((int64_t)returns(&f, 1), (want < 0) - (want > 0));
	/* The argument is compared with itself: the end of neither is known. */
	fixture_clear(&f);
	op(&f, TBUF_OP_LDAT, 2, 0, 0, 0);
	op(&f, TBUF_OP_TCMP, 1, 2, 2, 0);
	ck_assert_int_eq((int64_t)returns(&f, 1), 0);
}

START_TEST(texts_compare_at_any_alignment)
{
	static const char all[] = "abcdefghijklmnopqrst";
	char other[sizeof(all)];
	unsigned length, before, n;

	for (length = 0; length < sizeof(all); length++)
		for (before = 0; before < 8; before++)
			for (n = 0; n < sizeof(all); n++) {
				memcpy(other, all, n);
				other[n] = '\0';
				compare_argument(length, before, other);
				if (n == 0)
					continue;
				other[n - 1] ^= 0x80;
				compare_argument(length, before, other);
			}
}
END_TEST

static bool
jumps(unsigned operation, const char *left, const char *right)
{
	fixture_clear(&f);
	text(&f, 2, left);
	text(&f, 3, right);
	op(&f, operation, 2, 3, 0, 1);
	number(&f, 9, 1);
	return (returns(&f, 9) == 0);
}

START_TEST(jumps_by_texts)
{
	ck_assert(jumps(TBUF_OP_TJEQ, "abc", "abc"));
	ck_assert(!jumps(TBUF_OP_TJNE, "abc", "abc"));
	ck_assert(jumps(TBUF_OP_TJNE, "abc", "ab"));
	ck_assert(!jumps(TBUF_OP_TJEQ, "abc", "ab"));
	ck_assert(jumps(TBUF_OP_TJEQ, NULL, NULL));
	ck_assert(jumps(TBUF_OP_TJNE, NULL, ""));
	ck_assert(!jumps(TBUF_OP_TJEQ, NULL, ""));
}
END_TEST

START_TEST(variables_are_the_surroundings)
{
	number(&f, 1, 42);
	op(&f, TBUF_OP_STV, 1, 0, TBUF_SCOPE_GLOBAL, 2);
	op(&f, TBUF_OP_LDV, 2, 0, TBUF_SCOPE_GLOBAL, 2);
	ck_assert_uint_eq(returns(&f, 2), 42);
	/* A string variable is unset at first. */
	fixture_clear(&f);
	op(&f, TBUF_OP_LDR, 2, 0, TBUF_SCOPE_GLOBAL, 1);
	ck_assert_uint_eq(returns(&f, 2), 0);
	fixture_clear(&f);
	text(&f, 1, "text");
	op(&f, TBUF_OP_STT, 1, 0, TBUF_SCOPE_GLOBAL, 1);
	op(&f, TBUF_OP_LDR, 2, 0, TBUF_SCOPE_GLOBAL, 1);
	op(&f, TBUF_OP_CALL, 3, 2, 1, TBUF_SUB_STRLEN);
	ck_assert_uint_eq(returns(&f, 3), 4);
	fixture_clear(&f);
	op(&f, TBUF_OP_STT, 1, 0, TBUF_SCOPE_GLOBAL, 1);
	op(&f, TBUF_OP_LDR, 2, 0, TBUF_SCOPE_GLOBAL, 1);
	ck_assert_uint_eq(returns(&f, 2), 0);
	/* Bytes are stored. */
	fixture_clear(&f);
	text(&f, 1, "abcd");
	number(&f, 2, 3);
	op(&f, TBUF_OP_STB, 1, 2, TBUF_SCOPE_THREAD, 5);
	returns(&f, 1);
	ck_assert_str_eq(f.log, "bytes(2, 5) 616263");
	fixture_clear(&f);
	text(&f, 1, "abcd");
	number(&f, 2, 6);
	op(&f, TBUF_OP_STB, 1, 2, TBUF_SCOPE_THREAD, 5);
	faults(&f, TBUF_FAULT_ADDRESS,
	    tbuf_address(TBUF_OBJECT_CONSTANT, 0, 0));
	/* Such a scope does not exist. */
	fixture_clear(&f);
	op(&f, TBUF_OP_LDV, 2, 0, TBUF_SCOPES, 0);
	faults(&f, TBUF_FAULT_ILLEGAL, 0);
	/* Built-in variables are loaded. */
	fixture_clear(&f);
	op(&f, TBUF_OP_LDB, 1, 0, 0, TBUF_BUILTIN_PID);
	ck_assert_uint_eq(returns(&f, 1), 1000 + TBUF_BUILTIN_PID);
	fixture_clear(&f);
	op(&f, TBUF_OP_LDB, 1, 0, 0, TBUF_BUILTIN_EXECNAME);
	op(&f, TBUF_OP_CALL, 2, 1, 1, TBUF_SUB_STRLEN);
	ck_assert_uint_eq(returns(&f, 2), 3);
}
END_TEST

START_TEST(the_surroundings_can_end_a_clause)
{
	f.answer = TBUF_STOP;
	op(&f, TBUF_OP_STV, 1, 0, TBUF_SCOPE_THREAD, 0);
	op(&f, TBUF_OP_FAULT, 0, 0, 0, TBUF_FAULT_STACK);
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_STOPPED);
	f.answer = TBUF_FAULT_USER;
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_FAULT);
	ck_assert_uint_eq(f.m.fault.number, TBUF_FAULT_USER);
	ck_assert_uint_eq(f.m.fault.at, 0);
}
END_TEST

/* An effect that stops inside a part ends that part alone, if it is allowed. */
START_TEST(a_part_that_stops_ends_no_other)
{
	f.answer = TBUF_STOP;
	f.resumes = true;
	op(&f, TBUF_OP_PART, 0, 0, 0, 2);
	op(&f, TBUF_OP_SPEC, 1, 0, 0, 0);
	op(&f, TBUF_OP_FAULT, 0, 0, 0, TBUF_FAULT_STACK);
	op(&f, TBUF_OP_RET, 1, 0, 0, 0);
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_DONE);
	f.resumes = false;
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_STOPPED);
	f.resumes = true;
	f.answer = TBUF_FAULT_USER;
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_FAULT);
}
END_TEST

/* A key or a record that a part has begun is not passed to the next part. */
START_TEST(a_part_leaves_nothing_to_the_next_one)
{
	f.answer = TBUF_STOP;
	f.resumes = true;
	op(&f, TBUF_OP_PART, 0, 0, 0, 5);
	op(&f, TBUF_OP_KEYN, 0, 0, 0, 0);
	op(&f, TBUF_OP_KEY, 1, 0, 0, 4);
	op(&f, TBUF_OP_PUT, 1, 0, 0, 8);
	op(&f, TBUF_OP_ASIDE, 0, 0, 0, 0);
	op(&f, TBUF_OP_SPEC, 1, 0, 0, 0);
	op(&f, TBUF_OP_RET, 1, 0, 0, 0);
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_DONE);
	ck_assert_uint_eq(f.m.key.used, 0);
	ck_assert_uint_eq(f.m.key_size, 0);
	ck_assert_uint_eq(f.m.record.used, 0);
	ck_assert_uint_eq(f.m.aside, 0);
}
END_TEST

/* A part's end that is not ahead, or beyond the program, is not used. */
START_TEST(a_part_ends_where_it_ends)
{
	f.answer = TBUF_STOP;
	f.resumes = true;
	op(&f, TBUF_OP_PART, 0, 0, 0, 0);
	op(&f, TBUF_OP_SPEC, 1, 0, 0, 0);
	op(&f, TBUF_OP_FAULT, 0, 0, 0, TBUF_FAULT_STACK);
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_STOPPED);
	fixture_clear(&f);
	op(&f, TBUF_OP_PART, 0, 0, 0, UINT32_MAX);
	op(&f, TBUF_OP_SPEC, 1, 0, 0, 0);
	op(&f, TBUF_OP_FAULT, 0, 0, 0, TBUF_FAULT_STACK);
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_STOPPED);
}
END_TEST

static void
empty_key(unsigned operation)
{
	op(&f, TBUF_OP_KEYN, 0, 0, 0, 0);
	number(&f, 1, 0x1122);
	op(&f, TBUF_OP_KEY, 1, 0, 0, 4);
	text(&f, 2, "ab");
	op(&f, TBUF_OP_KEYT, 2, 0, 0, 0);
	number(&f, 3, 0);
	op(&f, TBUF_OP_KEYT, 3, 0, 0, 0);
	op(&f, TBUF_OP_KEY, 1, 0, 0, 8);
	op(&f, operation, 1, 3, operation == TBUF_OP_UPD ? TBUF_AGG_SUM :
	    TBUF_SCOPE_ARRAY, 9);
	op(&f, operation, 1, 3, operation == TBUF_OP_UPD ? TBUF_AGG_COUNT :
	    TBUF_SCOPE_ARRAY, 9);
	returns(&f, 1);
}

/* Numbers take 8 bytes, strings are padded to 2; 76 bytes are declared. */
#define KEY	"221100000000000002006162008000002211000000000000"

START_TEST(keys_are_built_and_used_up)
{
	empty_key(TBUF_OP_STV);
	ck_assert_str_eq(f.log, "store[76:" KEY "]store[0:]");
	fixture_clear(&f);
	empty_key(TBUF_OP_LDV);
	ck_assert_str_eq(f.log, "load[76:" KEY "]load[0:]");
	fixture_clear(&f);
	empty_key(TBUF_OP_UPD);
	ck_assert_str_eq(f.log, "update[76:" KEY "] 9 1 4386 0 0"
	    "update[0:] 9 0 4386 0 0");
}
END_TEST

START_TEST(a_key_that_is_too_long_is_a_fault)
{
	unsigned i;

	for (i = 0; i < 17; i++)
		op(&f, TBUF_OP_KEY, 1, 0, 0, 8);
	faults(&f, TBUF_FAULT_TUPLE, 0);
	ck_assert_uint_eq(f.m.fault.at, 16);
}
END_TEST

START_TEST(quantizers_have_a_weight_and_a_parameter)
{
	number(&f, 1, 5);
	number(&f, 2, 6);
	number(&f, 3, 7);
	op(&f, TBUF_OP_UPD, 1, 2, TBUF_AGG_LQUANTIZE, 3);
	returns(&f, 1);
	ck_assert_str_eq(f.log, "update[0:] 3 7 5 6 7");
	fixture_clear(&f);
	op(&f, TBUF_OP_UPD, 1, 2, TBUF_AGGREGATORS, 3);
	faults(&f, TBUF_FAULT_ILLEGAL, 0);
}
END_TEST

START_TEST(records_are_built_and_given_away)
{
	struct tbuf_bytes binary = { "\1\2\3", 3 };

	argument(0, TBUF_INT32, (void *)(intptr_t)-1);
	argument(1, TBUF_STRING, "xyz");
	argument(2, TBUF_BINARY, &binary);
	op(&f, TBUF_OP_ROOM, 0, 0, 0, 1);
	number(&f, 1, 0x0102);
	op(&f, TBUF_OP_PUT, 1, 0, 0, 2);
	text(&f, 2, "ab");
	op(&f, TBUF_OP_PUTT, 2, 0, 0, 0);
	op(&f, TBUF_OP_PUTB, 2, 0, 0, 3);
	op(&f, TBUF_OP_PUTA, 0, 0, 0, 1);
	op(&f, TBUF_OP_PUTA, 0, 0, 0, 2);
	op(&f, TBUF_OP_PUTA, 0, 0, 0, 0);
	op(&f, TBUF_OP_PUTA, 0, 0, 0, 3);
	number(&f, 3, 0x1000);
	op(&f, TBUF_OP_PUTB, 3, 0, 0, 1);
	op(&f, TBUF_OP_EMIT, 0, 0, 0, 1);
	op(&f, TBUF_OP_EMIT, 0, 0, 0, 2);
	returns(&f, 1);
	ck_assert_str_eq(f.log, "room(1) emit(1) "
	    "0201000000000000" "02006162" "616200" "00" "030078797a"
	    "00" "0300010203" "0000000000" "ffffffffffffffff"
	    "0000000000000000" "70" "00000000000000" "emit(2) ");
}
END_TEST

START_TEST(a_numbered_argument_is_put_as_by_a_site)
{
	struct tbuf_bytes binary = { "\1\2\3\4\5", 5 };

	argument(0, TBUF_STRING, NULL);
	argument(1, TBUF_STRING, "wxyz");
	argument(2, TBUF_BINARY, &binary);
	f.m.strsize = 4;
	op(&f, TBUF_OP_ROOM, 0, 0, 0, 1);
	op(&f, TBUF_OP_PUTA, 0, 0, 0, 0);
	op(&f, TBUF_OP_PUTA, 0, 0, 0, 1);
	op(&f, TBUF_OP_PUTA, 0, 0, 0, 2);
	op(&f, TBUF_OP_EMIT, 0, 0, 0, 1);
	returns(&f, 1);
	ck_assert_str_eq(f.log, "room(1) emit(1) "
	    "0080" "0380777879" "00" "0380010203" "000000");
}
END_TEST

START_TEST(a_stack_takes_what_it_has)
{
	number(&f, 1, 0xab);
	op(&f, TBUF_OP_PUTS, 1, 0, 0, 7);
	op(&f, TBUF_OP_PUTS, 1, 0, 0, 0);
	op(&f, TBUF_OP_EMIT, 0, 0, 0, 0);
	returns(&f, 1);
	ck_assert_str_eq(f.log, "emit(0) 0300ababab" "00" "0000");
	fixture_clear(&f);
	number(&f, 1, 0xab);
	op(&f, TBUF_OP_PUTS, 1, 0, 0, 127);
	faults(&f, TBUF_FAULT_SIZE, 129);
}
END_TEST

/* The main record goes on where it was before the record aside. */
START_TEST(a_record_aside_is_one_of_its_own)
{
	text(&f, 1, "a");
	number(&f, 2, 0xab);
	number(&f, 3, 0);
	op(&f, TBUF_OP_PUTB, 1, 0, 0, 1);
	op(&f, TBUF_OP_ASIDE, 0, 0, 0, 0);
	op(&f, TBUF_OP_PUTS, 2, 0, 0, 2);
	op(&f, TBUF_OP_PUTT, 3, 0, 0, 0);
	op(&f, TBUF_OP_PUT, 2, 0, 0, 8);
	op(&f, TBUF_OP_EMIT, 0, 0, 0, 1);
	op(&f, TBUF_OP_PUTB, 1, 0, 0, 2);
	op(&f, TBUF_OP_EMIT, 0, 0, 0, 0);
	op(&f, TBUF_OP_ASIDE, 0, 0, 0, 0);
	op(&f, TBUF_OP_EMIT, 0, 0, 0, 2);
	op(&f, TBUF_OP_EMIT, 0, 0, 0, 3);
	returns(&f, 1);
	ck_assert_str_eq(f.log, "emit(1) 0100ab" "00" "0080" "0000"
	    "ab00000000000000" "emit(0) 61" "6100" "0000000000" "emit(2) "
	    "emit(3) ");
	fixture_clear(&f);
	text(&f, 1, "a");
	op(&f, TBUF_OP_PUTB, 1, 0, 0, 1);
	op(&f, TBUF_OP_ASIDE, 0, 0, 0, 0);
	op(&f, TBUF_OP_ASIDE, 0, 0, 0, 0);
	faults(&f, TBUF_FAULT_ILLEGAL, 0);
	/* A record aside that was open when a run ended is forgotten. */
	fixture_clear(&f);
	op(&f, TBUF_OP_EMIT, 0, 0, 0, 0);
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_DONE);
	ck_assert_str_eq(f.log, "emit(0) ");
	fixture_clear(&f);
	f.m.record.room = 9;
	text(&f, 2, "abcdefghi");
	op(&f, TBUF_OP_PUTB, 2, 0, 0, 9);
	op(&f, TBUF_OP_ASIDE, 0, 0, 0, 0);
	faults(&f, TBUF_FAULT_SIZE, 16);
}
END_TEST

START_TEST(what_does_not_fit_a_record_is_a_fault)
{
	text(&f, 2, "abcdefgh");
	op(&f, TBUF_OP_PUTB, 2, 0, 0, 8);
	op(&f, TBUF_OP_PUTB, 2, 0, 0, 121);
	faults(&f, TBUF_FAULT_SIZE, 129);
	fixture_clear(&f);
	f.m.record.room = 9;
	text(&f, 2, "abcdefghi");
	op(&f, TBUF_OP_PUTB, 2, 0, 0, 9);
	op(&f, TBUF_OP_EMIT, 0, 0, 0, 0);
	faults(&f, TBUF_FAULT_SIZE, 16);
	/* A NULL string cannot be put into a record. */
	fixture_clear(&f);
	f.m.record.room = 128;
	number(&f, 2, 0);
	op(&f, TBUF_OP_PUTT, 2, 0, 0, 0);
	faults(&f, TBUF_FAULT_ADDRESS, 0);
	argument(0, TBUF_STRING, NULL);
	fixture_clear(&f);
	op(&f, TBUF_OP_PUTA, 0, 0, 0, TBUF_SELECT_NAME);
	faults(&f, TBUF_FAULT_ADDRESS, 0);
	fixture_clear(&f);
	number(&f, 2, 0x2000);
	op(&f, TBUF_OP_PUTB, 2, 0, 0, 8);
	faults(&f, TBUF_FAULT_ADDRESS, 0x2000);
}
END_TEST

START_TEST(other_effects)
{
	number(&f, 1, (uint64_t)-3);
	op(&f, TBUF_OP_EXIT, 1, 0, 0, 0);
	op(&f, TBUF_OP_SPECN, 1, 0, 0, 0);
	op(&f, TBUF_OP_SPEC, 1, 0, 0, 0);
	op(&f, TBUF_OP_COMMIT, 1, 0, 0, 0);
	op(&f, TBUF_OP_DISCARD, 1, 0, 0, 0);
	op(&f, TBUF_OP_SNAPSHOT, 0, 0, 0, 0);
	ck_assert_uint_eq(returns(&f, 1), 7);
	ck_assert_str_eq(f.log, "leave(-3)speculate(7)commit(7)discard(7)"
	    "snapshot()");
}
END_TEST

START_TEST(temporaries_are_zero)
{
	op(&f, TBUF_OP_TMP, 1, 0, 0, 16);
	op(&f, TBUF_OP_LD8, 2, 1, 0, 8);
	ck_assert_uint_eq(returns(&f, 2), 0);
	fixture_clear(&f);
	op(&f, TBUF_OP_TMP, 1, 0, 0, 513);
	faults(&f, TBUF_FAULT_SCRATCH, 0);
	fixture_clear(&f);
	op(&f, TBUF_OP_TMP, 1, 0, 0, UINT32_MAX);
	faults(&f, TBUF_FAULT_SCRATCH, 0);
}
END_TEST

/* Operations that the surroundings do not implement are illegal. */
START_TEST(what_the_surroundings_lack_is_a_fault)
{
	static const struct tbuf_surroundings none;
	static const unsigned operations[] = {
		TBUF_OP_LDB, TBUF_OP_LDV, TBUF_OP_STV, TBUF_OP_LDR,
		TBUF_OP_STT, TBUF_OP_STB, TBUF_OP_ROOM, TBUF_OP_EMIT,
		TBUF_OP_UPD, TBUF_OP_EXIT, TBUF_OP_SPECN, TBUF_OP_SPEC,
		TBUF_OP_COMMIT, TBUF_OP_DISCARD, TBUF_OP_SNAPSHOT
	};
	unsigned i;

	f.m.surroundings = &none;
	for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		fixture_clear(&f);
		op(&f, operations[i], 0, 0, 0, 0);
		faults(&f, TBUF_FAULT_ILLEGAL, 0);
	}
	call_faults(&f, TBUF_FAULT_ILLEGAL, 0, TBUF_SUB_RAND, "");
	access_faults(TBUF_OP_LD1U, 0x1000, 0, 0x1000);
	access_faults(TBUF_OP_LD1U, own(0), 0, own(0));
	call_faults(&f, TBUF_FAULT_ADDRESS, 5, TBUF_SUB_COPYOUT, "snn", "a",
	    (int64_t)5, (int64_t)1);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("machine");
	TCase *tc = tcase_create("effects");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, loads_extend_and_stores_cut);
	tcase_add_test(tc, addresses_are_held_against_their_objects);
	tcase_add_test(tc, text_arguments_are_read_in_place);
	tcase_add_test(tc, texts_compare_as_unsigned_bytes);
	tcase_add_test(tc, texts_compare_at_any_alignment);
	tcase_add_test(tc, jumps_by_texts);
	tcase_add_test(tc, variables_are_the_surroundings);
	tcase_add_test(tc, the_surroundings_can_end_a_clause);
	tcase_add_test(tc, a_part_that_stops_ends_no_other);
	tcase_add_test(tc, a_part_leaves_nothing_to_the_next_one);
	tcase_add_test(tc, a_part_ends_where_it_ends);
	tcase_add_test(tc, keys_are_built_and_used_up);
	tcase_add_test(tc, a_key_that_is_too_long_is_a_fault);
	tcase_add_test(tc, quantizers_have_a_weight_and_a_parameter);
	tcase_add_test(tc, records_are_built_and_given_away);
	tcase_add_test(tc, a_numbered_argument_is_put_as_by_a_site);
	tcase_add_test(tc, a_stack_takes_what_it_has);
	tcase_add_test(tc, a_record_aside_is_one_of_its_own);
	tcase_add_test(tc, what_does_not_fit_a_record_is_a_fault);
	tcase_add_test(tc, other_effects);
	tcase_add_test(tc, temporaries_are_zero);
	tcase_add_test(tc, what_the_surroundings_lack_is_a_fault);
	suite_add_tcase(suite, tc);
	return (run_suite(suite));
}
