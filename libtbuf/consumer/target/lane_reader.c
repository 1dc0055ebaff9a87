/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a lane: marks the records in it, copies them out of the ring, walks
 * them, and releases their space.
 *
 * The bytes are read by pread(2), never through a mapping.  Of the lane's
 * words, only head and, under ring, tail are used, and only within bounds that
 * the consumer has set itself.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"
#include "consumer/files/files.h"
#include "consumer/target/target.h"

/* Notes where a table is; its contents are checked when they are read. */
static void
table_make(struct tbuf_seen *seen, uint64_t place)
{
	uint64_t storage = tbuf_place_storage(place);

	if (place == 0 || storage < TBUF_TABLE_MIN ||
	    storage > TBUF_TABLE_MAX)
		return;
	seen->table = tbuf_place_offset(place);
	seen->storage = storage;
}

struct tbuf_lane *
tbuf_target_lane(const struct tbuf_target *t, uint32_t index)
{
	return ((struct tbuf_lane *)(void *)(t->view.base + t->area +
	    t->layout.lanes) + index);
}

void
tbuf_source_make(struct tbuf_target *t, uint32_t index,
    const struct tbuf_lane *lane)
{
	struct tbuf_source *s = &t->sources[index];

	s->target = t;
	s->lane = tbuf_target_lane(t, index);
	s->index = index;
	s->cpu = lane->cpu == UINT32_MAX ? -1 : (int)lane->cpu;
	s->beside = index >= t->layout.nmain;
	s->locked = lane->kind == TBUF_KIND_LOCK;
	s->data = tbuf_place_offset(lane->place);
	s->storage = tbuf_place_storage(lane->place);
	s->size = s->limit = lane->size;
	s->backed = s->storage;
	s->side = lane->side;
	table_make(&s->seen[0], lane->table[0]);
	table_make(&s->seen[1], lane->table[1]);
}

int
tbuf_sources_make(struct tbuf_target *t, const struct tbuf_lane *lanes)
{
	uint32_t i;

	t->sources = calloc(t->layout.nlanes_max, sizeof(*t->sources));
	if (t->sources == NULL)
		return (-ENOMEM);
	for (i = 0; i < t->layout.nlanes; i++)
		tbuf_source_make(t, i, &lanes[i]);
	t->nsources = t->layout.nlanes;
	TAILQ_INIT(&t->spec.batches);
	t->first_lock = t->layout.ncpu_lanes;
	return (0);
}

void
tbuf_seen_forget(struct tbuf_seen *seen)
{
	free(seen->entries);
	free(seen->values);
	*seen = (struct tbuf_seen){
		.table = seen->table, .storage = seen->storage
	};
}

void
tbuf_sources_free(struct tbuf_target *t)
{
	uint32_t i;

	tbuf_batches_free(t);
	tbuf_units_free(t);
	for (i = 0; i < t->nsources; i++) {
		tbuf_source_forget(&t->sources[i]);
		tbuf_seen_forget(&t->sources[i].seen[0]);
		tbuf_seen_forget(&t->sources[i].seen[1]);
	}
	free(t->sources);
	t->sources = NULL;
	t->nsources = 0;
}

/* Skips everything up to the mark. */
static void
skip(struct tbuf_source *s)
{
	s->damage += s->mark - s->position;
	s->position = s->mark;
}

/* Starts again at a head that is not valid. */
static void
begin_anew(struct tbuf_source *s, uint64_t head)
{
	s->damage += s->size;
	s->position = s->mark = (head + 7) & ~UINT64_C(7);
	s->limit = tbuf_source_grow(s, s->storage) ? s->position + s->size :
	    s->position;
}

/*
 * The switch: the bytes before head become the inactive half, and the writer
 * may fill another half.
 */
