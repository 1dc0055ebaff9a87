/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The path of a fire from its site to the sessions that trace its probe.
 *
 * Everything here is async-signal-safe, makes no system call, takes no lock
 * that waits and leaves errno alone [inv.guest].  A value read from shared
 * memory is a hint: it is bounded before it is used, and the section that
 * commits reads again each word that must not have changed (arch/rseq.h).
 */
#include "arch/rseq.h"
#include "arch/rseq_area.h"
#include "arch/rseq_unit.h"
#include "target/clause/clause.h"
#include "target/clause/plan.h"
#include "target/fire/fire.h"
#include "target/lane/lane.h"
#include "target/lane/pack.h"
#include "target/lane/pack_fixed.h"
#include "target/lane/pack_string.h"
#include "target/lane/unit_hooks.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* Attempts: a session may end and another one begin during a fire. */
#define TRIES_MAX	16

#define FEW_BYTES	32u	/* of words: sections for a few have no more */

/* A ring of this size or more gives way in parts: one of so many at once. */
#define RING_LEAST	0x10000u
#define RING_PARTS	128u

/*
 * Returns true if the thread's memo is of a session that has ended, or of the
 * only session that traces the probe, but with other flags.  The slow path
 * refreshes it.
 */
static inline bool
is_stale(const struct tbuf_memo *own, uint64_t bits)
{
	uint64_t whose = tbuf_load(&own->bits);

	return (((uint32_t)whose == (uint32_t)bits && whose != bits) ||
	    !tbuf_memo_valid(own));
}

/*
 * Returns this CPU's memos, for the sessions that trace a probe, or NULL.  NULL
 * for a session that is alone while the thread's memo is stale, or of another
 * CPU: the slow path refreshes it, and the next fire is a flat one.  NULL as
 * well for a session that is alone and has clauses.
 */
static inline const struct tbuf_memo *
memos_for(uint32_t bits)
{
	const struct tbuf_memo *own = &tbuf_thread.memo;
	const struct tbuf_memo *memos = tbuf_memos_here();

	if (memos == NULL || (bits & (bits - 1)) != 0)
		return (memos);
	if (is_stale(own, bits) || (tbuf_load(&own->bits) == bits &&
	    tbuf_load(&own->cpu) != tbuf_rseq_cpu()))
		return (NULL);
	return (memos);
}

/*
 * Returns true if the thread has fired for sessions other than its memo's so
 * often that it is to remember this one.  The slow path does so, if it writes a
 * record.
 */
static inline bool
is_elsewhere(uint32_t bits)
{
	unsigned n = tbuf_thread.elsewhere;

	if ((bits & (bits - 1)) != 0 ||
	    tbuf_load(&tbuf_thread.memo.bits) == bits)
		return (false);
	n = n < TBUF_ELSEWHERE ? n + 1 : 0;
	tbuf_thread.elsewhere = (uint8_t)n;
	return (n == TBUF_ELSEWHERE);
}

/*
 * Returns the memo for one session: the thread's, if it is of the only session
 * that traces the probe, else this CPU's.
 */
static inline const struct tbuf_memo *
memo_for(uint32_t bits, unsigned number)
{
	const struct tbuf_memo *memos;

	if (tbuf_load(&tbuf_thread.memo.bits) == bits)
		return (&tbuf_thread.memo);
	memos = memos_for(bits);
	return (memos == NULL ? NULL : tbuf_memo_among(memos, number));
}

/*
 * Writes words to a session with its memo.  The generation is read before the
 * enable word: if the bit is set then, the session has the probe's chain head.
 */
static inline bool
fire_rows(const struct tbuf_site *site, const struct tbuf_memo *m,
    struct tbuf_write *w)
{
	if (m == NULL)
		return (false);
	w->generation = tbuf_load_acquire(&m->generation);
	/* Read here, as a thread without a memo may not know its id. */
	w->tid = tbuf_load(&tbuf_thread.tid);
	return ((tbuf_load(site->enabled) & w->bits) != 0 &&
	    tbuf_rseq_rows(m, w) == TBUF_COMMITTED);
}

/*
 * Writes the record with a memo of the session.  A CPU's memo is not used while
 * the thread's is stale, or is to be this session's: only the slow path
 * refreshes that.
 */
