/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Semaphores of USDT probes: words in a target's memory that it tests before
 * it prepares a probe's arguments.  Other tracers count up and down in the low
 * byte.  tbuf uses one bit of the high byte, which is set while any consumer
 * traces one of the word's probes.  So a later consumer recognises the bit of
 * a killed one, and a consumer that ends does not disturb others.
 *
 * The addresses come from memory that other processes may write: a child of the
 * target by a bare clone(2), even after it has given up its privileges.  So the
 * description has to be in private memory, and the word where a note of a probe
 * in the object's file has a semaphore: nothing else of the target is changed.
 *
 * A probe's enable word is set before the bit is read, and read again after
 * the bit was cleared: if one consumer begins while another ends, one of them
 * sees the other.
 */
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/files/files.h"
#include "consumer/target/target.h"

/* Bounds of one target: its objects, and the bytes of their files. */
#define OBJECTS_MAX	4096u
#define BYTES_MAX	(UINT64_C(64) << 20)

/* The semaphore of a probe.  Several probes may share one. */
struct guard {
	uint64_t word;		/* address; 0: cannot be used */
	bool wanted;		/* some session traces the probe */
	bool ours;		/* our session does */
	bool raised;
};

struct guards {
	struct guard *all;
	size_t count;
};

/* A file that the target has mapped as data; its notes are read if needed. */
struct object {
	uint64_t start, end;	/* its first mapping */
	unsigned major, minor;
	uint64_t inode;
	char *path;
	bool known;		/* `notes' has been read */
	struct tbuf_notes notes;
};

/* A private range of the target's memory. */
struct range {
	uint64_t start, end;
	bool data;		/* of an object: .data or .bss */
	size_t object;		/* its number */
	uint64_t offset;	/* in its file, or as if it went on */
};

/* The target's memory, open, and its private ranges in ascending order. */
struct memory {
	pid_t pid;
	int fd;			/* -1: it cannot be used */
	struct range *ranges;
	size_t count;
	struct object *objects;
	size_t nobjects;
	uint64_t left;		/* bytes of files that may be read */
};

/* Returns the range that has all of the bytes, or NULL. */
static const struct range *
range_of(const struct memory *m, uint64_t at, uint64_t size)
{
	size_t first = 0, end = m->count, middle;
	const struct range *r;

	while (first < end) {
		middle = first + (end - first) / 2;
		r = &m->ranges[middle];
		if (at < r->start)
			end = middle;
		else if (at >= r->end)
			first = middle + 1;
		else
			return (size <= r->end - at ? r : NULL);
	}
	return (NULL);
}

/* Reads the notes of the object's file. */
static void
read_object(struct memory *m, struct object *o)
{
	struct tbuf_process_map map = {
		.start = o->start, .end = o->end, .major = o->major,
		.minor = o->minor, .inode = o->inode, .path = o->path
	};
	int fd = tbuf_open_mapping(m->pid, &map);

	o->known = true;
	if (fd < 0)
		return;
	tbuf_notes_read(&o->notes, fd, &m->left);
	close(fd);
}

/* Returns true if a note of a probe has a semaphore at this address. */
static bool
is_semaphore(struct memory *m, uint64_t word)
{
	const struct range *r = range_of(m, word, sizeof(uint16_t));
	struct object *o;

	if (r == NULL || !r->data)
		return (false);
	o = &m->objects[r->object];
	if (!o->known)
		read_object(m, o);
	return (tbuf_notes_have(&o->notes, r->offset + (word - r->start)));
}

/*
 * Returns the address of a semaphore.  The target's words are copied and
 * checked.  The descriptor stays that of one exec image while it is open:
 * another image has no such words there.
 */
static uint64_t
word_of(struct memory *m, uint64_t at)
{
	struct tbuf_semaphore s;

	if (m->fd == -1 || at > INT64_MAX ||
	    range_of(m, at, sizeof(s)) == NULL || pread(m->fd, &s, sizeof(s),
	    (off_t)at) != (ssize_t)sizeof(s) ||
	    s.check != (TBUF_SEMAPHORE_CHECK ^ at) || s.word >= INT64_MAX ||
	    !is_semaphore(m, s.word))
		return (0);
	return (s.word);
}

static int
by_word(const void *a, const void *b)
{
	const struct guard *left = a, *right = b;

	return ((left->word > right->word) - (left->word < right->word));
}

/* Marks all guards of a word as wanted if one of them is. */
static void
join(struct guards *g)
{
	size_t first, end, i;
	bool wanted;

	qsort(g->all, g->count, sizeof(*g->all), by_word);
	for (first = 0; first < g->count; first = end) {
		wanted = false;
		for (end = first; end < g->count &&
		    g->all[end].word == g->all[first].word; end++)
			wanted |= g->all[end].wanted;
		for (i = first; i < end; i++)
			g->all[i].wanted = wanted;
	}
}

/* Returns the address where a probe describes its semaphore, or 0. */
static uint64_t
guard_of(const struct tbuf_target *t, uint32_t i)
{
	const struct tbuf_probe_entry *entry = tbuf_view_probe(&t->view, i);

	return (tbuf_load_acquire(&entry->ready) == 1 ?
	    tbuf_load(&entry->semaphore) : 0);
}

static bool
has_guards(const struct tbuf_target *t)
{
	uint32_t n = tbuf_probes_count(&t->view), i;

	for (i = 0; i < n; i++)
		if (guard_of(t, i) != 0)
			return (true);
	return (false);
}