static void
mark_switch(struct tbuf_source *s)
{
	uint64_t head = tbuf_load_acquire(&s->lane->head), limit;

	if (head < s->position || head > s->limit || head % 8 != 0) {
		begin_anew(s, head);
		tbuf_store(&s->lane->tail, s->position);
	} else {
		s->mark = head;
		limit = head + s->size;
		if (limit > s->position + 2 * s->size)
			limit = s->position + 2 * s->size;
		if (tbuf_source_grow(s, limit))
			s->limit = limit;
	}
	/* Release: the released bytes have been read before. */
	tbuf_store_release(&s->lane->limit, s->limit);
}

static void
mark_fill(struct tbuf_source *s)
{
	uint64_t head = tbuf_load_acquire(&s->lane->head);

	if (head < s->position || head > s->size || head % 8 != 0)
		begin_anew(s, head);
	else
		s->mark = head;
}

/* tail is read after head, so that the bytes between them fit into the ring. */
static void
mark_ring(struct tbuf_source *s)
{
	uint64_t head = tbuf_load_acquire(&s->lane->head);
	struct tbuf_pair pair;

	tbuf_lane_pair(s->lane, &pair);
	s->mark = head;
	if (pair.tail >= head)
		s->position = head;
	else if (head - pair.tail > s->size || head < s->position ||
	    (head | pair.tail) % 8 != 0)
		begin_anew(s, head);
	else if (pair.tail > s->position)
		s->position = pair.tail;
}

void
tbuf_source_mark(struct tbuf_source *s, enum tbuf_policy policy)
{
	/* The target may have turned the lanes into lock lanes (relabel()). */
	s->locked = tbuf_load(&s->lane->kind) == TBUF_KIND_LOCK;
	s->fetched_size = 0;
	switch (policy) {
	case TBUF_SWITCH:
		mark_switch(s);
		break;
	case TBUF_FILL:
		mark_fill(s);
		break;
	case TBUF_RING:
		mark_ring(s);
		break;
	}
}

static uint64_t
lane_tail(const struct tbuf_source *s)
{
	struct tbuf_pair pair;

	if (!tbuf_policy(s->target->order.terms.policy)->overwrites)
		return (tbuf_load_acquire(&s->lane->tail));
	tbuf_lane_pair(s->lane, &pair);
	return (pair.tail);
}

/*
 * Drops bytes that the writer may have overwritten while they were copied:
 * those before the lane's present tail.
 */
static void
check_overtaken(struct tbuf_source *s)
{
	uint64_t tail;

	/*
	 * Pairs with the barrier between moving tail and overwriting.  Under
	 * other policies than ring, the consumer stores tail before the limit
	 * that allows it.
	 */
	tbuf_fence_loads();
	tail = lane_tail(s);
	if (tail > s->position && tail % 8 == 0)
		s->position = tail < s->mark ? tail : s->mark;
}

/*
 * Returns how many bytes exist from the position on.  A truncated file or core
 * lacks the end of its buffers: the record across that place is not read, and
 * the rest is damage.
 */
static uint64_t
there(const struct tbuf_source *s)
{
	uint64_t at = s->data + (s->position & (s->storage - 1));
	uint64_t size = s->mark - s->position;

	return (s->target->cut < s->data + s->storage ?
	    tbuf_target_known(s->target, at, size) : size);
}

static bool
fetch(struct tbuf_source *s)
{
	uint64_t size = there(s);
	uint64_t room = s->own == NULL ? TBUF_CHUNK : TBUF_CHUNK_OWN;

	if (s->snapshot)
		return (false);
	if (size > room)
		size = room;
	if (!tbuf_lane_copy(s->target->fd, s->data, s->storage, s->position,
	    s->chunk, size))
		return (false);
	s->fetched = s->position;
	s->fetched_size = size;
	if (tbuf_policy(s->target->order.terms.policy)->overwrites)
		check_overtaken(s);
	return (true);
}

/* Returns the bytes at the position, if `size` of them have been fetched. */
static const void *
fetched(const struct tbuf_source *s, uint64_t size)
{
	if (s->position < s->fetched || size > s->fetched_size ||
	    s->position - s->fetched > s->fetched_size - size)
		return (NULL);
	return (s->chunk + (s->position - s->fetched));
}

