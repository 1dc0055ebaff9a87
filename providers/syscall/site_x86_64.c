/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finding the instructions `syscall` of a text, and the bytes that a jump can
 * replace at each:
 *
 *	mov $number,%eax	five bytes; the instruction is not changed
 *	the instruction and the bytes after it
 *	the bytes before it and the instruction
 */
#include "site_table.h"

#include <sys/syscall.h>

#include <string.h>

#include "patch/x86_64.h"

#define SITES		2048u	/* of one object */
#define MOV		0xb8	/* mov $number,%eax */

/* An instruction that was found, and its surroundings. */
struct site {
	uintptr_t at;
	uintptr_t before;	/* the instruction before it, or itself */
	uintptr_t room;		/* the last one that leaves room for a jump */
	const char *problem;
	bool is_local;		/* the problem is this process's alone */
	struct syscall_found found;
};

static struct site sites[SITES];
static size_t nsites;

/* Possible jumps: before and at each instruction, in ascending order. */
static struct patch_place places[2 * SITES];

static void
find_sites(const struct patch_text *text)
{
	const uint8_t *p = (const uint8_t *)text->start;
	const uint8_t *end = (const uint8_t *)text->end;

	for (nsites = 0; nsites < SITES && p < end; p++) {
		p = memchr(p, 0x0f, (size_t)(end - 1 - p));
		if (p == NULL)
			return;
		if (p[1] == 0x05)
			sites[nsites++] = (struct site){ .at = (uintptr_t)p };
	}
}

/* The unwind table of the C library's clone ends before its instruction. */
static bool
function_of(const struct patch_text *text, uintptr_t at,
    struct patch_range *range)
{
	return (patch_function(text, at, range) ||
	    (patch_function(text, at - 1, range) && range->end == at));
}

/*
 * Decodes from the function's start to the instruction.  Returns NULL, or the
 * reason why the instructions before it are not known.
 */
static const char *
decode_to(const struct patch_text *text, struct site *s)
{
	static uintptr_t last;		/* decoded, in `range` */
	static struct patch_range range;
	struct patch_instruction in;
	uintptr_t now = last;

	s->before = s->room = s->at;
	if (now > s->at || s->at >= range.end) {
		if (!function_of(text, s->at, &range))
			return ("its function is not known");
		now = last = range.start;
	}
	for (; now < s->at; now += in.length) {
		last = now;
		patch_decode((const uint8_t *)now, s->at - now, now, &in);
		if (in.length == 0)
			return ("no instruction begins there");
		s->before = in.ends ? s->at : now;
		if (in.ends)
			s->room = s->at;
		else if (now + PATCH_JUMP <= s->at + 2)
			s->room = now;
	}
	return (NULL);
}

/* Returns true if the text has these bytes before an address. */
static bool
follows(const struct patch_text *text, uintptr_t at, const uint8_t *bytes,
    size_t size)
{
	return (at - text->start >= size &&
	    memcmp((const void *)(at - size), bytes, size) == 0);
}

/* Returns why a call is left alone that cannot return to a stub, or NULL. */
static const char *
left_alone(const struct patch_text *text, uintptr_t at, int number)
{
	static const uint8_t by_handler[] = {
		0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0
	};

	if (follows(text, at, by_handler, sizeof(by_handler)) ||
	    number == SYS_rt_sigreturn)
		return ("it returns from a handler");
	if (number == SYS_vfork)
		return ("vfork has a wrapper");
	return (NULL);
}

static const char *
take_behind(const struct patch_text *text, struct site *s,
    const struct patch_place *place)
{
	s->found = (struct syscall_found){ .at = s->at, .tail = PATCH_JUMP - 2,
	    .number = SYSCALL_ANY };
	return (patch_prove(text, place, false));
}

