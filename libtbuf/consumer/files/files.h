/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control files and text traces: finding, opening, mapping and reading them.
 * Nothing here depends on a run.
 */
#ifndef TBUF_CONSUMER_FILES_FILES_H
#define TBUF_CONSUMER_FILES_FILES_H

#include <sys/types.h>

#include <dirent.h>
#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "layout/layout.h"
#include "shared/control_file.h"
#include "shared/file_view.h"
#include "shared/lane_pair.h"
#include "tbuf_consumer.h"

/*
 * tbuf_spare_make() makes a spare of the file that has this name, which nothing
 * needs any more.  Returns the spare's number, or -1 if the file cannot be one,
 * and has its name.  When all other locks of the spare are released, and all
 * mappings of it, tbuf_spare_publish() lets targets take it.
 */
struct tbuf_board;
int	tbuf_spare_make(int dirfd, const struct tbuf_board *, const char *name,
	    int fd);
void	tbuf_spare_publish(struct tbuf_board *, int fd, unsigned number);
/* Removes all spares, of other runs as well. */
void	tbuf_spares_remove(int dirfd, struct tbuf_board *);

/*
 * A target's control file, opened and checked.  On failure `problem` has the
 * text for the errors of tbuf_consumer_grab().
 */
#define TBUF_PROBLEM_MAX	160
struct tbuf_found {
	pid_t pid;		/* as passed to tbuf_find_pid() */
	int fd;
	int pidfd;
	bool foreign;		/* belongs to another user */
	bool forked;		/* a child with its parent's file mapped */
	char name[TBUF_NAME_MAX];
	char problem[TBUF_PROBLEM_MAX];
};
int	tbuf_find_pid(pid_t, struct tbuf_found *);
/* Says how a file's header does not fit this library.  Returns -EPROTO. */
int	tbuf_problem_version(char problem[TBUF_PROBLEM_MAX],
	    const struct tbuf_control *);
