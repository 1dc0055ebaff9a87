/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory for stubs.
 *
 * Pages come from the file of the patching (file.c), or else from this object's
 * own, mapped read-execute and private: a policy that allows text allows them,
 * and no anonymous memory has to be executable.  Their contents before a stub
 * is written have no meaning, as nothing jumps there.
 */
#include "probe.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PAGE		PATCH_PAGE
#define PAGES_MAX	1024u
#define FREED_MAX	1024u
#define GIB		((uintptr_t)1 << 30)
#define ROOM		(64u << 10)	/* mapped at once near a text */
#define STEP		((uintptr_t)1 << 20)

/* The lowest address that a program may map. */
#define FIRST		0x10000u

struct page {
	uintptr_t at;
	uint8_t used[PAGE / 8];		/* one bit for each byte */
};

static struct page pages[PAGES_MAX];
static unsigned npages;

/* The file is closed again: programs count on the numbers that they get. */
static void *
map_own(uintptr_t at, size_t size)
{
	Dl_info self;
	int file = dladdr((const void *)pages, &self) == 0 ? -1 :
	    open(self.dli_fname, O_RDONLY | O_CLOEXEC);
	void *p = mmap((void *)at, size, PROT_READ | PROT_EXEC, MAP_PRIVATE |
	    MAP_FIXED_NOREPLACE | (file == -1 ? MAP_ANONYMOUS : 0), file, 0);

	if (file != -1)
		close(file);
	return (p);
}

static void *
map(uintptr_t at, size_t size)
{
	void *p = patch_file_map(at, size);

	if (p == MAP_FAILED && errno != EEXIST)
		p = map_own(at, size);
	if (p != MAP_FAILED && (uintptr_t)p != at) {
		munmap(p, size);
		p = MAP_FAILED;
	}
	return (p);
}

static bool
heap_may_grow_into(uintptr_t at, size_t size)
{
	uintptr_t heap = (uintptr_t)sbrk(0);

	return (at + size > heap && at < heap + 64 * GIB);
}

/* The stack of the main thread. */
static bool
stack_may_grow_into(uintptr_t at, size_t size)
{
	uintptr_t stack = getauxval(AT_RANDOM);
	struct rlimit limit;
	uintptr_t depth = GIB;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur > depth)
		depth = limit.rlim_cur;
	return (at < stack && at + size > stack - depth);
}

static struct page *
find_page(uintptr_t at)
{
	unsigned i;

	for (i = 0; i < npages; i++)
		if (pages[i].at == at)
			return (&pages[i]);
	return (NULL);
}

static const char *
add_page(uintptr_t at)
{
	if (find_page(at) != NULL)
		return (NULL);
	if (npages == PAGES_MAX)
		return ("there are too many pages of stubs");
	if (map(at, PAGE) == MAP_FAILED)
		return ("its target address is in use");
	pages[npages++].at = at;
	return (NULL);
}

/* Takes these bytes.  Returns false if any of them is in use. */
static bool
take(uintptr_t at, size_t size)
{
	struct page *page;
	uintptr_t i;

	for (i = at; i < at + size; i++) {
		page = find_page(i & ~(uintptr_t)(PAGE - 1));
		if ((page->used[i % PAGE / 8] & 1u << i % 8) != 0)
			return (false);
	}
	for (i = at; i < at + size; i++) {
		page = find_page(i & ~(uintptr_t)(PAGE - 1));
		page->used[i % PAGE / 8] |= (uint8_t)(1u << i % 8);
	}
	return (true);
}

const char *
patch_map_at(uintptr_t at, size_t size)
{
	uintptr_t page = at & ~(uintptr_t)(PAGE - 1);
	const char *problem;

	if (at < FIRST || at >= PATCH_LAST || size > PATCH_LAST - at)
		return ("its target is not a valid address");
	if (heap_may_grow_into(at, size) || stack_may_grow_into(at, size))
		return ("the heap or the stack may grow there");
	for (; page < at + size; page += PAGE)
		if ((problem = add_page(page)) != NULL)
			return (problem);
	return (take(at, size) ? NULL : "another stub is there");
}

/* The unused part of the room that was mapped last. */
static uintptr_t room, room_end;

/* Room of stubs of objects that have been unloaded; no two are adjacent. */
static struct {
	uintptr_t at;
	size_t size;
} freed[FREED_MAX];
static unsigned nfreed;