static const char *
take_before(const struct patch_text *text, struct site *s,
    const struct patch_place *place)
{
	if (s->room == s->at)
		return ("it has no room for a jump");
	s->found = (struct syscall_found){ .at = s->room,
	    .head = (uint8_t)(s->at - s->room), .number = SYSCALL_ANY };
	return (patch_prove(text, place, false));
}

static const char *
choose(const struct patch_text *text, struct site *s,
    const struct patch_place *place)
{
	const char *problem;
	int32_t number = SYSCALL_ANY;

	if (s->problem != NULL)
		return (s->problem);
	if (s->at - s->before == 5 && *(const uint8_t *)s->before == MOV)
		memcpy(&number, (const void *)(s->before + 1), sizeof(number));
	if ((problem = left_alone(text, s->at, number)) != NULL)
		return (problem);
	if (number >= 0 && (unsigned)number < SYSCALL_NUMBERS) {
		s->found = (struct syscall_found){ .at = s->before, .head = 5,
		    .number = number };
		return (NULL);
	}
	if ((problem = take_behind(text, s, place + 1)) != NULL &&
	    take_before(text, s, place) == NULL)
		problem = NULL;
	return (problem);
}

static void
look_at(const struct patch_text *text)
{
	size_t i;

	for (i = 0; i < nsites; i++) {
		sites[i].problem = decode_to(text, &sites[i]);
		places[2 * i].at = sites[i].room;
		places[2 * i + 1].at = sites[i].at;
		places[2 * i].entered = places[2 * i + 1].entered = false;
	}
	patch_branches_find(text, places, 2 * nsites);
}

static bool
is_taken(uintptr_t start, uintptr_t end)
{
	size_t i;

	for (i = 0; i < nsites; i++)
		if (sites[i].problem == NULL && sites[i].found.at < end &&
		    sites[i].found.at + PATCH_JUMP > start)
			return (true);
	return (false);
}

/* Decodes the instructions that the stub of a place repeats. */
static const char *
repeat(struct syscall_finding *f)
{
	const uint8_t *call = (const uint8_t *)f->found.at + f->found.head;
	const char *problem;

	problem = patch_moves_find((const uint8_t *)f->found.at,
	    f->found.head, &f->before);
	if (problem == NULL)
		problem = patch_moves_find(call + 2, f->found.tail, &f->after);
	f->found.before = &f->before;
	f->found.after = &f->after;
	return (problem);
}

/* Redirects a site, unless its jump overlaps the one before it. */
static const char *
redirect(const struct patch_text *text, size_t i, uintptr_t *taken)
{
	struct syscall_finding f;
	struct site *s = &sites[i];
	const char *problem = choose(text, s, &places[2 * i]);

	if (problem == NULL && s->found.at < *taken)
		problem = "another jump overlaps it";
	f.found = s->found;
	if (problem == NULL)
		problem = repeat(&f);
	if (problem == NULL) {
		problem = syscall_slot(text, &f.found);
		s->is_local = problem != NULL;
	}
	if (problem == NULL)
		*taken = s->found.at + PATCH_JUMP;
	return (problem);
}

/* Chooses all jumps first: one may replace a call of __syscall_cancel_arch. */
static void
decode(const struct patch_text *text, const char *name, syscall_report *tell)
{
	const char *problem;
	uintptr_t taken = 0;
	struct site *s;
	size_t i;

	find_sites(text);
	look_at(text);
	for (i = 0; i < nsites; i++)
		sites[i].problem = syscall_is_cancel_arch(text, sites[i].at) ?
		    "its callers are redirected" : redirect(text, i, &taken);
	for (i = 0; i < nsites; i++) {
		s = &sites[i];
		problem = syscall_is_cancel_arch(text, s->at) ?
		    syscall_callers_find(text, s->at, is_taken) : s->problem;
		if (tell != NULL)
			tell(name, s->at - text->base, problem);
	}
}

/* ------------------------------------------------------- tables of findings */

static struct patch_table table;

/*
 * Redirects the places of a table.  Returns false without any of them if a row
 * is wrong.
 */
