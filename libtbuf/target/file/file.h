/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The control file: map.c maps it, create.c and adopt.c begin it, and
 * build_sessions.c builds sessions into it.  No fire runs these files.
 */
#ifndef TBUF_TARGET_FILE_FILE_H
#define TBUF_TARGET_FILE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/atomics.h"
#include "arch/rseq_types.h"
#include "shared/control_file.h"
#include "shared/file_view.h"
#include "target/self/self.h"

#define TBUF_WORDS_MAX	4u

struct tbuf_file {
	unsigned char *base;	/* of the window; NULL: not reserved yet */
	bool mapped;		/* this process's file is mapped there */
	struct tbuf_control *sign; /* a page; DONTFORK; holds the flock */
	void *table;		/* read-only, for a child; NULL: none */
	char name[TBUF_NAME_MAX];
	uint64_t generation;	/* the parent's last generation */
	uint64_t parent_end;	/* end of the parent's file, in whole pages */
	uint64_t dumped;	/* bytes of the window that a core contains */
	void *words[TBUF_WORDS_MAX + 1]; /* more mappings of the enable
					    words, up to a NULL */
};
extern struct tbuf_file tbuf_file TBUF_HIDDEN;

/* Returns the abilities of this process: its control file's TBUF_F_*. */
static inline uint32_t
tbuf_file_flags(void)
{
	return (TBUF_F_MACHINE(TBUF_MACHINE_VERSION) | TBUF_F_VARIABLES |
	    TBUF_F_THREAD_LANE | TBUF_F_SELECTION | TBUF_F_TURNS |
	    TBUF_F_ELEMENTS | (tbuf_self.rseq ? TBUF_F_RSEQ : 0) |
	    (tbuf_self.peek == TBUF_PEEK_NOT ? 0 : TBUF_F_COPYIN));
}

/* Returns a new descriptor of the named file, or -1. */
int	tbuf_file_open(int dirfd, const char *name) TBUF_HIDDEN;

/* Reserves address space for the window; then maps the file into it. */
bool	tbuf_file_reserve(void) TBUF_HIDDEN;
bool	tbuf_file_map(int fd) TBUF_HIDDEN;
/* Reserves the addresses again. */
void	tbuf_file_unmap(void) TBUF_HIDDEN;
/*
 * Maps the probe table once more, from a description that was opened for
 * reading: mprotect(2) does not make that mapping writable in a child, even if
 * the child has given up privileges that its parent still has.
 */
void	tbuf_file_map_table(int dirfd) TBUF_HIDDEN;
/*
 * Lets cores contain the window of a session that is read after the process
 * ends, up to the file's end: after that is only address space.  Slots written
 * by another process are hints.
 */
void	tbuf_file_dump(int fd) TBUF_HIDDEN;
/*
 * Notes the signal that the process ends by; 0: it may go on.  Then does as
 * tbuf_file_dump(), with space that a consumer has added since.  Signal
 * handlers may call it.
 */
void	tbuf_file_fatal(int number) TBUF_HIDDEN;
/* Maps the page that holds the lock of this open file description. */
bool	tbuf_file_sign(int fd) TBUF_HIDDEN;

/*
 * create.c: fills in the facts that only the target knows.  Its caller marks
 * the file as live.
 */
void	tbuf_file_fill(struct tbuf_control *) TBUF_HIDDEN;

/* Returns the window as a view, even before fires are enabled. */
static inline struct tbuf_view
tbuf_file_view(void)
{
	return ((struct tbuf_view){ tbuf_file.base, tbuf_self.window,
	    tbuf_self.tables });
}

/* Returns true if an active session has all of these flags, TBUF_S_*. */
bool	tbuf_session_any(const struct tbuf_view *, uint64_t flags) TBUF_HIDDEN;

/*
 * Makes or adopts the control file and maps it.  Returns NULL, or why not, in
 * words.  `board' is the board's descriptor, or -1; it may be changed.
 * TBUF_BOARD_CLOSED: closed to have a descriptor for the file, and to be opened
 * again.
 */
#define TBUF_BOARD_CLOSED	(-2)
const char *tbuf_file_begin(int dirfd, int *board, uid_t) TBUF_HIDDEN;