static bool
fire_cached(const struct tbuf_fire *f)
{
	const struct tbuf_memo *own = &tbuf_thread.memo, *m;
	enum tbuf_outcome outcome = TBUF_WRAPPED;
	struct tbuf_write w;

	tbuf_fire_write(f, &w);
	m = tbuf_memo_find(w.bits);
	if (m == NULL || w.size > TBUF_RECORD_MAX ||
	    (m != own && (tbuf_thread.elsewhere == TBUF_ELSEWHERE ||
	    is_stale(own, w.bits))))
		return (false);
	if (f->words) {
		w.from = f->segments[1].data;
		outcome = tbuf_rseq_words(m, &w);
		w.from = f->segments + 1;
	}
	if (outcome == TBUF_WRAPPED)
		outcome = tbuf_rseq_segments(m, &w);
	return (outcome == TBUF_COMMITTED);
}

/* Fires each ECB of the probe in one session. */
static enum tbuf_emit
fire_chain(struct tbuf_fire *f)
{
	unsigned n;

	for (n = 0; f->epid != 0 && n < TBUF_CHAIN_MAX; n++) {
		if (!fire_cached(f) && tbuf_record_emit(f) == TBUF_EMIT_RETRY) {
			/* The rest of the chain ended with the session. */
			return (n == 0 ? TBUF_EMIT_RETRY : TBUF_EMIT_DONE);
		}
		f->epid = tbuf_fire_next(f);
	}
	return (TBUF_EMIT_DONE);
}

static inline struct tbuf_slot *
session_slot(uint64_t base, unsigned number)
{
	return ((struct tbuf_slot *)(uintptr_t)(base + TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE));
}

/*
 * Reads the probe's first EPID in the session.  The chain heads are of the
 * session with the generation that was read if the slot still has that, and the
 * probe is enabled there: else they might not be backed here.
 */
static inline void
fire_look(struct tbuf_fire *f, const struct tbuf_site *site)
{
	const uint32_t *heads;
	uint32_t head;

	f->epid = 0;
	f->programs = false;
	f->generation = tbuf_load_acquire(&f->slot->generation);
	heads = tbuf_fire_heads(f->base, f->slot);
	tbuf_fence_loads();
	/* 0: it has ended; the section would find 0 as well, and not notice. */
	if (f->generation == 0 || heads == NULL ||
	    (tbuf_load(site->enabled) & 1u << f->number) == 0 ||
	    tbuf_load(&f->slot->generation) != f->generation)
		return;
	head = tbuf_load(heads + f->index);
	f->epid = head & TBUF_HEAD_EPID;
	f->programs = (head & TBUF_HEAD_PROGRAM) != 0;
}

/* Packs texts, cut at the session's strsize. */
static void
fire_pack(struct tbuf_fire *f, const struct tbuf_site *site,
    const uint64_t *values, struct tbuf_pack *pack)
{
	tbuf_pack(site, values, tbuf_fire_strsize(f->slot), pack);
	f->words = pack->words;
	f->size = pack->size;
	f->segments = pack->segments;
	f->end = pack->end;
}

/* Fires in one session by the slow path.  Without texts there is no pack. */
static __attribute__((noinline)) void
fire_session(struct tbuf_fire *f, unsigned number,
    const struct tbuf_site *site, const uint64_t *values,
    struct tbuf_pack *pack)
{
	uint32_t tries;

	f->number = number;
	f->index = site->index;
	f->base = tbuf_load(&tbuf_local->base);
	if (f->base == 0) {
		tbuf_wanted_unnoticed();
		return;
	}
	f->slot = session_slot(f->base, number);
	f->bits = tbuf_fire_bits(f->slot, number);
	for (tries = 0; tries < TRIES_MAX; tries++) {
		fire_look(f, site);
		if (pack != NULL && !f->programs)
			fire_pack(f, site, values, pack);
		if ((f->programs ? tbuf_clause_chain(f, site, values, pack) :
		    fire_chain(f)) == TBUF_EMIT_DONE ||
		    tbuf_load(&tbuf_local->base) != f->base ||
		    (tbuf_load(site->enabled) & 1u << number) == 0)
			break;
	}
}

