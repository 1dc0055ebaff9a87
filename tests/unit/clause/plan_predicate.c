/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Predicates in plans: cached comparisons yield the machine's results, for
 * arguments of any width and place, for values that are constant in a process,
 * and for computed numbers.  Steps: a step cannot use a number that an earlier
 * step made.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "target/clause/plan_decode.c"
#include "target/clause/plan_predicate.c"
#include "lib/check_main.h"

static uint64_t seed;

static uint64_t
draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed);
}

static const uint8_t types[] = {
	TBUF_INT8, TBUF_UINT8, TBUF_CHAR, TBUF_INT16, TBUF_UINT16, TBUF_INT32,
	TBUF_UINT32, TBUF_INT64, TBUF_UINT64
};
static const int32_t immediates[] = {
	0, 1, 2, -1, -2, 127, 128, 129, -127, -128, -129, 255, 256, 32767,
	32768, -32768, -32769, 65535, 65536
};
#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

/* Makes a site with random arguments before the one that is compared. */
static void
site_make(struct tbuf_site *site, uint8_t type)
{
	unsigned i;

	site->nargs = (uint8_t)(1 + draw() % 6);
	for (i = 0; i < site->nargs; i++)
		site->types[i] = types[draw() % COUNT(types)];
	site->types[site->nargs - 1] = type;
}

/* Returns a number near the immediate, or any. */
static uint64_t
near(int32_t immediate)
{
	switch (draw() % 4) {
	case 0:
		return (draw());
	case 1:
		return ((uint64_t)draw() << (draw() % 64));
	default:
		return ((uint64_t)(int64_t)immediate + draw() % 5 - 2);
	}
}

/* Sets the argument's bytes to the number's low ones, all others at random. */
static void
words_fill(uint64_t *words, const struct tbuf_cut *cut, uint64_t number)
{
	unsigned bits = 64 - cut->down, shift = 64 - cut->up - bits, i;
	uint64_t mask = UINT64_MAX >> cut->down << shift;

	for (i = 0; i < TBUF_NARGS; i++)
		words[i] = draw();
	words[cut->at] = (words[cut->at] & ~mask) | (number << shift & mask);
}

static void
compare(struct tbuf_decoder *g, unsigned operation, int32_t immediate)
{
	unsigned argument = g->site->nargs - 1, i, next;
	uint64_t code[3], words[TBUF_NARGS];
	struct tbuf_machine machine = { .code = code, .length = 3 };
	struct tbuf_plan k = { .ntests = 0 };
	struct tbuf_cut cut;
	bool expected;

	/* The jump skips an end, to a word that is not in the plan. */
	code[0] = tbuf_word(operation, argument, 1, 0, (uint32_t)immediate);
	code[1] = tbuf_word(TBUF_OP_END, 0, 0, 0, 0);
	code[2] = tbuf_word(TBUF_OP_RET, 0, 0, 0, 0);
	g->machine = &machine;
	ck_assert(test_is(g, code[0], &cut));
	ck_assert_uint_eq(tbuf_decode_tests(g, &k), 2);
	ck_assert_uint_eq(k.ntests, 1);
	for (i = 0; i < 40; i++) {
		words_fill(words, &cut, near(immediate));
		expected = tbuf_argument_holds(code[0],
		    tbuf_cut_out(&cut, words));
		next = tbuf_plan_test(&k, words, sizeof(words));
		ck_assert_msg(next == (expected ? 1 : TBUF_TEST_END),
		    "operation %u, %d, %u bits%s at %u, %#" PRIx64 ": %u",
		    operation, immediate, 64 - cut.down,
		    cut.is_signed ? " signed" : "", 64 * cut.at + cut.up,
		    words[cut.at], next);
	}
}

