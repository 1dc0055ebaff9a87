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
#include "arch/rseq.h"
#include "arch/rseq_area.h"
#include "arch/rseq_unit.h"
#include "target/clause/clause.h"
#include "target/clause/plan.h"
#include "target/fire/fire.h"
#include "target/lane/lane.h"
#include "target/lane/pack.h"
#include "target/lane/pack_fixed.h"
#include "target/self/self.h"
#include "target/lane/pack_string.h"
#include "target/self/thread.h"
#include "target/unit/unit.h"

/* A session can end and another begin under a fire, but not for ever. */
#define AGAIN_MAX	16

/*
 * Is the thread's own memo of a session that has ended, or of the one that
 * traces alone, but not as it is?  The long way makes it good.
 */
static inline bool
is_stale(const struct tbuf_memo *own, uint64_t bits)
{
	uint64_t whose = tbuf_load(&own->bits);

	return (((uint32_t)whose == (uint32_t)bits && whose != bits) ||
	    !tbuf_memo_stands(own));
}

/*
 * This CPU's memos, for the sessions that trace a probe, or NULL.  NULL for a
 * session that is alone while the thread's own memo is stale, or of another
 * CPU: the long way makes it good, and the next fire is a flat one.  And for
 * one that has clauses.
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
 * Has the thread fired for sessions that it does not remember so often that it
 * is to remember this one?  The long way does so, if it writes a record.
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

/* ... or for one of them: where it is alone, the thread's own if it has it. */
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
 * Words, by what is remembered of the session.  The generation is read before
 * the enable word, so that it has the probe's head if it is still there then.
 */
static inline bool
fire_rows(const struct tbuf_site *site, const struct tbuf_memo *m,
    struct tbuf_write *w)
{
	if (m == NULL)
		return (false);
	w->generation = tbuf_load_acquire(&m->generation);
	/* Not before: a thread that remembers nothing may not know its id. */
	w->tid = tbuf_load(&tbuf_thread.tid);
	return ((tbuf_load(site->enabled) & w->bits) != 0 &&
	    tbuf_rseq_rows(m, w) == TBUF_COMMITTED);
}

/*
 * By what is remembered of the session.  By no CPU's memo while the thread's
 * own is stale, or to be this session's: who goes by that makes nothing good.
 */
static bool
fire_again(const struct tbuf_fire *f)
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