/*
 * Fires in one session by the slow path, with arguments that are words already.
 */
static __attribute__((noinline)) void
fire_words_session(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, unsigned number)
{
	struct tbuf_segment segments[2] = { { NULL, 0 }, { words, size } };
	struct tbuf_fire f;

	/* fire_session() sets the fields that depend on the session. */
	f.words = true;
	f.size = size;
	f.segments = segments;
	f.end = segments + 2;
	fire_session(&f, number, site, NULL, NULL);
}

/*
 * Writes any number of words by a flat section: for the one session that traces
 * the probe and that the thread's memo is of, with one ECB.
 */
static __attribute__((noinline)) TBUF_FIRES bool
fire_own_words(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, const struct tbuf_slot *slot, uint64_t generation)
{
	return (tbuf_rseq_extend(site, words,
	    sizeof(struct tbuf_header) + size, slot, generation));
}

/* Fires texts in one session by the slow path. */
static __attribute__((noinline)) void
fire_texts_session(const struct tbuf_site *site, const uint64_t *values,
    unsigned number)
{
	struct tbuf_pack pack;
	struct tbuf_fire f;

	fire_session(&f, number, site, values, &pack);
}

/* Out of line: else a loop around it keeps its variables on the stack. */
static __attribute__((noinline)) enum tbuf_outcome
fire_rows_among(const struct tbuf_memo *m, struct tbuf_write *w,
    const struct tbuf_site *site, const uint64_t *values)
{
	return (tbuf_rseq_rows_among(m, w, site, values));
}

/* ------------------------------------------------------------ entry points */

/*
 * Writes words to a session with a memo.  Fires of a few words have a section
 * for that, which needs a CPU's memo.
 */
static inline bool
fire_memo(const struct tbuf_site *site, const uint64_t *values,
    const struct tbuf_memo *memos, unsigned number, struct tbuf_write *w)
{
	if (w->size > sizeof(struct tbuf_header) + FEW_BYTES)
		return (fire_rows(site, memo_for(tbuf_load(site->enabled),
		    number), w));
	return (memos != NULL && fire_rows_among(tbuf_memo_among(memos,
	    number), w, site, values) == TBUF_COMMITTED);
}

/*
 * Fires words in those sessions of the probe that are in `left`, in any way; if
 * one session traces the probe, its plan has been tried.
 */
static __attribute__((noinline)) void
fire_rest(const struct tbuf_site *site, const uint64_t *values,
    uint64_t size, uint32_t left)
{
	uint32_t all = tbuf_load(site->enabled), bits = all & left;
	bool alone = (all & (all - 1)) == 0;
	const struct tbuf_memo *memos;
	struct tbuf_write w;
	unsigned number;

	if (bits == 0)
		return;
	memos = is_elsewhere(all) ? NULL : memos_for(all);
	w.size = sizeof(struct tbuf_header) + size;
	w.size16 = (uint32_t)w.size << 16;
	w.from = values;
	w.index = site->index;
	w.tid = tbuf_load(&tbuf_thread.tid);
	w.time = 0;
	for (; bits != 0; bits &= bits - 1) {
		number = (unsigned)__builtin_ctz(bits);
		w.bits = bits & -bits;
		if (fire_memo(site, values, memos, number, &w))
			continue;
		if (alone || !tbuf_plan_run(site, values, size, number))
			fire_words_session(site, values, size, number);
		/* The thread may not have known its id before. */
		memos = memos_for(all);
		w.tid = tbuf_load(&tbuf_thread.tid);
	}
	tbuf_rseq_clear();
}

/*
 * Fires a probe that one session traces, by its plan, if it has one.  Functions
 * are called at the end only: a predicate that does not hold saves no register.
 */
static TBUF_CALLS_POINTER void
fire_alone(const struct tbuf_site *site, const uint64_t *values, uint64_t size)
{
	uint32_t bits = tbuf_load(site->enabled);

	if (!tbuf_load(&tbuf_plans_any) || bits == 0 ||
	    !tbuf_plan_fires(site, values, size, (unsigned)__builtin_ctz(bits)))
		fire_rest(site, values, size, UINT32_MAX);
}