/*
 * Returns the bytes at the position.  Each fetch either reads them, or moves
 * the position because they were overwritten.
 */
static const void *
need(struct tbuf_source *s, uint64_t size)
{
	const void *bytes;

	while ((bytes = fetched(s, size)) == NULL)
		if (there(s) < size || !fetch(s))
			return (NULL);
	return (bytes);
}

static bool
plausible(const struct tbuf_source *s, uint16_t size)
{
	uint64_t least = s->locked ? sizeof(struct tbuf_lock_record) :
	    sizeof(struct tbuf_header);

	return (size >= least && tbuf_record_plausible(size,
	    s->mark - s->position));
}

const struct tbuf_header *
tbuf_source_fetched(const struct tbuf_source *s)
{
	const struct tbuf_header *header;

	if (s->position >= s->mark ||
	    (header = fetched(s, sizeof(*header))) == NULL ||
	    !plausible(s, header->size) || fetched(s, header->size) == NULL)
		return (NULL);
	return (header);
}

const unsigned char *
tbuf_source_rest(const struct tbuf_source *s, uint64_t *size)
{
	const unsigned char *bytes = fetched(s, 0);

	*size = bytes == NULL ? 0 : s->fetched + s->fetched_size - s->position;
	return (bytes);
}

int
tbuf_source_peek(struct tbuf_source *s, const struct tbuf_header **header)
{
	uint64_t at;

	/* Mostly the whole record has been fetched already. */
	if ((*header = tbuf_source_fetched(s)) != NULL)
		return (1);
	while (s->position < s->mark) {
		*header = need(s, sizeof(**header));
		if (*header == NULL || !plausible(s, (*header)->size))
			break;
		at = s->position;
		*header = need(s, (*header)->size);
		if (*header != NULL && s->position == at)
			return (1);
		/* If the position moved, a ring's writer has overtaken it. */
		if (s->position == at)
			break;
	}
	skip(s);
	return (0);
}

bool
tbuf_source_release(struct tbuf_source *s)
{
	if (tbuf_policy(s->target->order.terms.policy)->overwrites ||
	    s->target->file_only)
		return (false);
	tbuf_store(&s->lane->consumed, s->consumed);
	tbuf_store_release(&s->lane->tail, s->position);
	return (true);
}

/* Copies the bytes up to the mark into `own`, which the source then owns. */
static void
copy(struct tbuf_source *s, unsigned char *own)
{
	uint64_t size = s->mark - s->position;

	s->chunk = s->own = own;
	s->snapshot = true;
	if (!tbuf_lane_copy(s->target->fd, s->data, s->storage, s->position,
	    s->own, size))
		skip(s);
	s->fetched = s->position;
	s->fetched_size = size;
	check_overtaken(s);
}

int
tbuf_source_copy(struct tbuf_source *s)
{
	uint64_t size = s->mark - s->position;
	unsigned char *own;

	tbuf_source_forget(s);
	if (size == 0)
		return (0);
	if ((own = malloc(size)) == NULL)
		return (-ENOMEM);
	copy(s, own);
	return (0);
}

/*
 * Marks as mark_ring() does, under any policy, for a lane that was not read
 * before: tail is read after head, so that the bytes between them fit into the
 * storage.
 */
static void
mark_file(struct tbuf_source *s)
{
	uint64_t head = tbuf_load_acquire(&s->lane->head), tail = lane_tail(s);
	uint64_t most = tbuf_policy(s->target->order.terms.policy)->overwrites ?
	    s->size : s->storage;

	s->mark = head;
	if (tail >= head)
		s->position = head;
	else if (head - tail > most || head < s->position ||
	    (head | tail) % 8 != 0)
		begin_anew(s, head);
	else if (tail > s->position)
		s->position = tail;
}

/*
 * Copies a ring.  Returns false if all of it was overwritten meanwhile.  The
 * buffer is touched first: its page faults can take longer than a small ring
 * takes to wrap.
 */
