/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control files: the runtime directory, making a file, checking one that
 * another process has made.  Both sides use this; no malloc, no stdio.
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

/* Environment variable of a command: name of the file that waits for it. */
#define TBUF_CONTROL_ENV	"TBUF_CONTROL"

/* A target publishes why tracing is off by a memfd named tbuf-off-REASON. */
#define TBUF_OFF_PREFIX		"tbuf-off-"
/* Reason of the programs that cannot put theirs on the board. */
#define TBUF_OFF_SETUID		"setuid program"

/*
 * Stores the runtime directory's path: `set`, the value of $TBUF_DIR, or
 * /dev/shm/tbuf-UID if that is NULL or empty.  Returns 0, -ENAMETOOLONG, or
 * -EDOM if `set` is not absolute.
 */
int	tbuf_directory_path(const char *set, uid_t, char path[TBUF_PATH_MAX]);

/*
 * tbuf_directory_open_set() opens the runtime directory of this user, the
 * caller's effective one, by O_PATH | O_CLOEXEC, after making it if `make` is
 * set.  Returns a descriptor, an error of tbuf_directory_path(), or
 *	-ENOENT		it does not exist, and `make` is not set
 *	-ENOTDIR	it is a link or not a directory
 *	-EPERM		it has another owner, or others can write to it
 * or an error of mkdir(2) or open(2).
 *
 * A target opens the directory of the environment that it started with, which
 * tbuf_directory_keep() has copied, by tbuf_directory_open_kept(): the program
 * may have changed the environment, and its forked children have the same
 * directory.
 */
int	tbuf_directory_open_set(const char *set, bool make);
void	tbuf_directory_keep(void);
int	tbuf_directory_open_kept(bool make);

/* Returns a text for an error of tbuf_directory_open_set(). */
const char *tbuf_directory_problem(int error);

/*
 * Returns the size of the window that a process with this environment and these
 * limits requests; the kernel may refuse that much.
 */
uint64_t tbuf_window_size(void);

/*
 * Lays out the largest tables that leave two thirds of the window, and of the
 * largest file that the target may make (`limit`), to the buffers; else the
 * smallest tables.
 */
void	tbuf_tables_make(uint64_t window, uint64_t limit,
	    struct tbuf_tables *);
/* Returns the bytes of a file's fixed part with the smallest tables. */
uint64_t tbuf_tables_least(void);

/*
 * tbuf_control_create() makes a file that tbuf_control_link() names when it is
 * complete, and returns a descriptor or -errno.  Until then the file has no
 * name, so that a maker that is killed leaves no file; if the file system or a
 * missing /proc does not allow that, it has the dot name that is stored in
 * `hidden` ("" otherwise).  tbuf_control_link() returns 0 or -errno, -EEXIST if
 * there is such a name.
 */
int	tbuf_control_create(int dirfd, const char *name,
	    char hidden[TBUF_NAME_MAX + 1]);
int	tbuf_control_link(int dirfd, int fd, const char *name,
	    const char *hidden);

/*
 * Writes the immutable part of the header for `pid`, which is in the pid
 * namespace of the caller.
 */
void	tbuf_control_fill(struct tbuf_control *, const struct tbuf_tables *,
	    uid_t, pid_t pid, uint64_t start, uint64_t pid_namespace,
	    uint64_t random);

/* Reads `size` bytes of a file.  Returns false if it does not have all. */
bool	tbuf_file_read(int fd, void *to, uint64_t size, uint64_t offset);

/*
 * Calls fcntl(2) with an OFD lock of n bytes.  Returns the lock's type after
 * the call, or -1.
 */
int	tbuf_file_lock_call(int fd, int command, short type, uint64_t first,
	    uint64_t n);
/* Takes an OFD lock of a control file; returns false if it is not free. */
bool	tbuf_file_lock(int fd, uint64_t byte);
void	tbuf_file_unlock(int fd, uint64_t byte);
/* Sleeps 1 ms and decrements *pauses; returns false at once if that is 0. */
bool	tbuf_pause(unsigned *pauses);
/*
 * Takes the lock on byte 0, waiting up to 10 s.  Returns 0, -EBUSY, or an error
 * of fcntl(2).
 */
int	tbuf_file_lock_wait(int fd);

/* Stores the name of a control file: "tbuf.PID.RANDOM". */
void	tbuf_control_name(char name[TBUF_NAME_MAX], pid_t pid, uint64_t random);
/* Parses a name; returns false if it is not a control file's. */
bool	tbuf_control_name_parse(const char *name, pid_t *pid, uint64_t *random);

/*
 * Checks the header of a control file of `size` bytes.  Returns 0 if this
 * library can read the file, -EINVAL (not a control file, or damaged) or
 * -EPROTO (another major, another byte order, other sizes).
 */
int	tbuf_control_check(const struct tbuf_control *, uint64_t size);

/*
 * Facts about a process; pid 0 is the caller.  tbuf_stat_fields() reads numbers
 * of /proc/PID/stat, for fields in rising order, from 3 on; an unknown value is
 * 0.
 */
#define TBUF_STAT_PARENT	4	/* fields of stat */
#define TBUF_STAT_START		22
#define TBUF_STAT_END		52	/* a zombie's status as of wait(2) */
void	tbuf_stat_fields(pid_t pid, const int *fields, uint64_t *values,
	    unsigned n);
