/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Opens control files by name: each session becomes a target of this run.
 * Lanes of a dead target are read as they are, those of a live one as of one
 * moment.  The file is mapped privately, so that it is not changed.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"

/* Shortest distance of two moments that give a clock's rate, ns. */
#define SPAN_MIN	1000000

#define NOTHING_LEFT	"it is truncated before its first session"

/* A file being opened. */
struct opened {
	int fd;
	uint64_t left;			/* bytes that no lane has claimed yet */
	uint64_t cut;			/* first missing byte; 0: none */
	uint64_t missing;		/* missing bytes, from `cut` on */
	bool image;			/* a core image */
	bool changing;			/* its target is alive, or will be */
	bool foreign;			/* of another user */
	bool damaged;			/* a session is damaged */
	unsigned sessions;
	char problem[TBUF_PROBLEM_MAX];
};

/*
 * Calibrates a session's clock.  For a live target, and for a dead recorder of
 * this boot, which was never calibrated, the present time is the second moment;
 * else it is the consumer's last one.
 */
static void
start_time(struct tbuf_target *t, const struct tbuf_session *session)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);
	struct tbuf_moment base = session->go;

	/* The consumer had no time to calibrate: use the target's birth. */
	if (session->now.ticks <= session->go.ticks ||
	    session->now.mono - session->go.mono < SPAN_MIN)
		base = control->birth;
	t->time.clock = (enum tbuf_clock)tbuf_load(&control->clock);
	t->time.base = base;
	tbuf_timeline_update(&t->time, t->changing || (session->boot != 0 &&
	    session->boot == tbuf_boot()) ? NULL : &session->now);
}

/*
 * Returns true if a truncated file has all words of the session, which are
 * before the storage of its lanes.
 */
static bool
described(const struct tbuf_target *t)
{
	uint32_t i;

	for (i = 0; i < t->nreaders; i++)
		if (t->cut == 0 || t->readers[i].data <= t->cut)
			return (true);
	return (false);
}

static int
adopt(struct tbuf_target *t, struct opened *file, unsigned slot)
{
	struct tbuf_session session;
	int error;

	t->file_only = true;
	t->file_slot = slot;
	t->live = true;
	tbuf_target_die(t);
	t->changing = file->changing;
	t->foreign = file->foreign;
	t->cut = file->cut;
	if ((t->fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0)) == -1)
		return (-errno);
	error = tbuf_session_adopt(t, slot, MAP_PRIVATE, &session);
	/* Lanes share no bytes, so that no more is read than the file has. */
	if (error == 0 && (t->layout.storage > file->left || !described(t)))
		error = -EINVAL;
	if (error != 0)
		return (error);
	file->left -= t->layout.storage;
	t->pid = (pid_t)tbuf_view_control(&t->view)->pid;
	tbuf_session_stop(t);
	start_time(t, &session);
	return (0);
}

static int
add_session(struct tbuf_consumer *c, struct opened *file, unsigned slot)
{
	struct tbuf_target *t = tbuf_target_new(c, 0);
	int error = t == NULL ? -ENOMEM : adopt(t, file, slot);

	if (error == 0) {
		file->sessions++;
		/* Assigns ids in probe-table order, which -l prints. */
		tbuf_target_probes(c, t);
	} else if (t != NULL)
		tbuf_target_free(c, t);
	if (error != -EINVAL)
		return (error);
	file->damaged = true;
	return (0);
}

/*
 * Checks if the file of a dead target is shorter than its header says, and sets
 * `cut` and `missing`.  No process writes it any more, and a file is always
 * made longer before its header says so.
 */
static int
look_end(struct opened *file, const struct tbuf_control *control,
    uint64_t *size)
{
	struct stat st;

	if (fstat(file->fd, &st) != 0)
		return (-errno);
	*size = (uint64_t)st.st_size;
	if (file->image || tbuf_control_alive(file->fd) ||
	    control->end <= *size || control->end > TBUF_FILE_MAX)
		return (0);
	file->cut = *size;
	file->missing = control->end - *size;
	*size = control->end;
	return (0);
}

/* Reads the header.  Returns -ENODATA if the file has only a part of it. */
static int
read_header(struct opened *file, struct tbuf_control *control)
{
	struct stat st;
	ssize_t n;

	if (fstat(file->fd, &st) != 0)
		return (-errno);
	if (!S_ISREG(st.st_mode))
		return (-EINVAL);
	file->foreign = st.st_uid != geteuid();
	n = pread(file->fd, control, sizeof(*control), 0);
	if (n == sizeof(*control))
		return (0);
	return (n >= (ssize_t)sizeof(control->magic) && memcmp(control->magic,
	    TBUF_MAGIC, sizeof(control->magic)) == 0 ? -ENODATA : -EINVAL);
}

