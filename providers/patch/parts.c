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

/*
 * Takes a jump from a function into another piece.  Returns true if that has
 * changed an owner.
 */
static bool
take_jump(struct patch_map *m, size_t owner, uintptr_t target)
{
	struct patch_code *to = patch_map_code(m, target);

	if (to == NULL || to->owner == owner ||
	    to->owner == (size_t)(to - m->codes))
		return (false);
	if (to->owner == NONE)
		to->owner = owner;
	else if (to->name == NULL && target == to->start)
		to->owner = (size_t)(to - m->codes);
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

static bool
take_jumps(struct patch_map *m, const struct patch_code *code)
{
	bool changed = false;
	uintptr_t at, target;

	if (code->owner == NONE || !code->leaves)
		return (false);
	for (at = code->start; at < code->end; at++) {
		if ((*patch_map_mark(m, at) & PATCH_BEGINS) == 0 ||
		    !is_jump(patch_class(*patch_map_mark(m, at))))
			continue;
		target = patch_map_target(m, at);
		if (target < code->start || target >= code->end)
			changed |= take_jump(m, code->owner, target);
	}
	return (changed);
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

/* A piece into which no function jumps is one of its own. */
void
patch_parts_find(struct patch_map *m)
{
	bool changed = true;
	unsigned pass;
	size_t i;

	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].is_near && may_be_part(m, &m->codes[i]))
			m->codes[i].owner = NONE;
	for (pass = 0; pass < PASSES_MAX && changed; pass++) {
		changed = false;
		for (i = 0; i < m->ncodes; i++)
			changed |= take_jumps(m, &m->codes[i]);
	}
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
