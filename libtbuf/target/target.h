/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target side's own state, and what its parts ask of each other.
 *
 *	life	when this process is a target, and why it is not
 *	file	makes or adopts the control file
 *	wanted	sessions that the board wants of it
 *	fork	what a child of fork, vfork or clone may do
 *	register sites into the probe table, sessions onto new probes
 *	fire	from a site to the sessions that trace it
 *	lane	one record into a CPU's lane or a lock lane
 *	pack	arguments into the segments of a record
 *	thread	what is known of the calling thread
 */
#ifndef TBUF_TARGET_TARGET_H
#define TBUF_TARGET_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tbuf.h"
#include "atomics.h"
#include "layout.h"
#include "arch/rseq.h"
#include "common/clock.h"
#include "common/match.h"

#define TBUF_HIDDEN	__attribute__((visibility("hidden")))

/* What else a fire has to know; written once, before tbuf_local is set. */
struct tbuf_self {
	uint64_t window;	/* bytes mapped from the base */
	enum tbuf_clock clock;
	bool rseq;		/* CPU lanes may be used */
	bool cpu_readable;	/* tbuf_counter_read_cpu() tells the CPU */
};
extern struct tbuf_self tbuf_self TBUF_HIDDEN;

/*
 * A thread, as the fire path needs it.  Initial-exec: touching it never
 * allocates.
 */
struct tbuf_thread {
	struct tbuf_memo memo;	/* void while shared > 0 */
	uint32_t tid;		/* 0: not known yet; known where memo is good */
	uint32_t shared;	/* > 0: under vfork, or its area is shared */
	uint32_t lock;		/* the lock lane that was free last */
	uint32_t inside;	/* > 0: it holds a lock lane */
	uint32_t busy;		/* > 0: it makes a target, or registers */
};
extern __thread struct tbuf_thread tbuf_thread
    __attribute__((tls_model("initial-exec"))) TBUF_HIDDEN;

/* The C library's idea of this thread's id.  No system call. */
uint32_t tbuf_thread_id(void) TBUF_HIDDEN;
void	tbuf_thread_init(void) TBUF_HIDDEN;

/*
 * No handler comes between the two: it could fork, and the child go on with
 * what is its parent's, or leave by a jump.  Not for the fire path.
 */
void	tbuf_signals_block(sigset_t *old) TBUF_HIDDEN;
void	tbuf_signals_restore(const sigset_t *old) TBUF_HIDDEN;

/* Make the library ready, once; called by whatever comes first. */
void	tbuf_life_begin(void) TBUF_HIDDEN;
/* A forked child: a target of its own if somebody wants it, else none. */
void	tbuf_life_child(void) TBUF_HIDDEN;
void	tbuf_fork_init(void) TBUF_HIDDEN;
/* What its thread believes of itself is its parent's. */
void	tbuf_fork_forget(void) TBUF_HIDDEN;
/* Another thread of the parent may have been registering. */
void	tbuf_register_child(void) TBUF_HIDDEN;
bool	tbuf_register_busy(void) TBUF_HIDDEN;

/*
 * Back a part of the fixed part with storage, so that a store into it cannot
 * raise SIGBUS.  Not for the fire path.
 */
int	tbuf_file_back(uint64_t offset, uint64_t length) TBUF_HIDDEN;

/* Base name of the object that holds an address, cut to size. */
void	tbuf_module_name(const void *address, char *name, size_t size)
	    TBUF_HIDDEN;

/* The window as a view; base NULL when tracing is off. */
struct tbuf_view tbuf_target_view(void) TBUF_HIDDEN;

/* A probe as it registers. */
struct tbuf_candidate {
	struct tbuf_names names;
	unsigned nargs;
	const uint8_t *types;
	const char *argnames;	/* nargs strings, one after the other */
	size_t argnames_size;	/* bytes, NULs included */
};

/*
 * The table's index of a probe, which is added if it is not there, or
 * -ENOSPC.  One more site stands there.  Callers are serialised.
 */
int	tbuf_table_add(const struct tbuf_candidate *) TBUF_HIDDEN;
void	tbuf_table_remove(uint32_t index) TBUF_HIDDEN;

/*
 * How many probes have these names, whatever their types (function NULL: any
 * function), and the first one's index.
 */
unsigned tbuf_table_find(const struct tbuf_names *, uint32_t *index)
	    TBUF_HIDDEN;

/*
 * How many bytes of the two parts of the table are in use, in whole steps of
 * backing; and the same in a new file's header.
 */
void	tbuf_table_extent(uint32_t *probes, uint32_t *strings) TBUF_HIDDEN;
void	tbuf_table_claim(struct tbuf_control *) TBUF_HIDDEN;

/* Let all active sessions meet a probe. */
void	tbuf_sessions_meet(uint32_t index) TBUF_HIDDEN;

