/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The mappings of a process, read from /proc/PID/maps.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "consumer/files/process_maps.h"
#include "shared/control_file.h"

#define DELETED	" (deleted)"

bool
tbuf_map_line(const char *line, struct tbuf_process_map *m)
{
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %x:%x %" SCNu64
	    " %n", &m->start, &m->end, &m->major, &m->minor, &m->inode,
	    &at) != 5 || at == 0)
		return (false);
	m->path = line + at;
	return (true);
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
