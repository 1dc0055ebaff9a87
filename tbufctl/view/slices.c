/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A slice, from its first record to its second:
 *
 *	           begins on top          ends there
 *	record -----------------> STACKED -----------> emitted on the context's
 *	                             |                 track, when the stack is
 *	          the stack has to   |                 empty
 *	          be emptied, or an  v     ends
 *	          outer slice ends  OUTER -----------> emitted on another track
 *	                             |
 *	                             +-- never ends -> its record is an instant
 */
#include <sys/queue.h>
#include <sys/tree.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "pairs.h"
#include "slices.h"

/*
 * Bounds on memory, as a target writes thread ids and records as it likes:
 * items that wait in a thread, its open slices, and threads.  Beyond them
 * slices get tracks of their own, or records stay without a partner.
 */
#define WAIT_MAX	4096
#define OUTER_MAX	256
#define THREADS_MAX	16384
#define GAPS_MAX	256	/* losses that slices may still end after */

struct slice {
	TAILQ_ENTRY(slice) link;	/* in thread->outer or state->late */
	RB_ENTRY(slice) node;	/* in `values`, if it has a value */
	uint64_t value;		/* hash of process, pair and first argument */
	uint64_t serial;
	uint64_t unit;		/* the unit that it began in, or 0 */
	uint64_t argument;	/* hash of the first name and type, or 0 */
	struct thread *thread;
	const struct tbuf_probe_info *probe;
	const struct pair_place *place;
	uint64_t begin, end;
	uint64_t offset;	/* to times since 1970 */
	bool open;		/* the second record has not come */
	bool stacked;
	bool waits;		/* an item of a context is its beginning */
	bool other;		/* it is on another track, or an instant */
	bool incomplete;
	bool by_value;		/* its partner has the same first argument */
	char *end_bytes;
	size_t end_size;
	size_t size;
	char bytes[];
};

TAILQ_HEAD(slice_list, slice);
RB_HEAD(value_tree, slice);

struct item {
	enum slice_what what;
	struct slice *slice;
};

struct context {
	struct slice_track *track;
	struct item *items;
	size_t nitems, items_room;
	struct slice **stack;
	size_t depth, stack_room;
	uint64_t last;		/* time of its last record */
};

struct thread {
	RB_ENTRY(thread) node;
	pid_t pid;
	uint32_t tid;
	char execname[16];	/* as of its last record */
	unsigned probe;		/* id of the last record's probe, or 0 */
	unsigned enabling;
	uint64_t value;		/* of its first argument, as in slices */
	struct context context;
	struct slice_list outer;	/* the latest first */
	unsigned nouter;
};

RB_HEAD(thread_tree, thread);

/* When records of a process and CPU were lost, as a range of time. */
struct gap {
	pid_t pid;
	int cpu;
	uint64_t after, before;	/* before: UINT64_MAX until a record comes */
};

struct slice_state {
	struct gap gaps[GAPS_MAX];
	size_t ngaps;
	struct thread_tree threads;
	size_t nthreads;
	struct thread *last;	/* of the last record, or NULL */
	struct value_tree values;
	uint64_t serial;
	struct slice_track *tracks;
	uint64_t ntracks;
	struct pair_place **places;	/* by a probe's id */
	size_t nplaces;
	bool in_unit;
	uint64_t nunits;	/* so far */
	struct slice_list late;	/* of the unit, and of no nest: its last */
	struct tbuf_unit_info unit;
	pid_t unit_pid;
	uint64_t unit_last;	/* time of its last record */
	uint64_t unit_offset;	/* to times since 1970 */
	struct thread *unit_thread;	/* of its last record */
	struct context unit_context;
};

static int
compare_threads(const struct thread *a, const struct thread *b)
{
	if (a->pid != b->pid)
		return (a->pid < b->pid ? -1 : 1);
	return (a->tid < b->tid ? -1 : a->tid > b->tid);
}

/* Orders equal values by their serial numbers, the latest first. */
static int
compare_values(const struct slice *a, const struct slice *b)
{
	if (a->value != b->value)
		return (a->value < b->value ? -1 : 1);
	return (a->serial > b->serial ? -1 : a->serial < b->serial);
}