START_TEST(comparisons_say_what_the_machine_says)
{
	struct tbuf_site site = { .index = 0 };
	struct tbuf_decoder g = { .site = &site, .packed = true };
	unsigned operation, t, i;

	for (operation = TBUF_OP_JAEQI; operation <= TBUF_OP_JAGEUI;
	    operation++)
		for (t = 0; t < COUNT(types); t++)
			for (i = 0; i < COUNT(immediates); i++) {
				site_make(&site, types[t]);
				compare(&g, operation, immediates[i]);
			}
}
END_TEST

/* A jump leads to a later test, to other code, or out of the program. */
START_TEST(tests_lead_where_the_program_does)
{
	static const struct {
		unsigned distance, next;
	} jumps[] = {
		{ 0, 1 }, { 1, TBUF_TEST_END }, { 2, 2 }, { 3, TBUF_TEST_RUN },
		{ 4, TBUF_TEST_END }, { 5000, TBUF_TEST_END }
	};
	uint64_t code[5] = { 0 };
	struct tbuf_machine machine = { .code = code, .length = 5 };
	struct tbuf_site site = { .nargs = 1, .types = { TBUF_UINT64 } };
	struct tbuf_decoder g = {
		.site = &site, .machine = &machine, .packed = true
	};
	struct tbuf_plan k;
	unsigned i;

	for (i = 0; i < COUNT(jumps); i++) {
		code[0] = tbuf_word(TBUF_OP_JAEQI, 0,
		    jumps[i].distance & 0xff, jumps[i].distance >> 8, 7);
		code[1] = tbuf_word(TBUF_OP_JAEQI, 0, 1, 0, 8);
		code[2] = tbuf_word(TBUF_OP_END, 0, 0, 0, 0);
		code[3] = code[4] = tbuf_word(TBUF_OP_RET, 0, 0, 0, 0);
		ck_assert_uint_eq(tbuf_decode_tests(&g, &k), 3);
		ck_assert_uint_eq(k.ntests, 2);
		ck_assert_msg(k.tests[0].next[1] == jumps[i].next &&
		    k.tests[0].next[0] == 1, "%u: %u", jumps[i].distance,
		    k.tests[0].next[1]);
	}
}
END_TEST

/* The machine runs the fire if the site lacks the word. */
START_TEST(words_that_are_not_there_are_not_looked_at)
{
	struct tbuf_plan k = {
		.ntests = 1, .tests = { { .at = 3, .next = { 1, 1 } } }
	};
	const uint64_t words[3] = { 0 };

	ck_assert(tbuf_plan_test(&k, words, sizeof(words)) == TBUF_TEST_RUN);
}
END_TEST

/* The process; its program's name fits a string variable. */
static const struct tbuf_control process = {
	.pid = 4242, .execname = "server"
};
static const uint8_t constants[] = "server\0serve\0servers\0other";
#define CONSTANT(n)	((const uint32_t []){ 0, 7, 13, 21 }[n])

static int
builtin(struct tbuf_machine *m, unsigned which, uint64_t *value)
{
	(void)m;
	*value = which == TBUF_BUILTIN_PID ? process.pid :
	    tbuf_address(TBUF_OBJECT_GLOBAL, which, 0);
	return (0);
}

static int
object(struct tbuf_machine *m, unsigned kind, uint32_t index,
    struct tbuf_span *span)
{
	(void)m;
	ck_assert(kind == TBUF_OBJECT_GLOBAL && index == TBUF_BUILTIN_EXECNAME);
	span->at = (uint8_t *)(uintptr_t)process.execname;
	span->size = sizeof(process.execname);
	return (0);
}

