/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The state of a thread on the target side.
 */
#ifndef TBUF_TARGET_SELF_THREAD_H
#define TBUF_TARGET_SELF_THREAD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/rseq_types.h"
#include "target/self/self.h"

#define TBUF_HOLDS	4
#define TBUF_BLOCKS_REMEMBERED	4

/* A lane's words, checked (tbuf_lane_place). */
struct tbuf_place {
	struct tbuf_lane *lane;
	unsigned char *data;
	uint64_t storage;
	uint64_t size;
};

/*
 * What a thread without rseq remembers of its last fire, in the place of its
 * memo, whose bits stay void.  A handler may fire while this is read or
 * written: `version` is odd in between, and is not the same afterwards.
 */
struct tbuf_locked {
	uint64_t bits;			/* enable word that it is good for */
	uint64_t generation;
	struct tbuf_slot *slot;
	const uint32_t *heads;
	struct tbuf_place place;
	uint32_t lock;			/* the lane's number */
	uint32_t version;
};

/* Whose fire is under way, as its provider says: fire_redirected.c. */
struct tbuf_from {
	const struct tbuf_site *site;
	uint64_t inner;		/* in what the program has called, or 0 */
	uint64_t pc;		/* where the program goes on, */
	uint64_t sp, fp;	/* and what it has in these registers then */
};

/*
 * A thread, as the fire path needs it.  Initial-exec: touching it never
 * allocates.  It has one memo: there is little room for objects that are
 * loaded late.
 */
struct tbuf_thread {
	union {
		struct tbuf_memo memo;	/* void while shared > 0 */
		struct {
			uint64_t memo_bits;
			struct tbuf_locked locked;
		};
	};
	uint32_t tid;		/* 0: not known yet */
	uint32_t shared;	/* > 0: its area is, with a task without rseq */
	uint32_t children;	/* > 0: a child of vfork is under way */
	uint32_t lock;		/* the lock lane that was free last */
	uint32_t nholds;	/* of the following that count */
	uint32_t busy;		/* > 0: it makes a target, or registers */
	uint8_t looks;		/* chains with clauses, counted round */
	uint8_t hidden;		/* > 0: its system calls are none of the
				 * program's */
	uint8_t side_busy;	/* not 0: its side lanes are not to be used */
	bool batch;		/* between tbuf_batch_begin and _end */
	int16_t batch_error;	/* why it cannot register any there, or 0 */
	uint8_t elsewhere;	/* fires by CPUs' memos, for sessions of which
				 * each was alone at its probe */
	uint64_t stack_low;	/* as far down as its stack is known, ... */
	uint64_t stack_end;	/* ... and where it ends; 0: not known */
	uint64_t *holds[TBUF_HOLDS]; /* fires at lock lanes: target/lane/inflight.h */
	uint64_t spare[2];	/* sections are armed here without rseq */
	uint64_t number;	/* never used twice; 0: not drawn yet */
	/* Its blocks of variables, in sessions by their slot: clause_thread. */
	uint64_t blocks[TBUF_BLOCKS_REMEMBERED];
	uint64_t side;		/* its lane of the last session: thread_lane.c */
	struct tbuf_unit *unit;	/* the work unit that it is in, or NULL */
	uint32_t unit_last;	/* where its last one was, and its table */
	uint32_t unit_table;
	struct tbuf_from from;
};
_Static_assert(offsetof(struct tbuf_thread, memo_bits) ==
    offsetof(struct tbuf_thread, memo.bits) &&
    sizeof(struct tbuf_locked) + sizeof(uint64_t) <= sizeof(struct tbuf_memo),
    "locked lies within the memo, behind its bits");
extern __thread struct tbuf_thread tbuf_thread
    __attribute__((tls_model("initial-exec"))) TBUF_HIDDEN;

_Static_assert(offsetof(struct tbuf_thread, memo) == 0, "tbuf_rseq_own");

/* No fire of this thread goes by what it remembers. */
static inline void
tbuf_thread_forget(void)
{
	tbuf_store(&tbuf_thread.memo.bits, TBUF_MEMO_NONE);
	if (!tbuf_self.rseq)
		tbuf_store(&tbuf_thread.locked.bits, 0);
}

/* The C library's idea of this thread's id.  No system call. */
uint32_t tbuf_thread_id(void) TBUF_HIDDEN;
void	tbuf_thread_init(void) TBUF_HIDDEN;
/* A number that is never drawn twice in this process; and this thread's. */
uint64_t tbuf_thread_draw(void) TBUF_HIDDEN;
uint64_t tbuf_thread_own_number(void) TBUF_HIDDEN;

/*
 * No handler comes between the two: it could fork, and the child go on with
 * what is its parent's, or leave by a jump.  Not for the fire path.
 */
void	tbuf_signals_block(sigset_t *old) TBUF_HIDDEN;
void	tbuf_signals_restore(const sigset_t *old) TBUF_HIDDEN;

#endif