/* RB_GENERATE_STATIC() needs a macro that Linux does not have. */
RB_GENERATE_INTERNAL(thread_tree, thread, node, compare_threads,
    __attribute__((unused)) static)
RB_GENERATE_INTERNAL(value_tree, slice, node, compare_values,
    __attribute__((unused)) static)

void
slices_init(struct slices *s)
{
	s->state = memory_get(NULL, 1, sizeof(*s->state));
	*s->state = (struct slice_state){ .in_unit = false };
	RB_INIT(&s->state->threads);
	RB_INIT(&s->state->values);
	TAILQ_INIT(&s->state->late);
}

/* ------------------------------------------------------------ tracks */

static struct slice_track *
track_new(struct slices *s, enum slice_track_kind kind, pid_t pid, uint32_t tid,
    const char *name)
{
	struct slice_track *track = memory_get(NULL, 1, sizeof(*track));

	*track = (struct slice_track){
		.kind = kind, .number = ++s->state->ntracks, .pid = pid,
		.tid = tid, .name = memory_string(name),
		.next = s->state->tracks
	};
	s->state->tracks = track;
	return (track);
}

/*
 * Returns a track on which a slice overlaps with no other one: slices come in
 * the order of their ends.
 */
static struct slice_track *
track_free(struct slices *s, enum slice_track_kind kind, pid_t pid,
    const char *name, uint64_t begin, uint64_t end)
{
	struct slice_track *track;

	for (track = s->state->tracks; track != NULL; track = track->next)
		if (track->kind == kind && track->pid == pid &&
		    track->end <= begin && strcmp(track->name, name) == 0)
			break;
	if (track == NULL)
		track = track_new(s, kind, pid, 0, name);
	track->end = end;
	return (track);
}

static void
tracks_forget(struct slices *s, pid_t pid)
{
	struct slice_track **at = &s->state->tracks, *track;

	while ((track = *at) != NULL) {
		if (pid != 0 && track->pid != pid) {
			at = &track->next;
			continue;
		}
		*at = track->next;
		free((char *)(uintptr_t)track->name);
		free(track);
	}
}

struct slice_track *
slices_other(struct slices *s, pid_t pid, const char *name, uint64_t time)
{
	return (track_free(s, SLICE_OTHER, pid, name, time, time));
}

void
slices_restart(struct slices *s)
{
	struct slice_track *track;

	for (track = s->state->tracks; track != NULL; track = track->next)
		track->shown = false;
}

/* ------------------------------------------------------------ slices */

static struct slice *
slice_new(struct slices *s, struct thread *thread,
    const struct tbuf_record *r, const struct pair_place *place,
    struct slice_data data)
{
	struct slice *one = memory_get(NULL, 1, sizeof(*one) + data.size);

	*one = (struct slice){
		.thread = thread, .probe = r->probe, .place = place,
		.begin = r->time, .offset = r->wall - r->time,
		.serial = ++s->state->serial,
		.size = data.size
	};
	memcpy(one->bytes, data.bytes, data.size);
	return (one);
}

/* Frees a slice, if neither a context nor a partner needs it. */
static void
slice_release(struct slice *one)
{
	if (one->open || one->waits)
		return;
	free(one->end_bytes);
	free(one);
}

static struct slice_event
slice_event(const struct slice *one, enum slice_what what,
    struct slice_track *track)
{
	const struct slice_data end_data = { one->end_size, one->end_bytes };

	return ((struct slice_event){
		.what = what, .track = track,
		.time = what == SLICE_END ? one->end : one->begin,
		.end = one->end, .offset = one->offset,
		.pid = one->thread->pid,
		.tid = one->thread->tid, .execname = one->thread->execname,
		.name = what == SLICE_INSTANT ?
		    one->place->alone : one->place->name,
		.category = one->probe->provider,
		.incomplete = one->incomplete, .by_value = one->by_value,
		.data = what == SLICE_END ? end_data :
		    (struct slice_data){ one->size, one->bytes },
		.end_data = end_data
	});
}

static void
slice_emit(struct slices *s, const struct slice *one, enum slice_what what,
    struct slice_track *track)
{
	struct slice_event event = slice_event(one, what, track);

	s->emit(s->argument, &event);
}

