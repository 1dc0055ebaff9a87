/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Making the map of an object of aarch64 instructions.  A branch replaces one
 * of them, so it does not matter where control arrives; but text has data in
 * it, too, which must not be taken for an exit.  So a word is an instruction
 * only if control arrives there: at the start of a function, at a landing pad,
 * at an address in data, by a branch, or from the word before.  A function with
 * a table of jumps consists of instructions alone.
 *
 * Where few functions are wanted, those alone are followed, and others that
 * branch to a place inside of one, or to a part: a scan of all words finds
 * these.
 */
#include "patch/map.h"

#include <stdlib.h>
#include <string.h>

#define FAR		((uintptr_t)1 << 40) /* from where 0 is not reached */
#define BEFORE_MAX	64u	/* instructions before a computed jump */
#define FEW		8u	/* fewer than this part may be followed alone */
#define SHARE		2u	/* more than this part: all are followed */

/* The pages of which adrp has put the addresses into registers. */
struct pages {
	uintptr_t all[31];
	uint32_t known;		/* a bit for each register */
};

/* Addresses that control arrives at, and that have not been followed yet. */
struct walk {
	struct patch_map *map;
	uintptr_t *list;
	size_t n, room;
	bool failed;		/* out of memory */
	/* Where few functions are wanted: those that are to be followed. */
	struct patch_code **fresh;	/* NULL: all are */
	size_t nfresh, nnear;
	bool is_scanned;	/* since a function became near */
};

/* ------------------------------------------------------------ instructions */

/* Returns a signed field of an instruction. */
static intptr_t
field(uint32_t word, unsigned low, unsigned bits)
{
	return ((int32_t)(word << (32 - low - bits)) >> (32 - bits));
}

static bool
is_system(uint32_t word)
{
	return (word >> 24 == 0xd4 || word >> 24 == 0xd5);
}

static bool
is_by_register(uint32_t word)
{
	return (word >> 25 == 0x6b);
}

/*
 * Returns false for words that were no instructions when this was written, by
 * their largest classes, and for branches that are not understood.
 */
static bool
is_instruction(uint32_t word)
{
	switch (word >> 25 & 0xf) {
	case 0x0:
		return (word >> 31 != 0 || word >> 16 == 0);
	case 0x1:
	case 0x3:
		return (false);
	case 0xa:
	case 0xb:
		return (patch_target(word, FAR) != 0 ||
		    is_system(word) || is_by_register(word));
	default:
		return (true);
	}
}

/* Branches by registers: br, blr, ret, eret, and those that authenticate. */
static enum patch_class
class_by_register(uint32_t word)
{
	switch (word >> 21 & 0xf) {
	case 0x0:
	case 0x8:
		return (PATCH_COMPUTED);
	case 0x1:
	case 0x9:
		return (PATCH_CALL);
	case 0x2:
		return (PATCH_RETURN);
	default:
		return (PATCH_END);
	}
}

/*
 * A branch out of the object is that of another provider, whose stub goes on at
 * the next instruction.
 */
static enum patch_class
class_of(const struct patch_map *m, uint32_t word, uintptr_t at)
{
	uintptr_t target = patch_target(word, at);

	if (target != 0 && (word & 0x7c000000) != 0x14000000)
		return (PATCH_BRANCH);
	if (target != 0 && word >> 31 != 0)
		return (PATCH_CALL);
	if (target != 0)
		return (target < m->text->low || target >= m->text->high ?
		    PATCH_PLAIN : PATCH_JMP);
	if (is_by_register(word))
		return (class_by_register(word));
	/* brk, hlt, udf */
	if ((word & 0xffe0001f) == 0xd4200000 ||
	    (word & 0xffe0001f) == 0xd4400000 || word >> 16 == 0)
		return (PATCH_END);
	return (PATCH_PLAIN);
}

static bool
goes_on(enum patch_class class)
{
	return (class == PATCH_PLAIN || class == PATCH_BRANCH ||
	    class == PATCH_CALL);
}

/* ------------------------------------------------------------ walking */

static enum patch_class
class_at(const struct patch_map *m, uintptr_t at)
{
	return (patch_class(*patch_map_mark(m, at)));
}

static bool
begins(const struct patch_map *m, uintptr_t at)
{
	return ((*patch_map_mark(m, at) & PATCH_BEGINS) != 0);
}

static bool
is_followed(const struct walk *w, uintptr_t at)
{
	const struct patch_code *code;

	if (w->fresh == NULL)
		return (true);
	code = patch_map_code(w->map, at);
	return (code != NULL && code->is_decoded);
}

