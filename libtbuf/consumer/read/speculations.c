/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Speculations of targets (layout/speculation.h).  A batch, the records of a
 * committed instance in all lanes, is taken at cleanrate, which frees its id,
 * or at the latest when its commit record is read.  It is returned in the place
 * of the commit record.
 *
 *	taken ---> its commit record is read: returned
 *	  |------> all lanes were read since, and it has no commit record:
 *	  |	   drops, or under ring overwritten
 *	  +------> there is no room for it: drops or overwritten, too
 *
 * A target's words are checked against the bounds of its buffers, and records
 * are copied before they are read.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"
#include "consumer/files/files.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

/* ------------------------------------------------------------ words */

static uint64_t *
word_of(const struct tbuf_target *t, uint32_t id)
{
	return (&tbuf_target_slot(t)->speculation[id]);
}

/* Returns the instance of an id if it is in this state, else 0. */
static uint64_t
instance_in(const struct tbuf_target *t, uint32_t id,
    enum tbuf_speculation_state state)
{
	uint64_t word = tbuf_load_acquire(word_of(t, id));
	uint64_t instance = tbuf_speculation_instance(word);

	return (word == tbuf_speculation_word(t->generation, instance,
	    state) ? instance : 0);
}

/*
 * Frees an id that is COMMITTING or COMMITTED.  A file is mapped privately:
 * only this process sees the id free, and does not take its batch twice.
 */
static void
release(struct tbuf_target *t, uint32_t id, uint64_t instance)
{
	uint64_t from[2] = {
		tbuf_speculation_word(t->generation, instance,
		    TBUF_COMMITTING),
		tbuf_speculation_word(t->generation, instance,
		    TBUF_COMMITTED_BATCH)
	};
	uint64_t to = tbuf_speculation_word(t->generation, instance,
	    TBUF_INACTIVE);

	if (!tbuf_cas(word_of(t, id), from[0], to))
		(void)tbuf_cas(word_of(t, id), from[1], to);
}

/* ------------------------------------------------------------ batches */

static void
lose(struct tbuf_target *t, struct tbuf_batch *b)
{
	if (tbuf_policy(t->order.terms.policy)->overwrites)
		t->spec.overwritten += b->count;
	else
		t->spec.drops += b->count;
	tbuf_batch_free(t, b);
}

bool
tbuf_batch_add(struct tbuf_consumer *c, struct tbuf_batch *b,
    const struct tbuf_reader *r, uint64_t at)
{
	const struct tbuf_header *header;
	struct tbuf_batch_item *items;
	uint64_t damage;

	for (; b->size - at >= sizeof(*header); at += header->size) {
		header = (const void *)(b->bytes + at);
		if (!tbuf_reader_plausible(r, header->size, b->size - at)) {
			damage = tbuf_batch_resync(c, r, header, b->size - at);
			b->damage += damage;
			at += damage;
			header = (const void *)(b->bytes + at);
			if (at == b->size)
				break;
		}
		/* The room doubles when count + 1 is a power of two. */
		if ((b->count & (b->count + 1)) == 0) {
			items = reallocarray(b->items, 2 * b->count + 2,
			    sizeof(*items));
			if (items == NULL)
				return (false);
			b->items = items;
		}
		b->items[b->count++] = (struct tbuf_batch_item){ header, r };
	}
	return (true);
}

/* Returns the bytes of a batch in a lane, at *at; adds its drops to *drops. */
static uint64_t
buffer_look(const struct tbuf_target *t, const struct tbuf_batch *b,
    unsigned lane, uint64_t *at, uint64_t *drops)
{
	struct tbuf_speculated buffer;
	uint64_t size;

	*at = t->spec.at + (lane * (uint64_t)t->spec.count + b->id) *
	    t->spec.bytes;
	if (!tbuf_target_read(t, &buffer, sizeof(buffer), *at))
		return (0);
	*drops += tbuf_speculated_count(buffer.drops, b->instance);
	*at += sizeof(buffer);
	size = 8 * tbuf_speculated_count(buffer.head, b->instance);
	return (size <= t->spec.bytes - sizeof(buffer) ?
	    tbuf_target_present(t, *at, size) : 0);
}

/* Reads the records in all lanes, without those that are added meanwhile. */
static bool
batch_read(struct tbuf_consumer *c, struct tbuf_target *t,
    struct tbuf_batch *b)
{
	uint64_t *sizes = calloc(t->nreaders, sizeof(*sizes));
	uint64_t *places = calloc(t->nreaders, sizeof(*places)), size = 0;
	bool good = sizes != NULL && places != NULL;
	unsigned i;

	for (i = 0; good && i < t->nreaders &&
	    !t->readers[i].is_thread_lane; i++) {
		sizes[i] = buffer_look(t, b, i, &places[i], &b->drops);
		size += sizes[i];
	}
	good = good && (b->bytes = malloc(size + 1)) != NULL;
	for (i = 0; good && i < t->nreaders &&
	    !t->readers[i].is_thread_lane; i++) {
		t->readers[i].locked =
		    tbuf_load(&t->readers[i].lane->kind) == TBUF_KIND_LOCK;
		if (!tbuf_file_read(t->fd, b->bytes + b->size, sizes[i],
		    places[i]))
			continue;
		size = b->size;
		b->size += sizes[i];
		good = tbuf_batch_add(c, b, &t->readers[i], size);
	}
	free(sizes);
	free(places);
	return (good);
}