#define W(operation, a, b, c, immediate)				\
	tbuf_word(TBUF_OP_##operation, a, b, c, immediate)
#define LENGTH	12

/* Returns a random word of a predicate, or of the code after it. */
static uint64_t
word_draw(void)
{
	unsigned r = draw() % 2, distance = (unsigned)draw() % 5;
	uint32_t number = ((const uint32_t []){
		process.pid, 7, UINT32_MAX
	})[draw() % 3];

	switch (draw() % 16) {
	case 0: case 1:
		return (W(LDB, r, 0, 0, TBUF_BUILTIN_PID));
	case 2: case 3:
		return (W(LDB, 0, 0, 0, TBUF_BUILTIN_EXECNAME));
	case 4: case 5:
		return (W(LDC, 1, 0, 0, CONSTANT(draw() % 4)));
	case 6:
		return (W(LDI, r, 0, 0, number));
	case 7:
		return (tbuf_word(draw() % 2 != 0 ? TBUF_OP_EXT4S :
		    TBUF_OP_EXT4U, r, draw() % 2, 0, 0));
	case 8:
		return (W(JEQI, r, distance, 0, number));
	case 9:
		return (W(JNEI, r, distance, 0, number));
	case 10:
		return (W(TJEQ, 0, 1, 0, distance));
	case 11:
		return (W(TJNE, 0, 1, 0, distance));
	case 12: case 13:
		return (tbuf_word(draw() % 2 != 0 ? TBUF_OP_JAEQI :
		    TBUF_OP_JALTI, 0, distance, 0, draw() % 3));
	case 14:
		return (W(JMP, 0, 0, 0, distance));
	}
	return (draw() % 4 == 0 ? W(END, 0, 0, 0, 0) : W(MOV, r, 1 - r, 0, 0));
}

/* Returns true if the machine ends without reaching an instruction. */
static bool
passes(struct tbuf_machine *m, const uint64_t *code, uint32_t pc)
{
	uint64_t other[LENGTH];
	bool met;

	memcpy(other, code, sizeof(other));
	if (pc < LENGTH)
		other[pc] = W(FAULT, 0, 0, 0, TBUF_FAULT_ILLEGAL);
	m->code = other;
	m->fuel = TBUF_FUEL;
	met = tbuf_machine_run(m) == TBUF_END_FAULT &&
	    m->fault.number == TBUF_FAULT_ILLEGAL && m->fault.at == pc;
	m->code = code;
	return (!met);
}

/* Returns true if the machine runs a MOV, which stands for any effect. */
static bool
has_effect(struct tbuf_machine *m, const uint64_t *code)
{
	uint32_t pc;

	for (pc = 0; pc < LENGTH; pc++)
		if (tbuf_word_operation(code[pc]) == TBUF_OP_MOV &&
		    !passes(m, code, pc))
			return (true);
	return (false);
}

/* Compares the plan with the machine, for any argument. */
static void
agree(struct tbuf_machine *m, const struct tbuf_plan *p, uint32_t behind,
    unsigned ways[2])
{
	static uint64_t word;
	unsigned at;

	m->values = &word;
	for (word = 0; word < 4; word++) {
		at = p->ntests != 0 ? tbuf_plan_test(p, &word, sizeof(word)) :
		    behind < LENGTH ? 0 : TBUF_TEST_END;
		if (at == TBUF_TEST_END)
			ck_assert(!has_effect(m, m->code));
		else if (at == p->ntests)
			ck_assert(!passes(m, m->code, behind));
		ways[0] += at == TBUF_TEST_END;
		ways[1] += at == p->ntests;
	}
}

START_TEST(what_is_the_same_is_decided_as_by_the_machine)
{
	static const struct tbuf_surroundings surroundings = {
		.builtin = builtin, .object = object
	};
	static const uint8_t type[] = { TBUF_UINT64 };
	struct tbuf_slot slot = { .generation = 1 };
	struct tbuf_fire fire = {
		.base = (uintptr_t)&process, .slot = &slot
	};
	struct tbuf_run run = { .fire = &fire };
	struct tbuf_site site = { .nargs = 1, .types = { TBUF_UINT64 } };
	uint64_t code[LENGTH];
	struct tbuf_machine machine = {
		.code = code, .length = LENGTH, .constants = constants,
		.constants_size = sizeof(constants), .nargs = 1,
		.types = type, .surroundings = &surroundings
	};
	struct tbuf_decoder g = {
		.run = &run, .site = &site, .machine = &machine,
		.packed = true
	};
	unsigned ways[2] = { 0, 0 }, round, i;
	struct tbuf_plan k;
	uint32_t behind;

	for (round = 0; round < 100000; round++) {
		for (i = 0; i < LENGTH; i++)
			code[i] = word_draw();
		/* strsize is known to the run's machine only when it runs. */
		slot.terms.strsize = 4 + draw() % 6;
		machine.strsize = 0;
		behind = tbuf_decode_tests(&g, &k);
		machine.strsize = slot.terms.strsize;
		agree(&machine, &k, behind, ways);
	}
	/* Both results occur. */
	ck_assert(ways[0] > round / 50 && ways[1] > round / 50);
}
END_TEST

/* Computes a number by the machine.  Returns false after a fault. */
static bool
machine_makes(const uint64_t code[3], const uint64_t *word, uint64_t *value)
{
	static const uint8_t type[] = { TBUF_UINT64 };
	static const struct tbuf_surroundings surroundings = {
		.builtin = builtin
	};
	const uint64_t all[] = {
		code[0], code[1], code[2], W(RET, 1, 0, 0, 0)
	};
	struct tbuf_machine machine = {
		.code = all, .length = 4, .values = word, .nargs = 1,
		.types = type, .surroundings = &surroundings,
		.fuel = TBUF_FUEL
	};

	if (tbuf_machine_run(&machine) != TBUF_END_DONE)
		return (false);
	*value = machine.value;
	return (true);
}

/* Computes it by a step.  Returns false if the machine has to. */
static bool
step_makes(const uint64_t code[3], const uint64_t *word, uint64_t *value)
{
	const struct tbuf_machine machine = { .length = 0 };
	struct tbuf_site site = { .nargs = 1, .types = { TBUF_UINT64 } };
	struct tbuf_decoder g = {
		.site = &site, .machine = &machine, .packed = true
	};
	struct tbuf_plan_fire fire = { .words = word, .size = 8 };
	struct tbuf_plan k;
	unsigned i;

	for (i = 0; i < 3; i++)
		if (!number_make(&g, code[i], &k))
			return (false);
	ck_assert(tbuf_number_value(&g.registers[1], &fire, value));
	return (true);
}

START_TEST(a_computed_number_is_the_machines)
{
	static const uint32_t some[] = {
		0, 1, 2, 7, 63, 64, 1000, UINT32_MAX, UINT32_MAX - 6,
		INT32_MAX, UINT32_C(1) << 31
	};
	uint64_t code[3], word, expected, value;
	unsigned round, kept = 0, ends;

	for (round = 0; round < 100000; round++) {
		word = draw() % 2 != 0 ? draw() >> draw() % 64 :
		    (uint64_t)(int64_t)(int32_t)some[draw() % COUNT(some)];
		ends = draw() % 2 != 0 ? TBUF_OP_EXT1S + draw() % 6 :
		    TBUF_OP_ADDI + draw() % 13;
		code[0] = W(LDA, 0, 0, 0, 0);
		code[1] = tbuf_word(TBUF_OP_ADDI + draw() % 13, 1, 0, 0,
		    some[draw() % COUNT(some)]);
		code[2] = tbuf_word(ends, 1, draw() % 4 != 0, 0,
		    some[draw() % COUNT(some)]);
		if (!step_makes(code, &word, &value))
			continue;
		kept++;
		ck_assert(machine_makes(code, &word, &expected));
		ck_assert_msg(value == expected,
		    "%#" PRIx64 " by %#" PRIx64 ", %#" PRIx64 ": %#" PRIx64
		    ", not %#" PRIx64, word, code[1], code[2], value,
		    expected);
	}
	ck_assert(kept > round / 5);
}
END_TEST

/* Returns true if a step ends with `last` when its numbers are set. */
static bool
step_is_kept(uint64_t first, uint64_t last, uint8_t numbers)
{
	const uint64_t code[] = {
		tbuf_word(TBUF_OP_LDI, 9, 0, 0, 1), first, last,
		tbuf_word(TBUF_OP_END, 0, 0, 0, 0)
	};
	struct tbuf_machine machine = { .code = code, .length = 4 };
	struct tbuf_site site = { .nargs = 0 };
	struct tbuf_decoder g = {
		.site = &site, .machine = &machine, .stepwise = true
	};
	struct tbuf_plan k = { .program.code = code };

	effect_begin(&g, &k, numbers);
	return (step_find(&g, 1, false, &k) && k.link.next == 3);
}

START_TEST(steps_know_nothing_of_each_other)
{
#define UPD(function)	W(UPD, 4, 5, TBUF_AGG_##function, 0)
	const uint64_t none = W(LDI, 1, 0, 0, 1);
	const struct {
		uint64_t first, last;
		bool apart;		/* is a step without set numbers, too */
	} steps[] = {
		{ none, UPD(COUNT), true },
		{ none, UPD(SUM), false },
		{ W(LDI, 4, 0, 0, 1), UPD(SUM), true },
		{ W(LDI, 4, 0, 0, 1), UPD(MAX), true },
		{ W(LDI, 4, 0, 0, 1), UPD(QUANTIZE), false },
		{ W(LDI, 5, 0, 0, 1), UPD(QUANTIZE), false },
		{ W(KEY, 4, 0, 0, 8), UPD(COUNT), false },
		{ W(KEY, 9, 0, 0, 8), UPD(COUNT), false }
	};
	unsigned i;

	for (i = 0; i < COUNT(steps); i++) {
		ck_assert_msg(step_is_kept(steps[i].first, steps[i].last,
		    TBUF_CUT_NONE), "%u", i);
		ck_assert_msg(step_is_kept(steps[i].first, steps[i].last,
		    TBUF_CUT_UNSET) == steps[i].apart, "%u", i);
	}
}
END_TEST

/* Steps read the thread's numbers only, not a clause's variable. */
START_TEST(a_variable_of_the_clause_is_no_guard)
{
	const uint64_t code[] = {
		W(LDI, 1, 0, 0, 0), W(STV, 1, 0, TBUF_SCOPE_CLAUSE, 0),
		W(LDV, 1, 0, TBUF_SCOPE_CLAUSE, 0), W(JZ, 1, 0, 0, 1),
		UPD(COUNT)
	};
	struct tbuf_machine machine = { .code = code, .length = COUNT(code) };
	struct tbuf_site site = { .nargs = 0 };
	struct tbuf_decoder g = {
		.site = &site, .machine = &machine, .alone = true
	};
	struct tbuf_plan k = { .program.code = code };

	effect_begin(&g, &k, TBUF_CUT_NONE);
	ck_assert(!step_find(&g, 0, true, &k));
	effect_begin(&g, &k, TBUF_CUT_NONE);
	ck_assert(!effect_find(&g, 0, 1, &k));
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("kept");
	TCase *tcase = tcase_create("tests");

	seed = (uint64_t)time(NULL) | 1;
	if (getenv("SEED") != NULL)
		seed = strtoull(getenv("SEED"), NULL, 0) | 1;
	fprintf(stderr, "SEED=%ju\n", (uintmax_t)seed);
	tcase_add_test(tcase, comparisons_say_what_the_machine_says);
	tcase_add_test(tcase, tests_lead_where_the_program_does);
	tcase_add_test(tcase, words_that_are_not_there_are_not_looked_at);
	tcase_add_test(tcase, what_is_the_same_is_decided_as_by_the_machine);
	tcase_add_test(tcase, a_computed_number_is_the_machines);
	tcase_add_test(tcase, steps_know_nothing_of_each_other);
	tcase_add_test(tcase, a_variable_of_the_clause_is_no_guard);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
