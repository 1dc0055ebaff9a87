/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From a site that fires to the sessions that trace its probe.
 *
 * Everything here is async-signal-safe, makes no system call, takes no lock
 * that waits and leaves errno alone [inv.guest].  What is read from shared
 * memory is a hint: it is bounded before it is used, and the section that
 * commits reads again what must not have changed (arch/rseq.h).
 */
#include "target/target.h"

/* A chain of ECBs that is longer than this has been damaged. */
#define CHAIN_MAX	4096

/* A session can end and another begin under a fire, but not for ever. */
#define AGAIN_MAX	16

bool
tbuf_fire_current(const struct tbuf_fire *f)
{
	return (tbuf_load(&tbuf_local->base) == f->base &&
	    tbuf_load(&f->slot->generation) == f->generation);
}

bool
tbuf_fire_deadline(const struct tbuf_fire *f)
{
	struct tbuf_view view = tbuf_target_view();
	uint64_t now, deadline, generation;
	uint32_t *state;

	/* The clock first: held up in between, we see the deadline put off. */
	now = tbuf_clock_read(tbuf_self.clock);
	deadline = tbuf_load(&f->slot->deadline);
	if (deadline == 0 || now < deadline)
		return (false);
	if (view.base == NULL)
		return (true);
	state = &tbuf_view_control(&view)->state[f->number];
	if (!tbuf_cas(state, TBUF_ACTIVE, TBUF_GIVINGUP))
		return (true);
	generation = tbuf_load(&f->slot->generation);
	/* 0: its consumer has ended it meanwhile, and not waited for us. */
	if (generation != f->generation && generation != 0) {
		/* The deadline was another session's. */
		tbuf_store_release(state, TBUF_ACTIVE);
		return (true);
	}
	tbuf_disable_all(&view, f->number);
	tbuf_store_release(state, TBUF_GIVENUP);
	return (true);
}

/* The EPID behind one in its chain; 0 at the end, or if that is damaged. */
static uint16_t
next_epid(const struct tbuf_fire *f)
{
	uint64_t at = tbuf_load(&f->slot->ecbs);
	uint64_t end = tbuf_fire_end(f->base);
	uint32_t max = tbuf_load(&f->slot->ecb_max);

	if (f->epid >= max || at % sizeof(struct tbuf_ecb) != 0 ||
	    at > end || end - at < (f->epid + 1u) * sizeof(struct tbuf_ecb))
		return (0);
	return (tbuf_load(&((struct tbuf_ecb *)(uintptr_t)(f->base + at))
	    [f->epid].next) & TBUF_HEAD_EPID);
}

/* Every ECB of the probe in one session. */
static inline enum tbuf_emit
fire_chain(struct tbuf_fire *f)
{
	unsigned n;

	for (n = 0; f->epid != 0 && n < CHAIN_MAX; n++) {
		if (tbuf_lane_emit(f) == TBUF_EMIT_AGAIN) {
			/* What is left of the chain ended with the session. */
			return (n == 0 ? TBUF_EMIT_AGAIN : TBUF_EMIT_DONE);
		}
		f->epid = next_epid(f);
	}
	return (TBUF_EMIT_DONE);
}

static inline uint16_t
probe_head(uint64_t base, unsigned number, const struct tbuf_site *site)
{
	return (tbuf_load((uint16_t *)(uintptr_t)(base + TBUF_HEADS +
	    number * (uint64_t)TBUF_HEADS_SIZE) + site->index));
}

static inline struct tbuf_slot *
session_slot(uint64_t base, unsigned number)
{
	return ((struct tbuf_slot *)(uintptr_t)(base + TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE));
}

static inline void
fire_look(struct tbuf_fire *f, const struct tbuf_site *site)
{
	f->generation = tbuf_load_acquire(&f->slot->generation);
	/* 0: it has ended, and would still be 0 when the section looks. */
	if (f->generation == 0) {
		f->epid = 0;
		return;
	}
	f->epid = probe_head(f->base, f->number, site) & TBUF_HEAD_EPID;
}

