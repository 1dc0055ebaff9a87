/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control files: whose they are, where they are, and what is in them.  Nothing
 * here knows a run.
 */
#ifndef TBUF_CONSUMER_FILES_FILES_H
#define TBUF_CONSUMER_FILES_FILES_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "shared/control_file.h"
#include "shared/file_view.h"
#include "layout/layout.h"

/*
 * A target's file, opened and looked at: what the errors of
 * tbuf_consumer_grab() say is in `problem`.
 */
#define TBUF_PROBLEM_MAX	160
struct tbuf_found {
	pid_t pid;		/* that was asked for */
	int fd;
	int pidfd;
	bool foreign;		/* its user is not this process's */
	bool forked;		/* it has its parent's, as a child */
	char name[TBUF_NAME_MAX];
	char problem[TBUF_PROBLEM_MAX];
};
int	tbuf_find_pid(pid_t, struct tbuf_found *);

/*
 * Finds the file of another copy of the library in the same process, which is
 * mapped after the one that was found.  Returns what tbuf_find_pid() returns,
 * -ENOEXEC if there is none.
 */
int	tbuf_find_next(const struct tbuf_found *, struct tbuf_found *next);

/* Amid execve(2) a process has memory, and no environment yet. */
bool	tbuf_find_executing(pid_t);

/*
 * Returns true if a process began less than `span` ns ago, or executes a
 * program right now.
 */
bool	tbuf_find_begins(pid_t, uint64_t span);

/*
 * Is this process's program linked statically, with no libtbuf in it?  False
 * if that cannot be told.
 */
bool	tbuf_find_static(pid_t);

/* A process's pid in its own namespace, a zombie's too; -ESRCH. */
pid_t	tbuf_find_inner(pid_t);

/* Opens a file of /proc/PID for reading.  Returns NULL and sets errno. */
FILE	*tbuf_process_open(pid_t, const char *file);

/*
 * Map a control file after checking it, its fixed part and at least so many
 * bytes; -EINVAL, -EPROTO, ...
 */
int	tbuf_view_map(int fd, uint64_t size, struct tbuf_view *);
void	tbuf_view_unmap(struct tbuf_view *);

/*
 * Call `visit` for each control file of the runtime directory: its name, a
 * descriptor that is closed afterwards, and whether its target lives.  Files
 * of dead targets are removed on the way when nobody reads them and there is
 * nothing in them to be read.  `visit` returns non-zero to stop; so does a
 * lack of descriptors.  -EAGAIN: all but those that somebody has a lease on.
 * Names that are `known`, which may be NULL, are left alone.
 */
int	tbuf_directory_scan(int dirfd, bool (*known)(void *, const char *name),
	    int (*visit)(void *, int fd, const char *name,
	    const struct tbuf_control *, bool alive), void *);

/*
 * Of files that dead targets have left, with records in them that nobody has
 * read, so many are kept: the youngest.
 */
#define TBUF_KEPT	8
void	tbuf_directory_trim(int dirfd);

/*
 * The caller's pid of a control file's target, `alive` or gone on to another
 * program; -ESRCH.
 */
pid_t	tbuf_directory_pid(int fd, const struct tbuf_control *, bool alive);
/* For a caller who knows its namespace of pids. */
pid_t	tbuf_directory_pid_of(uint64_t ours, int fd,
	    const struct tbuf_control *, bool alive);

/*
 * Returns true if /proc has our own pids.  With another namespace's pids a
 * process would be taken for another one, and a command's file for that of
 * another program, which is never removed.
 */
bool	tbuf_proc_is_ours(void);
#define TBUF_NO_PROC	"/proc is not mounted, or for other pids"

/* A ring's valid pair, read whole. */
void	tbuf_lane_pair(const struct tbuf_lane *, struct tbuf_pair *);

/*
 * Reads `size` bytes of a file.  Returns false if the file does not have all
 * of them.
 */
bool	tbuf_file_read(int fd, void *to, uint64_t size, uint64_t offset);

/*
 * Copies [at, at + size) of a lane's stream out of its ring.  Returns false if
 * the file does not have it.
 */
bool	tbuf_lane_copy(int fd, uint64_t data, uint64_t storage, uint64_t at,
	    void *to, uint64_t size);

/*
 * A file without a name that is as long as a control file was, all zeroes; one
 * with the first `known` bytes of another file.  A descriptor, -ENOMEM, -EFBIG,
 * or what reading gave.  store: 0 or -ENOMEM.
 */
#define TBUF_UNNAMED_BYTES	(UINT64_C(4) << 30)	/* that are copied */
int	tbuf_unnamed_make(uint64_t size);
int	tbuf_unnamed_copy(int from, uint64_t known, uint64_t size);
int	tbuf_unnamed_store(int fd, const char *bytes, size_t size, uint64_t at);

#define TBUF_CHUNK	(256u * 1024)
#define TBUF_CHUNK_OWN	(64u * 1024)
#define TBUF_CHUNK_MIN	(64u * 1024)	/* any record fits */

/*
 * Give back the slots that dead consumers have left, in bounded time.  dirfd
 * is that of the board, whose consumers may not have taken a slot's lock yet.
 */
void	tbuf_quiesce_orphans(const struct tbuf_view *, int fd, int dirfd);

#endif