/*
 * Fires a probe that several sessions trace by one loop of sections (SEVERAL)
 * for those with a valid memo, one ECB of the probe, and room in the lane;
 * fire_rest() fires in the others.
 *
 * A task without a thread area is not a thread: nothing is stored for it.
 */
static __attribute__((noinline)) void
fire_several(const struct tbuf_site *site, const uint64_t *values,
    uint64_t size, uint32_t left)
{
	const struct tbuf_memo *memos = tbuf_memos_here();

	if (memos != NULL && size <= FEW_BYTES) {
		size += sizeof(struct tbuf_header);
		left = tbuf_rseq_several(memos, left, size,
		    (uint64_t)tbuf_load(&tbuf_thread.tid) << 32 | size << 16,
		    site, values);
		size -= sizeof(struct tbuf_header);
	}
	if (left != 0)
		fire_rest(site, values, size, left);
}

static inline void
fire_each(const struct tbuf_site *site, const uint64_t *values, uint64_t size)
{
	uint32_t all = tbuf_load(site->enabled);

	if ((all & (all - 1)) != 0)
		fire_several(site, values, size, all);
	else
		fire_alone(site, values, size);
}

/* Fires words in a thread that may have no rseq. */
static inline void
fire_plain(const struct tbuf_site *site, const uint64_t *words, uint64_t size)
{
	const struct tbuf_memo *m = &tbuf_thread.memo;

	if (!tbuf_self.rseq) {
		if (tbuf_lock_cached(site, words, size))
			return;
	} else if (tbuf_load(&m->bits) == tbuf_load(site->enabled) &&
	    fire_own_words(site, words, size, tbuf_load(&m->slot),
	    tbuf_load(&m->generation)))
		return;
	fire_each(site, words, size);
}

/*
 * Marks the thread's memo, which is of a session that has ended and had the
 * same slot.  A session with clauses is remembered when it first writes: until
 * then no flat section is to be tried in vain.  If a handler remembers one
 * meanwhile, its memo may be marked, too: then it is stale, and the next fire
 * refreshes it.
 */
static inline void
memo_set_clauses(const struct tbuf_site *site)
{
	const struct tbuf_slot *slot = tbuf_load(&tbuf_thread.memo.slot);
	uint64_t bits = tbuf_load(site->enabled);

	if (slot != NULL && tbuf_load(&slot->clauses) != 0)
		(void)tbuf_cas(&tbuf_thread.memo.bits, bits,
		    bits | TBUF_MEMO_CLAUSES);
}

/*
 * Fires with the thread's memo after its flat section has failed.  The memo may
 * be of a session that began during this fire, which has to be the probe's only
 * one.
 */
static __attribute__((noinline)) void
fire_rows_own(const struct tbuf_site *site, const uint64_t *values,
    uint64_t size)
{
	struct tbuf_write w;

	w.size = sizeof(struct tbuf_header) + size;
	w.size16 = (uint32_t)w.size << 16;
	w.tid = tbuf_thread.tid;
	w.time = 0;
	if (!tbuf_memo_valid(&tbuf_thread.memo))
		memo_set_clauses(site);
	else if (tbuf_rseq_rows_own(&tbuf_thread.memo, &w, site, values) ==
	    TBUF_COMMITTED) {
		tbuf_rseq_clear();
		return;
	}
	fire_each(site, values, size);
}

static void	fire_unit_first(const struct tbuf_site *, const uint64_t *,
	    uint64_t);

/*
 * Fires in a thread that may be in a work unit, for a probe that is enabled in
 * one session, with one ECB.  All calls are at the end, so that the usual way
 * saves no registers.
 */
static __attribute__((noinline)) void
fire_unit(const struct tbuf_site *site, const uint64_t *values, uint64_t size)
{
	struct tbuf_unit *u = tbuf_thread.unit;
	uint32_t bits = tbuf_load(site->enabled);

	if (u == NULL || bits == 0 || u->bound[0].fast_bits != bits ||
	    tbuf_load(&u->busy) || tbuf_thread.shared != 0 ||
	    tbuf_load(&tbuf_local->base) != u->bound[0].fire.base)
		fire_each(site, values, size);
	else if (tbuf_rseq_keep(&u->bound[0].way, site, values, size) !=
	    TBUF_COMMITTED)
		fire_unit_first(site, values, size);
}

