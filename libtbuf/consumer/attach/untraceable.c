/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Processes that cannot be traced and cannot publish why: facts that can be
 * seen from here while they are alive.  A reported reason has to be final, as
 * a program that is still being loaded may become a target.
 */
#include <sys/stat.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"

/* ------------------------------------------------------------ programs */

#define VALUES_MAX	64u
#define PROGRAM_MAX	(UINT64_C(256) << 20)	/* bytes that are searched */

/*
 * Reads the auxiliary vector.  Returns the number of entries, 0 if the process
 * has no address space any more.
 */
static size_t
values_read(pid_t pid, Elf64_auxv_t values[VALUES_MAX])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return (0);
	n = read(fd, values, VALUES_MAX * sizeof(values[0]));
	close(fd);
	return (n > 0 ? (size_t)n / sizeof(values[0]) : 0);
}

/* Returns true if the auxiliary vector says that there is no interpreter. */
static bool
without_loader(pid_t pid)
{
	Elf64_auxv_t values[VALUES_MAX];
	size_t n = values_read(pid, values), i;

	for (i = 0; i < n; i++)
		if (values[i].a_type == AT_BASE)
			return (values[i].a_un.a_val == 0);
	return (false);
}

/* Returns true for a loader run as a program (ld-linux-*), or in doubt. */
static bool
is_loader(const char *exe)
{
	char target[4096];
	ssize_t n = readlink(exe, target, sizeof(target) - 1);
	const char *name;

	if (n <= 0)
		return (true);
	target[n] = '\0';
	name = strrchr(target, '/');
	return (name == NULL || strncmp(name, "/ld", 3) == 0);
}

/*
 * Returns true if a file contains a string, or cannot be read, or is too large:
 * a program may be a file of terabytes that are a hole.
 */