/* A site's entry point while its probe is enabled. */
void	tbuf_fire(struct tbuf_site *, const uint64_t *) TBUF_HIDDEN;

/*
 * A record's data in the making.  `stage` holds what is not copied straight
 * from the caller's memory.  At most 10 x (7 padding + 8) bytes, the last
 * padding, and eight that may be zeroed behind it; a text splits it in two segments.
 */
#define TBUF_STAGE_SIZE		176
#define TBUF_SEGMENTS_MAX	(2 + 2 * TBUF_NARGS)

struct tbuf_pack {
	uint64_t size;			/* of the data, a multiple of 8 */
	struct tbuf_segment *end;
	struct tbuf_segment segments[TBUF_SEGMENTS_MAX];
	unsigned char stage[TBUF_STAGE_SIZE];
};

/* Are all arguments 64 bits wide, so that they are data as they come? */
bool	tbuf_pack_flat(const struct tbuf_site *) TBUF_HIDDEN;

/*
 * Lay the arguments out.  segments[0] is left to the caller (a lock lane's
 * CPU word).  Texts stay where they are; their lengths are taken now.
 */
void	tbuf_pack(const struct tbuf_site *, const uint64_t *values,
	    uint32_t strsize, struct tbuf_pack *) TBUF_HIDDEN;

/* One session's part of one fire. */
struct tbuf_fire {
	uint64_t base;			/* of the window */
	struct tbuf_slot *slot;
	uint64_t generation;
	unsigned number;		/* of the slot */
	uint16_t epid;
	uint64_t size;			/* of the data */
	struct tbuf_segment *segments;	/* [0] is free for the lane's use */
	struct tbuf_segment *end;
};

enum tbuf_emit {
	TBUF_EMIT_DONE,		/* a record or a drop, or not this session's */
	TBUF_EMIT_AGAIN		/* the session changed: look from the start */
};

enum tbuf_emit tbuf_lane_emit(const struct tbuf_fire *) TBUF_HIDDEN;
enum tbuf_emit tbuf_lock_emit(const struct tbuf_fire *) TBUF_HIDDEN;

/* -x cpu: does a fire on this CPU belong to the session? */
static inline bool
tbuf_fire_wanted(const struct tbuf_fire *f, uint32_t cpu)
{
	int32_t only = tbuf_load(&f->slot->only_cpu);

	return (only < 0 || (uint32_t)only == cpu);
}

/* A session's strsize, within its bounds. */
static inline uint32_t
tbuf_fire_strsize(const struct tbuf_slot *slot)
{
	uint32_t strsize = tbuf_load(&slot->strsize);

	return (strsize < 2 || strsize > TBUF_TEXT_CUT ? 2 : strsize);
}

/* Does the session still stand as it was when the fire looked at it? */
bool	tbuf_fire_current(const struct tbuf_fire *) TBUF_HIDDEN;

/* The deadline has passed: give the session up.  True if it was so. */
bool	tbuf_fire_deadline(const struct tbuf_fire *) TBUF_HIDDEN;

/*
 * How far the file reaches, by what it says itself: behind it lies address
 * space that raises SIGBUS.
 */
static inline uint64_t
tbuf_fire_end(uint64_t base)
{
	const struct tbuf_control *control =
	    (const struct tbuf_control *)(uintptr_t)base;
	uint64_t end = tbuf_load(&control->end);

	return (end < tbuf_self.window ? end : tbuf_self.window);
}

/*
 * A lane's words, checked: its storage lies in the file and is a power of
 * two.  False if not.
 */
struct tbuf_place {
	struct tbuf_lane *lane;
	unsigned char *data;
	uint64_t storage;
	uint64_t size;
};

static inline bool
tbuf_lane_place(uint64_t base, uint64_t offset, struct tbuf_place *place)
{
	uint64_t end = tbuf_fire_end(base), word, data, storage;

	if (end < TBUF_AREAS + sizeof(struct tbuf_lane) || offset % 64 != 0 ||
	    offset - TBUF_AREAS > end - TBUF_AREAS - sizeof(struct tbuf_lane))
		return (false);
	place->lane = (struct tbuf_lane *)(uintptr_t)(base + offset);
	word = tbuf_load(&place->lane->place);
	data = tbuf_place_offset(word);
	storage = tbuf_place_storage(word);
	if (data > end - 64 || storage - 64 > end - 64 - data)
		return (false);
	place->data = (unsigned char *)(uintptr_t)(base + data);
	place->storage = storage;
	place->size = tbuf_load(&place->lane->size);
	return (place->size <= storage);
}

/* Offset of a CPU's lane, 0 if it has none. */
static inline uint64_t
tbuf_lane_offset(const struct tbuf_slot *slot, uint32_t cpu)
{
	if (cpu >= TBUF_NCPUS)
		return (0);
	return ((uint64_t)tbuf_load(&slot->lane_of_cpu[cpu]) * 64);
}

#endif