/* Prepares the unit for records of the site, or fires without that. */
static __attribute__((noinline)) void
fire_unit_first(const struct tbuf_site *site, const uint64_t *values,
    uint64_t size)
{
	if (tbuf_load(&tbuf_unit_hooks)->remember(
	    &tbuf_thread.unit->bound[0], site))
		fire_unit(site, values, size);
	else
		fire_each(site, values, size);
}

/*
 * Returns how much of a ring its oldest records leave at once, or 0 if only
 * those leave it whose bytes the next record needs.
 */
static inline uint64_t
ring_part(const struct tbuf_memo *m)
{
	uint64_t bufsize = tbuf_load(&m->bufsize);

	if (tbuf_load(&m->ring) == 0 || bufsize < RING_LEAST)
		return (0);
	return (bufsize > TBUF_RELEASE_MAX * RING_PARTS ? TBUF_RELEASE_MAX :
	    bufsize / RING_PARTS);
}

/*
 * Fires with the thread's memo outside of its stretch.  In a linear lane this
 * makes the next one.
 */
static __attribute__((noinline)) void
fire_beyond(const struct tbuf_site *site, const uint64_t *values,
    uint64_t size)
{
	const struct tbuf_memo *m = &tbuf_thread.memo;

	if (!fire_own_words(site, values, size, tbuf_load(&m->slot),
	    tbuf_load(&m->generation)))
		fire_rows_own(site, values, size);
}

/* Fires after a release of the ring, which makes the next stretch. */
static __attribute__((noinline)) void
fire_release(const struct tbuf_site *site, const uint64_t *values,
    uint64_t size)
{
	(void)tbuf_rseq_release(site, ring_part(&tbuf_thread.memo));
	fire_beyond(site, values, size);
}

/* Fires with the thread's memo outside of its stretch, in any lane. */
static __attribute__((noinline)) void
fire_room(const struct tbuf_site *site, const uint64_t *values, uint64_t size)
{
	if (ring_part(&tbuf_thread.memo) != 0)
		fire_release(site, values, size);
	else
		fire_beyond(site, values, size);
}

/* In a lane that refuses records there is no stretch, and none is tried. */
#define FIRE_FLAT(n)							\
static void								\
fire_flat_##n(struct tbuf_site *site, const uint64_t *values)		\
{									\
	enum tbuf_outcome outcome = TBUF_NO_ROOM;			\
									\
	if (!tbuf_rseq_thread())					\
		return;							\
	if (tbuf_load(&tbuf_thread.memo.bits) !=			\
	    tbuf_load(site->enabled)) {					\
		/* The memo is another session's, or void. */		\
		fire_unit(site, values, 8 * (n));			\
		return;							\
	}								\
	if (tbuf_load(&tbuf_thread.memo.span) != 0)			\
		outcome = tbuf_rseq_flat_##n(site, values);		\
	if (outcome == TBUF_NO_ROOM)					\
		fire_room(site, values, 8 * (n));			\
	else if (outcome != TBUF_COMMITTED)				\
		fire_rows_own(site, values, 8 * (n));			\
}

FIRE_FLAT(0)
FIRE_FLAT(1)
FIRE_FLAT(2)
FIRE_FLAT(3)
FIRE_FLAT(4)

static void (*const flat[])(struct tbuf_site *, const uint64_t *) = {
	fire_flat_0, fire_flat_1, fire_flat_2, fire_flat_3, fire_flat_4
};

static void
fire_flat(struct tbuf_site *site, const uint64_t *values, unsigned n)
{
	if (tbuf_rseq_thread())
		fire_plain(site, values, n * sizeof(*values));
}

static void
fire_long(struct tbuf_site *site, const uint64_t *values)
{
	fire_flat(site, values, site->nargs);
}

/*
 * Packs arguments without a text into words, and fires these.  The calls name
 * their functions: by that ustack() finds frames of ours (clause_stack.c).
 */