static int
compare(const void *a, const void *b)
{
	const struct tbuf_batch_item *x = a, *y = b;

	if (x->header->time != y->header->time)
		return (x->header->time < y->header->time ? -1 : 1);
	return (x->header < y->header ? -1 : x->header > y->header);
}

/*
 * Takes an instance's batch and frees its id.  Returns NULL if there is no
 * memory: then the batch stays in the lanes.
 */
static struct tbuf_batch *
batch_take(struct tbuf_consumer *c, struct tbuf_target *t, uint32_t id,
    uint64_t instance)
{
	struct tbuf_batch *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return (NULL);
	b->id = id;
	b->instance = instance;
	if (!batch_read(c, t, b)) {
		tbuf_batch_free(t, b);
		return (NULL);
	}
	if (b->count > 1)
		qsort(b->items, b->count, sizeof(*b->items), compare);
	t->spec.drops += b->drops;
	release(t, id, instance);
	return (b);
}

/* Stores a batch in the list, if all batches take no more than the lanes. */
static void
batch_keep(struct tbuf_target *t, struct tbuf_batch *b)
{
	uint64_t lanes = t->layout.ncpu_lanes != 0 ? t->layout.ncpu_lanes : 1;
	uint64_t most = t->order.terms.bufsize * lanes;

	while (tbuf_policy(t->order.terms.policy)->overwrites &&
	    !TAILQ_EMPTY(&t->spec.batches) && t->spec.retained + b->size > most)
		lose(t, TAILQ_FIRST(&t->spec.batches));
	if (t->spec.retained + b->size > most) {
		lose(t, b);
		return;
	}
	b->retained = true;
	t->spec.retained += b->size;
	TAILQ_INSERT_TAIL(&t->spec.batches, b, link);
}

static bool
speculates(const struct tbuf_target *t)
{
	return (t->spec.count != 0 && t->nreaders != 0 && t->fd != -1 &&
	    tbuf_session_holds(t));
}

void
tbuf_batches_clean(struct tbuf_consumer *c)
{
	struct tbuf_target *t;
	struct tbuf_batch *b;
	uint64_t instance;
	uint32_t id;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (!speculates(t) || t->file_only)
			continue;
		for (id = 0; id < t->spec.count; id++) {
			instance = instance_in(t, id, TBUF_COMMITTED_BATCH);
			if (instance != 0 &&
			    (b = batch_take(c, t, id, instance)) != NULL)
				batch_keep(t, b);
		}
	}
}

/* ------------------------------------------------------------ returning */

/* Reads a commit record's data, which come after the CPU in a lock lane. */
static bool
commit_read(const struct tbuf_reader *r, const struct tbuf_header *header,
    struct tbuf_commit_record *commit)
{
	size_t before = tbuf_reader_head(r);

	if (header->size != before + sizeof(*commit))
		return (false);
	memcpy(commit, (const char *)header + before, sizeof(*commit));
	return (commit->id != 0 && commit->id <= r->target->spec.count);
}

static struct tbuf_batch *
batch_find(struct tbuf_consumer *c, struct tbuf_target *t,
    const struct tbuf_commit_record *commit)
{
	uint32_t id = commit->id - 1;
	struct tbuf_batch *b;

	TAILQ_FOREACH(b, &t->spec.batches, link)
		if (b->id == id && b->instance == commit->instance)
			return (b);
	if (!speculates(t) || commit->instance == 0 ||
	    (instance_in(t, id, TBUF_COMMITTING) != commit->instance &&
	    instance_in(t, id, TBUF_COMMITTED_BATCH) != commit->instance))
		return (NULL);
	return (batch_take(c, t, id, commit->instance));
}

void
tbuf_batch_commit(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header)
{
	struct tbuf_commit_record commit;

	if (commit_read(r, header, &commit)) {
		r->batch = batch_find(c, r->target, &commit);
		if (r->batch != NULL)
			r->batch->next = 0;
	} else
		tbuf_reader_unplaced(r, header->size);
	tbuf_reader_step(r, header);
	if (!c->drain.snapshot)
		r->consumed++;
}

void
tbuf_batch_done(const struct tbuf_consumer *c, struct tbuf_reader *r)
{
	struct tbuf_batch *b = r->batch;

	r->batch = NULL;
	if (!c->drain.snapshot || b->unit)
		tbuf_batch_free(r->target, b);
	else if (!b->retained)
		batch_keep(r->target, b);
}

bool
tbuf_batch_wants(struct tbuf_consumer *c, struct tbuf_target *t,
    const struct tbuf_header *header)
{
	const struct tbuf_epid *epid = t->file_only ?
	    tbuf_epid_find(c, t, header->epid) : NULL;

	return (epid == NULL || !epid->unwanted);
}

