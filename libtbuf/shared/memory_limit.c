/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory that is available for buffers, read from files of the kernel.
 */
#include "base/optimize_size.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/memory_limit.h"

/* Bytes that are left to other processes; a quarter of the room, if less. */
#define LOOK_RESERVE	(UINT64_C(32) << 20)

/* Version 1's value for "no limit" is the largest number of whole pages. */
#define LIMIT_MOST	(UINT64_C(1) << 62)

#define PATH		4096
#define LINE		8192

/* A file that is read by lines. */
struct lines {
	int fd;
	size_t at, n;
	char bytes[4096];
	char line[LINE];
};

/* A mounted hierarchy of cgroups. */
struct hierarchy {
	bool found;
	char root[PATH];	/* the group that the mount point shows */
	char mount[PATH];	/* the mount point */
};

/* Buffers that are too large for a caller's stack. */
struct scratch {
	struct hierarchy hierarchies[2];	/* of version 1; unified */
	struct lines groups;	/* /proc/self/cgroup */
	struct lines mounts;	/* /proc/self/mountinfo */
	struct lines fields;	/* a file of "name number" lines */
	char group[LINE];
	char file[LINE];
};

static struct scratch *
scratch_new(void)
{
	void *p = mmap(NULL, sizeof(struct scratch), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return (p == MAP_FAILED ? NULL : p);
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return (a < b ? a : b);
}

/* ------------------------------------------------------------ text */

static bool
lines_open(struct lines *l, const char *path)
{
	l->at = l->n = 0;
	l->fd = open(path, O_RDONLY | O_CLOEXEC);
	return (l->fd != -1);
}

static int
lines_byte(struct lines *l)
{
	ssize_t n;

	if (l->at == l->n) {
		do {
			n = read(l->fd, l->bytes, sizeof(l->bytes));
		} while (n == -1 && errno == EINTR);
		if (n <= 0)
			return (-1);
		l->at = 0;
		l->n = (size_t)n;
	}
	return ((unsigned char)l->bytes[l->at++]);
}

/* Returns the next line, cut to size, or NULL at the end. */
static char *
lines_next(struct lines *l)
{
	size_t n = 0;
	int c;

	while ((c = lines_byte(l)) != -1 && c != '\n')
		if (n < sizeof(l->line) - 1)
			l->line[n++] = (char)c;
	l->line[n] = '\0';
	return (c == -1 && n == 0 ? NULL : l->line);
}

/* Stores a followed by b; returns false if that is too long. */
static bool
join(char to[LINE], const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	if (n + m >= LINE)
		return (false);
	memmove(to, a, n);
	memcpy(to + n, b, m + 1);
	return (true);
}

/* Copies field n of a line, from 0 on; blanks separate fields. */
static bool
field(const char *line, unsigned n, char *to, size_t size)
{
	size_t length;

	while (n-- > 0) {
		if ((line = strchr(line, ' ')) == NULL)
			return (false);
		line++;
	}
	length = strcspn(line, " ");
	if (length == 0 || length >= size)
		return (false);
	memcpy(to, line, length);
	to[length] = '\0';
	return (true);
}

static bool
number(const char *text, uint64_t *value)
{
	text += strspn(text, " \t");
	if (*text < '0' || *text > '9')
		return (false);
	*value = strtoull(text, NULL, 10);
	return (true);
}

/* Reads the number after `name` in a file of "name number" lines. */
static bool
read_field(struct lines *l, const char *path, const char *name,
    uint64_t *value)
{
	size_t n = strlen(name);
	const char *line;
	bool found = false;

	if (!lines_open(l, path))
		return (false);
	while (!found && (line = lines_next(l)) != NULL)
		found = strncmp(line, name, n) == 0 && number(line + n, value);
	close(l->fd);
	return (found);
}

/* ------------------------------------------------------------ cgroups */

/* Reads a file of the group that has a number; returns false for "max". */
static bool
group_number(struct scratch *s, const char *name, uint64_t *value)
{
	return (join(s->file, s->group, name) &&
	    read_field(&s->fields, s->file, "", value));
}

/* Returns the memory in use, less the page cache that is reclaimed first. */
static uint64_t
group_used(struct scratch *s, bool unified)
{
	uint64_t used, cache;

	if (!group_number(s, unified ? "/memory.current" :
	    "/memory.usage_in_bytes", &used))
		return (0);
	if (!join(s->file, s->group, "/memory.stat") ||
	    !read_field(&s->fields, s->file, unified ? "inactive_file " :
	    "total_inactive_file ", &cache))
		return (used);
	return (used > cache ? used - cache : 0);
}

static uint64_t
group_room(struct scratch *s, bool unified)
{
	static const char *const limits[2][2] = {
		{ "/memory.limit_in_bytes", "/memory.soft_limit_in_bytes" },
		{ "/memory.max", "/memory.high" }
	};
	uint64_t limit, lowest = UINT64_MAX, used;
	int i;

	/* The soft limit of version 1 does not limit. */
	for (i = 0; i < (unified ? 2 : 1); i++)
		if (group_number(s, limits[unified][i], &limit))
			lowest = least(lowest, limit);
	/* Reading the memory in use takes longer than all the rest. */
	if (lowest >= LIMIT_MOST)
		return (UINT64_MAX);
	used = group_used(s, unified);
	return (lowest > used ? lowest - used : 0);
}

/*
 * Returns the least room of the group at mount + path and of all groups above
 * it, up to the mount point.
 */
static uint64_t
groups_room(struct scratch *s, const char *path, bool unified)
{
	const char *mount = s->hierarchies[unified].mount;
	size_t top = strlen(mount);
	uint64_t room = UINT64_MAX;
	char *slash;

	if (!join(s->group, mount, path))
		return (UINT64_MAX);
	for (;;) {
		room = least(room, group_room(s, unified));
		slash = strrchr(s->group, '/');
		if (slash == NULL || (size_t)(slash - s->group) < top)
			return (room);
		*slash = '\0';
	}
}

/* Returns true if a comma-separated list has a word. */
static bool
has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; list != NULL; list = strchr(list, ',')) {
		list += *list == ',';
		if (strncmp(list, word, n) == 0 &&
		    (list[n] == ',' || list[n] == '\0'))
			return (true);
	}
	return (false);
}