static bool
collect(const struct tbuf_target *t, struct memory *memory, struct guards *g)
{
	uint32_t n = tbuf_probes_count(&t->view), i, enabled;
	uint64_t at;

	g->count = 0;
	if ((g->all = calloc(n, sizeof(*g->all))) == NULL)
		return (false);
	for (i = 0; i < n; i++) {
		if ((at = guard_of(t, i)) == 0)
			continue;
		enabled = tbuf_load(tbuf_view_enable(&t->view, i));
		g->all[g->count++] = (struct guard){
			.word = word_of(memory, at),
			.wanted = enabled != 0,
			.ours = (enabled & 1u << t->slot) != 0
		};
	}
	join(g);
	return (true);
}

/* Sets or clears the bit.  Returns true if it is set afterwards. */
static bool
settle(int memory, uint64_t word, bool wanted)
{
	off_t high = (off_t)(word + 1);
	uint8_t byte, other;

	if (word == 0 || pread(memory, &byte, 1, high) != 1)
		return (false);
	other = wanted ? byte | TBUF_SEMAPHORE : byte & ~TBUF_SEMAPHORE;
	if (other != byte && pwrite(memory, &other, 1, high) != 1)
		return (false);
	return (wanted);
}

/* Raises all wanted semaphores, or lowers all others. */
static void
settle_all(struct guards *g, int memory, bool wanted)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		if (g->all[i].wanted == wanted)
			g->all[i].raised = settle(memory, g->all[i].word,
			    wanted);
}

static void
settle_target(struct tbuf_target *t, struct memory *memory)
{
	struct guards g;
	size_t i;

	if (!collect(t, memory, &g))
		return;
	settle_all(&g, memory->fd, false);
	free(g.all);
	tbuf_fence();
	if (!collect(t, memory, &g))
		return;
	settle_all(&g, memory->fd, true);
	for (t->waiting = 0, i = 0; i < g.count; i++)
		t->waiting += g.all[i].ours && !g.all[i].raised;
	free(g.all);
}

/*
 * Opens the memory of the process that has this pid now, if the file's owner
 * could write to it.  Root must not change, on behalf of that user, the memory
 * of another user's program or of a setuid program.
 */
static int
memory_open(const struct tbuf_target *t)
{
	struct stat file, memory;
	char path[32];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)t->pid);
	if (fstat(t->fd, &file) != 0 ||
	    (fd = open(path, O_RDWR | O_CLOEXEC)) == -1)
		return (-1);
	if (file.st_uid == 0 || (fstat(fd, &memory) == 0 &&
	    memory.st_uid == file.st_uid))
		return (fd);
	close(fd);
	return (-1);
}

/* Returns the number of a mapping's object, which is added if it is new. */
static bool
object_of(struct memory *m, const struct tbuf_process_map *map, size_t *number)
{
	struct object *more;
	char *path;

	for (*number = m->nobjects; (*number)-- > 0;)
		if (m->objects[*number].inode == map->inode &&
		    m->objects[*number].major == map->major &&
		    m->objects[*number].minor == map->minor)
			return (true);
	if (m->nobjects == OBJECTS_MAX || (path = strdup(map->path)) == NULL)
		return (false);
	more = reallocarray(m->objects, m->nobjects + 1, sizeof(*more));
	if (more == NULL) {
		free(path);
		return (false);
	}
	m->objects = more;
	*number = m->nobjects;
	m->objects[m->nobjects++] = (struct object){
		.start = map->start, .end = map->end, .major = map->major,
		.minor = map->minor, .inode = map->inode, .path = path
	};
	return (true);
}

/*
 * Describes a mapping of data.  The memory after the data of an object, which
 * has no name, is its .bss.
 */
static void
describe(struct memory *m, const struct tbuf_process_map *map,
    struct range *r)
{
	const struct range *last = m->count == 0 ? NULL :
	    &m->ranges[m->count - 1];

	if (!map->writable || map->executable)
		return;
	if (*map->path == '/') {
		r->offset = map->offset;
		r->data = object_of(m, map, &r->object);
	} else if (*map->path == '\0' && last != NULL && last->data &&
	    last->end == map->start) {
		r->offset = last->offset + (last->end - last->start);
		r->object = last->object;
		r->data = true;
	}
}

/* Adds a mapping; without memory it is left out. */
static void
add_range(struct memory *m, const struct tbuf_process_map *map)
{
	struct range r = { .start = map->start, .end = map->end }, *more;

	if (!map->private)
		return;
	describe(m, map, &r);
	more = reallocarray(m->ranges, m->count + 1, sizeof(*more));
	if (more == NULL)
		return;
	m->ranges = more;
	m->ranges[m->count++] = r;
}

static void
read_ranges(struct memory *m)
{
	struct tbuf_process_map map;
	FILE *f = tbuf_process_open(m->pid, "maps");

	while (f != NULL && tbuf_map_next(f, &map))
		add_range(m, &map);
	if (f != NULL)
		fclose(f);
}

static void
memory_close(struct memory *m)
{
	size_t i;

	for (i = 0; i < m->nobjects; i++) {
		tbuf_notes_free(&m->objects[i].notes);
		free(m->objects[i].path);
	}
	if (m->fd != -1)
		close(m->fd);
	free(m->objects);
	free(m->ranges);
}

void
tbuf_semaphores_settle(struct tbuf_target *t)
{
	struct memory memory = { .pid = t->pid, .left = BYTES_MAX };
	int error = errno;

	if (!has_guards(t))
		return;
	if ((memory.fd = memory_open(t)) != -1)
		read_ranges(&memory);
	settle_target(t, &memory);
	memory_close(&memory);
	errno = error;
}