/* Adds an address that is to be followed. */
static void
add(struct walk *w, uintptr_t at)
{
	uintptr_t *list = w->list;

	if (!patch_map_has(w->map, at) || at % PATCH_WORD != 0 ||
	    begins(w->map, at) || !is_followed(w, at))
		return;
	if (w->n == w->room) {
		w->room = 2 * w->room + 1024;
		list = reallocarray(w->list, w->room, sizeof(*list));
	}
	if (list == NULL) {
		w->room = w->n;
		w->failed = true;
		return;
	}
	w->list = list;
	list[w->n++] = at;
}

/* Marks an address that code has; it may be that of data. */
static void
take_address(const struct walk *w, struct patch_code *code, uintptr_t address)
{
	patch_map_arrive(w->map, address, PATCH_CALLED);
	code->takes_own |= address > code->start && address < code->end;
}

static bool
is_literal(uint32_t word)
{
	return ((word & 0x3b000000) == 0x18000000);	/* ldr */
}

static uintptr_t
literal_of(uint32_t word, uintptr_t at)
{
	return (at + (uintptr_t)field(word, 5, 19) * PATCH_WORD);
}

/* Marks the words that `ldr` reads from the text. */
static void
take_literal(const struct walk *w, uint32_t word, uintptr_t at)
{
	uintptr_t from = literal_of(word, at);
	unsigned i;

	for (i = 0; i < (PATCH_WORD << (word >> 30 & 3)); i += PATCH_WORD)
		if (patch_map_has(w->map, from + i))
			*patch_map_mark(w->map, from + i) |= PATCH_DATA;
}

static void
take_page(struct pages *p, uint32_t word, uintptr_t page)
{
	unsigned number = word & 0x1f;

	if (number >= sizeof(p->all) / sizeof(p->all[0]))
		return;
	p->all[number] = page;
	p->known |= 1u << number;
}

static void
forget_pages(struct pages *p, uint32_t word)
{
	uint32_t left;
	unsigned i;

	for (left = p->known; left != 0; left &= left - 1) {
		i = (unsigned)__builtin_ctz(left);
		if (patch_writes(word, i))
			p->known &= ~(1u << i);
	}
}

/* Returns the address that an instruction makes which is no branch, or 0. */
static uintptr_t
address_of(uint32_t word, uintptr_t at, struct pages *p)
{
	uintptr_t offset = (uintptr_t)field(word, 5, 19) << 2 |
	    (word >> 29 & 3), address = 0;
	unsigned from = word >> 5 & 0x1f;

	if ((word & 0x9f000000) == 0x10000000)		/* adr */
		address = at + offset;
	else if ((word & 0xffc00000) == 0x91000000 &&	/* add */
	    (p->known & 1u << from) != 0)
		address = p->all[from] + (word >> 10 & 0xfff);
	forget_pages(p, word);
	if ((word & 0x9f000000) == 0x90000000)		/* adrp */
		take_page(p, word, (at & ~(uintptr_t)0xfff) + (offset << 12));
	return (address);
}

/* Takes the addresses in an instruction that is no branch. */
static void
take_addresses(const struct walk *w, struct patch_code *code, uint32_t word,
    uintptr_t at, struct pages *p)
{
	uintptr_t address = address_of(word, at, p);

	if (address != 0)
		take_address(w, code, address);
	else if (is_literal(word))
		take_literal(w, word, at);
}

static void
mark(struct patch_map *m, uintptr_t at, enum patch_class class)
{
	uint16_t *marks = patch_map_mark(m, at);
	unsigned i;

	marks[0] |= (uint16_t)(PATCH_BEGINS | class << 13);
	for (i = 0; i < PATCH_WORD; i++)
		marks[i] |= PATCH_CODE;
}

static void
refuse(struct patch_code *code)
{
	if (code->problem == NULL)
		code->problem = "it cannot be decoded";
}

/* Follows control from an address to an end, or to known instructions. */
static void
follow(struct walk *w, uintptr_t at)
{
	struct patch_code *code = patch_map_code(w->map, at);
	enum patch_class class = PATCH_PLAIN;
	struct pages pages = { .known = 0 };
	uintptr_t target;
	uint32_t word;

	for (; code != NULL && goes_on(class) && at + PATCH_WORD <= code->end &&
	    !begins(w->map, at); at += PATCH_WORD) {
		word = patch_word(at);
		if (!is_instruction(word) ||
		    (*patch_map_mark(w->map, at) & PATCH_DATA) != 0) {
			refuse(code);
			return;
		}
		class = class_of(w->map, word, at);
		mark(w->map, at, class);
		target = patch_target(word, at);
		if (target != 0) {
			patch_map_arrive(w->map, target, class == PATCH_CALL ?
			    PATCH_CALLED : PATCH_JUMPED);
			add(w, target);
		} else
			take_addresses(w, code, word, at, &pages);
	}
}

