/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target fires with arbitrary clauses and programs in its session: it must
 * not crash or hang, or store outside its window.  The input is instructions,
 * patches of the data that refers to programs, and fires.
 *
 *	byte 0		below 0x80: an instruction of the program, its index;
 *			below 0xc0: a patch of this part; else a fire
 *	byte 1		the operation, or the number of bytes
 *	bytes 2, 3	registers, or a place
 *	bytes 4 to 7	the immediate, or a value
 */
#include <errno.h>

#include "machine/machine.h"
#include "target/provider.h"
#include "target/self/thread.h"
#include "support/window.h"

#define WORDS	128u
#define ECBS	64u
#define GLOBALS	512u
#define PLACES	8u
#define BLOCK	64u		/* bytes, with a number and a text */
#define BLOCKS	16u
#define ELEMENT	120u		/* bytes of a body */
#define SETS	2u

/* The parts after the image, for its first session. */
struct parts {
	struct tbuf_clause clauses[ECBS];
	struct tbuf_codes codes;
	struct tbuf_code_variable places[PLACES];
	uint64_t none;
	struct tbuf_program_head head;
	uint64_t code[WORDS];
	char constants[64];
	uint64_t globals[GLOBALS / 8];
	_Alignas(16) uint64_t blocks[BLOCKS * BLOCK / 8];
	_Alignas(16) uint64_t sets[SETS * TBUF_ELEMENT_SET *
	    (16 + ELEMENT) / 8];
};

static uint64_t parts_at;

static struct parts *
parts(void)
{
	return ((struct parts *)(void *)(window_image.view.base + parts_at));
}

static struct tbuf_part
part(const void *from, size_t size)
{
	return ((struct tbuf_part){
	    (uint64_t)((const unsigned char *)from -
	    window_image.view.base), size });
}

/* Makes a number and a text of each kind of variable, and a self-> array. */
static void
make_codes(struct parts *p)
{
	const uint32_t first = sizeof(p->codes), each = sizeof(p->places[0]);
	unsigned i;

	p->codes.nglobals = p->codes.nlocals = 2;
	p->codes.nthreads = p->codes.narrays = 2;
	p->codes.nthread_arrays = 1;
	p->codes.globals = first;
	p->codes.locals = first + 2 * each;
	p->codes.threads = first + 4 * each;
	p->codes.arrays = p->codes.thread_arrays = first + 6 * each;
	p->codes.block = BLOCK;
	p->codes.element = ELEMENT;
	p->codes.locals_size = 48;
	p->codes.multiplier = UINT64_C(1) << 31;
	for (i = 0; i < PLACES; i++)
		p->places[i] = (struct tbuf_code_variable){
			.at = i % 2 * 8 + (i / 2 == 2 ?
			    sizeof(struct tbuf_block) : 0),
			.size = i % 2 * 32, .text = i % 2, .known = 1
		};
}

/* Gives each ECB of the first session the program. */
static void
make_parts(void)
{
	struct tbuf_slot *slot = tbuf_view_slot(&window_image.view, 0);
	uint32_t *heads = (void *)(window_image.view.base + slot->heads);
	struct parts *p;
	unsigned i;

	parts_at = (window_image.size + 63) & ~UINT64_C(63);
	window_image.size = parts_at + sizeof(*p);
	p = parts();
	make_codes(p);
	p->head.length = WORDS;
	p->head.constants_size = sizeof(p->constants);
	memcpy(p->constants, "a constant", 10);
	for (i = 1; i < ECBS; i++)
		p->clauses[i] = (struct tbuf_clause){
			.program = 1, .binding = UINT64_C(0xf3210)
		};
	slot->clauses = part(p->clauses, 0).at;
	slot->ecb_max = ECBS;
	slot->codes = part(&p->codes, sizeof(p->codes) + sizeof(p->places));
	slot->programs = part(&p->none, sizeof(p->none) + sizeof(p->head) +
	    sizeof(p->code) + sizeof(p->constants));
	slot->globals = part(p->globals, sizeof(p->globals));
	slot->blocks = part(p->blocks, sizeof(p->blocks));
	slot->dynamic = part(p->sets, sizeof(p->sets));
	for (i = 0; i < IMAGE_PROBES; i++)
		heads[i] |= TBUF_HEAD_PROGRAM;
	tbuf_view_control(&window_image.view)->end = window_image.size;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	window_make(make_parts);
	return (0);
}

static void
fire(const struct patch *p)
{
	static const char text[] = "some text";
	const struct tbuf_bytes bytes = { text, p->value % sizeof(text) };
	struct tbuf_site *site = &window_sites[p->value % IMAGE_PROBES];
	uint64_t values[TBUF_ARGS_MAX];
	unsigned i;

	for (i = 0; i < TBUF_ARGS_MAX; i++)
		values[i] = p->value * (uint64_t)(i + 1);
	for (i = 0; i < site->nargs; i++) {
		if (site->types[i] == TBUF_STRING)
			values[i] = p->at % 7 == 0 ? 0 : (uintptr_t)text;
		else if (site->types[i] > TBUF_STRING &&
		    site->types[i] < TBUF_STRING_INTERNED)
			values[i] = (uintptr_t)&bytes;
	}
	/* Some fires switch between CPU lanes and lock lanes. */
	if (p->how % 4 == 0)
		tbuf_thread_mark(tbuf_thread.shared == 0 ? 1 : -1);
	errno = 0;
	tbuf_probe_fire(site, values);
	FUZZ_CHECK(errno == 0);
}

/* Patches data that refers to programs. */
static void
change(const struct patch *p)
{
	struct tbuf_slot *slot = tbuf_view_slot(&window_image.view, 0);
	const struct {
		void *at;
		size_t size;
	} all[] = {
		{ &slot->clauses, sizeof(slot->clauses) },
		{ &slot->programs, sizeof(slot->programs) },
		{ &slot->globals, sizeof(slot->globals) },
		{ &slot->codes, sizeof(slot->codes) },
		{ &slot->ecb_max, sizeof(slot->ecb_max) },
		{ parts()->clauses, sizeof(parts()->clauses) },
		{ &parts()->codes, sizeof(parts()->codes) +
		    sizeof(parts()->places) },
		{ &parts()->head, sizeof(parts()->head) },
		{ &slot->blocks, sizeof(slot->blocks) },
		{ &slot->dynamic, sizeof(slot->dynamic) },
		{ parts()->blocks, sizeof(parts()->blocks) },
		{ parts()->sets, sizeof(parts()->sets) }
	}, *to = &all[p->part % (sizeof(all) / sizeof(all[0]))];
	size_t size = p->how % 8 + 1u, at = p->at % to->size;
	uint64_t value = (uint64_t)(int32_t)p->value;

	if (size > to->size - at)
		size = to->size - at;
	memcpy((char *)to->at + at, &value, size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct patch p;

	window_restore();
	memset(tbuf_thread.blocks, 0, sizeof(tbuf_thread.blocks));
	while (in.size > 0) {
		p = image_next(&in);
		if (p.part < 0x80)
			parts()->code[p.part] = tbuf_word(p.how, p.at & 0xff,
			    p.at >> 8, p.at >> 4 & 0xff, p.value);
		else if (p.part < 0xc0)
			change(&p);
		else
			fire(&p);
	}
	return (0);
}
