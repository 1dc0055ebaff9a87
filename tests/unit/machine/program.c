/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Programs from outside: instructions as text, and checks of well-formedness.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "machine/names.h"

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

static const char *
printed(unsigned operation, unsigned a, unsigned b, unsigned c, uint32_t i)
{
	static char line[128];
	size_t length = tbuf_machine_print(tbuf_word(operation, a, b, c, i),
	    10, line, sizeof(line));

	ck_assert_uint_eq(length, strlen(line));
	return (line);
}

START_TEST(instructions_as_text)
{
	ck_assert_str_eq(printed(TBUF_OP_END, 0, 0, 0, 0), "end");
	ck_assert_str_eq(printed(TBUF_OP_LDI, 1, 0, 0, (uint32_t)-5),
	    "ldi\tr1, -5");
	ck_assert_str_eq(printed(TBUF_OP_ADD, 1, 2, 15, 0),
	    "add\tr1, r2, r15");
	ck_assert_str_eq(printed(TBUF_OP_ADDI, 1, 2, 0, 7),
	    "addi\tr1, r2, 7");
	ck_assert_str_eq(printed(TBUF_OP_JLT, 1, 2, 0, 3), "jlt\tr1, r2, 14");
	ck_assert_str_eq(printed(TBUF_OP_JGTUI, 1, 2, 1, 99),
	    "jgtui\tr1, 99, 269");
	ck_assert_str_eq(printed(TBUF_OP_JALEI, 1, 2, 0, 4096),
	    "jalei\targ1, 4096, 13");
	ck_assert_str_eq(printed(TBUF_OP_LDA, 1, 0, 0, 17),
	    "lda\tr1, name1");
	ck_assert_str_eq(printed(TBUF_OP_LDB, 1, 0, 0, TBUF_BUILTIN_PID),
	    "ldb\tr1, pid");
	ck_assert_str_eq(printed(TBUF_OP_LDV, 1, 0, TBUF_SCOPE_THREAD, 3),
	    "ldv\tr1, self, 3");
	ck_assert_str_eq(printed(TBUF_OP_UPD, 1, 2, TBUF_AGG_QUANTIZE, 3),
	    "upd\tr1, r2, quantize, 3");
	ck_assert_str_eq(printed(TBUF_OP_CALL, 1, 2, 3, TBUF_SUB_SUBSTR),
	    "call\tr1, r2+3, substr");
	ck_assert_str_eq(printed(TBUF_OP_FAULT, 1, 0, 0, TBUF_FAULT_SIZE),
	    "fault\tr1, invalid size");
	/* Words that make no sense are printed, too. */
	ck_assert_str_eq(printed(0xff, 1, 2, 3, 4),
	    "?\t0x00000004030201ff");
	ck_assert_str_eq(printed(TBUF_OP_MOV, 99, 16, 0, 0),
	    "mov\t?r99, ?r16");
	ck_assert_str_eq(printed(TBUF_OP_CALL, 1, 2, 3, 999),
	    "call\tr1, r2+3, ?999");
	ck_assert_str_eq(printed(TBUF_OP_LDV, 1, 0, 9, 3),
	    "ldv\tr1, ?9, 3");
	ck_assert_str_eq(printed(TBUF_OP_LDA, 1, 0, 0, 32),
	    "lda\tr1, ?32");
	ck_assert_str_eq(printed(TBUF_OP_LDB, 1, 0, 0, 4000),
	    "ldb\tr1, ?4000");
}
END_TEST

START_TEST(lines_are_cut)
{
	char line[8], whole[64];
	uint64_t word = tbuf_word(TBUF_OP_ADD, 1, 2, 3, 0);
	size_t size;

	tbuf_machine_print(word, 0, whole, sizeof(whole));
	for (size = 0; size <= sizeof(line); size++) {
		memset(line, '#', sizeof(line));
		tbuf_machine_print(word, 0, line, size);
		if (size == 0) {
			ck_assert_int_eq(line[0], '#');
			continue;
		}
		ck_assert_uint_eq(strlen(line), size - 1);
		ck_assert_int_eq(strncmp(line, whole, size - 1), 0);
	}
}
END_TEST

