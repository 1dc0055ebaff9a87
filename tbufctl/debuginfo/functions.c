/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the functions of a file by a helper process, and finds them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper_process.h"
#include "base/messages.h"
#include "functions.h"

/* Limits of the tables of the helper process. */
#define FUNCTIONS_MAX	(1u << 24)
#define SEGMENTS_MAX	65536u
#define NAMES_MAX	(UINT64_C(1) << 30)

/* The header before the tables in the socket. */
struct head {
	uint32_t nsegments, count;
	uint64_t names_size;
};

/* ------------------------------------------------------------ the helper */

static __attribute__((noreturn)) void
reader(int fd, int out, const char *path)
{
	struct functions f = { .count = 0 };
	struct head head;

	module_load();
	reader_become_owner(fd);
	reader_confine(READER_SECONDS);
	(void)alarm(READER_SECONDS);
	if (module_find_all(&f, fd, path) != 0)
		_exit(1);
	head = (struct head){ f.nsegments, f.count, f.names_size };
	_exit(reader_write(out, &head, sizeof(head)) &&
	    reader_write(out, f.segments, f.nsegments * sizeof(*f.segments)) &&
	    reader_write(out, f.all, f.count * sizeof(*f.all)) &&
	    reader_write(out, f.names, f.names_size) ? 0 : 1);
}

/* ------------------------------------------------------------ its answer */

/* Returns an array from the socket; NULL if it is incomplete. */
static void *
read_all(int fd, size_t count, size_t size)
{
	char *bytes = memory_get(NULL, count + 1, size);

	if (reader_read(fd, bytes, count * size))
		return (bytes);
	free(bytes);
	return (NULL);
}

/* Returns true if functions are sorted, and their names are in f->names. */
static bool
is_sound(const struct functions *f)
{
	uint32_t i;

	for (i = 0; i < f->count; i++)
		if (f->all[i].name >= f->names_size ||
		    (i > 0 && f->all[i].address <= f->all[i - 1].address))
			return (false);
	return (f->names_size == 0 || f->names[f->names_size - 1] == '\0');
}

static bool
listen(struct functions *f, int fd)
{
	struct head *head = read_all(fd, 1, sizeof(*head));

	if (head == NULL)
		return (false);
	f->nsegments = head->nsegments;
	f->count = head->count;
	f->names_size = head->names_size;
	free(head);
	return (f->nsegments <= SEGMENTS_MAX && f->count <= FUNCTIONS_MAX &&
	    f->names_size <= NAMES_MAX &&
	    (f->segments = read_all(fd, f->nsegments,
	    sizeof(*f->segments))) != NULL &&
	    (f->all = read_all(fd, f->count, sizeof(*f->all))) != NULL &&
	    (f->names = read_all(fd, f->names_size, 1)) != NULL &&
	    is_sound(f));
}

const char *
module_read(struct functions *f, int fd, const char *path)
{
	int socket, status;
	bool heard;
	pid_t pid;

	memset(f, 0, sizeof(*f));
	if ((pid = reader_start(&socket)) == 0)
		reader(fd, socket, path);
	if (pid == -1)
		return ("cannot create the helper process");
	heard = listen(f, socket);
	(void)close(socket);
	status = reader_wait(pid);
	if (heard)
		return (NULL);
	module_free(f);
	return (reader_why(status));
}

void
module_free(struct functions *f)
{
	free(f->segments);
	free(f->all);
	free(f->names);
	memset(f, 0, sizeof(*f));
}

/* ------------------------------------------------------------ finding */

static bool
address_of(const struct functions *f, uint64_t offset, uint64_t *address)
{
	const struct segment *s = f->segments;
	uint32_t i;

	for (i = 0; i < f->nsegments; i++, s++)
		if (offset >= s->offset && offset - s->offset < s->size) {
			*address = s->address + (offset - s->offset);
			return (true);
		}
	return (false);
}

const struct function *
module_find(const struct functions *f, uint64_t offset, uint64_t *from_start)
{
	uint32_t low = 0, high = f->count, middle;
	const struct function *one;
	uint64_t address;

	if (!address_of(f, offset, &address))
		return (NULL);
	while (low < high) {
		middle = low + (high - low) / 2;
		if (f->all[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return (NULL);
	one = &f->all[low - 1];
	*from_start = address - one->address;
	return (one->size == 0 || *from_start < one->size ? one : NULL);
}
