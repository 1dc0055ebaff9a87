/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parts of functions, and the places where a function ends.
 *
 * Compilers move code that seldom runs away from its function.  Its symbol ends
 * in `.cold'; without symbols it is a piece that nothing calls, whose address
 * is nowhere, and into which one function alone jumps.  If several do, it is a
 * function that is only called last.
 */
#include "map.h"

#include <stdlib.h>

#define PASSES_MAX	4u	/* parts of parts */
#define NONE		SIZE_MAX	/* no owner is known */

/* A piece without a name may be a part if it is entered by jumps alone. */
static bool
may_be_part(const struct patch_map *m, const struct patch_code *code)
{
	unsigned marks = *patch_map_mark(m, code->start);

	if (code->name != NULL)
		return (code->is_cold);
	return (patch_frame(m->text, code->start) == PATCH_FRAME_SOME ||
	    (marks & (PATCH_CALLED | PATCH_JUMPED)) == PATCH_JUMPED);
}

/* A jump from one piece into another, which may be a part. */
struct jump {
	const struct patch_code *from;
	struct patch_code *to;
	uintptr_t target;
};

struct jumps {
	struct patch_map *map;
	struct jump *all;
	size_t n, room;
};

static void
add_jump(struct jumps *j, const struct patch_code *from, uintptr_t target)
{
	struct patch_code *to = patch_map_code(j->map, target);
	struct jump *all = j->all;

	if (to == NULL || to->owner == (size_t)(to - j->map->codes))
		return;
	if (j->n == j->room) {
		all = reallocarray(all, 2 * j->room + 256, sizeof(*all));
		if (all == NULL) {
			j->map->failed = true;
			return;
		}
		j->all = all;
		j->room = 2 * j->room + 256;
	}
	all[j->n++] = (struct jump){ from, to, target };
}

/* Takes a jump.  Returns true if that has changed an owner. */
static bool
take_jump(const struct patch_map *m, const struct jump *j)
{
	size_t owner = j->from->owner, own = (size_t)(j->to - m->codes);

	if (owner == NONE || j->to->owner == owner || j->to->owner == own)
		return (false);
	if (j->to->owner == NONE)
		j->to->owner = owner;
	else if (j->to->name == NULL && j->target == j->to->start)
		j->to->owner = own;
	else
		return (false);
	return (true);
}

static bool
is_jump(enum patch_class class)
{
	return (class == PATCH_BRANCH || class == PATCH_JMP ||
	    class == PATCH_ODD);
}

static void
find_jumps(struct jumps *j, const struct patch_code *code)
{
	const struct patch_map *m = j->map;
	uintptr_t at, target;

	for (at = code->start; (at = patch_map_skip(m, at, code->end)) <
	    code->end; at++) {
		if (!is_jump(patch_class(*patch_map_mark(m, at))))
			continue;
		target = patch_map_target(m, at);
		if (target < code->start || target >= code->end)
			add_jump(j, code, target);
	}
}

static void
link_parts(struct patch_map *m)
{
	struct patch_code *code, *owner;
	size_t i;

	for (i = 0; i < m->ncodes; i++)
		m->codes[i].part = PATCH_NO_PART;
	for (i = m->ncodes; i-- > 0;) {
		code = &m->codes[i];
		owner = &m->codes[code->owner];
		if (code == owner)
			continue;
		code->part = owner->part;
		owner->part = i;
	}
}

static void
find_owners(struct patch_map *m)
{
	struct jumps j = { .map = m };
	bool changed = true;
	unsigned pass;
	size_t i;

	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].leaves)
			find_jumps(&j, &m->codes[i]);
	for (pass = 0; pass < PASSES_MAX && changed; pass++) {
		changed = false;
		for (i = 0; i < j.n; i++)
			changed |= take_jump(m, &j.all[i]);
	}
	free(j.all);
}

/* A piece into which no function jumps is one of its own. */
void
patch_parts_find(struct patch_map *m)
{
	size_t i;

	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].is_near && may_be_part(m, &m->codes[i]))
			m->codes[i].owner = NONE;
	find_owners(m);
	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].owner == NONE)
			m->codes[i].owner = i;
	link_parts(m);
}

/* ------------------------------------------------------------ exits */

static const char leaves_it[] = "a conditional jump leaves it";

struct exits {
	const struct patch_map *map;
	size_t function;
	void (*visit)(void *, uintptr_t);
	void *arg;
	const char *problem;
};

static bool
leaves(const struct exits *e, uintptr_t at)
{
	const struct patch_code *code = patch_map_code(e->map,
	    patch_map_target(e->map, at));

	return (code == NULL || code->owner != e->function);
}

static void
look_at_computed(struct exits *e, uintptr_t at, unsigned marks)
{
	if ((marks & PATCH_DOUBT) != 0)
		e->problem = "a jump may be a return";
	else if ((marks & PATCH_DISPATCH) == 0)
		e->visit(e->arg, at);
}

/* A conditional jump out, with the caller's stack, is a tail call. */
static void
look_at_branch(struct exits *e, uintptr_t at)
{
	if (!leaves(e, at))
		return;
	if (patch_frame(e->map->text, at) == PATCH_FRAME_NONE)
		e->visit(e->arg, at);
	else
		e->problem = leaves_it;
}

static void
look_at_exit(struct exits *e, uintptr_t at, unsigned marks)
{
	switch (patch_class(marks)) {
	case PATCH_RETURN:
		e->visit(e->arg, at);
		break;
	case PATCH_COMPUTED:
		look_at_computed(e, at, marks);
		break;
	case PATCH_JMP:
		if (leaves(e, at))
			e->visit(e->arg, at);
		break;
	case PATCH_BRANCH:
		look_at_branch(e, at);
		break;
	case PATCH_ODD:
		if (leaves(e, at))
			e->problem = leaves_it;
		break;
	default:
		break;
	}
}

/* A call at the end is one that does not return. */
static bool
runs_on(enum patch_class class)
{
	return (class == PATCH_PLAIN || class == PATCH_BRANCH ||
	    class == PATCH_ODD);
}

static void
look_at_part(struct exits *e, const struct patch_code *code)
{
	enum patch_class last = PATCH_PLAIN;
	unsigned marks;
	uintptr_t at;

	for (at = code->start; at < code->end; at++) {
		marks = *patch_map_mark(e->map, at);
		if ((marks & PATCH_BEGINS) == 0)
			continue;
		look_at_exit(e, at, marks);
		if (runs_on(last) || !patch_is_filler((const uint8_t *)at))
			last = patch_class(marks);
	}
	if (runs_on(last))
		e->problem = "it runs into the next function";
}

const char *
patch_map_exits(const struct patch_map *m, size_t function,
    void (*visit)(void *, uintptr_t), void *arg)
{
	struct exits e = { m, function, visit, arg, NULL };
	size_t i;

	if (m->codes[function].problem != NULL)
		return (m->codes[function].problem);
	for (i = function; i != PATCH_NO_PART; i = m->codes[i].part)
		look_at_part(&e, &m->codes[i]);
	return (e.problem);
}

/* ------------------------------------------------------------ loops */

void
patch_map_backs(const struct patch_map *m, size_t function,
    void (*visit)(void *, uintptr_t), void *arg)
{
	uintptr_t start = m->codes[function].start, at;
	uintptr_t entry = patch_entry_place(start);
	const struct patch_code *code;
	size_t i;

	for (i = function; i != PATCH_NO_PART; i = code->part) {
		code = &m->codes[i];
		for (at = code->start; at < code->end; at++)
			if ((*patch_map_mark(m, at) & PATCH_BEGINS) != 0 &&
			    is_jump(patch_class(*patch_map_mark(m, at))) &&
			    patch_map_target(m, at) - start <= entry - start)
				visit(arg, at);
	}
}