/* Emits a slice that has ended on a track where it nests. */
static void
emit_other(struct slices *s, struct slice *one)
{
	struct slice_track *track = track_free(s, SLICE_OTHER,
	    one->thread->pid, one->place->name, one->begin, one->end);

	one->other = true;
	slice_emit(s, one, SLICE_BEGIN, track);
	slice_emit(s, one, SLICE_END, track);
}

/* Marks a slice as ended, by its second record or without one. */
static void
slice_close(struct slices *s, struct slice *one)
{
	one->open = false;
	if (one->value != 0)
		RB_REMOVE(value_tree, &s->state->values, one);
	if (!one->stacked) {
		TAILQ_REMOVE(&one->thread->outer, one, link);
		one->thread->nouter--;
	}
}

/* Emits the beginning of a slice without a partner as an instant. */
static void
slice_give_up(struct slices *s, struct slice *one)
{
	slice_close(s, one);
	one->other = true;
	s->unpaired++;
	slice_emit(s, one, SLICE_INSTANT, one->thread->context.track);
	slice_release(one);
}

/* Moves an open slice out of a stack. */
static void
slice_outer(struct slices *s, struct slice *one)
{
	struct thread *thread = one->thread;

	one->stacked = false;
	TAILQ_INSERT_HEAD(&thread->outer, one, link);
	if (++thread->nouter > OUTER_MAX)
		slice_give_up(s, TAILQ_LAST(&thread->outer, slice_list));
}

/* ------------------------------------------------------------ contexts */

/* Empties the stack down to a depth. */
static void
context_unstack(struct slices *s, struct context *c, size_t depth)
{
	while (c->depth > depth)
		slice_outer(s, c->stack[--c->depth]);
}

static void
item_emit(struct slices *s, struct context *c, const struct item *item)
{
	struct slice *one = item->slice;

	if (item->what != SLICE_END)
		one->waits = false;
	/* Open slices have left the stack. */
	if (!one->open && !one->other)
		slice_emit(s, one, item->what, c->track);
	if (item->what != SLICE_BEGIN || one->other)
		slice_release(one);
}

static void
context_flush(struct slices *s, struct context *c)
{
	size_t i;

	context_unstack(s, c, 0);
	for (i = 0; i < c->nitems; i++)
		item_emit(s, c, &c->items[i]);
	c->nitems = 0;
}

static void
context_add(struct context *c, enum slice_what what, struct slice *one)
{
	if (c->nitems == c->items_room) {
		c->items_room = c->items_room == 0 ? 16 : 2 * c->items_room;
		c->items = memory_get(c->items, c->items_room,
		    sizeof(*c->items));
	}
	c->items[c->nitems++] = (struct item){ what, one };
	if (what != SLICE_END)
		one->waits = true;
}

static void
context_push(struct context *c, struct slice *one)
{
	if (c->depth == c->stack_room) {
		c->stack_room = c->stack_room == 0 ? 8 : 2 * c->stack_room;
		c->stack = memory_get(c->stack, c->stack_room,
		    sizeof(*c->stack));
	}
	one->stacked = true;
	c->stack[c->depth++] = one;
}

static void
context_free(struct context *c)
{
	free(c->items);
	free(c->stack);
}

/* ------------------------------------------------------------ losses */

static bool
in_gap(const struct gap *gap, pid_t pid, uint64_t begin, uint64_t end)
{
	return (gap->pid == pid && begin < gap->before && end > gap->after);
}

static void
context_lost(const struct context *c, const struct gap *gap)
{
	struct slice *one;
	size_t i;

	for (i = 0; i < c->depth; i++) {
		one = c->stack[i];
		one->incomplete |= in_gap(gap, one->thread->pid, one->begin,
		    UINT64_MAX);
	}
}

/* Marks the slices that are open and will end after a gap. */
static void
mark_open(struct slices *s, const struct gap *gap)
{
	struct thread *thread;
	struct slice *one;

	context_lost(&s->state->unit_context, gap);
	RB_FOREACH(thread, thread_tree, &s->state->threads) {
		if (thread->pid != gap->pid)
			continue;
		context_lost(&thread->context, gap);
		TAILQ_FOREACH(one, &thread->outer, link)
			one->incomplete |= in_gap(gap, gap->pid, one->begin,
			    UINT64_MAX);
	}
}

