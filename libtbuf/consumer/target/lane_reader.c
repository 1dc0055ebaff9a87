/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a lane: sets the end of its records, copies them out of the ring,
 * walks them, and releases their space.
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
table_make(struct tbuf_copied_table *copy, uint64_t place)
{
	uint64_t storage = tbuf_place_storage(place);

	if (place == 0 || storage < TBUF_TABLE_MIN ||
	    storage > TBUF_TABLE_MAX)
		return;
	copy->table = tbuf_place_offset(place);
	copy->storage = storage;
}

struct tbuf_lane *
tbuf_target_lane(const struct tbuf_target *t, uint32_t index)
{
	return ((struct tbuf_lane *)(void *)(t->view.base + t->area +
	    t->layout.lanes) + index);
}

void
tbuf_reader_make(struct tbuf_target *t, uint32_t index,
    const struct tbuf_lane *lane)
{
	struct tbuf_reader *r = &t->readers[index];
	unsigned i;

	r->target = t;
	r->lane = tbuf_target_lane(t, index);
	r->index = index;
	r->cpu = lane->cpu == UINT32_MAX ? -1 : (int)lane->cpu;
	r->is_thread_lane = index >= t->layout.nmain;
	r->locked = lane->kind == TBUF_KIND_LOCK;
	r->data = tbuf_place_offset(lane->place);
	r->storage = tbuf_place_storage(lane->place);
	r->size = r->limit = lane->size;
	r->backed = r->storage;
	r->counters = lane->counters;
	r->until = UINT64_MAX;
	for (i = 0; i < TBUF_NGAPS; i++)
		r->gaps[i].low = UINT64_MAX;
	table_make(&r->tables[0], lane->table[0]);
	table_make(&r->tables[1], lane->table[1]);
}

int
tbuf_readers_make(struct tbuf_target *t, const struct tbuf_lane *lanes)
{
	uint32_t i;

	t->readers = calloc(t->layout.nlanes_max, sizeof(*t->readers));
	if (t->readers == NULL)
		return (-ENOMEM);
	for (i = 0; i < t->layout.nlanes; i++)
		tbuf_reader_make(t, i, &lanes[i]);
	t->nreaders = t->layout.nlanes;
	TAILQ_INIT(&t->spec.batches);
	t->first_lock = t->layout.ncpu_lanes;
	return (0);
}

void
tbuf_copied_table_free(struct tbuf_copied_table *copy)
{
	free(copy->entries);
	free(copy->values);
	*copy = (struct tbuf_copied_table){
		.table = copy->table, .storage = copy->storage
	};
}

void
tbuf_readers_free(struct tbuf_target *t)
{
	uint32_t i;

	tbuf_batches_free(t);
	tbuf_units_free(t);
	for (i = 0; i < t->nreaders; i++) {
		tbuf_reader_forget(&t->readers[i]);
		tbuf_copied_table_free(&t->readers[i].tables[0]);
		tbuf_copied_table_free(&t->readers[i].tables[1]);
	}
	free(t->readers);
	free(t->recorded_gaps);
	t->readers = NULL;
	t->recorded_gaps = NULL;
	t->nreaders = 0;
}

void
tbuf_reader_skip(struct tbuf_reader *r)
{
	r->damage += r->end - r->position;
	r->position = r->end;
}

/* Continues at a head that is not valid; the skipped lane is damage. */
static void
begin_anew(struct tbuf_reader *r, uint64_t head)
{
	r->damage += r->size;
	r->position = r->end = (head + 7) & ~UINT64_C(7);
	r->limit = tbuf_reader_grow(r, r->storage) ? r->position + r->size :
	    r->position;
}

/*
 * The switch: the bytes before head become the inactive half, and the writer
 * may fill another half.
 */
static void
bound_switch(struct tbuf_reader *r)
{
	uint64_t head, limit;

	tbuf_gaps_open(r);
	head = tbuf_load_acquire(&r->lane->head);
	if (head < r->position || head > r->limit || head % 8 != 0) {
		begin_anew(r, head);
		tbuf_store(&r->lane->tail, r->position);
	} else {
		r->end = head;
		limit = MIN(head + r->size, r->position + 2 * r->size);
		if (tbuf_reader_grow(r, limit))
			r->limit = limit;
	}
	tbuf_gaps_close(r);
	/* Release: the released bytes have been read before. */
	tbuf_store_release(&r->lane->limit, r->limit);
}

