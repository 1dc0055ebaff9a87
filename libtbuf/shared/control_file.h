/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control files: the runtime directory, making a file, checking one that
 * another process has made.  Used by both sides; no malloc, no stdio.
 */
#ifndef TBUF_SHARED_CONTROL_FILE_H
#define TBUF_SHARED_CONTROL_FILE_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#include "layout/layout.h"

/* tbuf.PID.RANDOM, with 16 hexadecimal digits */
#define TBUF_NAME_MAX	48
#define TBUF_PATH_MAX	512

/* In a command's environment: NAME of the file that waits for it. */
#define TBUF_CONTROL_ENV	"TBUF_CONTROL"

/* Why tracing is off, as memfds are named: tbuf-off-REASON. */
#define TBUF_OFF_PREFIX		"tbuf-off-"
/* The one reason of a program that cannot say it on the board. */
#define TBUF_OFF_SETUID		"setuid program"

/*
 * The runtime directory's path: $TBUF_DIR, or /dev/shm/tbuf-EUID.
 * -ENAMETOOLONG.
 */
int	tbuf_directory_path(uid_t, char path[TBUF_PATH_MAX]);

/*
 * Open the runtime directory of this effective user, who is the caller
 * (O_PATH | O_CLOEXEC | O_DIRECTORY), making it if
 * `make`.  Returns a descriptor, -ENOENT, or one of
 *	-ENOTDIR	it is a link or no directory
 *	-EPERM		it belongs to somebody else, or others can write to it
 * and what mkdir(2) and open(2) say.
 */
int	tbuf_directory_open_for(uid_t, bool make);
int	tbuf_directory_open(bool make);

/* Why tbuf_directory_open() failed, for a message. */
const char *tbuf_directory_problem(int error);

/*
 * The window that a process with this environment and these limits asks for;
 * the kernel may not give it so much.
 */
uint64_t tbuf_window_size(void);

struct tbuf_control_file {
	char name[TBUF_NAME_MAX];	/* in the runtime directory */
	int fd;				/* read-write; the caller closes it */
	struct tbuf_control *control;	/* the fixed part, mapped */
};

/*
 * The largest tables that leave most of the window, and of the largest file
 * that its target may make (`limit`), to the buffers; the smallest ones if
 * none do.
 */
void	tbuf_tables_make(uint64_t window, uint64_t limit,
	    struct tbuf_tables *);
/* Bytes of a file's fixed part with the smallest tables. */
uint64_t tbuf_tables_least(void);

/*
 * Make a control file that is complete but for what its target alone knows,
 * for `pid` with its start time, and link it into the directory `dirfd`.  The
 * flock is not taken.  `stage` is TBUF_STAGE_WAITING here.
 * Used by a consumer for a command; the target has its own way in
 * target/process/lifecycle.c, with tbuf_control_fill().
 */
int	tbuf_control_make(int dirfd, pid_t pid, struct tbuf_control_file *);

/*
 * A file that gets its name when it is complete.  It has none until then, so
 * that nothing is left of one whose maker was killed, where the file system
 * can and /proc is there to give it a name by; else it has the dot name that
 * `hidden` says.  A descriptor or -errno; 0 or -errno.
 */
int	tbuf_control_create(int dirfd, const char *name,
	    char hidden[TBUF_NAME_MAX + 1]);
int	tbuf_control_link(int dirfd, int fd, const char *name,
	    const char *hidden);

/* Write the immutable part of the header for `pid`, in our pid namespace. */
void	tbuf_control_fill(struct tbuf_control *, const struct tbuf_tables *,
	    uid_t, pid_t pid, uint64_t start, uint64_t random);

/* OFD locks of a control file.  False: somebody else has it. */
bool	tbuf_file_lock(int fd, uint64_t byte);
void	tbuf_file_unlock(int fd, uint64_t byte);
/* A moment, and one pause fewer; false when none is left. */
bool	tbuf_pause(unsigned *pauses);
/* The lock on byte 0, with patience: 0 or -EBUSY. */
int	tbuf_file_lock_wait(int fd);