/* Returns the gap of a process and CPU, or the number of gaps. */
static size_t
gap_find(const struct slice_state *state, pid_t pid, int cpu)
{
	size_t i = 0;

	while (i < state->ngaps &&
	    (state->gaps[i].pid != pid || state->gaps[i].cpu != cpu))
		i++;
	return (i);
}

static void
gap_remove(struct slice_state *state, size_t i)
{
	state->ngaps--;
	memmove(&state->gaps[i], &state->gaps[i + 1],
	    (state->ngaps - i) * sizeof(struct gap));
}

/*
 * Losses come after the records before them, but some of those may be held
 * back, and slices that begin now may be in the gap.  So a gap is kept, one of
 * each CPU.
 */
void
slices_lost(struct slices *s, const struct tbuf_event *e)
{
	struct slice_state *state = s->state;
	struct gap gap = {
		.pid = e->pid, .cpu = e->cpu, .after = e->after,
		.before = e->before != 0 ? e->before : UINT64_MAX
	};
	size_t i = gap_find(state, e->pid, e->cpu);

	if (e->after == 0 && e->before == 0) {
		mark_open(s, &gap);
		return;
	}
	/* Losses that began at an unknown time were there until this one. */
	if (e->after == 0)
		gap.after = gap.before - 1;
	if (i == GAPS_MAX)
		i = 0;
	if (i < state->ngaps) {
		if (state->gaps[i].before == UINT64_MAX &&
		    state->gaps[i].pid == e->pid &&
		    state->gaps[i].cpu == e->cpu)
			gap.after = state->gaps[i].after;
		mark_open(s, &state->gaps[i]);
		gap_remove(state, i);
	}
	state->gaps[state->ngaps++] = gap;
}

/* The gap of a CPU ends before its next record. */
static void
gap_close(struct slice_state *state, const struct tbuf_record *r)
{
	size_t i = gap_find(state, r->pid, r->cpu);

	if (i < state->ngaps && state->gaps[i].before == UINT64_MAX &&
	    r->time > state->gaps[i].after)
		state->gaps[i].before = r->time;
}

/* Marks a slice that has ended, if records were lost while it was open. */
static void
mark_ended(const struct slice_state *state, struct slice *one)
{
	size_t i;

	for (i = 0; i < state->ngaps && !one->incomplete; i++)
		one->incomplete = in_gap(&state->gaps[i], one->thread->pid,
		    one->begin, one->end);
}

static void
gaps_forget(struct slice_state *state, pid_t pid)
{
	size_t i = state->ngaps;

	while (i-- > 0)
		if (pid == 0 || state->gaps[i].pid == pid)
			gap_remove(state, i);
}

/* ------------------------------------------------------------ threads */

static void
thread_finish(struct slices *s, struct thread *thread)
{
	struct slice *one;

	context_flush(s, &thread->context);
	while ((one = TAILQ_LAST(&thread->outer, slice_list)) != NULL)
		slice_give_up(s, one);
}

void
slices_finish(struct slices *s, pid_t pid)
{
	struct slice_state *state = s->state;
	struct thread *thread, *next;

	slices_unit_end(s);
	RB_FOREACH(thread, thread_tree, &state->threads)
		if (pid == 0 || thread->pid == pid)
			thread_finish(s, thread);
	RB_FOREACH_SAFE(thread, thread_tree, &state->threads, next) {
		if (pid != 0 && thread->pid != pid)
			continue;
		RB_REMOVE(thread_tree, &state->threads, thread);
		state->nthreads--;
		context_free(&thread->context);
		free(thread);
	}
	state->last = NULL;
	gaps_forget(state, pid);
	tracks_forget(s, pid);
}

static struct thread *
thread_get(struct slices *s, pid_t pid, uint32_t tid)
{
	struct slice_state *state = s->state;
	struct thread key = { .pid = pid, .tid = tid }, *thread = state->last;

	if (thread != NULL && thread->pid == pid && thread->tid == tid)
		return (thread);
	thread = RB_FIND(thread_tree, &state->threads, &key);
	if (thread == NULL && state->nthreads == THREADS_MAX)
		slices_finish(s, 0);
	if (thread == NULL) {
		thread = memory_get(NULL, 1, sizeof(*thread));
		*thread = key;
		TAILQ_INIT(&thread->outer);
		thread->context.track = track_new(s, SLICE_THREAD, pid, tid,
		    "");
		RB_INSERT(thread_tree, &state->threads, thread);
		state->nthreads++;
	}
	state->last = thread;
	return (thread);
}