static void
walk(struct walk *w)
{
	while (w->n > 0)
		follow(w, w->list[--w->n]);
}

/* ----------------------------------------------------------- computed jumps */

/* add of 64 bits */
static bool
adds(uint32_t word)
{
	return ((word & 0xff000000) == 0x8b000000 ||
	    (word & 0xff000000) == 0x91000000);
}

/* mov between registers of 64 bits */
static bool
moves(uint32_t word)
{
	return ((word & 0xffe0ffe0) == 0xaa0003e0);
}

/* ldrsw with an index */
static bool
loads_distance(uint32_t word)
{
	return ((word & 0xffe00c00) == 0xb8a00800);
}

/* Returns true if a register's value at an instruction is known to be a sum. */
static bool
is_sum(const struct patch_map *m, uintptr_t at, unsigned number)
{
	unsigned n;
	uint32_t word;

	for (n = 0; n < BEFORE_MAX; n++) {
		if ((*patch_map_mark(m, at) & PATCH_ARRIVAL) != 0)
			return (false);
		at -= PATCH_WORD;
		word = patch_word(at);
		if (!begins(m, at) || (class_at(m, at) != PATCH_PLAIN &&
		    class_at(m, at) != PATCH_BRANCH))
			return (false);
		if (class_at(m, at) == PATCH_BRANCH ||
		    !patch_writes(word, number))
			continue;
		if (!moves(word) || (word & 0x1f) != number)
			return (adds(word) && (word & 0x1f) == number);
		number = word >> 16 & 0x1f;
	}
	return (false);
}

/*
 * Returns true if a function may have a table of jumps: it has an address in
 * itself, or data has one, or it reads distances that are relative to a table.
 */
static bool
may_have_table(const struct patch_map *m, const struct patch_code *code)
{
	uintptr_t at;

	if (code->takes_own)
		return (true);
	for (at = code->start + PATCH_WORD; at + PATCH_WORD <= code->end;
	    at += PATCH_WORD)
		if ((*patch_map_mark(m, at) & PATCH_POINTED) != 0 ||
		    (begins(m, at) && loads_distance(patch_word(at))))
			return (true);
	return (false);
}

/*
 * Returns the marks of a computed jump: a frame is left before the last jump of
 * a function, and the address in a table of distances is a sum.
 */
static unsigned
judge(const struct patch_map *m, const struct patch_code *code, uintptr_t at)
{
	enum patch_frame frame = patch_frame(m->text, at);
	bool table, sum;

	if (frame != PATCH_FRAME_NONE)
		return (frame == PATCH_FRAME_SOME ? PATCH_DISPATCH :
		    PATCH_DISPATCH | PATCH_DOUBT);
	table = may_have_table(m, code);
	sum = is_sum(m, at, patch_word(at) >> 5 & 0x1f);
	if (table && sum)
		return (PATCH_DISPATCH);
	return (table || sum ? PATCH_DOUBT : 0);
}

/* Follows all words of a function that may be instructions. */
static void
follow_all(struct walk *w, const struct patch_code *code)
{
	uintptr_t at;

	for (at = code->start; at + PATCH_WORD <= code->end; at += PATCH_WORD)
		if ((*patch_map_mark(w->map, at) & PATCH_DATA) == 0 &&
		    !patch_is_filler((const uint8_t *)at)) {
			add(w, at);
			walk(w);
		}
}

/* Judges the computed jumps of a part.  Returns true if one may stay in it. */
static bool
judge_all(struct patch_map *m, const struct patch_code *code)
{
	bool stays = false;
	unsigned marks;
	uint16_t *marked;
	uintptr_t at;

	for (at = code->start; at + PATCH_WORD <= code->end; at += PATCH_WORD) {
		marked = patch_map_mark(m, at);
		if ((*marked & PATCH_BEGINS) == 0 ||
		    patch_class(*marked) != PATCH_COMPUTED)
			continue;
		marks = judge(m, code, at);
		stays |= marks != 0;
		*marked = (uint16_t)((*marked & ~(unsigned)(PATCH_DISPATCH |
		    PATCH_DOUBT)) | marks);
	}
	return (stays);
}