uint64_t tbuf_stat_field(pid_t pid, int field);
/* Returns the start time of a process in clock ticks, 0 if unknown. */
uint64_t tbuf_start_time(pid_t pid);
/*
 * The start time of a forked child without a look at /proc, which takes 20 us
 * of the 200 that a followed child takes to begin.  Linux shows there the
 * CLOCK_BOOTTIME of the fork in ticks of 10 ms, by the offset of the reader's
 * time namespace (proc(5), starttime; time_namespaces(7)).  The parent reads
 * the tick before the fork, and the child after it: if both are the same, it is
 * the child's start time.  A consumer that executes a command compares that
 * command's start time with its own two ticks, and says on the board if all
 * three are the same; children that it follows look at /proc otherwise.
 *
 * Returns the tick of the time that is `ns' from now, or 0 if there is no such
 * clock.  The clocks of the kernel and of the vDSO may differ by a rounding:
 * each tick is that of a microsecond further away from the fork.
 */
#define TBUF_TICK_BEFORE	(-INT64_C(1000))	/* ns */
#define TBUF_TICK_AFTER		INT64_C(1000)
uint64_t tbuf_start_tick(int64_t ns);

/* Returns the parent of a process, 0 if unknown. */
pid_t	tbuf_parent(pid_t pid);
/* Returns the inode of a process's pid namespace, 0 if unknown. */
uint64_t tbuf_pid_namespace(pid_t pid);

/*
 * Returns true if the file's target is alive: its flock is held.  The test
 * through `fd` does not leave a lock.  A file in TBUF_STAGE_WAITING has no
 * target yet.
 */
bool	tbuf_control_alive(int fd);

/*
 * Returns true if the file is orphaned: its target has ended, and no consumer
 * reads it.  `control` is its header, which has been checked.
 */
bool	tbuf_control_orphan(int dirfd, int fd,
	    const struct tbuf_control *control);

/* Returns true if the file has records that no consumer has read. */
bool	tbuf_control_unread(int fd, const struct tbuf_control *control);

/* Returns true if a session's lanes may have records in this slot state. */
static inline bool
tbuf_state_readable(uint32_t state)
{
	const uint32_t readable = 1u << TBUF_ACTIVE | 1u << TBUF_ENDING |
	    1u << TBUF_GIVENUP | 1u << TBUF_GIVINGUP | 1u << TBUF_EXITED;

	return (state <= TBUF_EXITED && (readable >> state & 1) != 0);
}

/* Returns true if a session was built, and its consumer has not ended it. */
static inline bool
tbuf_state_built(uint32_t state)
{
	return (state != TBUF_ENDING && tbuf_state_readable(state));
}

/*
 * Reads the limits of $TBUF_KEEP: how many orphaned files of a program are
 * retained, and bytes of them.  Returns false, with the defaults, if it cannot
 * be parsed.
 */
bool	tbuf_keep_limits(uint64_t *files, uint64_t *bytes);

/*
 * Opens the file with this name if it is a control file and no other process of
 * this pid namespace has its pid.  Returns a descriptor, with the header copied
 * and checked, or -errno.
 */
int	tbuf_control_open_orphan(int dirfd, const char *name,
	    struct tbuf_control *);

/*
 * tbuf_names_each() calls `visit` for each name of the directory, which it
 * reads in `most` parts at most.  tbuf_control_each() has a part of its own for
 * that: one thread of a process at a time.  No malloc.
 */
struct tbuf_names_part {
	char bytes[8192] __attribute__((aligned(8)));
};
void	tbuf_names_each(int dirfd, struct tbuf_names_part *, unsigned most,
	    void (*visit)(int dirfd, const char *name, void *argument),
	    void *argument);
void	tbuf_control_each(int dirfd, void (*visit)(int dirfd, const char *name,
	    void *argument), void *argument);

/* Returns true for an orphaned file without unread records. */
bool	tbuf_control_useless(int dirfd, int fd, const struct tbuf_control *);
/* Unlinks an orphaned file without unread records; returns true if it did. */
bool	tbuf_control_reap(int dirfd, const char *name, int fd,
	    const struct tbuf_control *control);

/*
 * tbuf_control_reap_some() reaps files in a part of the directory that `random`
 * selects, and returns true if it found one.  tbuf_control_reap_share() does so
 * for 1 in 16 random numbers, so that few of the programs that start spend time
 * on it.  No malloc.
 */
bool	tbuf_control_reap_some(int dirfd, uint64_t random);
void	tbuf_control_reap_share(int dirfd, uint64_t random);

/*
 * Returns true if the file has a recorder's session, and copies its header.
 */
bool	tbuf_control_recorder(int fd, const struct tbuf_control *,
	    struct tbuf_session *);

/* Returns 64 random bits: getrandom(2), else clock and pid. */
uint64_t tbuf_random(void);

/*
 * Returns the number at *text, of base 10 or 16 (a to f), and moves *text past
 * its digits.  strtoull(3) would read the locale, and touch two pages that a
 * starting program has not touched.
 */
uint64_t tbuf_digits_read(const char **text, unsigned base);

#endif
