/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The end of a session: no thread enters any more, those inside are waited
 * for, and the space is released if it is certain that they have left.
 */
#include <sys/stat.h>

#include <sched.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"
#include "shared/board.h"
#include "shared/ecb_chain.h"

/*
 * A holder that runs is done in microseconds, but it may be preempted.  All
 * locks share one number of pauses.
 */
#define LOCK_YIELDS	100
#define LOCK_PAUSES	200

/* A lock that a consumer has taken permanently; not a generation. */
#define LOCK_CLOSED	UINT64_MAX

/* Waits while a thread gives the session up: until then it owns the slot. */
static void
wait_givingup(const uint32_t *state, unsigned *pauses)
{
	while (tbuf_load(state) == TBUF_GIVINGUP && tbuf_pause(pauses))
		continue;
}

/*
 * Closes a slot to new fires.  Fence C of [inv.attach]: a target that sets a
 * bit after this has cleared it sees the state and clears the bit.
 */
static void
close_slot(const struct tbuf_view *view, unsigned slot, unsigned *pauses)
{
	uint32_t *state = &tbuf_view_control(view)->state[slot];

	wait_givingup(state, pauses);
	if (!tbuf_cas(state, TBUF_ACTIVE, TBUF_ENDING))
		tbuf_cas(state, TBUF_SETUP, TBUF_ENDING);
	tbuf_store(&tbuf_view_slot(view, slot)->generation, 0);
	tbuf_store(&tbuf_view_slot(view, slot)->turn, 0);
	tbuf_fence();
	tbuf_disable_all(view, slot);
}

/* Waits for threads that match new probes and may read the patterns. */
static bool
wait_registering(const struct tbuf_view *view, unsigned *pauses)
{
	const uint32_t *count = &tbuf_view_control(view)->registering;

	while (tbuf_load(count) != 0 && tbuf_pause(pauses))
		continue;
	tbuf_fence();
	return (tbuf_load(count) == 0);
}

static bool
take_lock(struct tbuf_lock *lock, uint64_t generation, unsigned *pauses)
{
	int yields = 0;

	while (tbuf_load(&lock->word) != LOCK_CLOSED &&
	    !tbuf_cas(&lock->word, 2 * generation, LOCK_CLOSED)) {
		if (*pauses == 0)
			return (false);
		if (yields++ < LOCK_YIELDS)
			sched_yield();
		else
			tbuf_pause(pauses);
	}
	return (true);
}

/*
 * Waits until no thread is inside a closed session: for its registrations, and
 * for its lock lanes, and keeps their locks.  Returns false if a thread may
 * still be inside.
 */
static bool
wait_inside(const struct tbuf_view *view, unsigned number,
    uint64_t generation, unsigned nlocks, unsigned *pauses)
{
	struct tbuf_slot *slot = tbuf_view_slot(view, number);
	bool all = wait_registering(view, pauses);
	unsigned i;

	for (i = 0; i < nlocks && i < TBUF_NLOCKS; i++)
		if (!take_lock(&slot->locks[i], generation, pauses))
			all = false;
	return (all);
}

/* Releases the storage of thread lanes that were added after the area. */
static void
release_chunks(const struct tbuf_view *view, int fd, unsigned slot,
    uint64_t end)
{
	const struct tbuf_chunk *chunk = tbuf_view_slot(view, slot)->chunks;
	uint64_t at, size;
	unsigned i;

	for (i = 0; i < TBUF_NCHUNKS; i++) {
		at = tbuf_load(&chunk[i].at);
		size = tbuf_load(&chunk[i].size);
		if (at >= end && at <= INT64_MAX && size <= INT64_MAX - at &&
		    size != 0)
			(void)tbuf_file_punch(fd, at, size);
	}
}

static void
release_storage(const struct tbuf_view *view, int fd, unsigned slot,
    uint64_t data, uint64_t end)
{
	if (end > data)
		(void)tbuf_file_punch(fd, data, end - data);
	release_chunks(view, fd, slot, end);
}

/*
 * Releases a closed slot: punches [data, end) and marks the slot free if
 * `clean`, else retired.  The caller holds the lock on byte 0.
 */