/* Name for a file: "tbuf.PID.RANDOM". */
void	tbuf_control_name(char name[TBUF_NAME_MAX], pid_t pid, uint64_t random);
/* And the way back: false if that is no such name. */
bool	tbuf_control_name_parse(const char *name, pid_t *pid, uint64_t *random);

/*
 * Is this the header of a control file that this library can read?  0,
 * -EINVAL (not one, or damaged) or -EPROTO (another major, another byte
 * order, other sizes).  `size` is the file's.
 */
int	tbuf_control_check(const struct tbuf_control *, uint64_t size);

/* In these pid 0 is this process, as it is for sched_getaffinity(2). */
#define TBUF_STAT_PARENT	4	/* fields of stat */
#define TBUF_STAT_START		22
#define TBUF_STAT_END		52	/* a zombie's status as of wait(2) */
/* Numbers of /proc/PID/stat by rising fields, from 3 on; each may be 0. */
void	tbuf_stat_fields(pid_t pid, const int *fields, uint64_t *values,
	    unsigned n);
uint64_t tbuf_stat_field(pid_t pid, int field);
/* Start time of a process in clock ticks, 0 if unknown. */
uint64_t tbuf_start_time(pid_t pid);
/* Its parent, 0 if unknown. */
pid_t	tbuf_parent(pid_t pid);
/* The inode of its pid namespace, 0 if unknown. */
uint64_t tbuf_pid_namespace(pid_t pid);

/*
 * Does the file's target live?  Looks at the flock through `fd` without
 * keeping it.  A file in TBUF_STAGE_WAITING has no target yet.
 */
bool	tbuf_control_alive(int fd);

/*
 * Has its target ended, with nobody there who reads it?  `control` is its
 * header, which has been checked.
 */
bool	tbuf_control_left(int dirfd, int fd,
	    const struct tbuf_control *control);

/* Are there records in it that nobody has read? */
bool	tbuf_control_unread(int fd, const struct tbuf_control *control);

/* May a session's lanes hold records in this state of its slot? */
static inline bool
tbuf_state_readable(uint32_t state)
{
	return (state == TBUF_ACTIVE || state == TBUF_ENDING ||
	    state == TBUF_GIVENUP || state == TBUF_GIVINGUP ||
	    state == TBUF_EXITED);
}

/*
 * What of a program the dead leave is to stay, by $TBUF_KEEP.  False if that
 * makes no sense: it is what it is without.
 */
bool	tbuf_keep_limits(uint64_t *files, uint64_t *bytes);

/*
 * The file of such a name, if it is one and nobody in this pid namespace has
 * its pid: a descriptor, with the header copied and checked; or -errno.
 */
int	tbuf_control_open_left(int dirfd, const char *name,
	    struct tbuf_control *);

/*
 * Call `visit` for each name of the directory.  No malloc; by one thread of a
 * process at a time.
 */
void	tbuf_control_each(int dirfd, void (*visit)(int dirfd, const char *name,
	    void *argument), void *argument);

/* Take a file's name off the directory if it is left and has been read. */
bool	tbuf_control_reap(int dirfd, const char *name, int fd,
	    const struct tbuf_control *control);

/*
 * The same for some of those whose processes are gone, somewhere in the
 * directory: true if there were any.  By one of the targets that start for all
 * of them: it depends on its random number.  No malloc.
 */
bool	tbuf_control_reap_some(int dirfd, uint64_t random);
void	tbuf_control_reap_share(int dirfd, uint64_t random);

/* Has this file a recorder's session?  Its header is copied. */
bool	tbuf_control_recorder(int fd, const struct tbuf_control *,
	    struct tbuf_session *);

/* 64 random bits: getrandom(2), else clock and pid. */
uint64_t tbuf_random(void);

/*
 * The digits at *text, of base 10 or 16 (a to f); it is left behind them.  Not
 * strtoull(3): that would look at the locale, and touch two pages that a
 * program which begins has not.
 */
uint64_t tbuf_digits_read(const char **text, unsigned base);

#endif