const char *
slices_program(const struct slices *s, pid_t pid)
{
	struct thread key = { .pid = pid }, *thread;

	thread = RB_NFIND(thread_tree, &s->state->threads, &key);
	return (thread != NULL && thread->pid == pid ? thread->execname : "");
}

/* ------------------------------------------------------------ units */

/* Emits the slices that are in the unit and do not nest there, inside of it. */
static void
late_emit(struct slices *s)
{
	struct slice *one;

	while ((one = TAILQ_FIRST(&s->state->late)) != NULL) {
		TAILQ_REMOVE(&s->state->late, one, link);
		emit_other(s, one);
		slice_release(one);
	}
}

void
slices_unit_end(struct slices *s)
{
	struct slice_state *state = s->state;
	struct context *c = &state->unit_context;
	struct slice_event event;
	uint64_t end = state->unit.ended && state->unit.end != 0 ?
	    state->unit.end : state->unit_last;

	if (!state->in_unit)
		return;
	state->in_unit = false;
	if (end < state->unit.began)
		end = state->unit.began;
	c->track = track_free(s, SLICE_UNIT, state->unit_pid,
	    state->unit.kind, state->unit.began, end);
	event = (struct slice_event){
		.what = SLICE_BEGIN, .track = c->track,
		.time = state->unit.began, .end = end,
		.offset = state->unit_offset,
		.pid = state->unit_pid, .tid = state->unit_thread->tid,
		.execname = state->unit_thread->execname,
		.name = state->unit.kind, .category = "unit",
		.incomplete = !state->unit.ended, .unit = &state->unit
	};
	s->emit(s->argument, &event);
	/* Items of the context hold some of these. */
	late_emit(s);
	context_flush(s, c);
	event.what = SLICE_END;
	event.time = end;
	s->emit(s->argument, &event);
}

/* Ids of units come again, also under another kind. */
static bool
is_unit(const struct slice_state *state, const struct tbuf_record *r)
{
	return (state->unit_pid == r->pid && state->unit.id == r->unit->id &&
	    state->unit.began == r->unit->began &&
	    strcmp(state->unit.kind, r->unit->kind) == 0);
}

/* Returns the context of a unit: its records come one after the other. */
static struct context *
unit_context(struct slices *s, struct thread *thread,
    const struct tbuf_record *r)
{
	struct slice_state *state = s->state;

	if (state->in_unit && !is_unit(state, r))
		slices_unit_end(s);
	if (!state->in_unit) {
		state->in_unit = true;
		state->nunits++;
		state->unit = *r->unit;
		state->unit_pid = r->pid;
		state->unit_context.last = 0;
	}
	state->unit_last = r->time;
	state->unit_offset = r->wall - r->time;
	state->unit_thread = thread;
	return (&state->unit_context);
}

static struct context *
context_of(struct slices *s, struct thread *thread,
    const struct tbuf_record *r)
{
	if (r->unit != NULL)
		return (unit_context(s, thread, r));
	slices_unit_end(s);
	return (&thread->context);
}

/* ------------------------------------------------------------ records */

static const struct pair_place *
place_of(struct slices *s, const struct tbuf_probe_info *probe)
{
	struct slice_state *state = s->state;
	size_t n = state->nplaces;

	if (probe->id >= n) {
		state->nplaces = probe->id + 64;
		state->places = memory_get(state->places, state->nplaces,
		    sizeof(*state->places));
		memset(state->places + n, 0,
		    (state->nplaces - n) * sizeof(*state->places));
	}
	if (state->places[probe->id] == NULL) {
		state->places[probe->id] = memory_get(NULL, 1,
		    sizeof(**state->places));
		pairs_find(probe, state->places[probe->id]);
	}
	return (state->places[probe->id]);
}

/* Hashes of a record's first argument, or 0 if there is none. */
struct first {
	uint64_t argument;	/* its name and type */
	uint64_t value;		/* these, the process, the pair and the value */
};

