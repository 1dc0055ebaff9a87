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

#define TBUF_FORK_TICK	0xffffffu
#define TBUF_HOLDS	4
#define TBUF_BLOCKS_REMEMBERED	4

/* A lane's words, after tbuf_lane_place() has checked them. */
struct tbuf_place {
	struct tbuf_lane *lane;
	unsigned char *data;
	uint64_t storage;
	uint64_t size;
};

/*
 * The memo of a thread without rseq: its last fire.  It is in the thread's
 * memo, where `bits' stays void.  A signal handler may fire while it is read or
 * written: `version' is odd during a write, and has changed after it.
 */
struct tbuf_locked {
	uint64_t bits;			/* the enable word it is valid for */
	uint64_t generation;
	struct tbuf_slot *slot;
	const uint32_t *heads;
	struct tbuf_place place;
	uint32_t lock;			/* the lane's number */
	uint32_t version;
};

/* The origin of a redirected fire, from its provider: fire_redirected.c. */
struct tbuf_from {
	const struct tbuf_site *site;
	uint64_t inner;		/* address in the called function, or 0 */
	uint64_t pc;		/* where the program resumes, or a place */
	uint64_t sp, fp;	/* these registers when it resumes */
};

/*
 * The state of a thread that the fire path needs.  Initial-exec: an access
 * never allocates.  It has one memo, because objects that are loaded late have
 * little room.
 */
struct tbuf_thread {
	union {
		struct tbuf_memo memo;	/* void while shared > 0 */
		struct {
			uint64_t memo_bits;
			struct tbuf_locked locked;
			/* Without rseq, sections are armed here. */
			uint64_t spare[2];
		};
	};
	uint32_t tid;		/* 0: not known yet */
	uint32_t shared;	/* > 0: its thread area is shared */
	uint32_t children;	/* > 0: depth of vfork children that run */
	uint32_t lock;		/* the lock lane last found free */
	uint32_t nholds;	/* valid entries of `holds' */
	/*
	 * A handler that forks while `busy' is written may lose its tick: an
	 * earlier one is no less right.
	 */
	uint32_t busy : 8;	/* > 0: it makes a target or registers probes */
	uint32_t fork_tick : 24; /* end of tbuf_start_tick() before its last
				 * fork; 0: none */
	uint8_t deadline_ticks;	/* clause chains run, modulo 256 */
	uint8_t hidden;		/* > 0: its system calls are not the
				 * program's */
	uint8_t thread_lane_busy; /* not 0: its lane must not be used */
	bool series;		/* between tbuf_series_begin() and _end() */
	int16_t series_error;	/* why tbuf_series_begin() failed, or 0 */
	uint8_t elsewhere;	/* fires for sessions other than the memo's,
				 * each the only one of its probe; at most
				 * TBUF_ELSEWHERE */
	bool forks : 1;		/* between tbuf_fork_begin() and _end() */
	bool flushing : 1;	/* it calls the flush function of the text
				 * trace; a handler restores both */
	uint64_t stack_low;	/* lowest known address of its stack */
	uint64_t stack_end;	/* end of its stack; 0: not known */
	uint64_t stack_gap;	/* page below that could not be read; 0: none */
	uint64_t *holds[TBUF_HOLDS]; /* fires at lock lanes: inflight.h */
	uint64_t number;	/* never reused; 0: not drawn yet */
	/* Blocks of variables, by sessions' slots: clause_thread_local.c. */
	uint64_t blocks[TBUF_BLOCKS_REMEMBERED];
	uint64_t thread_lane;	/* its lane in its last session:
				 * thread_lane.c */
	struct tbuf_unit *unit;	/* its current work unit, or NULL */
	uint32_t unit_last;	/* index of its last unit, and that unit's
				 * table */
	uint32_t unit_table;
	struct tbuf_from from;
};
_Static_assert(offsetof(struct tbuf_thread, memo_bits) ==
    offsetof(struct tbuf_thread, memo.bits) &&
    offsetof(struct tbuf_thread, spare[2]) <= sizeof(struct tbuf_memo),
    "both lie within the memo, after its bits");
extern __thread struct tbuf_thread tbuf_thread
    __attribute__((tls_model("initial-exec"))) TBUF_HIDDEN;

_Static_assert(offsetof(struct tbuf_thread, memo) == 0, "tbuf_rseq_own");

/* Voids the thread's memo, so that no fire uses it. */
static inline void
tbuf_thread_forget(void)
{
	tbuf_store(&tbuf_thread.memo.bits, TBUF_MEMO_NONE);
	if (!tbuf_self.rseq)
		tbuf_store(&tbuf_thread.locked.bits, 0);
}

/* Returns this thread's id as the C library has it.  No system call. */
uint32_t tbuf_thread_id(void) TBUF_HIDDEN;
void	tbuf_thread_init(void) TBUF_HIDDEN;
/* Returns the id as this thread remembers it. */
static inline uint32_t
tbuf_thread_tid(void)
{
	if (tbuf_thread.tid == 0)
		tbuf_thread.tid = tbuf_thread_id();
	return (tbuf_thread.tid);
}

/*
 * Returns a number that is never drawn twice in this process; and this
 * thread's.
 */
uint64_t tbuf_thread_draw(void) TBUF_HIDDEN;
uint64_t tbuf_thread_own_number(void) TBUF_HIDDEN;

/*
 * Signals are blocked between the two calls: a handler could fork, and the
 * child would continue the parent's work, or the handler could leave by a jump.
 * Not for the fire path.
 */
void	tbuf_signals_block(sigset_t *old) TBUF_HIDDEN;
void	tbuf_signals_restore(const sigset_t *old) TBUF_HIDDEN;

#endif