/* Follows all of a function and of its parts.  Returns false if it was done. */
static bool
follow_parts(struct walk *w, size_t function)
{
	struct patch_code *code;
	bool changed = false;
	size_t i;

	for (i = function; i != PATCH_NO_PART; i = code->part) {
		code = &w->map->codes[i];
		if (code->is_computed)
			continue;
		changed = code->is_computed = true;
		follow_all(w, code);
	}
	return (changed);
}

/*
 * Follows all of the functions that have tables of jumps.  This may find parts,
 * and arrivals by which other jumps are judged.
 */
static void
find_tables(struct walk *w)
{
	struct patch_map *m = w->map;
	bool changed = true;
	size_t i;

	while (changed && !w->failed) {
		changed = false;
		/* A piece that was a part before may be called now. */
		for (i = 0; i < m->ncodes; i++)
			m->codes[i].owner = i;
		patch_parts_find(m);
		for (i = 0; i < m->ncodes; i++)
			if (m->codes[i].is_decoded &&
			    judge_all(m, &m->codes[i]))
				changed |= follow_parts(w, m->codes[i].owner);
	}
}

/* ------------------------------------------------------------ the map */

/* A function is refused with all of its parts. */
static void
share_problems(struct patch_map *m)
{
	struct patch_code *code;
	size_t i;

	for (i = 0; i < m->ncodes; i++) {
		code = &m->codes[i];
		if (code->problem != NULL)
			m->codes[code->owner].problem = code->problem;
	}
	for (i = 0; i < m->ncodes; i++)
		m->codes[i].problem = m->codes[m->codes[i].owner].problem;
}

/* Adds the places where control arrives by no instruction. */
static void
add_arrivals(struct walk *w, const struct patch_code *code)
{
	uintptr_t at;

	for (at = code->start; at < code->end; at += PATCH_WORD)
		if ((*patch_map_mark(w->map, at) & PATCH_ARRIVAL) != 0)
			add(w, at);
}

/* ------------------------------------------------------------ few functions */

/* Makes a function near: all ways to it are found, and it is followed. */
static void
make_near(struct walk *w, struct patch_code *code)
{
	struct patch_map *m = w->map;
	uintptr_t line;

	if (code->is_near)
		return;
	code->is_near = code->is_decoded = code->leaves = true;
	for (line = (code->start - m->text->start) / PATCH_LINE; line <=
	    (code->end - 1 - m->text->start) / PATCH_LINE; line++)
		m->lines[line / 8] |= (uint8_t)(1u << line % 8);
	patch_map_arrive(m, code->start, PATCH_START);
	w->fresh[w->nfresh++] = code;
	w->nnear++;
	w->is_scanned = false;
}

/* Returns true unless a piece is a function of its own, as far as is known. */
static bool
may_be_part(const struct patch_map *m, const struct patch_code *code)
{
	return (code->is_cold || (code->name == NULL &&
	    ((*patch_map_mark(m, code->start) & PATCH_CALLED) == 0 ||
	    patch_frame(m->text, code->start) == PATCH_FRAME_SOME)));
}

/* That a function begins where it begins is known without its callers. */
static bool
matters(const struct patch_map *m, uintptr_t target)
{
	const struct patch_code *code;

	if (!patch_map_has(m, target) ||
	    !patch_map_has_line(m, target - m->text->start))
		return (false);
	code = patch_map_code(m, target);
	return (code != NULL && code->is_near && (target != code->start ||
	    may_be_part(m, code)));
}

/* An address or a call: that the word is an instruction is not proven. */
static void
take_call(struct walk *w, uintptr_t target)
{
	if (!matters(w->map, target))
		return;
	patch_map_arrive(w->map, target, PATCH_CALLED);
	add(w, target);
}

/* Looks for ways to near functions in all words of another one. */
static void
scan_code(struct walk *w, struct patch_code *code)
{
	const struct patch_map *m = w->map;
	struct pages pages = { .known = 0 };
	uintptr_t at, target;
	uint32_t word;

	for (at = code->start; at + PATCH_WORD <= code->end && !code->is_near;
	    at += PATCH_WORD) {
		word = patch_word(at);
		target = patch_target(word, at);
		if (target != 0 && class_of(m, word, at) == PATCH_CALL)
			take_call(w, target);
		else if (target != 0) {
			if (matters(m, target))
				make_near(w, code);
		} else if ((target = address_of(word, at, &pages)) != 0)
			take_call(w, target);
		else if (is_literal(word) && (matters(m, target =
		    literal_of(word, at)) || matters(m, target + 3 *
		    PATCH_WORD)))
			make_near(w, code);
	}
}

