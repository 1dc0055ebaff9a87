/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The answer of a helper process that has read the functions of a file: that
 * process may run the file owner's code, so that all it says is arbitrary.  The
 * first two bytes are numbers of segments and functions, and the next two the
 * bytes of names; the rest is what comes after such a header.
 */
#include <fcntl.h>
#include <unistd.h>

#include "support/fuzz.h"
/* The code under test is included here, as its functions are static. */
#include "debuginfo/functions.c"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

/* The helper process is not started here. */
void
module_load(void)
{
}

int
module_find_all(struct functions *f, int fd, const char *path)
{
	(void)f;
	(void)fd;
	(void)path;
	return (-1);
}

/* Looks offsets up, also near the edges of segments. */
static void
look(const struct functions *f)
{
	const struct function *found;
	uint64_t offset, from_start;
	uint32_t i, j;

	for (i = 0; i < f->nsegments; i++)
		for (j = 0; j < 8; j++) {
			offset = f->segments[i].offset + (j < 4 ? j :
			    f->segments[i].size - j);
			found = module_find(f, offset, &from_start);
			if (found == NULL)
				continue;
			FUZZ_CHECK(found >= f->all &&
			    found < f->all + f->count &&
			    found->name < f->names_size);
			FUZZ_CHECK(strlen(f->names + found->name) <
			    f->names_size);
			FUZZ_CHECK(found->size == 0 ||
			    from_start < found->size);
		}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct functions f = { .count = 0 };
	struct head head;
	int ends[2];

	head.nsegments = (uint32_t)input_take(&in, 1);
	head.count = (uint32_t)input_take(&in, 1);
	head.names_size = input_take(&in, 2);
	/* Sizes after the limits are refused. */
	if (head.nsegments == 255)
		head.nsegments = UINT32_MAX;
	if (head.count == 255)
		head.count = UINT32_MAX;
	if (head.names_size == 65535)
		head.names_size = UINT64_MAX;
	FUZZ_CHECK(pipe2(ends, O_CLOEXEC) == 0);
	FUZZ_CHECK(write(ends[1], &head, sizeof(head)) == sizeof(head) &&
	    write(ends[1], in.at, in.size) == (ssize_t)in.size);
	close(ends[1]);
	if (listen(&f, ends[0]))
		look(&f);
	module_free(&f);
	close(ends[0]);
	return (0);
}
