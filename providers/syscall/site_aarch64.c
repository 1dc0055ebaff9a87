/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finding the instructions `svc #0` of a text.  A branch replaces each of them,
 * and nothing else: all code that comes to the instruction comes to its stub,
 * so the only thing to prove is that it is an instruction.
 *
 * Its number is known in advance if `mov x8, #number` comes before it, and
 * nothing in between may change the register or be the destination of a branch;
 * otherwise the stub reads the register.
 */
#include "syscall.h"

#include <sys/syscall.h>

#include "patch/aarch64.h"

#define SITES		2048u	/* of one object */
#define BEFORE		24u	/* instructions that are read */

#define SVC		0xd4000001u
#define RET		0xd65f03c0u
#define MOV_X8_X1	0xaa0103e8u

struct site {
	uintptr_t at;
	uintptr_t from;		/* where its number is set, or itself */
	int32_t number;
	struct patch_range function;
	const char *problem;
};

static struct site sites[SITES];
static size_t nsites;

static uint32_t
word_at(uintptr_t at)
{
	return (*(const uint32_t *)at);
}

static uintptr_t
first_of(const struct patch_text *text)
{
	return ((text->start + PATCH_WORD - 1) & ~(uintptr_t)(PATCH_WORD -
	    1));
}

/* mov x8, #number, or w8 */
static bool
sets_number(uint32_t word)
{
	return ((word & 0x7fe0001f) == 0x52800008);
}

/* br: a table of the function may lead anywhere in it. */
static bool
is_computed(uint32_t word)
{
	return ((word & 0xfffffc1f) == 0xd61f0000);
}

static bool
has_computed(const struct patch_range *function)
{
	uintptr_t at;

	for (at = function->start; at + PATCH_WORD <= function->end;
	    at += PATCH_WORD)
		if (is_computed(word_at(at)))
			return (true);
	return (false);
}

static void
find_number(const struct patch_text *text, struct site *s)
{
	uintptr_t at = s->at;
	unsigned i;
	uint32_t word;

	s->from = s->at;
	s->number = SYSCALL_ANY;
	for (i = 0; i < BEFORE && at > s->function.start; i++) {
		at -= PATCH_WORD;
		word = word_at(at);
		if (sets_number(word))
			break;
		if (!patch_goes_on(word) || patch_writes(word, 8))
			return;
	}
	if (i == BEFORE || at == s->at || !sets_number(word_at(at)) ||
	    has_computed(&s->function) ||
	    patch_lands(text, &s->function, at + PATCH_WORD,
	    s->at + PATCH_WORD))
		return;
	s->from = at;
	s->number = word_at(at) >> 5 & 0xffff;
}

/* Returns the first site at or after an address. */
static size_t
site_near(uintptr_t target)
{
	size_t low = 0, high = nsites, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (sites[middle].at < target)
			low = middle + 1;
		else
			high = middle;
	}
	return (low);
}

/* Reads branches of the whole text: functions have cold parts elsewhere. */
static void
look_at_branches(const struct patch_text *text)
{
	uintptr_t at, target;
	size_t i;

	for (at = first_of(text); nsites != 0 && at + PATCH_WORD <= text->end;
	    at += PATCH_WORD) {
		target = patch_target(word_at(at), at);
		if (target - text->start >= text->end - text->start)
			continue;
		i = site_near(target);
		if (i < nsites && target > sites[i].from)
			sites[i].number = SYSCALL_ANY;
	}
}

static void
find_sites(const struct patch_text *text)
{
	uintptr_t at = first_of(text);
	struct site *s;

	for (nsites = 0; nsites < SITES && at + PATCH_WORD <= text->end;
	    at += PATCH_WORD) {
		if (word_at(at) != SVC)
			continue;
		s = &sites[nsites++];
		*s = (struct site){ .at = s->from = at,
		    .number = SYSCALL_ANY };
		if (patch_function(text, at, &s->function))
			find_number(text, s);
		else
			s->problem = "its function is not known";
	}
	look_at_branches(text);
}

/*
 * Returns true in __syscall_cancel_arch of the C library, from 2.41 on: the
 * number is its second argument, and it returns at once.
 */
static bool
is_cancellation(const struct patch_text *text, const struct site *s)
{
	uintptr_t at;

	if (text->end - s->at < 2 * PATCH_WORD ||
	    word_at(s->at + PATCH_WORD) != RET)
		return (false);
	for (at = s->function.start; at < s->at; at += PATCH_WORD)
		if (word_at(at) == MOV_X8_X1)
			return (true);
	return (false);
}

static const char *
left_alone(const struct patch_text *text, const struct site *s)
{
	if (s->problem != NULL)
		return (s->problem);
	if (s->number == SYS_rt_sigreturn)
		return ("it returns from a handler");
	if (is_cancellation(text, s))
		return ("thread cancellation compares its address");
	return (NULL);
}

void
syscall_patch_text(const struct patch_text *text, const char *name,
    int tables, syscall_report *tell)
{
	struct syscall_found found;
	struct site *s;
	size_t i;

	(void)tables;
	find_sites(text);
	for (i = 0; i < nsites; i++) {
		s = &sites[i];
		s->problem = left_alone(text, s);
		found = (struct syscall_found){ .at = s->at,
		    .number = (unsigned)s->number < SYSCALL_NUMBERS ?
		    s->number : SYSCALL_ANY };
		if (s->problem == NULL) {
			found.is_leaf = !patch_keeps_link(&s->function,
			    s->at);
			s->problem = syscall_slot(text, &found);
		}
		if (tell != NULL)
			tell(name, s->at - text->base, s->problem);
	}
}