static void
bound_fill(struct tbuf_reader *r)
{
	uint64_t head;

	tbuf_gaps_open(r);
	head = tbuf_load_acquire(&r->lane->head);
	if (head < r->position || head > r->size || head % 8 != 0)
		begin_anew(r, head);
	else
		r->end = head;
	tbuf_gaps_close(r);
}

/*
 * Notes the lane's last stamp, which no record before a head that has been read
 * is later than.  A lane without one has no bound.
 */
static void
note_latest(struct tbuf_reader *r)
{
	uint64_t last = tbuf_load(&r->lane->last);

	r->latest = last >= r->stamp && last != 0 ? last : UINT64_MAX;
}

static uint64_t
lane_tail(const struct tbuf_reader *r)
{
	struct tbuf_pair pair;

	if (!tbuf_policy(r->target->order.terms.policy)->overwrites)
		return (tbuf_load_acquire(&r->lane->tail));
	tbuf_lane_pair(r->lane, &pair);
	return (pair.tail);
}

/*
 * Takes all of a lane: under ring, or under any policy if it was not read
 * before.  tail is read after head, so that the bytes between them fit into the
 * storage.
 */
static void
bound_all(struct tbuf_reader *r)
{
	uint64_t most = tbuf_policy(r->target->order.terms.policy)->overwrites ?
	    r->size : r->storage;
	uint64_t head, tail;

	tbuf_gaps_open(r);
	head = tbuf_load_acquire(&r->lane->head);
	tail = lane_tail(r);
	r->end = head;
	if (tail >= head)
		r->position = head;
	else if (head - tail > most || head < r->position ||
	    (head | tail) % 8 != 0)
		begin_anew(r, head);
	else if (tail > r->position)
		r->position = tail;
	tbuf_gaps_close(r);
}

void
tbuf_reader_bound(struct tbuf_reader *r, enum tbuf_policy policy)
{
	/* A target without rseq that adopts its file makes it a lock lane. */
	r->locked = tbuf_load(&r->lane->kind) == TBUF_KIND_LOCK;
	r->fetched_size = 0;
	switch (policy) {
	case TBUF_SWITCH:
		bound_switch(r);
		break;
	case TBUF_FILL:
		bound_fill(r);
		break;
	case TBUF_RING:
		bound_all(r);
		break;
	}
	note_latest(r);
	/* Damaged bytes that the writer released are as lost as ours. */
	r->damage += tbuf_gain(&r->skipped, tbuf_load(&r->lane->skipped));
}

/*
 * Skips bytes that the writer may have overwritten while they were copied:
 * those before the lane's present tail.
 */
static void
check_overtaken(struct tbuf_reader *r)
{
	uint64_t tail;

	/*
	 * Pairs with the barrier between moving tail and overwriting.  Under
	 * other policies than ring, the consumer stores tail before the limit
	 * that allows it.
	 */
	tbuf_fence_loads();
	tail = lane_tail(r);
	if (tail > r->position && tail % 8 == 0)
		r->position = tail < r->end ? tail : r->end;
}

/*
 * Returns how many bytes exist from the position on.  A truncated file or core
 * lacks the end of its buffers: the record across that place is not read, and
 * the rest is damage.
 */
static uint64_t
there(const struct tbuf_reader *r)
{
	uint64_t at = r->data + (r->position & (r->storage - 1));
	uint64_t size = r->end - r->position;

	return (r->target->cut < r->data + r->storage ?
	    tbuf_target_known(r->target, at, size) : size);
}

/*
 * Returns how many bytes from `at` on are a hole of a file, up to the end of
 * the storage or of the records.  A consumer's own sessions have no holes.
 */
static uint64_t
hole_at(const struct tbuf_reader *r, uint64_t at)
{
	uint64_t offset = at & (r->storage - 1);

	return (r->target->file_only ? tbuf_file_hole(r->target->fd,
	    r->data + offset, MIN(r->end - at, r->storage - offset)) : 0);
}