static bool
copy_ring(struct tbuf_source *s)
{
	unsigned char *own;
	uint64_t size;

	mark_file(s);
	size = s->mark - s->position + TBUF_PAGE;
	if ((own = malloc(size)) == NULL)
		return (false);
	memset(own, 0, size);
	mark_file(s);
	if (s->position == s->mark || s->mark - s->position > size) {
		free(own);
		return (false);
	}
	copy(s, own);
	return (s->position != s->mark);
}

bool
tbuf_source_early(struct tbuf_source *s, bool quiet)
{
	uint64_t damage = s->damage, position = s->position;

	if (s->snapshot || !s->target->live ||
	    !tbuf_policy(s->target->order.terms.policy)->overwrites ||
	    tbuf_load(&s->lane->head) < s->size)
		return (true);
	/* Acquire: earlier records are before the mark. */
	if (tbuf_load_acquire(&s->lane->last) < s->target->watermark && !quiet)
		return (false);
	s->locked = tbuf_load(&s->lane->kind) == TBUF_KIND_LOCK;
	s->fetched_size = 0;
	if (copy_ring(s))
		return (true);
	/* The ring was overtaken, or there is no memory: try again. */
	tbuf_source_forget(s);
	s->damage = damage;
	s->position = s->mark = position;
	return (false);
}

int
tbuf_source_look(struct tbuf_source *s)
{
	if (s->snapshot) {
		/* Copied in an earlier drain. */
		s->mark = s->fetched + s->fetched_size;
		return (0);
	}
	s->locked = tbuf_load(&s->lane->kind) == TBUF_KIND_LOCK;
	s->fetched_size = 0;
	mark_file(s);
	return (s->target->changing ? tbuf_source_copy(s) : 0);
}

void
tbuf_source_forget(struct tbuf_source *s)
{
	free(s->own);
	s->own = NULL;
	s->chunk = NULL;
	s->fetched_size = 0;
	if (!s->snapshot)
		return;
	/* The records are still in the lane, to be returned again. */
	s->snapshot = false;
	s->batch = NULL;
	s->position = s->mark = 0;
	s->time = 0;
}

void
tbuf_side_read(const struct tbuf_source *s, struct tbuf_side *side)
{
	if (s->side == 0 || s->target->file_only || !tbuf_file_read(
	    s->target->fd, side, sizeof(*side), s->side))
		memset(side, 0, sizeof(*side));
}

uint64_t
tbuf_source_nolane(const struct tbuf_source *s, enum tbuf_lost lost)
{
	const struct tbuf_target *t = s->target;
	uint32_t lock;
	uint64_t word;

	if (s->nolane_closed)
		return (s->nolane[lost]);
	/* Until then it is not known which lanes have locks. */
	if (!t->live)
		return (0);
	lock = s->index - t->first_lock;
	if (s->index < t->first_lock || lock >= TBUF_NLOCKS)
		return (0);
	word = tbuf_load(&tbuf_target_slot(t)->locks[lock].nolane[lost]);
	if (((word ^ tbuf_nolane_tag(t->generation)) >>
	    TBUF_NOLANE_SHIFT) != 0)
		return (0);
	return (word & TBUF_NOLANE_COUNT);
}

uint64_t
tbuf_source_counter(const struct tbuf_source *s, unsigned counter)
{
	struct tbuf_pair pair;
	struct tbuf_side side;

	switch (counter) {
	case TBUF_CAUSE_FULL:
		return (tbuf_full_count(tbuf_load(&s->lane->full)));
	case TBUF_CAUSE_LARGE:
		return (tbuf_load(&s->lane->large));
	case TBUF_AGGREGATION:
		tbuf_side_read(s, &side);
		return (side.aggregation +
		    tbuf_source_nolane(s, TBUF_LOST_UPDATE));
	case TBUF_DYNAMIC:
		tbuf_side_read(s, &side);
		return (side.dynamic + tbuf_source_nolane(s, TBUF_LOST_STORE));
	case TBUF_OVERWRITTEN:
		tbuf_lane_pair(s->lane, &pair);
		return (pair.overwritten);
	}
	return (tbuf_source_nolane(s, TBUF_LOST_RECORD));
}