/* Formats such a text.  Returns `error`. */
int	tbuf_problem(char problem[TBUF_PROBLEM_MAX], int error,
	    const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Opens the directory that has the file by O_PATH, as the process sees it.
 * Returns a descriptor or -errno: -ENOENT if the process cannot reach it,
 * -EPERM if it has changed its user, or others than the file's owner can write
 * to it.
 */
int	tbuf_find_directory(const struct tbuf_found *);

/*
 * Finds the file of another copy of the library in the same process, which is
 * mapped after the one that was found.  Returns as tbuf_find_pid() does,
 * -ENOEXEC if there is none.
 */
int	tbuf_find_next(const struct tbuf_found *, struct tbuf_found *next);

/* Returns true if the process has ended; a zombie has. */
bool	tbuf_process_ended(int pidfd);

/* Returns true in execve(2): there is memory, but no environment yet. */
bool	tbuf_find_executing(pid_t);

/*
 * Returns true if a process began less than `span` ns ago, or executes a
 * program right now.
 */
bool	tbuf_find_is_new(pid_t, uint64_t span);

/*
 * Returns true if the process's program is statically linked and has no libtbuf
 * in it; false also if that cannot be found out.
 */
bool	tbuf_find_static(pid_t);

/* Returns the pid of a process or zombie in its own namespace; -ESRCH. */
pid_t	tbuf_find_inner(pid_t);
/* tbuf_find_inner(), and its effective user; -1 if there is no process. */
pid_t	tbuf_find_user(pid_t, uid_t *);

/*
 * Opens a path below a root directory.  The path of a mapping has no symbolic
 * links in it, so none are followed.  Returns a descriptor or -errno.
 */
int	tbuf_open_beneath(const char *root, const char *path, int flags);

/* Opens a file of /proc/PID, 0 for /proc/self; NULL: errno is set. */
FILE	*tbuf_process_open(pid_t, const char *file);

/*
 * Most bytes of arguments and environment that execve(2) takes: three quarters
 * of Linux's default limit of a stack.
 */
#define TBUF_EXEC_STRINGS_MAX	(UINT64_C(6) << 20)

/* A line of /proc/PID/maps.  A path that is too long for `line` is cut. */
#define TBUF_MAP_LINE	8192
struct tbuf_process_map {
	uint64_t start, end, offset;
	unsigned major, minor;
	uint64_t inode;
	bool writable, executable, private;
	char *path;		/* in `line` */
	char line[TBUF_MAP_LINE];
};

/* Reads the next line that is a mapping.  Returns false at the file's end. */
bool	tbuf_map_next(FILE *, struct tbuf_process_map *);

/*
 * Opens the file of a process's mapping for reading, if it is a regular one;
 * its path may lead to another file by now.  Returns a descriptor or -errno.
 */
int	tbuf_open_mapping(pid_t, const struct tbuf_process_map *);

/*
 * Semaphores that the notes of USDT probes in a file name.  tbuf_notes_read()
 * reads them, and takes the bytes that it reads from those that are left; a
 * file without them, a damaged one, or one with more bytes, has none.
 * tbuf_notes_have() returns true if one is at this offset of the file, which
 * counts on after the file's end for data that begin as zeroes.
 */
struct tbuf_notes {
	uint64_t *semaphores;	/* addresses as linked, sorted */
	size_t count;
	Elf64_Phdr *segments;	/* data */
	size_t nsegments;
};
void	tbuf_notes_read(struct tbuf_notes *, int fd, uint64_t *left);
void	tbuf_notes_free(struct tbuf_notes *);
bool	tbuf_notes_have(const struct tbuf_notes *, uint64_t offset);

/*
 * Returns the file name of a control file if `path` (from /proc/PID/maps) is
 * that of one, else NULL.  " (deleted)" is cut off the path.
 */
const char *tbuf_map_control(char *path, bool *deleted);

/*
 * Checks a control file and maps its fixed part, and at least `size` bytes.
 * Returns 0, -EINVAL, -EPROTO or another -errno.
 */
int	tbuf_view_map(int fd, uint64_t size, struct tbuf_view *);
void	tbuf_view_unmap(struct tbuf_view *);

/* Opens $TBUF_DIR, or the default directory: tbuf_directory_open_set(). */
int	tbuf_directory_open(bool make);

/*
 * Calls `visit` for each control file of the runtime directory, with its name,
 * a descriptor that is closed afterwards, and whether its target is alive.
 * Names for which `known` (or NULL) returns true are skipped.  Files of dead
 * targets that have no reader and no unread records are removed.
 *
 * A non-zero value of `visit` ends the scan and is returned; so is the error if
 * descriptors run out.  Returns -EAGAIN if it skipped files on which another
 * process has a lease.
 */
int	tbuf_directory_scan(int dirfd, bool (*known)(void *, const char *name),
	    int (*visit)(void *, int fd, const char *name,
	    const struct tbuf_control *, bool alive), void *);

/*
 * Calls tbuf_directory_scan() for this user's runtime directory.  Returns 0
 * also if there is none, and if files were skipped.
 */
int	tbuf_directory_visit(int (*visit)(void *, int fd, const char *name,
	    const struct tbuf_control *, bool alive), void *);

/*
 * A runtime directory, open while it is visited.  One that is `foreign` belongs
 * to another user, or is not this process's own: nothing in it is removed or
 * mapped, and it is looked at until the deadline only.
 */
struct tbuf_runtime {
	int fd;			/* O_PATH */
	uid_t owner;		/* of the directory and of its files */
	bool foreign;
	pid_t container;	/* the process that sees it, or 0 */
	uint64_t deadline;	/* of tbuf_now() */
	char path[TBUF_PATH_MAX];	/* if it is foreign */
};

/*
 * Visits the runtime directory of this user; for root without $TBUF_DIR also
 * those of all users and of all processes that have another /dev/shm, such as
 * containers', or only of the process `pid` unless that is 0.  Returns 0, the
 * non-zero result that ended the visits, the error of opening this user's own,
 * or -ETIMEDOUT if another one was not looked at as a whole.
 */
int	tbuf_runtimes_visit(pid_t pid, int (*visit)(void *,
	    const struct tbuf_runtime *), void *);

/*
 * Opens the directory of a file that tbuf_left() has named.  Returns 0, an
 * error of tbuf_directory_open(), or -EPERM: files of containers stay.
 */
int	tbuf_runtime_of(const char *name, struct tbuf_runtime *);

/* Calls `visit` as tbuf_directory_scan() does. */
int	tbuf_runtime_scan(const struct tbuf_runtime *, int (*visit)(void *,
	    int fd, const char *name, const struct tbuf_control *, bool alive),
	    void *);

/*
 * Opens a file for reading if it is the owner's.  Returns a descriptor or
 * -errno.
 */
int	tbuf_runtime_open(const struct tbuf_runtime *, const char *name);

/* Returns true if a directory's deadline has passed. */
bool	tbuf_runtime_late(const struct tbuf_runtime *);

/* Returns the pid of a file's live target here, or -errno. */
pid_t	tbuf_runtime_pid(const struct tbuf_runtime *, int fd,
	    const struct tbuf_control *);

/* Returns true if the file's target is dead and no consumer reads it. */
bool	tbuf_runtime_orphan(const struct tbuf_runtime *, int fd,
	    const struct tbuf_control *);

/* Opens a directory's stream; `dirfd` stays open.  NULL: errno is set. */
DIR	*tbuf_directory_stream(int dirfd);

/* How many orphans with unread records are retained: the youngest. */
#define TBUF_ORPHANS_MAX	8
void	tbuf_directory_trim(int dirfd);
/* Removes tickets of ended targets (shared/text_ticket.h). */
void	tbuf_directory_sweep(int dirfd);

/*
 * Returns the pid of a control file's target in the caller's pid namespace.
 * Without `alive` the target may have executed another program.  -ESRCH: there
 * is no such process.
 */
pid_t	tbuf_directory_pid(int fd, const struct tbuf_control *, bool alive);
/* tbuf_directory_pid() for a caller in the pid namespace `ours`. */
pid_t	tbuf_directory_pid_of(uint64_t ours, int fd,
	    const struct tbuf_control *, bool alive);

/*
 * Returns true if /proc has the pids of our own namespace.  Otherwise one
 * process would be mistaken for another, and a command's file for one of
 * another program, which is never removed.
 */
bool	tbuf_proc_is_ours(void);
#define TBUF_NO_PROC	"/proc is not mounted, or for another pid namespace"

/*
 * Copies [at, at + size) of a lane's stream out of its ring.  Returns false if
 * the file does not have it.
 */
bool	tbuf_lane_copy(int fd, uint64_t data, uint64_t storage, uint64_t at,
	    void *to, uint64_t size);

/*
 * Returns how many of `size` bytes from `at` on are a hole of the file, 0 if
 * fewer than the longest record has: no record is in a longer one, which is all
 * zero.
 */
uint64_t tbuf_file_hole(int fd, uint64_t at, uint64_t size);
/* Returns how many of these bytes are before such a hole. */
uint64_t tbuf_file_present(int fd, uint64_t at, uint64_t size);

/* Releases the storage of [at, at + size) of a file.  Returns 0 or -errno. */
int	tbuf_file_punch(int fd, uint64_t at, uint64_t size);

/*
 * Control files copied into memfds.  tbuf_memfd_make() makes one of `size`
 * zero bytes; tbuf_memfd_copy() makes one and copies the first `known` bytes
 * of another file.  Both return a descriptor, -ENOMEM, -EFBIG or the error of
 * reading.  tbuf_memfd_store() returns 0 or -ENOMEM.
 */
#define TBUF_MEMFD_BYTES	(UINT64_C(4) << 30)	/* most copied */
int	tbuf_memfd_make(uint64_t size);
int	tbuf_memfd_copy(int from, uint64_t known, uint64_t size);
int	tbuf_memfd_store(int fd, const char *bytes, size_t size, uint64_t at);

#define TBUF_CHUNK	(256u * 1024)
#define TBUF_CHUNK_OWN	(64u * 1024)

/*
 * Releases the slots of dead consumers, in bounded time.  `dirfd` has the
 * board: its consumers may have a slot but not its lock yet.
 */
void	tbuf_quiesce_orphans(const struct tbuf_view *, int fd, int dirfd);

/* A control file that was made here. */
struct tbuf_control_file {
	char name[TBUF_NAME_MAX];	/* in the runtime directory */
	int fd;				/* read-write; the caller closes it */
	struct tbuf_control *control;	/* the fixed part, mapped */
};

/*
 * Makes a control file for `pid`, a command's, in TBUF_STAGE_WAITING, and links
 * it into the directory `dirfd`.  The fields that only the target knows are
 * missing, and the flock is not taken.  A target makes its file in
 * target/file/create.c.  Returns 0 or -errno.
 */
int	tbuf_control_make(int dirfd, pid_t pid, struct tbuf_control_file *);

/* ------------------------------------------------------------ text traces */

/* Returns the pid in the name of a trace's file; 0: it is not such a name. */
pid_t	tbuf_trace_name_pid(const char *name);

/* Returns true if the path of a mapping may be a trace's. */
bool	tbuf_trace_mapping(const char *path);

/*
 * Opens the trace that process `pid` (in its own pid namespace) has mapped as
 * `path` below a root directory.  Stores its present path in `found`.  Returns
 * a descriptor or -errno.
 */
int	tbuf_trace_open_mapping(const char *root, const char *path, pid_t pid,
	    char found[PATH_MAX]);

/*
 * Opens the trace of a process, by its mappings, else in the runtime directory,
 * which also has those of dead processes.  Returns a descriptor or -errno;
 * -ESRCH if there is none.
 */
int	tbuf_trace_open_pid(pid_t);

/* Visits the traces in a file, as tbuf_unwrap_file() does. */
int	tbuf_unwrap_descriptor(int fd,
	    int (*visit)(void *, const struct tbuf_unwrapped *), void *);

/* Visits dead processes' traces in a runtime directory, for tbuf_left(). */
int	tbuf_traces_orphan(const struct tbuf_runtime *,
	    int (*visit)(void *, const struct tbuf_left *), void *);
int	tbuf_trace_remove(const struct tbuf_runtime *, const char *name);

/* Returns a file's name for struct tbuf_left: a path, if it is foreign. */
#define TBUF_LEFT_PATH	(TBUF_PATH_MAX + TBUF_NAME_MAX + 8)
const char *tbuf_left_name(const struct tbuf_runtime *, const char *name,
	    char path[TBUF_LEFT_PATH]);

#endif