static int
read_control(struct opened *file, struct tbuf_control *control)
{
	uint64_t size = 0;
	int error = read_header(file, control);

	if (error == -ENODATA) {
		file->cut = sizeof(control->magic);
		return (tbuf_problem(file->problem, error, NOTHING_LEFT));
	}
	if (error == 0)
		error = look_end(file, control, &size);
	if (error == 0)
		error = tbuf_control_check(control, size);
	if (error == -EPROTO)
		return (tbuf_problem_version(file->problem, control));
	if (error != 0)
		return (tbuf_problem(file->problem, error, "%s",
		    error == -EINVAL ? "not a control file" :
		    strerror(-error)));
	file->left = size - control->tables.areas;
	file->changing = file->cut == 0 && (tbuf_control_alive(file->fd) ||
	    control->stage == TBUF_STAGE_WAITING);
	return (0);
}

/* Replaces a truncated file by a copy of its full length. */
static int
complete(struct opened *file)
{
	int fd;

	if (file->missing == 0)
		return (0);
	fd = tbuf_memfd_copy(file->fd, file->cut, file->cut + file->missing);
	if (fd < 0)
		return (tbuf_problem(file->problem, fd, "it is truncated: %s",
		    strerror(-fd)));
	close(file->fd);
	file->fd = fd;
	return (0);
}

static int
add_sessions(struct tbuf_consumer *c, struct opened *file,
    const struct tbuf_control *control)
{
	unsigned slot;
	int error;

	for (slot = 0; slot < TBUF_NSESSIONS; slot++) {
		if (!tbuf_state_readable(control->state[slot]))
			continue;
		if ((error = add_session(c, file, slot)) != 0)
			return (tbuf_problem(file->problem, error, "%s",
			    strerror(-error)));
	}
	if (file->sessions != 0)
		return (0);
	if (file->cut != 0)
		return (tbuf_problem(file->problem, -ENODATA, NOTHING_LEFT));
	return (file->damaged ?
	    tbuf_problem(file->problem, -EINVAL, "it is damaged") :
	    tbuf_problem(file->problem, -ENODATA, "it has no session"));
}

/* Returns -EEXIST for a file whose sessions are open already. */
static int
check_once(struct tbuf_consumer *c, struct opened *file)
{
	const struct tbuf_target *t;
	struct stat st, other;

	if (fstat(file->fd, &st) != 0)
		return (0);
	TAILQ_FOREACH(t, &c->targets, link)
		if (t->file_only && t->fd != -1 && fstat(t->fd, &other) == 0 &&
		    other.st_dev == st.st_dev && other.st_ino == st.st_ino)
			return (tbuf_problem(file->problem, -EEXIST,
			    "it is given twice"));
	return (0);
}

/*
 * Opens the sessions of a file and closes its descriptor.  Returns 0, 1 if the
 * file was truncated, or -errno.
 */
static int
open_sessions(struct tbuf_consumer *c, struct opened *file)
{
	struct tbuf_control control;
	int error = read_control(file, &control);

	if (error == 0)
		error = check_once(c, file);
	if (error == 0)
		error = complete(file);
	if (error == 0)
		error = add_sessions(c, file, &control);
	close(file->fd);
	c->files |= file->sessions != 0;
	c->names |= c->files;
	return (error == 0 ? file->missing != 0 : error);
}

static int
open_descriptor(struct tbuf_consumer *c, int fd, struct opened *file)
{
	memset(file, 0, sizeof(*file));
	file->fd = fd;
	if (fd == -EAGAIN)
		return (tbuf_problem(file->problem, fd,
		    "another process holds a lease on it"));
	if (fd < 0)
		return (tbuf_problem(file->problem, fd, "%s", strerror(-fd)));
	return (open_sessions(c, file));
}

int
tbuf_file_add(struct tbuf_consumer *c, int fd, char words[TBUF_PROBLEM_MAX])
{
	struct opened file;
	int error = open_descriptor(c, fd, &file);

	memcpy(words, file.problem, TBUF_PROBLEM_MAX);
	return (error);
}

int
tbuf_image_add(struct tbuf_consumer *c, int fd, uint64_t cut,
    char words[TBUF_PROBLEM_MAX])
{
	struct opened file = { .fd = fd, .cut = cut, .image = true };
	int error = open_sessions(c, &file);

	memcpy(words, file.problem, TBUF_PROBLEM_MAX);
	return (error);
}

/* Reports the result of opening, unless it is 0. */
static int
report(struct tbuf_consumer *c, int result, const char *path,
    const struct opened *file)
{
	if (result == 0)
		return (0);
	if (result < 0)
		return (tbuf_consumer_fail(c, result, "failed to read %s: %s",
		    path, file->problem));
	tbuf_consumer_fail(c, 0, "%s is truncated: read as far as it goes "
	    "(%" PRIu64 " byte%s missing)", path, file->missing,
	    file->missing == 1 ? "" : "s");
	return (1);
}

int
tbuf_consumer_open_file(struct tbuf_consumer *c, const char *path)
{
	struct opened file;
	int fd;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "tracing is active"));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return (report(c, open_descriptor(c, fd == -1 ? -errno : fd, &file),
	    path, &file));
}