static struct first
first_argument(const struct tbuf_record *r, uint64_t pair)
{
	const struct tbuf_value *v = r->args;
	struct first first = { .argument = 0 };
	uint64_t hash;

	if (r->nargs == 0)
		return (first);
	hash = pairs_hash(0, r->probe->argnames[0],
	    strlen(r->probe->argnames[0]) + 1);
	first.argument = pairs_hash(hash, &v->type, sizeof(v->type)) | 1;
	hash = pairs_hash(first.argument, &pair, sizeof(pair));
	hash = pairs_hash(hash, &r->pid, sizeof(r->pid));
	switch (v->type) {
	case TBUF_STRING:
	case TBUF_STRING_SIZED:
	case TBUF_BINARY:
		hash = pairs_hash(hash, v->data, v->size);
		break;
	default:
		hash = pairs_hash(hash, &v->u, sizeof(v->u));
	}
	first.value = hash | 1;
	return (first);
}

/* A record that may end a slice. */
struct second {
	struct thread *thread;
	uint64_t time, pair;
	struct first first;
	bool by_value;		/* only an equal value will do */
};

/*
 * Returns true if a slice of the thread has begun by a record of the pair:
 * where both have a first argument of the same name and type, values decide.
 */
static bool
may_end(const struct slice *one, const struct second *end)
{
	if (one->thread != end->thread || one->place->pair != end->pair ||
	    one->begin > end->time)
		return (false);
	if (end->by_value)
		return (one->value == end->first.value);
	return (end->first.argument == 0 ||
	    one->argument != end->first.argument);
}

static struct slice *
find_stacked(const struct context *c, const struct second *end)
{
	size_t i;

	for (i = c->depth; i > 0; i--)
		if (may_end(c->stack[i - 1], end))
			return (c->stack[i - 1]);
	return (NULL);
}

/*
 * Returns the latest slice of the thread that the record may end: in its
 * context, in the thread if that is a unit's, or no longer in a stack.
 */
static struct slice *
find_own(const struct context *c, const struct second *end)
{
	struct slice *one = find_stacked(c, end);

	if (one == NULL && c != &end->thread->context)
		one = find_stacked(&end->thread->context, end);
	if (one == NULL)
		TAILQ_FOREACH(one, &end->thread->outer, link)
			if (may_end(one, end))
				break;
	return (one);
}

/*
 * Returns the slice that a record ends, or NULL.  Of several with the record's
 * value those of its own thread come first.
 */
static struct slice *
find_partner(struct slices *s, const struct context *c, struct second *end)
{
	struct slice key = {
		.serial = UINT64_MAX, .value = end->first.value
	}, *one = NULL;

	end->by_value = key.value != 0;
	if (end->by_value && (one = find_own(c, end)) == NULL)
		one = RB_NFIND(value_tree, &s->state->values, &key);
	if (one != NULL && one->value == key.value && one->begin <= end->time) {
		one->by_value = true;
		return (one);
	}
	end->by_value = false;
	return (find_own(c, end));
}

/*
 * Removes a slice from the stack of a context, with those above it: they have
 * begun later and not ended.  Returns false if it is not there.
 */
static bool
take(struct slices *s, struct context *c, const struct slice *one)
{
	size_t i = c->depth;

	while (i > 0 && c->stack[i - 1] != one)
		i--;
	if (i == 0)
		return (false);
	context_unstack(s, c, i);
	c->depth--;
	return (true);
}

/* Removes a slice from the stack of another context than its partner's. */
static void
take_elsewhere(struct slices *s, struct slice *one)
{
	struct context *c = &one->thread->context;
	size_t i = c->depth;

	if (!one->stacked)
		return;
	while (i > 0 && c->stack[i - 1] != one)
		i--;
	if (i == 0) {
		c = &s->state->unit_context;
		for (i = c->depth; c->stack[i - 1] != one; i--)
			continue;
	}
	memmove(&c->stack[i - 1], &c->stack[i],
	    (c->depth - i) * sizeof(*c->stack));
	c->depth--;
	slice_outer(s, one);
}