static void
scan(struct walk *w)
{
	struct patch_map *m = w->map;
	size_t i;

	w->is_scanned = true;
	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].start % PATCH_WORD == 0)
			scan_code(w, &m->codes[i]);
}

/* Of a part, and of a piece that may be one, all jumps have to be known. */
static void
take_jumps(struct walk *w, struct patch_code *from)
{
	const struct patch_map *m = w->map;
	struct patch_code *to;
	enum patch_class class;
	uintptr_t at, target;

	for (at = from->start; (at = patch_map_skip(m, at, from->end)) <
	    from->end; at++) {
		class = class_at(m, at);
		if (class != PATCH_BRANCH && class != PATCH_JMP)
			continue;
		target = patch_map_target(m, at);
		to = patch_map_code(m, target);
		if (to != NULL && may_be_part(m, to))
			make_near(w, to);
	}
}

/* Returns false if no other function is needed, or too many are. */
static bool
grows(const struct walk *w)
{
	return ((w->nfresh > 0 || !w->is_scanned) &&
	    w->nnear <= w->map->ncodes / SHARE);
}

/* Follows functions until no other one is needed. */
static void
follow_fresh(struct walk *w)
{
	struct patch_map *m = w->map;
	size_t i;

	while (grows(w)) {
		if (w->nfresh == 0)
			scan(w);
		patch_map_take(m);
		while (w->nfresh > 0)
			add_arrivals(w, w->fresh[--w->nfresh]);
		walk(w);
		for (i = 0; i < m->ncodes; i++)
			if (m->codes[i].is_decoded)
				take_jumps(w, &m->codes[i]);
	}
}

/* Follows the functions that are wanted.  Returns false if all have to be. */
static bool
follow_few(struct walk *w)
{
	struct patch_map *m = w->map;
	size_t wanted = 0, i;

	for (i = 0; i < m->ncodes; i++)
		wanted += m->codes[i].is_wanted;
	if (wanted == 0 || wanted > m->ncodes / FEW)
		return (false);
	m->lines = calloc((m->text->end - m->text->start) / PATCH_LINE / 8 + 1,
	    1);
	w->fresh = reallocarray(NULL, m->ncodes, sizeof(*w->fresh));
	if (m->lines == NULL || w->fresh == NULL)
		return (false);
	patch_map_pads(m);
	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].is_wanted)
			make_near(w, &m->codes[i]);
	while (grows(w)) {
		follow_fresh(w);
		find_tables(w);
		for (i = 0; i < m->ncodes; i++)
			if (m->codes[i].is_decoded)
				take_jumps(w, &m->codes[i]);
	}
	return (w->nnear <= m->ncodes / SHARE);
}

/* Frees the lines: all bytes of the text may be marked again. */
static void
end_few(struct walk *w)
{
	free(w->map->lines);
	free(w->fresh);
	w->map->lines = NULL;
	w->fresh = NULL;
}

static void
follow_everything(struct walk *w)
{
	struct patch_map *m = w->map;
	struct patch_code *code;

	patch_map_many(m);
	for (code = m->codes; code < m->codes + m->ncodes; code++) {
		code->is_near = code->is_decoded = code->leaves = true;
		patch_map_arrive(m, code->start, PATCH_START);
	}
	patch_map_take(m);
	patch_map_pads(m);
	for (code = m->codes; code < m->codes + m->ncodes; code++)
		add_arrivals(w, code);
	walk(w);
	find_tables(w);
}

/* Adds the addresses in the words of a text whose addresses are fixed. */
static void
add_words(struct patch_map *m)
{
	uintptr_t at, end, word;

	for (at = m->text->start; patch_text_find(m->text, &at, &end); at = end)
		for (at = (at + 7) & ~(uintptr_t)7; at + 8 <= end; at += 8) {
			word = patch_map_word(at) + m->slide;
			patch_map_add(m, word, PATCH_CALLED | PATCH_POINTED);
		}
}

const char *
patch_map_make(struct patch_map *m)
{
	struct walk w = { .map = m };
	const char *problem;
	bool few;
	size_t i;

	patch_map_index(m);
	for (i = 0; i < m->ncodes; i++) {
		m->codes[i].owner = i;
		if (m->codes[i].start % PATCH_WORD != 0)
			refuse(&m->codes[i]);
	}
	if ((problem = patch_map_data(m)) != NULL)
		return (problem);
	if (m->is_fixed)
		add_words(m);
	few = follow_few(&w);
	end_few(&w);
	if (!few)
		follow_everything(&w);
	share_problems(m);
	free(w.list);
	return (w.failed || m->failed ? "out of memory" : NULL);
}