/*
 * Returns the item's record as an event.  Its size is checked again: the lane's
 * kind, which a target can change, is part of that check.
 */
static bool
item_event(struct tbuf_consumer *c, const struct tbuf_batch_item *item,
    struct tbuf_event *event)
{
	const struct tbuf_header *header = item->header;

	return (header->epid < TBUF_EPID_COMMIT &&
	    tbuf_reader_plausible(item->reader, header->size, header->size) &&
	    tbuf_record_event(c, item->reader, header, event));
}

/* Makes the event that comes before the records of a hung unit. */
static void
announce(struct tbuf_target *t, struct tbuf_batch *b,
    struct tbuf_event *event)
{
	struct tbuf_record *record = &event->record;

	b->announced = true;
	event->type = TBUF_EVENT_HUNG;
	event->pid = record->pid = t->pid;
	event->cpu = -1;
	event->count = b->count;
	record->time = b->info.began + b->info.hung;
	record->wall = tbuf_timeline_wall(&t->time, record->time);
	record->execname = tbuf_target_execname(t);
	record->unit = &b->info;
}

/* Returns true if a batch's records are returned again, and count then. */
static bool
comes_again(const struct tbuf_consumer *c, const struct tbuf_target *t,
    const struct tbuf_batch *b)
{
	return (c->drain.snapshot || (b->info.hung != 0 && !t->file_only));
}

int
tbuf_batch_next(struct tbuf_consumer *c, struct tbuf_reader *r,
    struct tbuf_event *event)
{
	struct tbuf_batch *b = r->batch;
	const struct tbuf_batch_item *item;

	if (b != NULL) {
		tbuf_reader_unplaced(r, b->damage);
		b->damage = 0;
	}
	if (b != NULL && b->info.hung != 0 && !b->announced) {
		announce(r->target, b, event);
		return (1);
	}
	while (b != NULL && b->next < b->count) {
		item = &b->items[b->next++];
		if (!tbuf_batch_wants(c, r->target, item->header))
			continue;
		if (!item_event(c, item, event)) {
			tbuf_reader_unplaced(r, item->header->size);
			continue;
		}
		event->record.unit = b->unit ? &b->info : NULL;
		if (!comes_again(c, r->target, b))
			c->totals.records++;
		return (1);
	}
	if (b != NULL)
		tbuf_batch_done(c, r);
	return (0);
}

/* ------------------------------------------------------------ the end */

void
tbuf_batches_due(struct tbuf_target *t, bool due)
{
	struct tbuf_batch *b;

	if (t->spec.count != 0)
		TAILQ_FOREACH(b, &t->spec.batches, link)
			b->due = due;
}

bool
tbuf_batches_unfinished(struct tbuf_consumer *c, struct tbuf_target *t,
    bool end)
{
	struct tbuf_reader *r = t->readers;
	struct tbuf_batch *b, *next;
	uint64_t instance;

	if (!speculates(t))
		return (false);
	TAILQ_FOREACH_SAFE(b, &t->spec.batches, link, next)
		if (b->due && b != r->batch)
			lose(t, b);
	while (r->batch == NULL && end && t->spec.next < t->spec.count) {
		instance = instance_in(t, t->spec.next, TBUF_COMMITTING);
		if (instance != 0)
			r->batch = batch_take(c, t, t->spec.next,
			    instance);
		t->spec.next++;
	}
	return (r->batch != NULL);
}

/* Sums failed speculation() calls.  Counters last as long as the session. */
static uint64_t
failed(const struct tbuf_target *t, bool busy)
{
	struct tbuf_lane_counters counters;
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < t->nreaders; i++)
		if (t->readers[i].counters != 0 && tbuf_file_read(t->fd,
		    &counters, sizeof(counters), t->readers[i].counters))
			sum += busy ? counters.busy : counters.unavailable;
	return (sum);
}

/* Returns the increase since the last report. */
static uint64_t
failed_since(struct tbuf_target *t, bool busy)
{
	return (tbuf_gain(&t->spec.reported[busy], failed(t, busy)));
}

static uint64_t
take(uint64_t *count)
{
	uint64_t now = *count;

	*count = 0;
	return (now);
}

int
tbuf_batches_losses(struct tbuf_consumer *c, struct tbuf_target *t,
    struct tbuf_event *event)
{
	if (t->nreaders == 0 || t->fd == -1 || !tbuf_session_holds(t))
		return (0);
	event->type = TBUF_EVENT_SPECULATIVE;
	if ((event->count = take(&t->spec.drops)) != 0)
		return (1);
	event->type = TBUF_EVENT_BUSY;
	if ((event->count = failed_since(t, true)) != 0)
		return (1);
	event->type = TBUF_EVENT_UNAVAILABLE;
	if ((event->count = failed_since(t, false)) != 0)
		return (1);
	event->type = TBUF_EVENT_OVERWRITTEN;
	event->cpu = t->readers[0].cpu;
	event->count = take(&t->spec.overwritten);
	c->totals.overwritten += event->count;
	return (event->count != 0);
}