/* Every ECB of the probe in one session. */
static enum tbuf_emit
fire_chain(struct tbuf_fire *f)
{
	unsigned n;

	for (n = 0; f->epid != 0 && n < TBUF_CHAIN_MAX; n++) {
		if (!fire_again(f) && tbuf_lane_emit(f) == TBUF_EMIT_AGAIN) {
			/* What is left of the chain ended with the session. */
			return (n == 0 ? TBUF_EMIT_AGAIN : TBUF_EMIT_DONE);
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
 * The probe's first EPID in the session.  The heads are those of the session
 * whose generation was read, if that is still the slot's, and it has the probe
 * enabled: else they might not be backed here.
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
	/* 0: it has ended, and would still be 0 when the section looks. */
	if (f->generation == 0 || heads == NULL ||
	    (tbuf_load(site->enabled) & 1u << f->number) == 0 ||
	    tbuf_load(&f->slot->generation) != f->generation)
		return;
	head = tbuf_load(heads + f->index);
	f->epid = head & TBUF_HEAD_EPID;
	f->programs = (head & TBUF_HEAD_PROGRAM) != 0;
}

/* What a session's strsize leaves of the texts. */
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

/* One session, from the start.  Without texts there is no pack. */
static __attribute__((noinline)) void
fire_session(struct tbuf_fire *f, unsigned number,
    const struct tbuf_site *site, const uint64_t *values,
    struct tbuf_pack *pack)
{
	uint32_t again;

	f->number = number;
	f->index = site->index;
	f->base = tbuf_load(&tbuf_local->base);
	if (f->base == 0)
		return;
	f->slot = session_slot(f->base, number);
	f->bits = tbuf_fire_bits(f->slot, number);
	for (again = 0; again < AGAIN_MAX; again++) {
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

/* As a clause has been met before. */
static inline bool
fire_clause(const struct tbuf_site *site, const uint64_t *words, uint64_t size,
    unsigned number)
{
	return (tbuf_load(&tbuf_clause_kept) &&
	    tbuf_clause_again(site, words, size, number));
}

/* Arguments that are words already, in one session by the long way. */
static __attribute__((noinline)) void
fire_words_session(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, unsigned number)
{
	struct tbuf_segment segments[2] = { { NULL, 0 }, { words, size } };
	struct tbuf_fire f;

	/* What depends on the session is filled in there. */
	f.words = true;
	f.size = size;
	f.segments = segments;
	f.end = segments + 2;
	fire_session(&f, number, site, NULL, NULL);
}

/* ... in each session, any number of them. */
static __attribute__((noinline)) void
fire_words(const struct tbuf_site *site, const uint64_t *words, uint64_t size)
{
	uint32_t all = tbuf_load(site->enabled), bits;
	struct tbuf_write w;
	unsigned number;

	w.size = sizeof(struct tbuf_header) + size;
	w.size16 = (uint32_t)w.size << 16;
	w.from = words;
	w.index = site->index;
	w.time = 0;
	for (bits = all; bits != 0; bits &= bits - 1) {
		number = (unsigned)__builtin_ctz(bits);
		w.bits = bits & -bits;
		if (!fire_rows(site, memo_for(all, number), &w) &&
		    !fire_clause(site, words, size, number))
			fire_words_session(site, words, size, number);
	}
	tbuf_rseq_clear();
}

/*
 * Any number of words as a flat section has them: for the one session that
 * traces the probe and that the thread's own memo is of, with one ECB.
 */
static __attribute__((noinline)) TBUF_FIRES bool
fire_own_words(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, const struct tbuf_slot *slot, uint64_t generation)
{
	return (tbuf_rseq_flat_words(site, words,
	    sizeof(struct tbuf_header) + size, slot, generation));
}

/* ... of a thread that may have no section to try. */
static inline void
fire_plain(const struct tbuf_site *site, const uint64_t *words, uint64_t size)
{
	const struct tbuf_memo *m = &tbuf_thread.memo;

	if (!tbuf_self.rseq) {
		if (tbuf_lock_again(site, words, size))
			return;
	} else if (tbuf_load(&m->bits) == tbuf_load(site->enabled) &&
	    fire_own_words(site, words, size, tbuf_load(&m->slot),
	    tbuf_load(&m->generation)))
		return;
	fire_words(site, words, size);
}

/* In a session by the long way. */
static __attribute__((noinline)) void
fire_texts_session(const struct tbuf_site *site, const uint64_t *values,
    unsigned number)
{
	struct tbuf_pack pack;
	struct tbuf_fire f;

	fire_session(&f, number, site, values, &pack);
}

/* In those sessions of the probe's. */
static __attribute__((noinline)) void
fire_texts(const struct tbuf_site *site, const uint64_t *values, uint32_t bits)
{
	unsigned number;

	for (; bits != 0; bits &= bits - 1) {
		number = (unsigned)__builtin_ctz(bits);
		if (!fire_clause(site, values,
		    site->nargs * sizeof(*values), number))
			fire_texts_session(site, values, number);
	}
}

/* Apart: a loop that has it within keeps its variables on the stack. */
static __attribute__((noinline)) enum tbuf_outcome
fire_rows_among(const struct tbuf_memo *m, struct tbuf_write *w,
    const struct tbuf_site *site, const uint64_t *values)
{
	return (tbuf_rseq_rows_among(m, w, site, values));
}

/* ------------------------------------------------------------ entry points */

/*
 * In those sessions of the probe's, by whatever way it takes; where it is
 * alone, its clause has been asked.
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
	w.tid = tbuf_load(&tbuf_thread.tid);
	w.time = 0;
	for (; bits != 0; bits &= bits - 1) {
		number = (unsigned)__builtin_ctz(bits);
		if (memos != NULL && fire_rows_among(
		    tbuf_memo_among(memos, number), &w, site, values) ==
		    TBUF_COMMITTED)
			continue;
		if (alone || !fire_clause(site, values, size, number))
			fire_words_session(site, values, size, number);
		/* It may be since then that the thread knows its id. */
		memos = memos_for(all);
		w.tid = tbuf_load(&tbuf_thread.tid);
	}
	tbuf_rseq_clear();
}

/* What the clause of a probe does that is not only a predicate. */
static __attribute__((noinline)) void
fire_behind(const struct tbuf_site *site, const uint64_t *values,
    uint64_t size, enum tbuf_kept_way way, uint64_t version)
{
	if (!tbuf_clause_behind(site, values, size, way, version))
		fire_rest(site, values, size, UINT32_MAX);
}

/* ... which most often is to count. */
static __attribute__((noinline)) void
fire_count(const struct tbuf_site *site, const uint64_t *values,
    uint64_t size, uint64_t version, const struct tbuf_kept *k)
{
	if (!tbuf_kept_count(k, version))
		fire_behind(site, values, size, TBUF_WAY_BEHIND, version);
}

/*
 * A probe that one session traces, by its clause if that has been met before.
 * Nothing is called but at the end: a predicate that does not hold saves no
 * register.
 */
static __attribute__((noinline)) void
fire_alone(const struct tbuf_site *site, const uint64_t *values, uint64_t size)
{
	const struct tbuf_kept *k = tbuf_kept_place(site->index);
	uint32_t bits = tbuf_load(site->enabled);
	enum tbuf_kept_way way = TBUF_WAY_NONE;
	uint64_t version;

	if (tbuf_load(&tbuf_clause_kept) && bits != 0)
		way = tbuf_kept_way(k, site, values, size,
		    (unsigned)__builtin_ctz(bits), &version);
	if (way == TBUF_WAY_DONE)
		return;
	if (way == TBUF_WAY_NONE)
		fire_rest(site, values, size, UINT32_MAX);
	else if (way == TBUF_WAY_BEHIND && k->whole == TBUF_WHOLE_COUNT)
		fire_count(site, values, size, version, k);
	else if (way == TBUF_WAY_BEHIND && k->whole != TBUF_WHOLE_NONE)
		tbuf_kept_do(site, values, size, version, k);
	else
		fire_behind(site, values, size, way, version);
}

/*
 * What a fire nearly always is: one session traces the probe, all that the
 * thread's own memo holds is still so, the probe has one ECB there, and the
 * lane has room.  Next comes what has several sessions, here, or ECBs, and
 * whatever else it turns out to be is done as above.
 *
 * A task without a thread area is not a thread: nothing is stored for it.
 */
static __attribute__((noinline)) void
fire_several(const struct tbuf_site *site, const uint64_t *values,
    uint64_t size, uint32_t left)
{
	const struct tbuf_memo *memos = tbuf_memos_here();

	if (memos != NULL) {
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

/*
 * The thread's memo is of a session that has ended and had the same slot.  One
 * with clauses is remembered when it first writes: until then a flat section
 * is not to be tried in vain.  What a handler remembers meanwhile may be marked
 * so as well: then it is stale, and the next fire makes it good.
 */
static inline void
mark_clauses(const struct tbuf_site *site)
{
	const struct tbuf_slot *slot = tbuf_load(&tbuf_thread.memo.slot);
	uint64_t bits = tbuf_load(site->enabled);

	if (slot != NULL && tbuf_load(&slot->clauses) != 0)
		(void)tbuf_cas(&tbuf_thread.memo.bits, bits,
		    bits | TBUF_MEMO_CLAUSES);
}

/*
 * The thread's memo is the session's, and yet it was not done.  It may be of
 * another by now, which began amid this fire: it has to be the only one still.
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
	if (!tbuf_memo_stands(&tbuf_thread.memo))
		mark_clauses(site);
	else if (tbuf_rseq_rows_own(&tbuf_thread.memo, &w, site, values) ==
	    TBUF_COMMITTED) {
		tbuf_rseq_clear();
		return;
	}
	fire_each(site, values, size);
}

static void	fire_met(const struct tbuf_site *, const uint64_t *, uint64_t);

/*
 * Of a thread that may be in a work unit, and of a probe that is enabled in one
 * session, with one ECB.  All calls are the last thing that is done: so there
 * is nothing to be saved on the usual way.
 */
static __attribute__((noinline)) void
fire_unit(const struct tbuf_site *site, const uint64_t *values, uint64_t size)
{
	struct tbuf_unit *u = tbuf_thread.unit;
	uint32_t bits = tbuf_load(site->enabled);

	if (u == NULL || bits == 0 || u->bound[0].again != bits ||
	    tbuf_load(&u->busy) || tbuf_thread.shared != 0 ||
	    tbuf_load(&tbuf_local->base) != u->bound[0].fire.base)
		fire_each(site, values, size);
	else if (tbuf_rseq_keep(&u->bound[0].way, site, values, size) !=
	    TBUF_COMMITTED)
		fire_met(site, values, size);
}

/* Has it to be met first, or is it none of these cases? */
static __attribute__((noinline)) void
fire_met(const struct tbuf_site *site, const uint64_t *values, uint64_t size)
{
	if (tbuf_unit_meet(&tbuf_thread.unit->bound[0], site))
		fire_unit(site, values, size);
	else
		fire_each(site, values, size);
}

#define FIRE_FLAT(n)							\
static void								\
fire_flat_##n(struct tbuf_site *site, const uint64_t *values)		\
{									\
	if (!tbuf_rseq_thread())					\
		return;							\
	if (tbuf_load(&tbuf_thread.memo.bits) !=			\
	    tbuf_load(site->enabled))					\
		/* Another session's, or void, as in a unit. */		\
		fire_unit(site, values, 8 * (n));			\
	else if (!tbuf_rseq_flat_##n(site, values))			\
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
 * Without a text, arguments are packed into words first.  The calls name their
 * functions: by that ustack() knows frames of ours (clause_stack.c).
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

/* ... a few of them as it was worked out when the site registered. */
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
 * A text is cut at the session's strsize: that of the generation that the
 * memo is good for, or the section leaves.  The generation is read before the
 * enable word, so that it has the probe's head if it is still there then.
 */
static inline bool
fire_one_text(const struct tbuf_site *site, const uint64_t *values,
    uint64_t base, const struct tbuf_memo *m, struct tbuf_write *w)
{
	uint64_t words[TBUF_STAGE_WORDS], size;

	if (m == NULL)
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

/* The sessions of the probe's for which that was not enough. */
static __attribute__((noinline)) uint32_t
fire_each_text(const struct tbuf_site *site, const uint64_t *values,
    uint64_t base)
{
	uint32_t all = tbuf_load(site->enabled), bits, left = 0;
	struct tbuf_write w;
	unsigned number;

	w.index = site->index;
	w.time = 0;
	for (bits = all; bits != 0; bits &= bits - 1) {
		number = (unsigned)__builtin_ctz(bits);
		w.bits = bits & -bits;
		if (!fire_one_text(site, values, base, memo_for(all, number),
		    &w))
			left |= (uint32_t)w.bits;
	}
	tbuf_rseq_clear();
	return (left);
}

/*
 * Is the one session of the probe's one with clauses, that is the thread's own,
 * or whose clause has been met here?  Then nothing need be packed.
 */
static inline bool
is_of_clauses(const struct tbuf_site *site, uint32_t bits)
{
	return (tbuf_load(&tbuf_thread.memo.bits) ==
	    (bits | TBUF_MEMO_CLAUSES) ||
	    (tbuf_load(&tbuf_clause_kept) && tbuf_clause_met(site, bits)));
}

/* Functions of their own: whoever has to go on has the words' stack again. */
static __attribute__((noinline)) void
fire_texts_rest(const struct tbuf_site *site, const uint64_t *values)
{
	uint32_t left = tbuf_load(site->enabled);
	uint64_t base = tbuf_load(&tbuf_local->base);

	if (base == 0)
		return;
	if (is_of_clauses(site, left) || is_elsewhere(left))
		fire_texts(site, values, left);
	else if (tbuf_self.rseq)
		fire_texts(site, values, fire_each_text(site, values, base));
	else if (!tbuf_lock_texts_again(site, values, base))
		fire_texts(site, values, tbuf_load(site->enabled));
}

/* As fire_behind(). */
static __attribute__((noinline)) void
fire_texts_behind(const struct tbuf_site *site, const uint64_t *values,
    uint64_t size, enum tbuf_kept_way way, uint64_t version, unsigned number)
{
	if (!tbuf_clause_behind(site, values, size, way, version))
		fire_texts_session(site, values, number);
}

/* ... and as fire_alone(): nothing need be packed. */
static __attribute__((noinline)) void
fire_texts_all(const struct tbuf_site *site, const uint64_t *values)
{
	const struct tbuf_kept *k = tbuf_kept_place(site->index);
	uint32_t bits = tbuf_load(site->enabled);
	uint64_t size = site->nargs * sizeof(*values), version;
	enum tbuf_kept_way way = TBUF_WAY_NONE;

	if (tbuf_load(&tbuf_clause_kept) && bits != 0 &&
	    (bits & (bits - 1)) == 0)
		way = tbuf_kept_way(k, site, values, size,
		    (unsigned)__builtin_ctz(bits), &version);
	if (way == TBUF_WAY_DONE)
		return;
	if (way == TBUF_WAY_NONE)
		fire_texts_rest(site, values);
	else if (way == TBUF_WAY_BEHIND && k->whole > TBUF_WHOLE_COUNT)
		tbuf_kept_do(site, values, size, version, k);
	else
		fire_texts_behind(site, values, size, way, version,
		    (unsigned)__builtin_ctz(bits));
}

/*
 * As a flat section does it, with texts.  The generation is read before the
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

/* The packer bounds it: what it has room for is less. */
static inline uint32_t
strsize_of(const struct tbuf_slot *slot)
{
	return (tbuf_load(&slot->terms.strsize));
}

/* Without a call. */
#define FIRE_STRING_WORDS(site, words, size, slot, generation)		\
	tbuf_rseq_flat_words(site, words,				\
	    sizeof(struct tbuf_header) + (size), slot, generation)

FIRE_TEXTS(fire_string, tbuf_pack_string, strsize_of, FIRE_STRING_WORDS)
FIRE_TEXTS(fire_text, tbuf_pack_texts, tbuf_fire_strsize, fire_own_words)

/*
 * Nothing has been done.  The session may have ended meanwhile: the fire is for
 * whoever traces the probe now.
 */
static void
fire_unable(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint64_t version)
{
	uint32_t bits;

	if (site->fire != fire_string && site->fire != fire_text) {
		fire_behind(site, words, size, TBUF_WAY_RUN, version);
		return;
	}
	if (!tbuf_kept_run(site, words, size, tbuf_kept_place(site->index),
	    version))
		for (bits = tbuf_load(site->enabled); bits != 0;
		    bits &= bits - 1)
			fire_texts_session(site, words,
			    (unsigned)__builtin_ctz(bits));
}

tbuf_plan_fallback *const tbuf_plan_unable = fire_unable;

/* With what else runs when a program begins, far from fires. */
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