START_TEST(names_and_numbers_are_used_once)
{
	unsigned i, j, n = 0;

	for (i = 0; i < 256; i++) {
		if (tbuf_operation_table[i].name[0] == '\0')
			continue;
		n++;
		for (j = 0; j < i; j++)
			ck_assert_str_ne(tbuf_operation_table[i].name,
			    tbuf_operation_table[j].name);
	}
#define ONE(number, NAME, name, fields, immediate)	- 1
	ck_assert_uint_eq(n TBUF_OPERATIONS(ONE), 0);
}
END_TEST

/* Returns the fault that the check finds in the program, or NULL. */
static const char *
wrong(uint32_t where)
{
	struct tbuf_program p = {
		.code = f.code, .length = f.m.length, .length_max = 200,
		.constants = (const uint8_t *)f.constants,
		.constants_size = f.m.constants_size,
		.names = 2, .records = 2, .aggregations = 2,
		.variables = { 1, 2, 3, 4, 5 }
	};
	const char *why;
	uint32_t at = 0;

	why = tbuf_program_check(&p, &at);
	if (why != NULL)
		ck_assert_uint_eq(at, where);
	fixture_clear(&f);
	return (why);
}

#define IS_WRONG(why, operation, a, b, c, i) do {			\
	number(&f, 1, 1);						\
	number(&f, 2, 1);						\
	op(&f, operation, a, b, c, i);					\
	ck_assert_pstr_eq(wrong(2), why);				\
} while (0)

START_TEST(operands_are_checked)
{
	IS_WRONG(NULL, TBUF_OP_ADD, 3, 1, 2, 0);
	IS_WRONG("no such register", TBUF_OP_ADD, 16, 1, 2, 0);
	IS_WRONG("no such register", TBUF_OP_ADD, 3, 1, 99, 0);
	IS_WRONG("register read before it is set", TBUF_OP_ADD, 3, 1, 3, 0);
	IS_WRONG("unused operand is not 0", TBUF_OP_ADD, 3, 1, 2, 1);
	IS_WRONG("unused operand is not 0", TBUF_OP_MOV, 3, 1, 2, 0);
	IS_WRONG("no such operation", 0xff, 0, 0, 0, 0);
	IS_WRONG(NULL, TBUF_OP_LDIH, 1, 0, 0, 9);
	IS_WRONG("register read before it is set", TBUF_OP_LDIH, 3, 0, 0, 9);
	IS_WRONG(NULL, TBUF_OP_LDA, 3, 0, 0, 9);
	IS_WRONG("no such argument", TBUF_OP_LDA, 3, 0, 0, 10);
	IS_WRONG(NULL, TBUF_OP_PUTA, 0, 0, 0, 17);
	IS_WRONG("no such name", TBUF_OP_PUTA, 0, 0, 0, 18);
	IS_WRONG("no such name", TBUF_OP_JAEQI, 99, 0, 0, 1);
	IS_WRONG(NULL, TBUF_OP_LDV, 3, 0, 4, 4);
	IS_WRONG("no such variable", TBUF_OP_LDV, 3, 0, 4, 5);
	IS_WRONG("no such variable", TBUF_OP_STT, 1, 0, 0, 1);
	IS_WRONG("no such scope", TBUF_OP_LDV, 3, 0, 5, 0);
	IS_WRONG("no such built-in variable", TBUF_OP_LDB, 3, 0, 0, 999);
	IS_WRONG("no such record", TBUF_OP_EMIT, 0, 0, 0, 2);
	IS_WRONG("no such size", TBUF_OP_PUT, 1, 0, 0, 3);
	IS_WRONG("no such fault", TBUF_OP_FAULT, 1, 0, 0, 0);
	IS_WRONG("no such fault", TBUF_OP_FAULT, 1, 0, 0, TBUF_FAULTS);
	IS_WRONG("no such constant", TBUF_OP_LDC, 3, 0, 0, 0);
	text(&f, 3, "ab");
	ck_assert_pstr_eq(wrong(0), NULL);
	text(&f, 3, "ab");
	f.m.constants_size--;
	ck_assert_pstr_eq(wrong(0), "constant is not NUL-terminated");
}
END_TEST