/* Releases bytes of a page; a page without used bytes is unmapped. */
static void
leave(struct page *page, uintptr_t at, size_t size)
{
	uintptr_t i;

	for (i = at; i < at + size; i++)
		if ((i & ~(uintptr_t)(PAGE - 1)) == page->at)
			page->used[i % PAGE / 8] &= (uint8_t)~(1u << i % 8);
	for (i = 0; i < sizeof(page->used); i++)
		if (page->used[i] != 0)
			return;
	munmap((void *)page->at, PAGE);
	*page = pages[--npages];
	pages[npages] = (struct page){ .at = 0 };
}

/* Room is given out in units of 16 bytes. */
static size_t
rounded(size_t size)
{
	return ((size + 15) & ~(size_t)15);
}

static void
leave_room(uintptr_t at, size_t size)
{
	unsigned i = 0;

	while (i < nfreed)
		if (freed[i].at + freed[i].size == at ||
		    at + size == freed[i].at) {
			at = at < freed[i].at ? at : freed[i].at;
			size += freed[i].size;
			freed[i] = freed[--nfreed];
			i = 0;
		} else
			i++;
	if (nfreed < FREED_MAX) {
		freed[nfreed].at = at;
		freed[nfreed++].size = size;
	}
}

void
patch_unmap(uintptr_t at, size_t size)
{
	uintptr_t number = at & ~(uintptr_t)(PAGE - 1);
	struct page *page;

	if (find_page(number) == NULL) {
		leave_room(at, rounded(size));
		return;
	}
	for (; number < at + size; number += PAGE)
		if ((page = find_page(number)) != NULL)
			leave(page, at, size);
}

bool
patch_reaches(const struct patch_text *text, uintptr_t start, uintptr_t end)
{
	uintptr_t low = start < text->low ? start : text->low;
	uintptr_t high = end > text->high ? end : text->high;

	return (high - low < PATCH_REACH);
}

static bool
reaches(const struct patch_text *text, uintptr_t at, size_t size)
{
	return (patch_reaches(text, at, at + size));
}

/* Returns true if the object is between `at` and the main thread's stack. */
static bool
stack_ends_before(const struct patch_text *text, uintptr_t at)
{
	return (at < text->low && text->low < getauxval(AT_RANDOM));
}

/* Returns true if memory may be mapped there for an object's code. */
static bool
may_map(const struct patch_text *text, uintptr_t at, size_t size)
{
	return (at >= FIRST && at < PATCH_LAST && reaches(text, at, size) &&
	    !heap_may_grow_into(at, size) &&
	    (stack_ends_before(text, at) || !stack_may_grow_into(at, size)));
}

/* Memory below the object is tried first, as the heap is above a program. */
uintptr_t
patch_find_near(const struct patch_text *text, size_t size,
    bool (*map_at)(uintptr_t, size_t))
{
	uintptr_t below = (text->low & ~(STEP - 1)) - STEP;
	uintptr_t above = (text->high + STEP - 1) & ~(STEP - 1);

	for (; reaches(text, below, size) || reaches(text, above, size);
	    below -= STEP, above += STEP) {
		if (may_map(text, below, size) && map_at(below, size))
			return (below);
		if (may_map(text, above, size) && map_at(above, size))
			return (above);
	}
	return (0);
}

static bool
map_room(uintptr_t at, size_t size)
{
	return (map(at, size) != MAP_FAILED);
}

static uintptr_t
take_freed(const struct patch_text *text, size_t size)
{
	uintptr_t at;
	unsigned i;

	for (i = 0; i < nfreed; i++) {
		at = freed[i].at;
		if (freed[i].size < size || !patch_reaches(text, at, at + size))
			continue;
		freed[i].at += size;
		freed[i].size -= size;
		if (freed[i].size == 0)
			freed[i] = freed[--nfreed];
		return (at);
	}
	return (0);
}

/*
 * Maps room below the last one, or else anywhere near a text.  Rooms that are
 * adjacent have fewer tables of pages.
 */
static uintptr_t
add_room(const struct patch_text *text)
{
	uintptr_t below = room_end - 2 * ROOM;

	if (room_end > 2 * ROOM && may_map(text, below, ROOM) &&
	    map_room(below, ROOM))
		return (below);
	return (patch_find_near(text, ROOM, map_room));
}

uintptr_t
patch_map_near(const struct patch_text *text, size_t size)
{
	uintptr_t at;

	size = rounded(size);
	if ((at = take_freed(text, size)) != 0)
		return (at);
	if (size > ROOM)
		return (0);
	if (room_end - room < size || !reaches(text, room, ROOM)) {
		room = add_room(text);
		room_end = room == 0 ? 0 : room + ROOM;
		if (room == 0)
			return (0);
	}
	at = room;
	room += size;
	return (at);
}

void
patch_forget(struct patch_probe *probe)
{
	if (probe->stub != 0)
		patch_unmap(probe->stub, probe->stub_size);
	probe->stub = 0;
}
