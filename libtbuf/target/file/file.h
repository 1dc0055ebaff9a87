/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The control file: map.c has it mapped, create.c and adopt.c begin it, and
 * build_sessions.c builds sessions into it.  No fire comes here.
 */
#ifndef TBUF_TARGET_FILE_FILE_H
#define TBUF_TARGET_FILE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/rseq_types.h"
#include "arch/atomics.h"
#include "shared/control_file.h"
#include "shared/file_view.h"
#include "target/self/self.h"

struct tbuf_file {
	unsigned char *base;	/* of the window; NULL: there is none yet */
	struct tbuf_control *sign; /* a page; DONTFORK; holds the flock */
	char name[TBUF_NAME_MAX];
	uint64_t generation;	/* the last one of the parent */
	uint64_t parent_end;	/* of its file, in whole pages */
	uint64_t dumped;	/* what cores have of it */
};
extern struct tbuf_file tbuf_file TBUF_HIDDEN;

/* What this process can do: its control file's TBUF_F_*. */
static inline uint32_t
tbuf_file_flags(void)
{
	return (TBUF_F_MACHINE(TBUF_MACHINE_VERSION) | TBUF_F_VARIABLES |
	    TBUF_F_SIDE | TBUF_F_SELECTION | TBUF_F_TURNS | TBUF_F_ELEMENTS |
	    (tbuf_self.rseq ? TBUF_F_RSEQ : 0) |
	    (tbuf_self.peek == TBUF_PEEK_NOT ? 0 : TBUF_F_COPYIN));
}

/* Where the window is; NULL before there is one. */
unsigned char *tbuf_file_base(void) TBUF_HIDDEN;

/* A description of the file of this name. */
int	tbuf_file_open(int dirfd, const char *name) TBUF_HIDDEN;

/* Address space for the window; then the file behind it. */
bool	tbuf_file_reserve(void) TBUF_HIDDEN;
bool	tbuf_file_map(int fd) TBUF_HIDDEN;
/*
 * A core has the window of a kept session as far as the file goes: what lies
 * behind is address space alone.  Slots of somebody else's making are hints.
 */
void	tbuf_file_dump(int fd) TBUF_HIDDEN;
/*
 * The process ends by a signal, which is noted, or 0: it may.  The same, with
 * what a consumer has added since: its handlers may call it.
 */
void	tbuf_file_fatal(int number) TBUF_HIDDEN;
/* Map the page that keeps the lock of this description. */
bool	tbuf_file_sign(int fd) TBUF_HIDDEN;

/* create.c: what only the target knows of itself; it is a live one then. */
void	tbuf_file_live(struct tbuf_control *) TBUF_HIDDEN;

/* The window as a view, also before a fire is let in. */
static inline struct tbuf_view
tbuf_file_view(void)
{
	return ((struct tbuf_view){ tbuf_file_base(), tbuf_self.window,
	    tbuf_self.tables });
}

/*
 * Make or adopt the control file and map it.  NULL, or why not, in words.
 * `board' is the board's descriptor, or -1; it may be another one then.
 * TBUF_BOARD_CLOSED: it was wanted for the file, and is opened again.
 */
#define TBUF_BOARD_CLOSED	(-2)
const char *tbuf_file_begin(int dirfd, int *board, uid_t) TBUF_HIDDEN;

/* A new one; in a forked child, at its parent's addresses. */
const char *tbuf_file_make(int dirfd, int *board, uid_t) TBUF_HIDDEN;

/* First of all in a forked child, at its parent's mapping. */
void	tbuf_file_forked(void) TBUF_HIDDEN;

/* A forked child that is no target. */
void	tbuf_file_blank(void) TBUF_HIDDEN;

/* Take the file's name off the directory. */
void	tbuf_file_unlink(void) TBUF_HIDDEN;

/* Open it by its name: a descriptor or -errno. */
int	tbuf_file_open_own(void) TBUF_HIDDEN;

/*
 * Build the sessions that the board wants of this process into the file
 * behind fd, which nobody else knows yet.  Failing is no error: the process
 * is then not traced by them.
 */
void	tbuf_wanted_build(int dirfd, int *board, int fd) TBUF_HIDDEN;

/*
 * A session for an entry that is nobody's but this process's own, behind the
 * end of the file, whose locks keep consumers out: NULL, or why not; and how
 * much more room there would have to be, if it is that.
 */
struct tbuf_board_entry;
const char *tbuf_wanted_own(int fd, unsigned slot, struct tbuf_board_entry *,
	    uint64_t *lacking) TBUF_HIDDEN;

/* Tell those who want this process that they cannot have it, and why. */
void	tbuf_wanted_missed(const char *why) TBUF_HIDDEN;

/* In a forked child: does anybody want it?  Remembers whom its parent had. */
bool	tbuf_wanted_child(void) TBUF_HIDDEN;

/*
 * Back a part of the fixed part with storage, so that a store into it cannot
 * raise SIGBUS.  Not for the fire path.
 */
int	tbuf_file_back(uint64_t offset, uint64_t length) TBUF_HIDDEN;

/* The window as a view; base NULL when tracing is off. */
static inline struct tbuf_view
tbuf_target_view(void)
{
	struct tbuf_view view = { NULL, tbuf_self.window, tbuf_self.tables };

	view.base = (unsigned char *)(uintptr_t)tbuf_load(&tbuf_local->base);
	return (view);
}

/*
 * Leaves in the heap what is mapped when the program begins, if a session of
 * it wants names.
 */
void	tbuf_mappings_leave(void) TBUF_HIDDEN;

/* Let all active sessions meet the probes of some indexes. */
void	tbuf_sessions_meet(uint32_t first, uint32_t end) TBUF_HIDDEN;

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

#endif