/* Any arguments, any number of ECBs. */
static enum tbuf_emit
fire_session(struct tbuf_fire *f, const struct tbuf_site *site,
    const uint64_t *values)
{
	struct tbuf_pack pack;

	fire_look(f, site);
	tbuf_pack(site, values, tbuf_fire_strsize(f->slot), &pack);
	f->size = pack.size;
	f->segments = pack.segments;
	f->end = pack.end;
	return (fire_chain(f));
}

static __attribute__((noinline)) void
fire_sessions(const struct tbuf_site *site, const uint64_t *values)
{
	struct tbuf_fire f;
	uint32_t bits, again;

	f.base = tbuf_load(&tbuf_local->base);
	if (f.base == 0)
		return;
	for (bits = tbuf_load(site->enabled); bits != 0; bits &= bits - 1) {
		f.number = (unsigned)__builtin_ctz(bits);
		f.slot = session_slot(f.base, f.number);
		for (again = 0; again < AGAIN_MAX; again++) {
			if (fire_session(&f, site, values) == TBUF_EMIT_DONE ||
			    tbuf_load(&tbuf_local->base) != f.base ||
			    (tbuf_load(site->enabled) & 1u << f.number) == 0)
				break;
		}
	}
}

/*
 * What a fire nearly always is: all that the thread's memo holds is still so,
 * the probe has one ECB, and there is room in the lane.  Whatever else it
 * turns out to be is left to fire_sessions(), from the start.
 */
static inline uint64_t
record_word(uint32_t epid, uint64_t size)
{
	return ((uint64_t)epid | size << 16 | (uint64_t)tbuf_thread.tid << 32);
}

/* Arguments that are all 64 bits wide go from the caller's array as is. */
static inline bool
again_flat(const struct tbuf_memo *m, uint64_t generation, uint32_t epid,
    uint64_t size, const uint64_t *values)
{
	struct tbuf_write w = {
		.size = size, .word = record_word(epid, size), .from = values
	};

	if (size > m->bufsize)
		return (false);
	return ((m->ring ? tbuf_rseq_ring_words(m, generation, &w) :
	    tbuf_rseq_linear_words(m, generation, &w)) == TBUF_COMMITTED);
}

static bool
again_packed(const struct tbuf_memo *m, uint64_t generation, uint32_t epid,
    const struct tbuf_site *site, const uint64_t *values)
{
	struct tbuf_pack pack;
	struct tbuf_write w;

	tbuf_pack(site, values, m->strsize, &pack);
	w.size = sizeof(struct tbuf_header) + pack.size;
	w.word = record_word(epid, w.size);
	w.from = pack.segments + 1;
	w.from_end = pack.end;
	if (w.size > m->bufsize || w.size > TBUF_RECORD_MAX)
		return (false);
	return ((m->ring ? tbuf_rseq_ring_segments(m, generation, &w) :
	    tbuf_rseq_linear_segments(m, generation, &w)) == TBUF_COMMITTED);
}

/* Apart, so that the registers it needs are not saved for every fire. */
static __attribute__((noinline)) void
fire_packed(const struct tbuf_memo *m, uint64_t generation, uint32_t epid,
    const struct tbuf_site *site, const uint64_t *values)
{
	if (!again_packed(m, generation, epid, site, values))
		fire_sessions(site, values);
}

void
tbuf_fire(struct tbuf_site *site, const uint64_t *values)
{
	const struct tbuf_memo *m = &tbuf_thread.memo;
	/* First: a handler may replace the memo, and the section will see it. */
	uint64_t generation = tbuf_load_acquire(&m->generation);
	uint32_t epid;

	if (tbuf_load(site->enabled) == tbuf_load(&m->bits)) {
		epid = tbuf_load(tbuf_load(&m->heads) + site->index);
		if (epid - 1 < TBUF_HEAD_EPID) {
			if (site->fixed == 0) {
				fire_packed(m, generation, epid, site, values);
				return;
			}
			if (again_flat(m, generation, epid, site->fixed,
			    values))
				return;
		}
	}
	fire_sessions(site, values);
}