static bool
has_text(const char *path, const char *text)
{
	size_t size = strlen(text), carried = 0;
	uint64_t left = PROGRAM_MAX;
	char piece[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = fd == -1;
	ssize_t n;

	while (!found && (n = read(fd, piece + carried,
	    sizeof(piece) - carried)) != 0) {
		if (n == -1 && errno == EINTR)
			continue;
		found = n == -1 || (uint64_t)n > left ||
		    memmem(piece, carried + (size_t)n, text, size) != NULL;
		if (found)
			break;
		left -= (uint64_t)n;
		n += (ssize_t)carried;
		carried = (size_t)n < size - 1 ? (size_t)n : size - 1;
		memmove(piece, piece + n - carried, carried);
	}
	if (fd != -1)
		close(fd);
	return (found);
}

bool
tbuf_find_static(pid_t pid)
{
	char exe[64];

	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	return (without_loader(pid) && !is_loader(exe) &&
	    !has_text(exe, TBUF_CONTROL_ENV));
}

/* ------------------------------------------------------------ reasons */

/*
 * Returns why the new program will never be a target, if it has not published
 * that itself, and where to count it; or NULL.
 */
static const char *
reason(pid_t pid, int error, const struct tbuf_found *found, unsigned *which)
{
	static const char off[] = "tracing is off: ";

	if (error == -EPERM ||
	    strstr(found->problem, TBUF_OFF_SETUID) != NULL) {
		*which = TBUF_UNTRACEABLE_SETUID;
		return (TBUF_OFF_SETUID);
	}
	/* The reason is on another user's board, which we do not read. */
	if (error == -ECANCELED && found->foreign &&
	    strncmp(found->problem, off, sizeof(off) - 1) == 0) {
		*which = TBUF_UNTRACEABLE_USER;
		return (found->problem + sizeof(off) - 1);
	}
	if (error == -EPROTO) {
		*which = TBUF_UNTRACEABLE_VERSION;
		return (found->problem);
	}
	if (error == -ENOEXEC && tbuf_find_static(pid)) {
		*which = TBUF_UNTRACEABLE_STATIC;
		return ("statically linked");
	}
	return (NULL);
}

/*
 * Returns true if the process has no control file now.  A process that is
 * ending has released its file, too, but its memory before that.
 */
static bool
is_without_libtbuf(pid_t pid, int error)
{
	Elf64_auxv_t values[VALUES_MAX];

	return (error == -ENOEXEC && values_read(pid, values) != 0);
}

void
tbuf_untraceable_image(struct tbuf_consumer *c, struct tbuf_target *old,
    int error, const struct tbuf_found *found)
{
	const char *why;
	unsigned which;

	if (old->state != TBUF_EXECED)
		return;
	if ((why = reason(old->pid, error, found, &which)) == NULL) {
		old->without_libtbuf |= is_without_libtbuf(old->pid, error);
		return;
	}
	/* Scan the directory first: its file may have appeared meanwhile. */
	if (tbuf_consumer_scan(c) != 0 || old->state != TBUF_EXECED)
		return;
	tbuf_target_close(old);
	tbuf_untraceable_add(c, which, why);
}

/*
 * Returns true if the process executed a program without libtbuf and has not
 * become a target again; asked once the run has ended.
 */
static bool
stays_without_libtbuf(struct tbuf_consumer *c, const struct tbuf_target *t)
{
	const struct tbuf_target *o;

	if (!t->without_libtbuf || (t->state != TBUF_EXECED &&
	    t->state != TBUF_DEAD))
		return (false);
	TAILQ_FOREACH(o, &c->targets, link)
		if (o != t && tbuf_target_same(o, t))
			return (false);
	return (true);
}

/*
 * Counts processes that executed a program without libtbuf, when they or the
 * run have ended: until then they might have become targets.  Processes with a
 * reason of their own are counted there, so only the excess over those counts
 * is reported here.
 */
void
tbuf_untraceable_targets(struct tbuf_consumer *c)
{
	struct tbuf_untraceable *image =
	    &c->untraceable[TBUF_UNTRACEABLE_IMAGE], *m;
	uint64_t n = c->without_libtbuf, others = 0;
	const struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		n += c->state == TBUF_RUN_ENDED && stays_without_libtbuf(c, t);
	for (m = c->untraceable; m < c->untraceable + TBUF_UNTRACEABLE; m++)
		others += m != image ? m->count : 0;
	if (n > others && n - others > image->count)
		tbuf_untraceable_set(image,
		    "executed a program without libtbuf", n - others);
}

/* ------------------------------------------------------------ children */

/*
 * Counts children that have changed their root or user, may open no file, or
 * were forked by a system call that the library has not noticed.
 */
void
tbuf_untraceable_children(struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_untraceable *untraceable =
	    &c->untraceable[TBUF_UNTRACEABLE_CHILD];
	uint32_t seen;

	if (t->slot == -1 || t->file_only || !tbuf_session_holds(t))
		return;
	seen = tbuf_load(&tbuf_target_slot(t)->children);
	if (seen != t->children_seen)
		tbuf_untraceable_set(untraceable,
		    "runtime directory not reached, or bare clone(2)",
		    untraceable->count + (uint32_t)(seen - t->children_seen));
	t->children_seen = seen;
}

/* ------------------------------------------------------------ command */

/* Returns true for a file of another version that is not older than `mine`. */
static bool
other_version(int dirfd, const char *name, int mine, char *why, size_t size)
{
	struct tbuf_control control;
	struct stat st, ours;
	bool other = false;
	int fd;

	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	if (fd == -1)
		return (false);
	if (fstat(fd, &st) == 0 && fstat(mine, &ours) == 0 &&
	    (st.st_mtim.tv_sec > ours.st_mtim.tv_sec ||
	    (st.st_mtim.tv_sec == ours.st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec >= ours.st_mtim.tv_nsec)) &&
	    pread(fd, &control, sizeof(control), 0) == sizeof(control) &&
	    tbuf_control_check(&control, (uint64_t)st.st_size) == -EPROTO) {
		other = true;
		snprintf(why, size, "libtbuf %u.%u, tbufctl %u.%u",
		    control.major, control.minor, TBUF_MAJOR, TBUF_MINOR);
	}
	close(fd);
	return (other);
}

/*
 * Reports a command with a library of another version: it cannot adopt the file
 * that was made for it, does not know our board, and makes a file of its own.
 */
void
tbuf_untraceable_command(struct tbuf_consumer *c, struct tbuf_target *t)
{
	char why[TBUF_BOARD_REASON];
	struct dirent *entry;
	uint64_t random;
	pid_t pid;
	DIR *dir;

	if (!t->child || t->live || t->untraceable ||
	    (dir = tbuf_directory_stream(c->directory)) == NULL)
		return;
	while (!t->untraceable && (entry = readdir(dir)) != NULL)
		t->untraceable = tbuf_control_name_parse(entry->d_name, &pid,
		    &random) && pid == t->pid &&
		    strcmp(entry->d_name, t->name) != 0 &&
		    other_version(c->directory, entry->d_name, t->fd, why,
		    sizeof(why));
	closedir(dir);
	if (t->untraceable)
		tbuf_untraceable_add(c, TBUF_UNTRACEABLE_VERSION, why);
}

/* ------------------------------------------------------------ counts */

void
tbuf_untraceable_set(struct tbuf_untraceable *untraceable, const char *why,
    uint64_t count)
{
	tbuf_copy(untraceable->why, why, sizeof(untraceable->why));
	untraceable->count = count;
}

void
tbuf_untraceable_add(struct tbuf_consumer *c, unsigned which, const char *why)
{
	/* Other users' reasons vary: the last place is for all others. */
	while (which >= TBUF_UNTRACEABLE_USER &&
	    which < TBUF_UNTRACEABLE_LAST && c->untraceable[which].count != 0 &&
	    strncmp(c->untraceable[which].why, why, TBUF_BOARD_REASON - 1) != 0)
		which++;
	tbuf_untraceable_set(&c->untraceable[which], why,
	    c->untraceable[which].count + 1);
}

const char *
tbuf_consumer_missed(struct tbuf_consumer *c, uint64_t *count)
{
	struct tbuf_untraceable *m;
	struct tbuf_target *t;

	tbuf_board_untraceable(c);
	TAILQ_FOREACH(t, &c->targets, link)
		tbuf_untraceable_children(c, t);
	tbuf_untraceable_targets(c);
	for (m = c->untraceable; m < c->untraceable + TBUF_UNTRACEABLE; m++) {
		if (m->count <= m->reported)
			continue;
		*count = m->count - m->reported;
		m->reported = m->count;
		return (m->why);
	}
	return (NULL);
}
