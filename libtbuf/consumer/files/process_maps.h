/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The mappings of a process, read from /proc/PID/maps.
 */
#ifndef TBUF_CONSUMER_FILES_PROCESS_MAPS_H
#define TBUF_CONSUMER_FILES_PROCESS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/* A line of /proc/PID/maps. */
struct tbuf_process_map {
	uint64_t start, end;
	unsigned major, minor;
	uint64_t inode;
	const char *path;
};

/* Parses a line of /proc/PID/maps.  Returns false if it is not one. */
bool	tbuf_map_line(const char *line, struct tbuf_process_map *);

/*
 * Returns the file name of a control file if `path` (from /proc/PID/maps) is
 * that of one, else NULL.  " (deleted)" is cut off the path.
 */
const char *tbuf_map_control(char *path, bool *deleted);

#endif
