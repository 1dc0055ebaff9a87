/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A script with one clause of BEGIN.  See begin.h.
 */
#include <check.h>
#include <string.h>

#include "unit/script/begin.h"

#define WORDS	16384

struct tbuf_d_script script;
struct tbuf_d_program program;
struct tbuf_d_aggregation aggregations[BEGIN_AGGREGATIONS];

static uint64_t code[WORDS];
static char constants[256];
static const struct tbuf_d_piece *keys;
static struct tbuf_d_clause clause;

void
begin_set_up(const struct tbuf_d_piece *from)
{
	static const char *const begin[] = { "BEGIN" };

	keys = from;
	program = (struct tbuf_d_program){
		.code = code, .constants = constants
	};
	clause = (struct tbuf_d_clause){
		.descriptions = begin, .ndescriptions = 1,
		.programs = &program, .nprograms = 1
	};
	script = (struct tbuf_d_script){
		.clauses = &clause, .nclauses = 1,
		.aggregations = aggregations
	};
}

void
op(unsigned operation, unsigned a, unsigned b, unsigned c, uint32_t i)
{
	ck_assert_uint_lt(program.length, WORDS);
	code[program.length++] = tbuf_word(operation, a, b, c, i);
}

void
number(unsigned to, int64_t value)
{
	op(TBUF_OP_LDI, to, 0, 0, (uint32_t)value);
	op(TBUF_OP_LDIH, to, 0, 0, (uint32_t)((uint64_t)value >> 32));
}

void
load_bytes(const char *bytes, uint32_t size)
{
	uint32_t at = program.constants_size;

	ck_assert_uint_le(at + size, sizeof(constants));
	memcpy(constants + at, bytes, size);
	program.constants_size += size;
	op(TBUF_OP_LDC, 4, 0, 0, at);
}

uint32_t
aggregation(enum tbuf_aggregator function, uint64_t parameter,
    unsigned first, unsigned nkeys)
{
	uint32_t id = script.naggregations++;

	ck_assert_uint_lt(id, BEGIN_AGGREGATIONS);
	aggregations[id] = (struct tbuf_d_aggregation){
		.name = "a", .id = id, .function = function,
		.parameter = parameter, .keys = keys + first, .nkeys = nkeys,
		.is_signed = 1
	};
	return (id);
}

void
begin_key(void)
{
	op(TBUF_OP_KEYN, 0, 0, 0, 0);
}

void
key_number(int64_t value)
{
	number(4, value);
	op(TBUF_OP_KEY, 4, 0, 0, 8);
}

void
key_text(const char *text)
{
	if (text == NULL)
		number(4, 0);
	else
		load_bytes(text, (uint32_t)strlen(text) + 1);
	op(TBUF_OP_KEYT, 4, 0, 0, 0);
}

void
update(uint32_t id, int64_t value, int64_t weight)
{
	number(1, value);
	number(2, weight);
	number(3, (int64_t)aggregations[id].parameter);
	op(TBUF_OP_UPD, 1, 2, aggregations[id].function, id);
}

void
by_number(uint32_t id, int64_t key, int64_t value)
{
	begin_key();
	key_number(key);
	update(id, value, 1);
}

void
by_text(uint32_t id, const char *key, int64_t value)
{
	begin_key();
	key_text(key);
	update(id, value, 1);
}