/* Skips a hole at the position as damage.  Returns false if there is none. */
static bool
skip_hole(struct tbuf_reader *r)
{
	uint64_t hole = r->position < r->end ? hole_at(r, r->position) : 0;

	r->position += hole;
	r->damage += hole;
	return (hole != 0);
}

/*
 * Skips all bytes before the end of the last hole, as a copy is of bytes that
 * are there, not of all that a file says it has.
 */
static void
skip_holes(struct tbuf_reader *r)
{
	uint64_t at = r->position, size, there, hole;

	for (; r->target->file_only && at < r->end; at += there + hole) {
		size = MIN(r->end - at, r->storage - (at & (r->storage - 1)));
		there = tbuf_file_present(r->target->fd,
		    r->data + (at & (r->storage - 1)), size);
		hole = there == size ? 0 : hole_at(r, at + there);
		/* The hole may have been filled meanwhile. */
		if (there + hole == 0)
			break;
		if (hole != 0) {
			r->damage += at + there + hole - r->position;
			r->position = at + there + hole;
		}
	}
}

static bool
fetch(struct tbuf_reader *r)
{
	uint64_t size = MIN(there(r), r->own == NULL ? r->most :
	    TBUF_CHUNK_OWN);

	if (r->snapshot)
		return (false);
	if (skip_hole(r))
		return (true);
	if (!tbuf_lane_copy(r->target->fd, r->data, r->storage, r->position,
	    r->chunk, size))
		return (false);
	r->fetched = r->position;
	r->fetched_size = size;
	if (tbuf_policy(r->target->order.terms.policy)->overwrites)
		check_overtaken(r);
	return (true);
}

/* Returns the bytes at the position, if `size` of them have been fetched. */
static const void *
fetched(const struct tbuf_reader *r, uint64_t size)
{
	if (r->position < r->fetched || size > r->fetched_size ||
	    r->position - r->fetched > r->fetched_size - size)
		return (NULL);
	return (r->chunk + (r->position - r->fetched));
}

/*
 * Returns the bytes at the position.  Each fetch either reads them, or moves
 * the position because they were overwritten, or are a hole.
 */
static const void *
need(struct tbuf_reader *r, uint64_t size)
{
	const void *bytes;

	while ((bytes = fetched(r, size)) == NULL)
		if (there(r) < size || !fetch(r))
			return (NULL);
	return (bytes);
}

static bool
plausible(const struct tbuf_reader *r, uint16_t size)
{
	return (tbuf_reader_plausible(r, size, r->end - r->position));
}

const struct tbuf_header *
tbuf_reader_fetched(const struct tbuf_reader *r)
{
	const struct tbuf_header *header;

	if (r->position >= r->end ||
	    (header = fetched(r, sizeof(*header))) == NULL ||
	    !plausible(r, header->size) || fetched(r, header->size) == NULL)
		return (NULL);
	return (header);
}

const unsigned char *
tbuf_reader_rest(const struct tbuf_reader *r, uint64_t *size)
{
	const unsigned char *bytes = fetched(r, 0);

	*size = bytes == NULL ? 0 : r->fetched + r->fetched_size - r->position;
	return (bytes);
}

const unsigned char *
tbuf_reader_ahead(struct tbuf_reader *r, uint64_t want, uint64_t *size)
{
	uint64_t left = there(r);

	return (fetched(r, MIN(want, left)) != NULL || fetch(r) ?
	    tbuf_reader_rest(r, size) : NULL);
}

/*
 * A record across the end of the fetched bytes is fetched again from its
 * header on: a header that has another size now was overwritten by a writer
 * that must not write there, and no bytes of that size have been fetched.
 */
int
tbuf_reader_peek(struct tbuf_reader *r, const struct tbuf_header **header)
{
	uint64_t at;
	uint16_t size;

	/* Mostly the whole record has been fetched already. */
	if ((*header = tbuf_reader_fetched(r)) != NULL)
		return (1);
	while (r->position < r->end) {
		if ((*header = need(r, sizeof(**header))) == NULL)
			break;
		size = (*header)->size;
		if (!plausible(r, size))
			return (-1);
		at = r->position;
		*header = need(r, size);
		if (*header != NULL && r->position == at)
			return ((*header)->size == size ? 1 : -1);
		/* It moves at holes, or if the writer overtakes it. */
		if (r->position == at)
			break;
	}
	tbuf_reader_skip(r);
	return (0);
}