/* The search for all files of a dead process, and its result. */
struct orphans {
	struct tbuf_consumer *consumer;
	pid_t pid;
	pid_t inner;		/* in its pid namespace, if it is there */
	uid_t user;		/* its user, or -1 */
	unsigned opened;
	int error;		/* of a file that could not be opened */
	bool cut;		/* a file was truncated */
	bool held;		/* a file is still held by its process */
	uid_t owner;		/* of the files that were opened */
	bool mixed;		/* they belong to several users */
};

/*
 * Returns true for a file that its program has saved: a copy of records that
 * another file of the process has, or had.
 */
static bool
is_saved(int fd)
{
	uint32_t flags;

	return (tbuf_file_read(fd, &flags, sizeof(flags),
	    offsetof(struct tbuf_control, flags)) &&
	    (flags & TBUF_F_SAVED) != 0);
}

/*
 * Opens a file of a runtime directory; -EBUSY: its process still holds it.
 */
static int
open_orphan(struct orphans *orphans, const struct tbuf_runtime *r,
    const char *name)
{
	struct opened file;
	char path[TBUF_LEFT_PATH];
	int fd = tbuf_runtime_open(r, name), result;

	if (fd < 0)
		return (-ESRCH);
	if (tbuf_control_alive(fd) || is_saved(fd)) {
		result = is_saved(fd) ? -ESRCH : -EBUSY;
		close(fd);
		return (result);
	}
	result = open_descriptor(orphans->consumer, fd, &file);
	/* A process that has ended without a session counts as not found. */
	return (result == -ENODATA && file.cut == 0 ? -ESRCH :
	    report(orphans->consumer, result, tbuf_left_name(r, name, path),
	    &file));
}

static void
note_orphan(struct orphans *orphans, const struct tbuf_runtime *r, int error)
{
	orphans->held |= error == -EBUSY;
	if (error < 0 && error != -EBUSY && error != -ESRCH)
		orphans->error = error;
	if (error < 0)
		return;
	orphans->cut |= error > 0;
	orphans->mixed |= orphans->opened != 0 && r->owner != orphans->owner;
	orphans->owner = r->owner;
	orphans->opened++;
}

/*
 * Returns true if a directory may have files of the process.  If the process
 * is there, another user's files with its pid are not its own.
 */
static bool
may_have(const struct orphans *orphans, const struct tbuf_runtime *r)
{
	return (!r->foreign || r->container != 0 ||
	    orphans->user == (uid_t)-1 || orphans->user == r->owner);
}

static int
look_directory(void *arg, const struct tbuf_runtime *r)
{
	struct orphans *orphans = arg;
	pid_t pid = r->container != 0 ? orphans->inner : orphans->pid, named;
	struct dirent *entry;
	uint64_t random;
	int result = 0;
	DIR *dir;

	if (!may_have(orphans, r) ||
	    (dir = tbuf_directory_stream(r->fd)) == NULL)
		return (0);
	while (result == 0 && (entry = readdir(dir)) != NULL) {
		if (tbuf_runtime_late(r))
			result = -ETIMEDOUT;
		else if (tbuf_control_name_parse(entry->d_name, &named,
		    &random) && named == pid)
			note_orphan(orphans, r, open_orphan(orphans, r,
			    entry->d_name));
	}
	closedir(dir);
	return (result);
}

static void
open_orphans(struct tbuf_consumer *c, pid_t pid, struct orphans *orphans)
{
	memset(orphans, 0, sizeof(*orphans));
	orphans->consumer = c;
	orphans->pid = pid;
	orphans->inner = tbuf_find_user(pid, &orphans->user);
	(void)tbuf_runtimes_visit(pid, look_directory, orphans);
}

/* Opens the file of a live process in any pid namespace. */
static int
open_living(struct tbuf_consumer *c, pid_t pid, struct opened *file)
{
	struct tbuf_found found;
	int error = tbuf_find_pid(pid, &found);

	if (error != 0)
		return (error == -ESRCH ? error :
		    tbuf_problem(file->problem, error, "%s", found.problem));
	close(found.pidfd);
	return (open_descriptor(c, found.fd, file));
}

int
tbuf_consumer_open_pid(struct tbuf_consumer *c, pid_t pid)
{
	struct opened file = { .fd = -1 };
	struct orphans orphans;
	int error;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "tracing is active"));
	/* A killed process frees its memory before it releases its file. */
	do {
		open_orphans(c, pid, &orphans);
		error = open_living(c, pid, &file);
	} while (error == -ESRCH && orphans.opened == 0 && orphans.held &&
	    tbuf_pause(&c->dying_pauses));
	if ((error == 0 || orphans.opened != 0) && orphans.mixed) {
		tbuf_consumer_fail(c, 0, "several users have files of pid %d: "
		    "reading all", (int)pid);
		return (2);
	}
	if (error == 0 || orphans.opened != 0)
		return (orphans.cut);
	/* A problem with its file says more than that the process has ended. */
	if (error == -ESRCH && orphans.error != 0)
		return (orphans.error);
	return (tbuf_consumer_fail(c, error, "failed to grab pid %d: %s",
	    (int)pid, error == -ESRCH ? strerror(ESRCH) : file.problem));
}