static void
fire_fixed(struct tbuf_site *site, const uint64_t *values)
{
	uint64_t words[TBUF_NARGS], size;

	size = tbuf_pack_fixed(site, values, words);
	switch (tbuf_self.rseq ? size / sizeof(words[0]) : UINT64_MAX) {
	case 1:
		fire_flat_1(site, words);
		break;
	case 2:
		fire_flat_2(site, words);
		break;
	case 3:
		fire_flat_3(site, words);
		break;
	case 4:
		fire_flat_4(site, words);
		break;
	default:
		if (tbuf_rseq_thread())
			fire_plain(site, words, size);
	}
}

/* Fires a few words, packed as was worked out when the site registered. */
#define FIRE_PACKED(how, n, ...)					\
static void								\
fire_packed_##how(struct tbuf_site *site, const uint64_t *values)	\
{									\
	const struct tbuf_packing *packing =				\
	    &tbuf_packings.made[site->packing];				\
	const uint64_t words[n] = { __VA_ARGS__ };			\
									\
	if (tbuf_self.rseq)						\
		fire_flat_##n(site, words);				\
	else								\
		fire_flat(site, words, n);				\
}

TBUF_PACKING_EACH(FIRE_PACKED)

#define PACKED(how, ...)	[how] = fire_packed_##how,

static void (*const packed[])(struct tbuf_site *, const uint64_t *) = {
	fire_fixed, TBUF_PACKING_EACH(PACKED)
};

/*
 * Fires texts in one session, cut at the strsize of the memo's generation; with
 * another one the section leaves.  The generation is read before the enable
 * word: if the bit is set then, the session has the probe's chain head.  Out of
 * line, so that the stack of packed words is free afterwards.
 */
static __attribute__((noinline)) bool
fire_one_text(const struct tbuf_site *site, const uint64_t *values,
    const struct tbuf_memo *m, struct tbuf_write *w)
{
	uint64_t words[TBUF_STAGE_WORDS], size, base;

	base = tbuf_load(&tbuf_local->base);
	if (m == NULL || base == 0)
		return (false);
	w->generation = tbuf_load_acquire(&m->generation);
	w->tid = tbuf_load(&tbuf_thread.tid);
	if ((tbuf_load(site->enabled) & w->bits) == 0)
		return (false);
	size = tbuf_pack_texts(site, values, tbuf_fire_strsize(
	    session_slot(base, (unsigned)__builtin_ctzll(w->bits))), words);
	if (size == 0)
		return (false);
	w->size = sizeof(struct tbuf_header) + size;
	w->size16 = (uint32_t)w->size << 16;
	w->from = words;
	return (tbuf_rseq_rows(m, w) == TBUF_COMMITTED);
}

/*
 * Fires texts in each session that traces the probe: with its memo, if `memos`
 * says so, else by its plan or the slow path.
 */
static __attribute__((noinline)) void
fire_each_text(const struct tbuf_site *site, const uint64_t *values,
    bool memos)
{
	uint32_t all = tbuf_load(site->enabled), bits;
	struct tbuf_write w;
	unsigned number;

	w.index = site->index;
	w.time = 0;
	for (bits = all; bits != 0; bits &= bits - 1) {
		number = (unsigned)__builtin_ctz(bits);
		w.bits = bits & -bits;
		if (memos && fire_one_text(site, values,
		    memo_for(all, number), &w))
			continue;
		if (!tbuf_plan_run(site, values,
		    site->nargs * sizeof(*values), number))
			fire_texts_session(site, values, number);
	}
	tbuf_rseq_clear();
}

/*
 * Returns true if the probe has one session, with clauses, that is the
 * thread's, or has a plan.  Then nothing need be packed.
 */
static inline bool
is_of_clauses(const struct tbuf_site *site, uint32_t bits)
{
	return (tbuf_load(&tbuf_thread.memo.bits) ==
	    (bits | TBUF_MEMO_CLAUSES) ||
	    (tbuf_load(&tbuf_plans_any) && tbuf_plan_exists(site, bits)));
}