bool
tbuf_reader_release(struct tbuf_reader *r)
{
	if (tbuf_policy(r->target->order.terms.policy)->overwrites ||
	    r->target->file_only)
		return (false);
	tbuf_store(&r->lane->consumed, r->consumed);
	tbuf_store_release(&r->lane->tail, r->position);
	return (true);
}

/* Copies the bytes up to the end into `own`, which the reader then owns. */
static void
copy(struct tbuf_reader *r, unsigned char *own)
{
	r->chunk = r->own = own;
	r->snapshot = true;
	if (!tbuf_lane_copy(r->target->fd, r->data, r->storage, r->position,
	    r->own, r->end - r->position))
		tbuf_reader_skip(r);
	r->fetched = r->position;
	r->fetched_size = r->end - r->position;
	note_latest(r);
	check_overtaken(r);
}

int
tbuf_reader_copy(struct tbuf_reader *r)
{
	unsigned char *own;
	uint64_t size;

	tbuf_reader_forget(r);
	skip_holes(r);
	size = r->end - r->position;
	if (size == 0)
		return (0);
	if ((own = malloc(size)) == NULL)
		return (-ENOMEM);
	copy(r, own);
	return (0);
}

/*
 * Copies a ring.  Returns false if all of it was overwritten meanwhile, or
 * there is no memory.  The buffer is touched first: its page faults can take
 * longer than a small ring takes to wrap.
 */
static bool
copy_ring(struct tbuf_reader *r)
{
	unsigned char *own;
	uint64_t size;

	bound_all(r);
	skip_holes(r);
	size = r->end - r->position + TBUF_PAGE;
	if ((own = malloc(size)) == NULL)
		return (false);
	memset(own, 0, size);
	bound_all(r);
	if (r->position == r->end || r->end - r->position > size) {
		free(own);
		return (false);
	}
	copy(r, own);
	return (r->position != r->end);
}

bool
tbuf_reader_early(struct tbuf_reader *r, bool quiet)
{
	uint64_t damage = r->damage, position = r->position;

	if (r->snapshot || !r->target->live ||
	    !tbuf_policy(r->target->order.terms.policy)->overwrites ||
	    tbuf_load(&r->lane->head) < r->size)
		return (true);
	/* Acquire: earlier records are below the head that is read next. */
	if (tbuf_load_acquire(&r->lane->last) < r->target->watermark && !quiet)
		return (false);
	r->locked = tbuf_load(&r->lane->kind) == TBUF_KIND_LOCK;
	r->fetched_size = 0;
	if (copy_ring(r))
		return (true);
	/* The ring was overtaken, or there is no memory: try again. */
	tbuf_reader_forget(r);
	r->damage = damage;
	r->position = r->end = position;
	return (false);
}

int
tbuf_reader_look(struct tbuf_reader *r)
{
	if (r->snapshot) {
		/* Copied in an earlier drain. */
		r->end = r->fetched + r->fetched_size;
		return (0);
	}
	r->locked = tbuf_load(&r->lane->kind) == TBUF_KIND_LOCK;
	r->fetched_size = 0;
	bound_all(r);
	note_latest(r);
	return (r->target->changing ? tbuf_reader_copy(r) : 0);
}

void
tbuf_reader_forget(struct tbuf_reader *r)
{
	free(r->own);
	r->own = NULL;
	r->chunk = NULL;
	r->fetched_size = 0;
	if (!r->snapshot)
		return;
	/* The records are still in the lane, to be returned again. */
	r->snapshot = false;
	r->batch = NULL;
	r->position = r->end = 0;
	r->time = r->stamp = r->batch_time = 0;
}

const void *
tbuf_record_data(const struct tbuf_reader *r, const struct tbuf_header *header,
    size_t *size, int *cpu)
{
	const struct tbuf_lock_record *lock = (const void *)header;
	size_t before = tbuf_reader_head(r);

	*cpu = r->locked && lock->cpu < TBUF_NCPUS * 64 ? (int)lock->cpu :
	    r->cpu;
	*size = header->size - before;
	return ((const char *)header + before);
}