static bool
apply(const struct patch_text *text, struct syscall_rows *rows)
{
	unsigned before = syscall_slots_count(), n = 0;
	uintptr_t callers[SYSCALL_CALLERS];
	struct syscall_finding f;
	int more;

	while ((more = syscall_rows_next(rows, &f)) == 1)
		if (f.kind == SYSCALL_TABLE_PLACE)
			(void)syscall_slot(text, &f.found);
		else if (f.kind == SYSCALL_TABLE_CALLER && n < SYSCALL_CALLERS)
			callers[n++] = f.found.at;
	if (more != 0)
		syscall_slots_drop(before);
	else if (n != 0)
		(void)syscall_callers_take(text, rows->function, callers, n);
	return (more == 0);
}

static bool
use_table(const struct patch_text *text, int tables,
    const struct patch_identity *identity)
{
	struct syscall_rows rows = { .text = text, .bytes = table.rows };

	if (!patch_table_read(tables, identity, &table))
		return (false);
	rows.size = table.head.size;
	return (apply(text, &rows));
}

/* Adds the rows of calls of the function that are before an address. */
static bool
add_callers(const struct patch_text *text, const uintptr_t **next,
    const uintptr_t *end, uintptr_t before)
{
	struct syscall_finding f = { .kind = SYSCALL_TABLE_CALLER };

	for (; *next < end && **next < before; (*next)++) {
		f.found.at = **next;
		if (!syscall_rows_add(&table, text, &f))
			return (false);
	}
	return (true);
}

static bool
add_function(const struct patch_text *text, uintptr_t function)
{
	struct syscall_finding f = { .kind = SYSCALL_TABLE_FUNCTION,
	    .found.at = function };
	size_t i;

	for (i = 0; i < nsites; i++)
		if (sites[i].at - function <= UINT8_MAX &&
		    syscall_is_cancel_arch(text, sites[i].at)) {
			f.found.head = (uint8_t)(sites[i].at - function);
			return (syscall_rows_add(&table, text, &f));
		}
	return (false);
}

/* Fills the table with the sites that were redirected. */
static bool
fill_table(const struct patch_text *text)
{
	struct syscall_finding f = { .kind = SYSCALL_TABLE_PLACE };
	const uintptr_t *next, *end;
	uintptr_t function;
	unsigned n = syscall_callers(text, &function, &next);
	size_t i;

	table.head.size = 0;
	end = next + n;
	if (n != 0 && !add_function(text, function))
		return (false);
	for (i = 0; i < nsites; i++) {
		if (sites[i].problem != NULL)
			continue;
		f.found = sites[i].found;
		if (repeat(&f) != NULL ||
		    !add_callers(text, &next, end, f.found.at) ||
		    !syscall_rows_add(&table, text, &f))
			return (false);
	}
	return (add_callers(text, &next, end, text->end));
}

/* Returns false if another process might find more than this one. */
static bool
is_final(const struct patch_text *text)
{
	const uintptr_t *calls;
	uintptr_t function;
	unsigned n = syscall_callers(text, &function, &calls);
	size_t i;

	for (i = 0; i < nsites; i++)
		if (sites[i].is_local || (n == 0 &&
		    syscall_is_cancel_arch(text, sites[i].at)))
			return (false);
	return (nsites < SITES);
}

void
syscall_patch_text(const struct patch_text *text, const char *name,
    int tables, syscall_report *tell)
{
	const char *path = *name == '\0' ? "/proc/self/exe" : name;
	struct patch_identity identity;
	bool known = tables >= 0 && patch_identity(text, path,
	    PATCH_TABLE_SYSCALL, &identity);

	if (known && tell == NULL && use_table(text, tables, &identity))
		return;
	decode(text, name, tell);
	if (known && is_final(text) && fill_table(text))
		patch_table_write(tables, &identity, text, path, &table);
}