static void
release(const struct tbuf_view *view, int fd, unsigned slot, uint64_t data,
    uint64_t end, bool clean)
{
	uint32_t *state = &tbuf_view_control(view)->state[slot];

	if (tbuf_load(state) == TBUF_GIVINGUP)
		return;
	if (clean)
		release_storage(view, fd, slot, data, end);
	tbuf_store_release(state, clean ? TBUF_FREE : TBUF_RETIRED);
}

/* Returns the offset of a session's first lane storage; 0: not known. */
static uint64_t
storage_begin(int fd, const struct tbuf_slot *slot, struct tbuf_cpus *cpus)
{
	uint64_t begin = UINT64_MAX, data;
	struct tbuf_lane lane;
	uint32_t i;

	for (i = 0; i < slot->nlanes && i < 2 * TBUF_NCPUS; i++) {
		if (pread(fd, &lane, sizeof(lane), (off_t)(slot->lanes +
		    i * sizeof(lane))) != sizeof(lane))
			return (0);
		data = tbuf_place_offset(lane.place);
		begin = MIN(begin, data);
		if (lane.kind == TBUF_KIND_CPU)
			tbuf_cpus_add(cpus, lane.cpu);
	}
	if (begin == UINT64_MAX || begin < slot->area ||
	    begin - slot->area > slot->area_size)
		return (0);
	return ((begin + TBUF_PAGE - 1) & ~(uint64_t)(TBUF_PAGE - 1));
}

/*
 * Closes a slot that has a dead consumer (its lock is free), or that a consumer
 * had to leave in doubt, and releases it if possible [inv.consumer].  The
 * slot's generation may be zero already, but the session's header still has it.
 * No thread has been inside a session that had not begun.
 */
static void
orphan(const struct tbuf_view *view, int fd, unsigned number, unsigned *pauses)
{
	struct tbuf_cpus cpus = { { 0 } };
	struct tbuf_session session;
	struct tbuf_slot slot;
	uint64_t data;
	bool clean, begun;

	begun = tbuf_load(&tbuf_view_control(view)->state[number]) !=
	    TBUF_SETUP;
	if (pread(fd, &slot, sizeof(slot), (off_t)(TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE)) != sizeof(slot) ||
	    slot.area < TBUF_TABLES ||
	    pread(fd, &session, sizeof(session), (off_t)slot.area) !=
	    sizeof(session))
		return;
	data = begun ? storage_begin(fd, &slot, &cpus) :
	    slot.area + TBUF_META_MAX;
	close_slot(view, number, pauses);
	clean = !begun || (data != 0 && tbuf_cpus_visit(&cpus) &&
	    wait_inside(view, number, session.generation, slot.nlocks_max,
	    pauses));
	release(view, fd, number, data,
	    slot.area + slot.area_size, clean);
}

/*
 * Returns true if a target has built the session for a consumer that is still
 * to find it.  The boards of other users cannot be read, so that their sessions
 * count as such.
 */
static bool
expected(const struct tbuf_view *view, int fd, int dirfd, unsigned slot)
{
	uint64_t run = tbuf_board_run(fd, tbuf_view_control(view), slot, 0);
	struct stat st;

	if (run == 0)
		return (false);
	return (fstat(fd, &st) != 0 || st.st_uid != geteuid() ||
	    tbuf_board_posted(dirfd, run));
}

/* Returns true for a recorder: it has no consumer, and is not an orphan. */
static bool
recorder(const struct tbuf_view *view, unsigned slot)
{
	struct tbuf_terms terms;

	tbuf_terms_read(&tbuf_view_slot(view, slot)->terms, &terms);
	return (tbuf_terms_recorder(&terms) && tbuf_load(
	    &tbuf_view_control(view)->state[slot]) != TBUF_SETUP);
}

void
tbuf_quiesce_orphans(const struct tbuf_view *view, int fd, int dirfd)
{
	struct tbuf_control *control = tbuf_view_control(view);
	unsigned slot, pauses = LOCK_PAUSES;

	for (slot = 0; slot < TBUF_NSESSIONS; slot++) {
		if (tbuf_load(&control->state[slot]) == TBUF_FREE ||
		    !tbuf_file_lock(fd, 1 + slot))
			continue;
		if (!recorder(view, slot) && !expected(view, fd, dirfd, slot))
			orphan(view, fd, slot, &pauses);
		tbuf_file_unlock(fd, 1 + slot);
	}
}

