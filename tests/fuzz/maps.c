/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Text of /proc that a process can influence: the lines of /proc/PID/maps and
 * /proc/PID/status, with names of its choice.  The functions are static, so the
 * file is included.
 */
#include "consumer/files/process_file.c"

#include "support/fuzz.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

static void
look_path(const char *path)
{
	char *copy = strdup(path);
	struct tbuf_found found;
	const char *name;
	bool deleted;

	FUZZ_CHECK(copy != NULL);
	name = tbuf_map_control(copy, &deleted);
	if (name != NULL)
		FUZZ_CHECK(strlen(name) < TBUF_NAME_MAX);
	off_reason(path, &found);
	FUZZ_CHECK(strlen(found.problem) < sizeof(found.problem));
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct process process = { 0 };
	struct tbuf_process_map m;
	char *line;
	FILE *f = size == 0 ? NULL : fmemopen((void *)(uintptr_t)data, size,
	    "r");

	while (f != NULL && tbuf_map_next(f, &m))
		look_path(m.path);
	if (f != NULL)
		fclose(f);
	while (in.size > 0) {
		line = input_text(&in);
		look_path(line);
		status_line(line, &process);
		free(line);
	}
	return (0);
}
