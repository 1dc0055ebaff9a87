/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How much memory one consumer's buffers may take.  "Not enough space" is
 * decided by arithmetic before anything is taken: the kernel would answer
 * with the OOM killer, or with SIGBUS in the target.
 */
#include <sys/resource.h>
#include <sys/vfs.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/internal.h"

/*
 * What is left to everybody else between two chunks of a reservation: so
 * much, or a quarter where there is little.
 */
#define LOOK_RESERVE	(UINT64_C(32) << 20)

#define LINE		8192

static uint64_t
least(uint64_t a, uint64_t b)
{
	return (a < b ? a : b);
}

/* The number behind `name` in a file of "name number" lines. */
static bool
read_field(const char *path, const char *name, uint64_t *value)
{
	char line[256];
	size_t n = strlen(name);
	bool found = false;
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		return (false);
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = strncmp(line, name, n) == 0 &&
		    sscanf(line + n, " %" SCNu64, value) == 1;
	fclose(f);
	return (found);
}

static uint64_t
room_memory(void)
{
	uint64_t kilobytes;

	if (!read_field("/proc/meminfo", "MemAvailable:", &kilobytes))
		return (UINT64_MAX);
	return (kilobytes * 1024);
}

static uint64_t
room_file_system(int fd)
{
	struct statfs st;

	if (fstatfs(fd, &st) != 0 || st.f_blocks == 0)
		return (UINT64_MAX);
	return ((uint64_t)st.f_bavail * (uint64_t)st.f_bsize);
}

static uint64_t
room_file(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return (UINT64_MAX);
	return (limit.rlim_cur);
}

bool
tbuf_budget_file(uint64_t size)
{
	return (size <= room_file());
}

/* One file of a group that holds a number, or "max". */
static bool
group_number(const char *group, const char *file, uint64_t *value)
{
	char path[LINE], text[64];
	bool good;
	FILE *f;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", group, file) >=
	    sizeof(path) || (f = fopen(path, "re")) == NULL)
		return (false);
	good = fgets(text, sizeof(text), f) != NULL;
	fclose(f);
	if (!good || strncmp(text, "max", 3) == 0)
		return (false);
	return (sscanf(text, "%" SCNu64, value) == 1);
}

/* What is in use, less the page cache that the kernel would give up first. */
static uint64_t
group_used(const char *group, bool unified)
{
	char path[LINE];
	uint64_t used, cache;

	if (!group_number(group, unified ? "memory.current" :
	    "memory.usage_in_bytes", &used))
		return (0);
	if ((size_t)snprintf(path, sizeof(path), "%s/memory.stat", group) >=
	    sizeof(path) || !read_field(path, unified ? "inactive_file" :
	    "total_inactive_file", &cache))
		return (used);
	return (used > cache ? used - cache : 0);
}

static uint64_t
group_room(const char *group, bool unified)
{
	static const char *const limits[2][2] = {
		{ "memory.limit_in_bytes", "memory.soft_limit_in_bytes" },
		{ "memory.max", "memory.high" }
	};
	uint64_t limit, lowest = UINT64_MAX, used;
	int i;

	/* Of version 1 the soft limit is no limit. */
	for (i = 0; i < (unified ? 2 : 1); i++)
		if (group_number(group, limits[unified][i], &limit))
			lowest = least(lowest, limit);
	if (lowest == UINT64_MAX)
		return (UINT64_MAX);
	used = group_used(group, unified);
	return (lowest > used ? lowest - used : 0);
}

/* The group at mount + path and all above it, up to the mount point. */
static uint64_t
groups_room(const char *mount, const char *path, bool unified)
{
	char group[LINE];
	size_t top = strlen(mount);
	uint64_t room = UINT64_MAX;
	char *slash;

	if ((size_t)snprintf(group, sizeof(group), "%s%s", mount, path) >=
	    sizeof(group))
		return (UINT64_MAX);
	for (;;) {
		room = least(room, group_room(group, unified));
		slash = strrchr(group, '/');
		if (slash == NULL || (size_t)(slash - group) < top)
			return (room);
		*slash = '\0';
	}
}

