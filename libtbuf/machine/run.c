/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The machine: runs one instruction after the other.
 */
#include <string.h>

#include "machine/integer.h"
#include "machine/internal.h"
#include "tbuf.h"

/* Runs an operation of another file of the machine. */
static int
other(struct tbuf_machine *m, uint64_t word)
{
	switch (tbuf_word_operation(word)) {
	case TBUF_OP_LDA:
		return (tbuf_float_load(m, word));
	case TBUF_OP_LD1S ... TBUF_OP_LD8:
	case TBUF_OP_ST1 ... TBUF_OP_ST8:
		return (tbuf_memory_access(m, word));
	case TBUF_OP_LDB:
	case TBUF_OP_LDV ... TBUF_OP_TMP:
		return (tbuf_variable_step(m, word));
	case TBUF_OP_KEYN ... TBUF_OP_KEYA:
	case TBUF_OP_PUT ... TBUF_OP_PUTA:
	case TBUF_OP_PUTS:
		return (tbuf_piece_step(m, word));
	case TBUF_OP_ROOM:
	case TBUF_OP_EMIT:
	case TBUF_OP_ASIDE:
	case TBUF_OP_UPD:
	case TBUF_OP_EXIT ... TBUF_OP_SNAPSHOT:
		return (tbuf_effect_step(m, word));
	case TBUF_OP_TCMP:
	case TBUF_OP_CALL:
		return (tbuf_call_step(m, word));
	}
	return (tbuf_illegal(m));
}

static inline bool
is_float(const struct tbuf_machine *m, uint32_t selector)
{
	unsigned n = tbuf_select(m, selector);

	return (n < m->nargs && m->types[n] == TBUF_FLOAT);
}

/* Raises the fault of `fault`, which the compiler emits, or of `bound`. */
static int
raised(struct tbuf_machine *m, uint64_t word, uint64_t value)
{
	uint32_t number = tbuf_word_operation(word) == TBUF_OP_BOUND ?
	    TBUF_FAULT_INDEX : tbuf_word_immediate(word);

	if (number == TBUF_FAULT_NONE || number >= TBUF_FAULTS)
		return (tbuf_illegal(m));
	return (tbuf_fault(m, (enum tbuf_fault)number, value));
}

/* Compares texts for a jump; one instruction keeps predicates short. */
static int
texts(struct tbuf_machine *m, uint64_t word, bool *jump)
{
	int order, answer;

	answer = tbuf_text_compare(m,
	    m->registers[tbuf_word_a(word) % TBUF_REGISTERS],
	    m->registers[tbuf_word_b(word) % TBUF_REGISTERS], &order);
	*jump = answer == 0 &&
	    (order == 0) == (tbuf_word_operation(word) == TBUF_OP_TJEQ);
	return (answer);
}

static enum tbuf_end
ended(struct tbuf_machine *m, int answer, uint64_t pc)
{
	if (answer == TBUF_STOP)
		return (TBUF_END_STOPPED);
	m->fault.number = (uint32_t)answer;
	m->fault.at = (uint32_t)(pc - 1);
	return (TBUF_END_FAULT);
}

/* Returns true if the program goes on after the stopped part: see `part`. */
static bool
resumes(struct tbuf_machine *m, uint64_t pc)
{
	if (m->part < pc || m->part >= m->length ||
	    m->surroundings->resume == NULL || !m->surroundings->resume(m))
		return (false);
	m->temporary.used = 0;
	m->key.used = 0;
	m->key_size = 0;
	m->record.used = 0;
	m->aside = 0;
	return (true);
}

/* Clears the registers, so that a program cannot read old stack memory. */
static inline void
registers_clear(struct tbuf_machine *m)
{
	unsigned i;

#pragma GCC unroll 16
	for (i = 0; i < TBUF_REGISTERS; i++)
		tbuf_store(&m->registers[i], 0);
}

static inline void
begin(struct tbuf_machine *m)
{
	m->temporary.used = 0;
	m->key.used = 0;
	m->key_size = 0;
	m->record.used = 0;
	m->aside = 0;
	m->value = 0;
	m->part = 0;
	m->fault.address = 0;
	m->fault.number = TBUF_FAULT_NONE;
}

/*
 * Runs the jumps by arguments that a program begins with: most often a
 * predicate, which most often is false.  They use no registers, which need not
 * be cleared for them.  Returns the index of the next instruction.
 */
