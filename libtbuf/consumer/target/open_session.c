/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A session that somebody else has built, a target for itself or a consumer
 * that is gone, as it stands in a file: checked, so that reading it is as
 * safe as reading one's own.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/target/target.h"

/* [at, at + size) lies in the file's session areas. */
static bool
inside(const struct tbuf_view *view, uint64_t at, uint64_t size)
{
	return (at >= view->tables.areas && at % 8 == 0 && at <= view->size &&
	    size <= view->size - at);
}

/* What lanes have in common, as they are read. */
struct extent {
	uint64_t data;		/* where the first one's storage is */
	uint64_t storage;	/* of all */
	uint64_t end;		/* of what is backed: second tables are not */
};

/* A lane's storage lies in the file. */
static bool
read_lane(const struct tbuf_view *view, const struct tbuf_lane *lane,
    struct extent *extent)
{
	uint64_t second = tbuf_place_offset(lane->table[1]);
	uint64_t at = tbuf_place_offset(lane->place);
	uint64_t size = tbuf_place_storage(lane->place);

	if (size < 64 || size > view->size || !inside(view, at, size) ||
	    lane->size > size)
		return (false);
	if (at < extent->data)
		extent->data = at;
	if (second != 0 && second < extent->end)
		extent->end = second;
	extent->storage += size;
	return (true);
}

/* How many texts end within the patterns. */
static uint32_t
count_patterns(const char *patterns, uint32_t size)
{
	uint32_t n = 0, i;

	for (i = 0; i < size; i++)
		n += patterns[i] == '\0';
	return (n);
}

/* Their buffers lie in the file, each as large as the next. */
static bool
check_speculations(const struct tbuf_view *view, const struct tbuf_slot *slot)
{
	return (slot->nspec == 0 || (slot->nspec <= TBUF_NSPEC &&
	    slot->speculated >= sizeof(struct tbuf_speculated) &&
	    slot->speculated % 64 == 0 &&
	    slot->speculations.size == (uint64_t)slot->nspec *
	    slot->speculated * tbuf_slot_main(slot) &&
	    inside(view, slot->speculations.at, slot->speculations.size)));
}

/* Where there are no clauses every record is a default one. */
static bool
check_clauses(const struct tbuf_view *view, const struct tbuf_slot *slot)
{
	return (slot->clauses == 0 || (inside(view, slot->clauses,
	    slot->ecb_max * sizeof(struct tbuf_clause)) &&
	    slot->texts.size <= TBUF_META_MAX &&
	    inside(view, slot->texts.at, slot->texts.size) &&
	    slot->globals.size <= TBUF_META_MAX &&
	    (slot->globals.size == 0 ||
	    inside(view, slot->globals.at, slot->globals.size))));
}

static bool
check_slot(const struct tbuf_view *view, const struct tbuf_slot *slot,
    const struct tbuf_session *session)
{
	return (slot->ecb_max <= TBUF_ECBS_MAX &&
	    slot->nlanes > 0 && slot->nlanes <= TBUF_NLANES &&
	    slot->first_lock <= slot->nlanes &&
	    slot->ecbs >= slot->area && slot->lanes >= slot->area &&
	    inside(view, slot->area, slot->area_size) &&
	    inside(view, slot->heads,
	    view->tables.entries * sizeof(uint32_t)) &&
	    inside(view, slot->ecbs,
	    slot->ecb_max * sizeof(struct tbuf_ecb)) &&
	    inside(view, slot->lanes,
	    slot->nlanes * sizeof(struct tbuf_lane)) &&
	    check_clauses(view, slot) && check_speculations(view, slot) &&
	    session->patterns_size <= TBUF_META_MAX &&
	    inside(view, session->patterns & ~UINT64_C(7),
	    session->patterns_size + UINT64_C(8)));
}

/* The lanes are copied before they are looked at: they may change. */
static int
read_lanes(struct tbuf_target *t, const struct tbuf_slot *slot)
{
	size_t size = slot->nlanes * sizeof(struct tbuf_lane);
	struct tbuf_lane *lanes = malloc(size);
	struct extent e = { UINT64_MAX, 0, slot->area + slot->area_size };
	uint32_t i;
	int error = 0;

	if (lanes == NULL)
		return (-ENOMEM);
	memcpy(lanes, t->view.base + slot->lanes, size);
	for (i = 0; i < slot->nlanes; i++)
		if (!read_lane(&t->view, &lanes[i], &e))
			break;
	/* A core need not have the side lanes that were added. */
	if (i <= t->plan.nmain && i < slot->nlanes)
		error = -EINVAL;
	t->plan.nlanes = i;
	t->plan.storage = e.storage;
	t->backed = e.end > e.data ? e.end - e.data : 0;
	t->plan.data = ((e.data + TBUF_PAGE - 1) & ~(uint64_t)(TBUF_PAGE - 1)) -
	    slot->area;
	if (error == 0)
		error = tbuf_sources_make(t, lanes);
	if (error == 0)
		tbuf_lanes_small(t, lanes);
	free(lanes);
	return (error);
}

