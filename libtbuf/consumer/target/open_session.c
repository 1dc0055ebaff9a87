/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens a session that is in a file already, built by the target itself or by
 * a consumer that has ended.  It is checked here, so that it can be read as
 * safely as one that this consumer has built.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/target/target.h"

/* Returns true if [at, at + size) is in the file's session areas. */
static bool
inside(const struct tbuf_view *view, uint64_t at, uint64_t size)
{
	return (at >= view->tables.areas && at % 8 == 0 && at <= view->size &&
	    size <= view->size - at);
}

/* The extent of all lanes. */
struct extent {
	uint64_t data;		/* offset of the first one's storage */
	uint64_t storage;	/* bytes of all storage */
	uint64_t end;		/* of the backed part: second tables are not */
};

/* Checks that a lane's storage is in the file, and adds it to the extent. */
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
	extent->data = MIN(extent->data, at);
	if (second != 0)
		extent->end = MIN(extent->end, second);
	extent->storage += size;
	return (true);
}

/* Returns the number of strings in the patterns. */
static uint32_t
count_patterns(const char *patterns, uint32_t size)
{
	uint32_t n = 0, i;

	for (i = 0; i < size; i++)
		n += patterns[i] == '\0';
	return (n);
}

/* Checks that the buffers of speculations, all of one size, are in the file. */
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

/* Without clauses all records are default ones. */
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

/* Copies the lanes before checking them, as the target may change them. */
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
	/* A core may lack thread lanes that were added later. */
	if (i <= t->layout.nmain && i < slot->nlanes)
		error = -EINVAL;
	t->layout.nlanes = i;
	t->layout.storage = e.storage;
	t->backed = e.end > e.data ? e.end - e.data : 0;
	t->layout.data = ((e.data + TBUF_PAGE - 1) & ~(uint64_t)(TBUF_PAGE -
	    1)) - slot->area;
	if (error == 0)
		error = tbuf_readers_make(t, lanes);
	if (error == 0)
		tbuf_lanes_small(t, lanes);
	free(lanes);
	return (error);
}

/* Reads the pool of thread lanes, if all of its words are in the file. */
static void
read_pool(struct tbuf_target *t, const struct tbuf_slot *slot)
{
	uint64_t size = t->order.terms.bufsize & ~UINT64_C(7);
	uint32_t most = slot->nlanes_max;

	t->layout.thread_lane_size = size;
	t->layout.nlanes_max = slot->nlanes;
	if (slot->holders < slot->area || most < slot->nlanes ||
	    t->layout.nmain >= slot->nlanes || most > TBUF_NLANES ||
	    most - t->layout.nmain > TBUF_THREAD_LANES_MAX ||
	    size < TBUF_BUFSIZE_MIN || size > TBUF_BUFSIZE_MAX ||
	    slot->holders % sizeof(struct tbuf_holder) != 0 ||
	    !inside(&t->view, slot->holders,
	    (most - t->layout.nmain) * sizeof(struct tbuf_holder)) ||
	    !inside(&t->view, slot->lanes, most * sizeof(struct tbuf_lane)))
		return;
	t->layout.nlanes_max = most;
	t->layout.holders = slot->holders - slot->area;
}

/*
 * Reads the room for lines of mappings.  It is before the chain heads, so that
 * a consumer's writes there damage nothing but these lines.
 */
static void
read_mappings(struct tbuf_target *t, const struct tbuf_slot *slot,
    const struct tbuf_session *session)
{
	uint64_t at = session->mappings.at, size = session->mappings.size;

	if (at < slot->area + sizeof(*session) || size > TBUF_MAPPINGS_MAX ||
	    !inside(&t->view, at, size) || at + size > slot->heads)
		return;
	t->layout.mappings = at - slot->area;
	t->layout.mappings_size = size;
}

static void
read_session(struct tbuf_target *t, const struct tbuf_slot *slot,
    const struct tbuf_session *session)
{
	t->area = slot->area;
	t->area_end = slot->area + slot->area_size;
	t->generation = session->generation;
	/* The number is enough: the target may change the text. */
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
	t->layout.ecbs = slot->ecbs - slot->area;
	t->layout.lanes = slot->lanes - slot->area;
	t->layout.ecb_max = slot->ecb_max;
	t->layout.nlanes = slot->nlanes;
	t->layout.ncpu_lanes = slot->first_lock;
	t->layout.nmain = tbuf_slot_main(slot);
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
	/* MAP_NORESERVE, as large private mappings would count as committed. */
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
	t->necbs_max = t->layout.ecb_max;
	t->epids = tbuf_zeroed_new(t->necbs_max, sizeof(*t->epids));
	if (t->epids == NULL)
		return (-ENOMEM);
	if ((error = read_lanes(t, &slot)) != 0)
		return (error);
	return (slot.units.at != 0 && !inside(&t->view, slot.units.at,
	    slot.units.size) ? -EINVAL :
	    tbuf_units_adopt(t, &slot.units, &t->order.terms));
}
