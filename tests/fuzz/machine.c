/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The machine.  One byte says whether words are made acceptable to the
 * verifier, one is strsize, one the number of arguments; then come their types,
 * a text, which is the constants and some of the arguments, and words.
 */
#include "support/fuzz.h"
#include "support/world.h"

#define WORDS	512

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

struct probe {
	uint64_t values[TBUF_ARGS_MAX];
	uint8_t types[TBUF_ARGS_MAX];
	struct tbuf_bytes bytes;
};

/* Reads arguments; those that are texts are `text`. */
static void
probe_read(struct input *in, struct probe *p, unsigned nargs, char *text)
{
	unsigned i;

	p->bytes.data = text;
	p->bytes.size = strlen(text);
	for (i = 0; i < nargs; i++) {
		p->types[i] = (uint8_t)(input_take(in, 1) %
		    (TBUF_STRING_INTERNED + 1));
		p->values[i] = i;
		if (p->types[i] == TBUF_STRING)
			p->values[i] = (uint64_t)(uintptr_t)text;
		if (p->types[i] > TBUF_STRING &&
		    p->types[i] < TBUF_STRING_INTERNED)
			p->values[i] = (uint64_t)(uintptr_t)&p->bytes;
		if (p->types[i] >= TBUF_STRING && i == 9)
			p->values[i] = 0;
	}
}

static uint32_t
code_read(struct input *in, uint64_t *code, uint32_t constants, bool tame)
{
	uint32_t n = tame ? world_prologue(code) : 0, left;

	for (; n < WORDS && in->size > 0; n++) {
		left = (uint32_t)((in->size - 1) / 8);
		if (left > WORDS - 1 - n)
			left = WORDS - 1 - n;
		code[n] = input_take(in, 8);
		if (tame)
			code[n] = world_tame(code[n], left, constants);
	}
	return (n);
}

static void
run(struct world *w, bool accepted)
{
	enum tbuf_end end = tbuf_machine_run(&w->m);

	FUZZ_CHECK(w->m.fuel <= TBUF_FUEL);
	if (end != TBUF_END_FAULT)
		return;
	FUZZ_CHECK(w->m.fault.number > 0 && w->m.fault.number < TBUF_FAULTS);
	FUZZ_CHECK(w->m.fault.at < w->m.length);
	FUZZ_CHECK(!accepted || w->m.fault.number != TBUF_FAULT_ILLEGAL ||
	    world_may_refuse(w->m.code[w->m.fault.at]));
}

static void
print(const struct world *w)
{
	char line[40];
	uint32_t i;

	for (i = 0; i < w->m.length; i++)
		FUZZ_CHECK(tbuf_machine_print(w->m.code[i], i, line,
		    sizeof(line)) == strlen(line));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	bool tame = (input_take(&in, 1) & 1) != 0, accepted;
	uint32_t strsize = (uint32_t)input_take(&in, 1);
	unsigned nargs = (unsigned)input_take(&in, 1) % (TBUF_ARGS_MAX + 1);
	struct probe probe;
	uint64_t code[WORDS];
	struct world w;
	char *text;

	text = input_text(&in);
	world_begin(&w, strsize);
	probe_read(&in, &probe, nargs, text);
	w.patience = (unsigned)input_take(&in, 1);
	w.m.values = probe.values;
	w.m.types = probe.types;
	w.m.nargs = nargs;
	w.m.binding = UINT64_C(0xfedcba9876543210);
	w.m.constants = (const uint8_t *)text;
	w.m.constants_size = (uint32_t)strlen(text) + 1;
	w.m.code = code;
	w.m.length = code_read(&in, code, w.m.constants_size, tame);
	accepted = world_accepts(&w);
	FUZZ_CHECK(accepted || !tame);
	print(&w);
	/* A chain runs the second clause after the first, with its effects. */
	run(&w, accepted);
	run(&w, accepted);
	world_end(&w);
	free(text);
	return (0);
}