/* Where lanes may be added, if all of their words lie in the file. */
static void
read_pool(struct tbuf_target *t, const struct tbuf_slot *slot)
{
	uint64_t size = t->order.terms.bufsize & ~UINT64_C(7);
	uint32_t most = slot->nlanes_max;

	t->plan.side_size = size;
	t->plan.nlanes_max = slot->nlanes;
	if (slot->holders < slot->area || most < slot->nlanes ||
	    t->plan.nmain >= slot->nlanes || most > TBUF_NLANES ||
	    most - t->plan.nmain > TBUF_SIDES_MAX ||
	    size < TBUF_BUFSIZE_MIN || size > TBUF_BUFSIZE_MAX ||
	    slot->holders % sizeof(struct tbuf_holder) != 0 ||
	    !inside(&t->view, slot->holders,
	    (most - t->plan.nmain) * sizeof(struct tbuf_holder)) ||
	    !inside(&t->view, slot->lanes, most * sizeof(struct tbuf_lane)))
		return;
	t->plan.nlanes_max = most;
	t->plan.holders = slot->holders - slot->area;
}

/*
 * Room for lines of what was mapped, in front of the heads, where nothing but
 * they is lost by what a consumer leaves there.
 */
static void
read_mappings(struct tbuf_target *t, const struct tbuf_slot *slot,
    const struct tbuf_session *session)
{
	uint64_t at = session->mappings.at, size = session->mappings.size;

	if (at < slot->area + sizeof(*session) || size > TBUF_MAPPINGS_MAX ||
	    !inside(&t->view, at, size) || at + size > slot->heads)
		return;
	t->plan.mappings = at - slot->area;
	t->plan.mappings_size = size;
}

static void
read_session(struct tbuf_target *t, const struct tbuf_slot *slot,
    const struct tbuf_session *session)
{
	t->area = slot->area;
	t->area_end = slot->area + slot->area_size;
	t->generation = session->generation;
	/* Their number is enough: the target may change their text. */
	t->order.npatterns = count_patterns((const char *)t->view.base +
	    session->patterns, session->patterns_size);
	t->clauses = slot->clauses;
	t->texts = slot->texts;
	t->globals = slot->globals;
	if (inside(&t->view, slot->blocks.at, slot->blocks.size))
		t->blocks.part = slot->blocks;
	if (inside(&t->view, slot->dynamic.at, slot->dynamic.size))
		t->elements.part = slot->dynamic;
	t->spec.count = slot->nspec;
	t->spec.bytes = slot->speculated;
	t->spec.at = slot->speculations.at;
	t->plan.ecbs = slot->ecbs - slot->area;
	t->plan.lanes = slot->lanes - slot->area;
	t->plan.ecb_max = slot->ecb_max;
	t->plan.nlanes = slot->nlanes;
	t->plan.ncpu_lanes = slot->first_lock;
	t->plan.nmain = tbuf_slot_main(slot);
	read_pool(t, slot);
	read_mappings(t, slot, session);
}

int
tbuf_session_adopt(struct tbuf_target *t, unsigned number, int flags,
    struct tbuf_session *session)
{
	struct tbuf_control control;
	struct tbuf_slot slot;
	struct stat st;
	void *p;
	int error;

	if (fstat(t->fd, &st) != 0)
		return (-errno);
	if (pread(t->fd, &control, sizeof(control), 0) != sizeof(control) ||
	    tbuf_control_check(&control, (uint64_t)st.st_size) != 0)
		return (-EINVAL);
	/* A private mapping of large buffers would count as so much memory. */
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
	    flags | MAP_NORESERVE, t->fd, 0);
	if (p == MAP_FAILED)
		return (-errno);
	t->view.base = p;
	t->view.size = (uint64_t)st.st_size;
	t->view.tables = control.tables;
	memcpy(&slot, tbuf_view_slot(&t->view, number), sizeof(slot));
	if (!tbuf_terms_read(&tbuf_view_slot(&t->view, number)->terms,
	    &t->order.terms) ||
	    !inside(&t->view, slot.area, sizeof(*session)))
		return (-EINVAL);
	memcpy(session, t->view.base + slot.area, sizeof(*session));
	if (!check_slot(&t->view, &slot, session))
		return (-EINVAL);
	read_session(t, &slot, session);
	t->necbs_max = t->plan.ecb_max;
	t->epids = tbuf_sparse_new(t->necbs_max, sizeof(*t->epids));
	if (t->epids == NULL)
		return (-ENOMEM);
	if ((error = read_lanes(t, &slot)) != 0)
		return (error);
	return (slot.units.at != 0 && !inside(&t->view, slot.units.at,
	    slot.units.size) ? -EINVAL :
	    tbuf_units_adopt(t, &slot.units, &t->order.terms));
}