START_TEST(calls_and_aggregations_are_checked)
{
	IS_WRONG(NULL, TBUF_OP_CALL, 3, 1, 2, TBUF_SUB_STRJOIN);
	IS_WRONG("wrong number of arguments", TBUF_OP_CALL, 3, 1, 1,
	    TBUF_SUB_STRJOIN);
	IS_WRONG("wrong number of arguments", TBUF_OP_CALL, 3, 1, 2,
	    TBUF_SUB_STRLEN);
	IS_WRONG("register read before it is set", TBUF_OP_CALL, 3, 2, 2,
	    TBUF_SUB_STRJOIN);
	IS_WRONG("no such subroutine", TBUF_OP_CALL, 3, 1, 1, 100);
	IS_WRONG("no such subroutine", TBUF_OP_CALL, 3, 1, 1, 256);
	IS_WRONG(NULL, TBUF_OP_UPD, 0, 0, TBUF_AGG_COUNT, 1);
	IS_WRONG("register read before it is set", TBUF_OP_UPD, 0, 0,
	    TBUF_AGG_SUM, 1);
	IS_WRONG(NULL, TBUF_OP_UPD, 1, 2, TBUF_AGG_QUANTIZE, 1);
	IS_WRONG("register read before it is set", TBUF_OP_UPD, 1, 2,
	    TBUF_AGG_LQUANTIZE, 1);
	IS_WRONG(NULL, TBUF_OP_UPD, 1, 1, TBUF_AGG_LQUANTIZE, 1);
	IS_WRONG("no such aggregation", TBUF_OP_UPD, 1, 1, TBUF_AGG_SUM, 2);
	IS_WRONG("no such aggregating function", TBUF_OP_UPD, 1, 1, 9, 0);
}
END_TEST

START_TEST(jumps_are_checked)
{
	/* A jump may go to the program's end, not beyond it. */
	IS_WRONG(NULL, TBUF_OP_JMP, 0, 0, 0, 0);
	IS_WRONG("jump out of the program", TBUF_OP_JMP, 0, 0, 0, 1);
	IS_WRONG("jump out of the program", TBUF_OP_JZ, 1, 0, 0, UINT32_MAX);
	IS_WRONG("jump out of the program", TBUF_OP_JEQI, 1, 1, 0, 0);
	/* The register is set on one path only. */
	number(&f, 1, 1);
	op(&f, TBUF_OP_JZ, 1, 0, 0, 1);
	number(&f, 2, 1);
	op(&f, TBUF_OP_RET, 2, 0, 0, 0);
	ck_assert_pstr_eq(wrong(3), "register read before it is set");
	/* The register is set on both paths. */
	number(&f, 1, 1);
	op(&f, TBUF_OP_JZ, 1, 0, 0, 2);
	number(&f, 2, 1);
	op(&f, TBUF_OP_JMP, 0, 0, 0, 1);
	number(&f, 2, 2);
	op(&f, TBUF_OP_RET, 2, 0, 0, 0);
	ck_assert_pstr_eq(wrong(0), NULL);
	/* Code after an end is unreachable: its registers are not checked. */
	op(&f, TBUF_OP_END, 0, 0, 0, 0);
	op(&f, TBUF_OP_RET, 2, 0, 0, 0);
	ck_assert_pstr_eq(wrong(0), NULL);
	ck_assert_pstr_eq(wrong(0), NULL);
	while (f.m.length <= 200)
		op(&f, TBUF_OP_END, 0, 0, 0, 0);
	ck_assert_pstr_eq(wrong(0), "program too long");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("machine");
	TCase *tc = tcase_create("programs");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, instructions_as_text);
	tcase_add_test(tc, lines_are_cut);
	tcase_add_test(tc, names_and_numbers_are_used_once);
	tcase_add_test(tc, operands_are_checked);
	tcase_add_test(tc, calls_and_aggregations_are_checked);
	tcase_add_test(tc, jumps_are_checked);
	suite_add_tcase(suite, tc);
	return (run_suite(suite));
}