static inline uint64_t
predicate(const struct tbuf_machine *m)
{
	uint64_t pc = 0, word;

	while (pc < m->length) {
		word = tbuf_load(&m->code[pc]);
		if (tbuf_word_operation(word) == TBUF_OP_END)
			return (m->length);
		if (tbuf_word_operation(word) < TBUF_OP_JAEQI ||
		    tbuf_word_operation(word) > TBUF_OP_JAGEUI)
			break;
		pc += 1 + (tbuf_argument_holds(word,
		    tbuf_argument(m, tbuf_word_a(word))) ?
		    tbuf_word_distance(word) : 0);
	}
	return (pc);
}

__attribute__((cold)) bool
tbuf_machine_idle(const struct tbuf_machine *m)
{
	return (predicate(m) >= m->length);
}

/*
 * Appends a number to numbers in the record, as most pieces are.  Returns false
 * if it is not that simple.
 */
static inline bool
number_put(struct tbuf_machine *m, uint64_t value)
{
	struct tbuf_buffer *record = &m->record;

	if (record->used % sizeof(value) != 0 ||
	    record->room - record->used < sizeof(value))
		return (false);
	memcpy(record->bytes + record->used, &value, sizeof(value));
	record->used += sizeof(value);
	return (true);
}

static inline bool
argument_put(struct tbuf_machine *m, uint64_t word)
{
	unsigned n = tbuf_select(m, tbuf_word_immediate(word)), type;

	if (n >= m->nargs)
		return (number_put(m, 0));
	type = m->types[n];
	return (type != TBUF_STRING && type != TBUF_STRING_SIZED &&
	    type != TBUF_BINARY && type != TBUF_STRING_INTERNED &&
	    number_put(m, m->values[n]));
}

#define RA		r[tbuf_word_a(word) % TBUF_REGISTERS]
#define RB		r[tbuf_word_b(word) % TBUF_REGISTERS]
#define RC		r[tbuf_word_c(word) % TBUF_REGISTERS]
#define IMMEDIATE	((uint64_t)(int32_t)tbuf_word_immediate(word))
#define JUMP(test)							\
	if (test)							\
		pc += tbuf_word_immediate(word);			\
	break

/* A binary operation: on registers, and on a register and the immediate. */
#define BINARY(NAME, expression)					\
	case TBUF_OP_##NAME: {						\
		uint64_t x = RB, y = RC;				\
		RA = (expression);					\
		break;							\
	}								\
	case TBUF_OP_##NAME##I: {					\
		uint64_t x = RB, y = IMMEDIATE;				\
		RA = (expression);					\
		break;							\
	}

#define DIVISION(NAME)							\
	case TBUF_OP_##NAME: {						\
		uint64_t y = RC;					\
		if (y == 0)						\
			goto divide;					\
		RA = tbuf_divide(TBUF_OP_##NAME - TBUF_OP_ADD, RB, y);	\
		break;							\
	}								\
	case TBUF_OP_##NAME##I: {					\
		uint64_t y = IMMEDIATE;					\
		if (y == 0)						\
			goto divide;					\
		RA = tbuf_divide(TBUF_OP_##NAME - TBUF_OP_ADD, RB, y);	\
		break;							\
	}

/* A comparison of numbers of the given type, in four of its forms. */
#define COMPARISON(NAME, type, operator)				\
	case TBUF_OP_S##NAME:						\
		RA = (type)RB operator (type)RC;			\
		break;							\
	case TBUF_OP_S##NAME##I:					\
		RA = (type)RB operator (type)IMMEDIATE;			\
		break;							\
	case TBUF_OP_J##NAME:						\
		JUMP((type)RA operator (type)RB);			\
	case TBUF_OP_J##NAME##I:					\
		if ((type)RA operator (type)IMMEDIATE)			\
			pc += tbuf_word_distance(word);			\
		break;