/* A comma-separated list has a word. */
static bool
has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; list != NULL; list = strchr(list, ',')) {
		list += *list == ',';
		if (strncmp(list, word, n) == 0 &&
		    (list[n] == ',' || list[n] == '\0' || list[n] == '\n'))
			return (true);
	}
	return (false);
}

/*
 * Where a hierarchy is mounted, and which of its groups its root shows there.
 * mountinfo: id parent major:minor ROOT MOUNT options... - TYPE source SUPER
 */
static bool
find_mount(const char *mountinfo, bool unified, char *root, char *mount)
{
	char line[LINE], type[64], super[1024];
	const char *dash;
	bool found = false;
	FILE *f;

	if ((f = fopen(mountinfo, "re")) == NULL)
		return (false);
	while (!found && fgets(line, sizeof(line), f) != NULL) {
		dash = strstr(line, " - ");
		if (dash == NULL ||
		    sscanf(line, "%*s %*s %*s %4095s %4095s", root,
		    mount) != 2 ||
		    sscanf(dash + 3, "%63s %*s %1023s", type, super) != 2)
			continue;
		found = unified ? strcmp(type, "cgroup2") == 0 :
		    strcmp(type, "cgroup") == 0 && has_word(super, "memory");
	}
	fclose(f);
	return (found);
}

/* One line of /proc/PID/cgroup: NUMBER:CONTROLLERS:PATH */
static uint64_t
line_room(char *line, const char *mountinfo)
{
	char root[4096], mount[4096];
	char *controllers, *path;
	size_t n;
	bool unified;

	line[strcspn(line, "\n")] = '\0';
	if ((controllers = strchr(line, ':')) == NULL ||
	    (path = strchr(++controllers, ':')) == NULL)
		return (UINT64_MAX);
	*path++ = '\0';
	unified = *controllers == '\0';
	if ((!unified && !has_word(controllers, "memory")) ||
	    !find_mount(mountinfo, unified, root, mount))
		return (UINT64_MAX);
	n = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(path, root, n) == 0)
		path += n;
	else
		path = (char *)(uintptr_t)"";
	if (strcmp(path, "/") == 0)
		path++;
	return (groups_room(mount, path, unified));
}

uint64_t
tbuf_cgroup_room(const char *cgroup, const char *mountinfo)
{
	char line[LINE];
	uint64_t room = UINT64_MAX;
	FILE *f;

	if ((f = fopen(cgroup, "re")) == NULL)
		return (room);
	while (fgets(line, sizeof(line), f) != NULL)
		room = least(room, line_room(line, mountinfo));
	fclose(f);
	return (room);
}

static uint64_t
room_of(int fd)
{
	uint64_t room = least(room_memory(), room_file_system(fd));

	return (least(room, tbuf_cgroup_room("/proc/self/cgroup",
	    "/proc/self/mountinfo")));
}

int
tbuf_budget(struct tbuf_consumer *c, uint64_t *bytes)
{
	const char *set = getenv("TBUF_MAXSIZE");
	struct tbuf_target *t;
	uint64_t room = room_file();

	if (set != NULL && *set != '\0') {
		if (tbuf_parse_size(set, bytes) != 0)
			return (tbuf_consumer_fail(c, -EINVAL,
			    "invalid TBUF_MAXSIZE: %s", set));
		return (0);
	}
	TAILQ_FOREACH(t, &c->targets, link)
		if (t->fd != -1)
			room = least(room, room_of(t->fd));
	/* Where the targets to come will be. */
	if (c->run != 0 && c->directory != -1)
		room = least(room, room_of(c->directory));
	*bytes = room / 2;
	return (0);
}

bool
tbuf_budget_look(int fd, uint64_t bytes)
{
	uint64_t room = room_of(fd);

	return (room >= bytes &&
	    room - bytes >= least(LOOK_RESERVE, room / 4));
}