static void
end_slice(struct slices *s, struct context *c, struct slice *one,
    const struct tbuf_record *r, struct slice_data data)
{
	bool nests = one->stacked && r->time >= c->last && take(s, c, one);

	if (!nests)
		take_elsewhere(s, one);
	slice_close(s, one);
	s->paired++;
	one->end = r->time;
	mark_ended(s->state, one);
	one->end_size = data.size;
	one->end_bytes = memory_get(NULL, 1, data.size + 1);
	memcpy(one->end_bytes, data.bytes, data.size);
	if (nests) {
		context_add(c, SLICE_END, one);
		return;
	}
	if (c == &s->state->unit_context && one->unit == s->state->nunits) {
		one->other = true;
		TAILQ_INSERT_TAIL(&s->state->late, one, link);
		return;
	}
	emit_other(s, one);
	slice_release(one);
}

static void
begin_slice(struct slices *s, struct context *c, struct slice *one,
    const struct tbuf_record *r, const struct first *first)
{
	one->open = true;
	one->unit = c == &s->state->unit_context ? s->state->nunits : 0;
	one->argument = first->argument;
	one->value = first->value;
	if (one->value != 0)
		RB_INSERT(value_tree, &s->state->values, one);
	if (r->time < c->last) {
		slice_outer(s, one);
		return;
	}
	context_add(c, SLICE_BEGIN, one);
	context_push(c, one);
}

/* Adds an instant, which waits where a slice is open, or in a unit. */
static void
add_instant(struct slices *s, struct context *c, struct thread *thread,
    const struct tbuf_record *r, const struct pair_place *place,
    struct slice_data data)
{
	struct slice_event event = {
		.what = SLICE_INSTANT, .track = c->track, .time = r->time,
		.offset = r->wall - r->time, .pid = r->pid, .tid = r->tid,
		.execname = r->execname, .name = place->alone,
		.category = r->probe->provider, .data = data
	};

	if (c->nitems == 0 && c != &s->state->unit_context)
		s->emit(s->argument, &event);
	else
		context_add(c, SLICE_INSTANT,
		    slice_new(s, thread, r, place, data));
}

/*
 * Returns true if a record is of the same fire as the one before: a fire goes
 * through the enablings of a probe in their order.  Where predicates let fires
 * through in turn, their arguments tell them apart.
 */
static bool
same_fire(struct thread *thread, const struct tbuf_record *r, uint64_t value)
{
	bool same = thread->probe == r->probe->id &&
	    r->enabling > thread->enabling && (thread->value == value ||
	    thread->value == 0 || value == 0);

	thread->probe = r->probe->id;
	thread->enabling = r->enabling;
	thread->value = value;
	return (same);
}

void
slices_record(struct slices *s, const struct tbuf_record *r,
    struct slice_data data)
{
	const struct pair_place *place = place_of(s, r->probe);
	struct second end = {
		.thread = thread_get(s, r->pid, r->tid), .time = r->time,
		.pair = place->pair
	};
	struct thread *thread = end.thread;
	struct context *c = context_of(s, thread, r);
	enum pair_role role = place->role;
	struct slice *one = NULL;

	if (role != PAIR_NONE)
		end.first = first_argument(r, place->pair);
	if (same_fire(thread, r, end.first.value))
		role = PAIR_NONE;
	if (role == PAIR_END)
		one = find_partner(s, c, &end);
	strlcpy(thread->execname, r->execname, sizeof(thread->execname));
	if (s->state->ngaps > 0)
		gap_close(s->state, r);
	if (role == PAIR_BEGIN)
		begin_slice(s, c, slice_new(s, thread, r, place, data), r,
		    &end.first);
	else if (one != NULL)
		end_slice(s, c, one, r, data);
	else {
		s->unpaired += role == PAIR_END;
		add_instant(s, c, thread, r, place, data);
	}
	if (r->time > c->last)
		c->last = r->time;
	if (c != &s->state->unit_context &&
	    (c->depth == 0 || c->nitems >= WAIT_MAX))
		context_flush(s, c);
}

void
slices_free(struct slices *s)
{
	struct slice_state *state = s->state;
	size_t i;

	if (state == NULL)
		return;
	for (i = 0; i < state->nplaces; i++)
		if (state->places[i] != NULL) {
			free(state->places[i]->name);
			free(state->places[i]->alone);
			free(state->places[i]);
		}
	free(state->places);
	context_free(&state->unit_context);
	free(state);
	s->state = NULL;
}
