/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The mappings of a process, read from /proc/PID/maps.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "consumer/files/files.h"

#define DELETED	" (deleted)"

bool
tbuf_map_next(FILE *f, struct tbuf_process_map *m)
{
	char permissions[8], *end;
	int at = 0;

	while (fgets(m->line, sizeof(m->line), f) != NULL) {
		end = strchrnul(m->line, '\n');
		if (*end == '\0')
			(void)!fscanf(f, "%*[^\n]");
		*end = '\0';
		if (sscanf(m->line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64
		    " %x:%x %" SCNu64 " %n", &m->start, &m->end, permissions,
		    &m->offset, &m->major, &m->minor, &m->inode, &at) != 7)
			continue;
		m->executable = strchr(permissions, 'x') != NULL;
		m->path = m->line + at;
		return (true);
	}
	return (false);
}

const char *
tbuf_map_control(char *path, bool *deleted)
{
	size_t n = strlen(path), tail = sizeof(DELETED) - 1;
	const char *name;
	uint64_t random;
	pid_t pid;

	*deleted = n > tail && strcmp(path + n - tail, DELETED) == 0;
	if (*deleted)
		path[n - tail] = '\0';
	name = strrchr(path, '/');
	if (*path != '/' || !tbuf_control_name_parse(name + 1, &pid, &random))
		return (NULL);
	return (name + 1);
}