/* Fires texts after the section of the thread's memo, and without a plan. */
static __attribute__((noinline)) void
fire_texts_rest(const struct tbuf_site *site, const uint64_t *values)
{
	uint32_t bits = tbuf_load(site->enabled);
	uint64_t base = tbuf_load(&tbuf_local->base);
	bool packs = !is_of_clauses(site, bits) && !is_elsewhere(bits);

	if (base == 0 || !packs || tbuf_self.rseq ||
	    !tbuf_lock_texts_cached(site, values, base))
		fire_each_text(site, values, packs && tbuf_self.rseq);
}

/* Fires texts as fire_alone() does: a plan needs no packed ones. */
static TBUF_CALLS_POINTER void
fire_texts_all(const struct tbuf_site *site, const uint64_t *values)
{
	uint32_t bits = tbuf_load(site->enabled);

	if (!tbuf_load(&tbuf_plans_any) || bits == 0 ||
	    (bits & (bits - 1)) != 0 ||
	    !tbuf_plan_fires(site, values, site->nargs * sizeof(*values),
	    (unsigned)__builtin_ctz(bits)))
		fire_texts_rest(site, values);
}

/*
 * Fires texts as a flat section does words.  The generation is read before the
 * session's strsize, and the section compares it: so they are cut as that
 * session has them.
 */
#define FIRE_TEXTS(name, pack, strsize_of, write)			\
static __attribute__((noinline, no_sanitize("address", "thread")))	\
TBUF_FIRES bool								\
name##_own(const struct tbuf_site *site, const uint64_t *values)	\
{									\
	const struct tbuf_memo *m = &tbuf_thread.memo;			\
	uint64_t generation = tbuf_load_acquire(&m->generation);	\
	const struct tbuf_slot *slot = tbuf_load(&m->slot);		\
	uint64_t words[TBUF_STAGE_WORDS], size;				\
									\
	size = pack(site, values, strsize_of(slot), words);		\
	return (size != 0 && write(site, words, size, slot, generation)); \
}									\
									\
static TBUF_FIRES void							\
name(struct tbuf_site *site, const uint64_t *values)			\
{									\
	if (!tbuf_rseq_thread())					\
		return;							\
	if (tbuf_load(&tbuf_thread.memo.bits) !=			\
	    tbuf_load(site->enabled) || !name##_own(site, values))	\
		fire_texts_all(site, values);				\
}

/* Returns the strsize unchecked: the packer's own bound is lower. */
static inline uint32_t
strsize_of(const struct tbuf_slot *slot)
{
	return (tbuf_load(&slot->terms.strsize));
}

/* FIRE_STRING_WORDS is inlined, unlike fire_own_words(). */
#define FIRE_STRING_WORDS(site, words, size, slot, generation)		\
	tbuf_rseq_flat_words(site, words,				\
	    sizeof(struct tbuf_header) + (size), slot, generation)

FIRE_TEXTS(fire_string, tbuf_pack_string, strsize_of, FIRE_STRING_WORDS)
FIRE_TEXTS(fire_text, tbuf_pack_texts, tbuf_fire_strsize, fire_own_words)

/*
 * Fires in one session by the slow path, for a fire that a plan could not do.
 * Each such fire counts: the thread is to remember this session after a while.
 */
static __attribute__((cold)) void
fire_slow(const struct tbuf_site *site, const uint64_t *words, uint64_t size,
    unsigned number)
{
	(void)is_elsewhere(UINT32_C(1) << number);
	if (site->fire == fire_string || site->fire == fire_text)
		fire_texts_session(site, words, number);
	else
		fire_words_session(site, words, size, number);
}

tbuf_plan_fallback *const tbuf_plan_slow = fire_slow;

/*
 * The section has other code that runs when a program begins, far from fires.
 */
__attribute__((section(".text.startup")))
void
tbuf_fire_choose(struct tbuf_site *site)
{
	switch (tbuf_pack_shape(site)) {
	case TBUF_SHAPE_FLAT:
		site->fire = tbuf_self.rseq &&
		    site->nargs < sizeof(flat) / sizeof(flat[0]) ?
		    flat[site->nargs] : fire_long;
		break;
	case TBUF_SHAPE_FIXED:
		site->fire = packed[tbuf_packing_make(site)];
		break;
	case TBUF_SHAPE_STRING:
		site->fire = fire_string;
		break;
	default:
		site->fire = fire_text;
	}
}