enum tbuf_end
tbuf_machine_run(struct tbuf_machine *m)
{
	const uint64_t *code = m->code;
	uint64_t *r = m->registers, pc, word;
	const uint64_t length = m->length;
	bool jump;
	int answer;

	begin(m);
	pc = predicate(m);
	if (pc >= length)
		return (TBUF_END_DONE);
	registers_clear(m);
again:
	while (pc < length) {
		word = tbuf_load(&code[pc++]);
		switch (tbuf_word_operation(word)) {
		case TBUF_OP_END:
			return (TBUF_END_DONE);
		case TBUF_OP_RET:
			m->value = RA;
			return (TBUF_END_DONE);
		case TBUF_OP_JMP:
			JUMP(true);
		case TBUF_OP_JZ:
			JUMP(RA == 0);
		case TBUF_OP_JNZ:
			JUMP(RA != 0);
		case TBUF_OP_BOUND:
			if (RA < tbuf_word_immediate(word))
				break;
			/* FALLTHROUGH */
		case TBUF_OP_FAULT:
			return (ended(m, raised(m, word, RA), pc));
		case TBUF_OP_FREE:
			m->temporary.used = 0;
			break;
		case TBUF_OP_PART:
			m->part = pc + tbuf_word_immediate(word);
			break;
		case TBUF_OP_LDI:
			RA = IMMEDIATE;
			break;
		case TBUF_OP_LDIH:
			RA = (uint32_t)RA | IMMEDIATE << 32;
			break;
		case TBUF_OP_MOV:
			RA = RB;
			break;
		case TBUF_OP_LDC:
			RA = tbuf_address(TBUF_OBJECT_CONSTANT, 0,
			    tbuf_word_immediate(word));
			break;
		case TBUF_OP_NEG:
			RA = 0 - RB;
			break;
		case TBUF_OP_NOT:
			RA = ~RB;
			break;
		case TBUF_OP_LNOT:
			RA = RB == 0;
			break;
		case TBUF_OP_EXT1S:
			RA = (uint64_t)(int8_t)RB;
			break;
		case TBUF_OP_EXT2S:
			RA = (uint64_t)(int16_t)RB;
			break;
		case TBUF_OP_EXT4S:
			RA = (uint64_t)(int32_t)RB;
			break;
		case TBUF_OP_EXT1U:
			RA = (uint8_t)RB;
			break;
		case TBUF_OP_EXT2U:
			RA = (uint16_t)RB;
			break;
		case TBUF_OP_EXT4U:
			RA = (uint32_t)RB;
			break;
		BINARY(ADD, x + y)
		BINARY(SUB, x - y)
		BINARY(MUL, x * y)
		BINARY(AND, x & y)
		BINARY(OR, x | y)
		BINARY(XOR, x ^ y)
		BINARY(SHL, x << (y & 63))
		BINARY(SHRS, tbuf_shift_signed(x, y))
		BINARY(SHRU, x >> (y & 63))
		DIVISION(DIVS)
		DIVISION(DIVU)
		DIVISION(MODS)
		DIVISION(MODU)
		COMPARISON(EQ, uint64_t, ==)
		COMPARISON(NE, uint64_t, !=)
		COMPARISON(LT, int64_t, <)
		COMPARISON(LE, int64_t, <=)
		COMPARISON(GT, int64_t, >)
		COMPARISON(GE, int64_t, >=)
		COMPARISON(LTU, uint64_t, <)
		COMPARISON(LEU, uint64_t, <=)
		COMPARISON(GTU, uint64_t, >)
		COMPARISON(GEU, uint64_t, >=)
		case TBUF_OP_JAEQI ... TBUF_OP_JAGEUI:
			if (tbuf_argument_holds(word,
			    tbuf_argument(m, tbuf_word_a(word))))
				pc += tbuf_word_distance(word);
			break;
		case TBUF_OP_LDA:
			if (is_float(m, tbuf_word_immediate(word)))
				goto rest;
			RA = tbuf_argument(m, tbuf_word_immediate(word));
			break;
		case TBUF_OP_LDAT:
			RA = tbuf_memory_argument(m,
			    tbuf_word_immediate(word));
			break;
		case TBUF_OP_TJEQ:
		case TBUF_OP_TJNE:
			answer = texts(m, word, &jump);
			if (answer != 0)
				goto stopped;
			JUMP(jump);
		case TBUF_OP_LDB:
		case TBUF_OP_LDV:
		case TBUF_OP_STV:
			answer = tbuf_variable_step(m, word);
			if (answer != 0)
				goto stopped;
			break;
		case TBUF_OP_PUT:
			if (number_put(m, RA))
				break;
			goto rest;
		case TBUF_OP_PUTA:
			if (argument_put(m, word))
				break;
			/* FALLTHROUGH */
		default:
		rest:
			answer = other(m, word);
			if (answer != 0)
				goto stopped;
		}
	}
	return (TBUF_END_DONE);
stopped:
	if (answer != TBUF_STOP || !resumes(m, pc))
		return (ended(m, answer, pc));
	pc = m->part;
	goto again;
divide:
	return (ended(m, tbuf_fault(m, TBUF_FAULT_DIVIDE, 0), pc));
}