/* Takes a lock's final `nolane`; later updates have another tag and fail. */
static void
close_nolane(struct tbuf_reader *r, struct tbuf_lock *lock)
{
	uint64_t word;
	unsigned k;

	for (k = 0; k < TBUF_NLOST; k++) {
		r->nolane[k] = tbuf_reader_nolane(r, (enum tbuf_lost)k);
		word = tbuf_swap(&lock->nolane[k], 0);
		if (((word ^ tbuf_nolane_tag(r->target->generation)) >>
		    TBUF_NOLANE_SHIFT) == 0)
			r->nolane[k] = word & TBUF_NOLANE_COUNT;
	}
	r->nolane_closed = true;
}

static void
close_nolanes(struct tbuf_target *t)
{
	struct tbuf_slot *slot = tbuf_target_slot(t);
	unsigned i;

	for (i = t->first_lock; i < t->nreaders &&
	    i - t->first_lock < TBUF_NLOCKS; i++)
		close_nolane(&t->readers[i], &slot->locks[i - t->first_lock]);
}

/* Returns true if a thread may be inside. */
static bool
inhabited(const struct tbuf_target *t)
{
	return (t->state == TBUF_ALIVE && !t->truncated);
}

/* Returns true if a target has a session to stop; `only` selects one. */
static bool
stoppable(const struct tbuf_target *t, const struct tbuf_target *only)
{
	return ((only == NULL || t == only) && t->slot != -1 &&
	    !tbuf_session_stopped(t));
}

void
tbuf_consumer_quiesce(struct tbuf_consumer *c, const struct tbuf_target *only)
{
	struct tbuf_cpus cpus = { { 0 } };
	struct tbuf_target *t;
	unsigned i, pauses = LOCK_PAUSES;
	bool clean;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (!stoppable(t, only))
			continue;
		close_slot(&t->view, (unsigned)t->slot, &pauses);
		if (inhabited(t))
			tbuf_semaphores_settle(t);
		for (i = 0; i < t->nreaders && inhabited(t); i++)
			if (!t->readers[i].locked)
				tbuf_cpus_add(&cpus,
				    (unsigned)t->readers[i].cpu);
	}
	clean = tbuf_cpus_visit(&cpus);
	TAILQ_FOREACH(t, &c->targets, link) {
		if (!stoppable(t, only))
			continue;
		tbuf_session_stop(t);
		tbuf_target_refresh(t);
		if (inhabited(t) && (!wait_inside(&t->view,
		    (unsigned)t->slot, t->generation, t->layout.nlanes,
		    &pauses) || !clean))
			tbuf_session_retire(t);
		close_nolanes(t);
	}
}

/*
 * Releases the slot of a target that has ended.  If its file is removed, there
 * is no hole to punch.  No consumer takes a slot there any more.
 */
static void
release_ended(const struct tbuf_consumer *c, struct tbuf_target *t, int dirfd)
{
	uint32_t *state = &tbuf_view_control(&t->view)->state[t->slot];

	if (tbuf_load(state) == TBUF_GIVINGUP)
		return;
	tbuf_store_release(state, TBUF_FREE);
	if (!tbuf_target_reap(c, t, dirfd))
		release_storage(&t->view, t->fd, (unsigned)t->slot,
		    t->area + t->layout.data, t->area_end);
}

void
tbuf_target_detach(struct tbuf_consumer *c, struct tbuf_target *t, int dirfd)
{
	bool clean = t->session != TBUF_SESSION_RETIRED;

	if (t->slot == -1)
		return;
	if (tbuf_consumer_lock(c, t->fd) == 0) {
		if (clean && dirfd >= 0 && !tbuf_control_alive(t->fd))
			release_ended(c, t, dirfd);
		else
			release(&t->view, t->fd, (unsigned)t->slot,
			    t->area + t->layout.data, t->area_end, clean);
		tbuf_file_unlock(t->fd, 0);
	}
	tbuf_file_unlock(t->fd, 1 + (uint64_t)t->slot);
	tbuf_variables_forget(t);
	tbuf_session_end(t);
}