/* Stores the hierarchy of a mountinfo line, unless one is found already. */
static void
mount_read(struct scratch *s, const char *line)
{
	const char *dash = strstr(line, " - ");
	struct hierarchy *h;
	char type[64], super[1024];
	bool unified;

	if (dash == NULL || !field(dash + 3, 0, type, sizeof(type)) ||
	    strncmp(type, "cgroup", 6) != 0)
		return;
	unified = strcmp(type, "cgroup2") == 0;
	h = &s->hierarchies[unified];
	if (h->found || (!unified && (strcmp(type, "cgroup") != 0 ||
	    !field(dash + 3, 2, super, sizeof(super)) ||
	    !has_word(super, "memory"))))
		return;
	h->found = field(line, 3, h->root, PATH) &&
	    field(line, 4, h->mount, PATH);
}

/*
 * Finds the mount points of the hierarchies and their root groups.
 * mountinfo: id parent major:minor ROOT MOUNT options... - TYPE source SUPER
 */
static void
find_mounts(struct scratch *s, const char *mountinfo)
{
	const char *line;

	if (!lines_open(&s->mounts, mountinfo))
		return;
	while ((line = lines_next(&s->mounts)) != NULL)
		mount_read(s, line);
	close(s->mounts.fd);
}

/* Returns the room by a /proc/PID/cgroup line: NUMBER:CONTROLLERS:PATH */
static uint64_t
line_room(struct scratch *s, char *line)
{
	const struct hierarchy *h;
	char *controllers, *path;
	size_t n;
	bool unified;

	if ((controllers = strchr(line, ':')) == NULL ||
	    (path = strchr(++controllers, ':')) == NULL)
		return (UINT64_MAX);
	*path++ = '\0';
	unified = *controllers == '\0';
	h = &s->hierarchies[unified];
	if ((!unified && !has_word(controllers, "memory")) || !h->found)
		return (UINT64_MAX);
	n = strcmp(h->root, "/") == 0 ? 0 : strlen(h->root);
	path = strncmp(path, h->root, n) == 0 ? path + n : strchr(path, '\0');
	if (strcmp(path, "/") == 0)
		path++;
	return (groups_room(s, path, unified));
}

static uint64_t
room_groups(struct scratch *s, const char *cgroup, const char *mountinfo)
{
	uint64_t room = UINT64_MAX;
	char *line;

	if (!lines_open(&s->groups, cgroup))
		return (room);
	find_mounts(s, mountinfo);
	while ((line = lines_next(&s->groups)) != NULL)
		room = least(room, line_room(s, line));
	close(s->groups.fd);
	return (room);
}

uint64_t
tbuf_room_groups(const char *cgroup, const char *mountinfo)
{
	struct scratch *s = scratch_new();
	uint64_t room;

	if (s == NULL)
		return (0);
	room = room_groups(s, cgroup, mountinfo);
	munmap(s, sizeof(*s));
	return (room);
}

/* ------------------------------------------------------------ limits */

static uint64_t
room_memory(struct scratch *s)
{
	uint64_t kilobytes;

	if (!read_field(&s->fields, "/proc/meminfo", "MemAvailable:",
	    &kilobytes))
		return (UINT64_MAX);
	return (kilobytes * 1024);
}

uint64_t
tbuf_room_files(int fd)
{
	struct statfs st;

	if (fstatfs(fd, &st) != 0 || st.f_blocks == 0)
		return (UINT64_MAX);
	return ((uint64_t)st.f_bavail * (uint64_t)st.f_bsize);
}

uint64_t
tbuf_room(int fd)
{
	struct scratch *s = scratch_new();
	uint64_t room;

	if (s == NULL)
		return (0);
	room = least(room_memory(s), tbuf_room_files(fd));
	room = least(room, room_groups(s, "/proc/self/cgroup",
	    "/proc/self/mountinfo"));
	munmap(s, sizeof(*s));
	return (room);
}

uint64_t
tbuf_room_file(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return (UINT64_MAX);
	return (limit.rlim_cur);
}

int
tbuf_back(int fd, uint64_t offset, uint64_t length)
{
	int r;

	do {
		r = fallocate(fd, 0, (off_t)offset, (off_t)length);
	} while (r != 0 && errno == EINTR);
	return (r == 0 ? 0 : -errno);
}

int
tbuf_room_back(int fd, uint64_t offset, uint64_t size)
{
	uint64_t at, piece, room;
	int error;

	for (at = 0; at < size; at += piece) {
		piece = least(size - at, TBUF_ROOM_PIECE);
		room = tbuf_room(fd);
		if (room < piece ||
		    room - piece < least(LOOK_RESERVE, room / 4))
			return (-ENOSPC);
		if ((error = tbuf_back(fd, offset + at, piece)) != 0)
			return (error);
	}
	return (0);
}