/* Makes a new control file; in a forked child, at its parent's addresses. */
const char *tbuf_file_make(int dirfd, int *board, uid_t) TBUF_HIDDEN;

/*
 * Withholds the areas from children, also from those of a bare clone(2), in
 * which no handler runs: such a child could write programs for its parent.
 */
void	tbuf_file_withhold(void) TBUF_HIDDEN;

/*
 * Runs first in a forked child, on its parent's mapping.  Returns false if the
 * child cannot become a target, with errno of mmap(2).
 */
bool	tbuf_file_forked(bool withheld) TBUF_HIDDEN;

/*
 * Blanks the mapping in a forked child that is not a target.  Returns false if
 * the child has no probe table, and so cannot become a target later.
 */
bool	tbuf_file_blank(void) TBUF_HIDDEN;

/* Removes the file's name from the directory. */
void	tbuf_file_unlink(void) TBUF_HIDDEN;

/* Opens the file by its name.  Returns a descriptor or -errno. */
int	tbuf_file_open_own(void) TBUF_HIDDEN;

/*
 * Builds the sessions that the board wants of this process into the file open
 * as fd, and returns their number.  The file has no name yet, or `joins': it
 * has the session of the consumer that has made it.  A failure is not an error:
 * the process is then not traced by that session.
 */
unsigned tbuf_wanted_build(int dirfd, int *board, int fd, bool joins)
	    TBUF_HIDDEN;

/*
 * Returns a slot that has had no session, as the space of an old one would be
 * lost; -1 if there is none.
 */
int	tbuf_wanted_slot(int fd, const struct tbuf_control *) TBUF_HIDDEN;

/*
 * Builds a session for an entry of this process itself, at the end of the file;
 * the file's locks exclude consumers meanwhile.  Returns NULL, or why not; if
 * room is missing, `lacking' is how many bytes more there would have to be.
 */
struct tbuf_board_entry;
const char *tbuf_wanted_own(int fd, unsigned slot, struct tbuf_board_entry *,
	    uint64_t *lacking) TBUF_HIDDEN;

/* Publishes on the board why consumers cannot trace this process. */
void	tbuf_wanted_missed(const char *why) TBUF_HIDDEN;

/*
 * Returns true if the board, open as fd or -1, wants this forked child.  Saves
 * its parent's runs.
 */
bool	tbuf_wanted_child(int fd) TBUF_HIDDEN;

/* Returns true if a consumer that wants this child vouches for start ticks. */
bool	tbuf_wanted_ticks(void) TBUF_HIDDEN;

/*
 * Called by a fire without a file.  Counts this process in its parent's
 * sessions that follow children if it is a child of a fork that was not
 * noticed.
 */
void	tbuf_wanted_unnoticed(void) TBUF_HIDDEN;

/*
 * Backs a range of the file's fixed part, so that a store into it cannot raise
 * SIGBUS.  Not for the fire path.
 */
int	tbuf_file_back(uint64_t offset, uint64_t length) TBUF_HIDDEN;

/* Returns the window as a view; base is NULL while tracing is off. */
static inline struct tbuf_view
tbuf_target_view(void)
{
	struct tbuf_view view = { NULL, tbuf_self.window, tbuf_self.tables };

	view.base = (unsigned char *)(uintptr_t)tbuf_load(&tbuf_local->base);
	return (view);
}

/*
 * Stores the executable mappings of the starting program in the heap, if a
 * session wants names for addresses.
 */
void	tbuf_mappings_leave(void) TBUF_HIDDEN;

/* Matches probes [first, end) with the patterns of all active sessions. */
void	tbuf_sessions_match(uint32_t first, uint32_t end) TBUF_HIDDEN;

/*
 * Returns the file's end, as its header says: after it is address space that
 * raises SIGBUS.
 */
static inline uint64_t
tbuf_file_end(uint64_t base)
{
	const struct tbuf_control *control =
	    (const struct tbuf_control *)(uintptr_t)base;
	uint64_t end = tbuf_load(&control->end);

	return (end < tbuf_self.window ? end : tbuf_self.window);
}

#endif
