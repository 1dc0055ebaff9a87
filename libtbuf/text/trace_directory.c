/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The directory of the trace file.  Another user that can change any directory
 * of the path could lead it elsewhere, so each is looked at before the next one
 * is opened in it.  Async-signal-safe.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "text/text.h"

#define LINKS_MAX	40	/* as in the kernel */
#define NO_OWNER	((uid_t)-1)
#define ROOM		(2 * TBUF_TEXT_PATH_MAX)

struct walk {
	int fd;			/* the last directory, O_PATH */
	uid_t root;		/* owner of /; NO_OWNER before it is entered */
	unsigned links;		/* followed so far */
	char rest[ROOM];	/* of the path */
};

/*
 * Returns true if the owner may lead the path: root or this user.  In a user
 * namespace without root the owner of / has another number.
 */
static bool
trusted(const struct walk *w, uid_t owner)
{
	return (owner == geteuid() || owner == 0 || owner == w->root);
}

/*
 * Moves the walk to a directory, if other users cannot change it.  Its owner
 * can, whatever its mode and its sticky bit.
 */
static int
enter(struct walk *w, int fd)
{
	struct stat st;

	if (w->fd != -1)
		close(w->fd);
	w->fd = fd;
	if (fd == -1 || fstat(fd, &st) != 0)
		return (-errno);
	if (w->root == NO_OWNER)
		w->root = st.st_uid;
	return (trusted(w, st.st_uid) &&
	    ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0 ||
	    (st.st_mode & S_ISVTX) != 0) ? 0 : -EPERM);
}

static int
begin(struct walk *w)
{
	w->root = NO_OWNER;
	return (enter(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)));
}

/*
 * Puts the target of a symbolic link before the rest of the path.  The links of
 * other users than root lead where these want.
 */
static int
follow(struct walk *w, int fd, const struct stat *st)
{
	char target[ROOM];
	size_t left = strlen(w->rest);
	ssize_t n;

	if (!trusted(w, st->st_uid))
		return (-EPERM);
	if (++w->links > LINKS_MAX)
		return (-ELOOP);
	if ((n = readlinkat(fd, "", target, sizeof(target))) <= 0)
		return (n == 0 ? -ENOENT : -errno);
	if ((size_t)n + 1 + left >= sizeof(w->rest))
		return (-ENAMETOOLONG);
	memmove(w->rest + n + 1, w->rest, left + 1);
	memcpy(w->rest, target, (size_t)n);
	w->rest[n] = '/';
	return (target[0] == '/' ? begin(w) : 0);
}

/* Takes the first name off the rest of the path.  Returns false at its end. */
static bool
next(struct walk *w, char name[ROOM])
{
	const char *from = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(from, "/");

	memcpy(name, from, n);
	name[n] = '\0';
	memmove(w->rest, from + n, strlen(from + n) + 1);
	return (n != 0);
}

static int
step(struct walk *w, const char *name)
{
	int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int error;

	if (fd == -1 || fstat(fd, &st) != 0)
		error = -errno;
	else if (S_ISDIR(st.st_mode))
		return (enter(w, fd));
	else
		error = S_ISLNK(st.st_mode) ? follow(w, fd, &st) : -ENOTDIR;
	if (fd != -1)
		close(fd);
	return (error);
}

int
tbuf_textfile_directory(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char one[ROOM];
	struct walk w;
	size_t n;
	int error;

	if (path[0] != '/' || slash[1] == '\0')
		return (-EINVAL);
	*name = slash + 1;
	n = (size_t)(slash + 1 - path);
	if (n >= TBUF_TEXT_PATH_MAX)
		return (-ENAMETOOLONG);
	memcpy(w.rest, path, n);
	w.rest[n] = '\0';
	w.fd = -1;
	w.links = 0;
	error = begin(&w);
	while (error == 0 && next(&w, one))
		error = step(&w, one);
	if (error == 0)
		return (w.fd);
	if (w.fd != -1)
		close(w.fd);
	return (error);
}
