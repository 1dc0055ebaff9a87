/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Core images: control files as a core contains them.  A control file is a
 * segment that begins with the eye-catcher, plus the segments that follow it
 * in memory without a gap.  Each is copied into a memfd, as far as its bytes
 * are in the core.
 *
 * The page that a target maps as its sign of life begins with the eye-catcher,
 * too: the largest mapping of a process is taken.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/files/core_elf.h"
#include "consumer/files/files.h"

#define PIECE		65536u

static int
by_address(const void *a, const void *b)
{
	const struct tbuf_core_segment *x = *(void *const *)a;
	const struct tbuf_core_segment *y = *(void *const *)b;

	return ((x->address > y->address) - (x->address < y->address));
}

static bool
same_process(const struct tbuf_control *a, const struct tbuf_control *b)
{
	return (a->pid == b->pid && a->start == b->start &&
	    a->random == b->random);
}

/* Adds a mapping with this header, unless its process has a larger one. */
static void
add_image(struct tbuf_images *images, const struct tbuf_control *control,
    uint64_t address, uint64_t size)
{
	struct tbuf_image *image = images->images;
	size_t i;

	for (i = 0; i < images->count; i++, image++)
		if (same_process(&image->control, control))
			break;
	if (i == TBUF_IMAGES || (i < images->count && image->size >= size))
		return;
	*image = (struct tbuf_image){
		.control = *control, .address = address, .size = size,
		.fd = -1
	};
	images->count += i == images->count;
}

/* Returns how many bytes the segments from sorted[0] on cover without a gap. */
static uint64_t
extent(struct tbuf_core_segment *const *sorted, size_t n)
{
	uint64_t end = sorted[0]->address;
	size_t i;

	for (i = 0; i < n && sorted[i]->address == end; i++)
		end += sorted[i]->size;
	return (end - sorted[0]->address);
}

/* Adds an image if the segment begins with the header of a control file. */
static int
look(struct tbuf_core *core, struct tbuf_images *images,
    struct tbuf_core_segment *const *sorted,
    const struct tbuf_core_segment *segment)
{
	struct tbuf_core_segment *const *first;
	struct tbuf_control control;
	ssize_t n;

	if (segment->size < sizeof(control) ||
	    images->seen > TBUF_EYECATCHERS)
		return (0);
	n = tbuf_core_bytes(core, &control, sizeof(control), segment->offset);
	if (n < 0)
		return ((int)n);
	if (n != sizeof(control)) {
		core->truncated = true;
		return (0);
	}
	if (memcmp(control.magic, TBUF_MAGIC, sizeof(control.magic)) != 0 ||
	    images->seen++ == TBUF_EYECATCHERS)
		return (0);
	first = bsearch(&segment, sorted, core->nsegments, sizeof(*sorted),
	    by_address);
	add_image(images, &control, segment->address,
	    extent(first, (size_t)(sorted + core->nsegments - first)));
	return (0);
}

/*
 * Looks at the segments in file order, and skips those that share bytes with an
 * earlier one: in a compressed core, each seek backwards would decompress it
 * again from its start.
 */
static int
look_all(struct tbuf_core *core, struct tbuf_images *images,
    struct tbuf_core_segment *const *sorted)
{
	const struct tbuf_core_segment *s = core->segments;
	uint64_t done = 0;
	int error = 0;
	size_t i;

	for (i = 0; i < core->nsegments && error == 0; i++, s++) {
		if (s->offset < done)
			continue;
		error = look(core, images, sorted, s);
		done = s->offset + s->size;
	}
	return (error);
}

/* Reads the last byte of all segments, to see if the core is truncated. */
static int
look_end(struct tbuf_core *core)
{
	uint64_t end = 0;
	size_t i;
	ssize_t n;
	char byte;

	for (i = 0; i < core->nsegments; i++)
		if (core->segments[i].offset + core->segments[i].size > end)
			end = core->segments[i].offset + core->segments[i].size;
	n = end == 0 ? 1 : tbuf_core_bytes(core, &byte, 1, end - 1);
	core->truncated |= n == 0;
	return (n < 0 ? (int)n : 0);
}

/*
 * Notes the first missing byte.  Later bytes may still be in the core, if it
 * has its segments in another order.
 */
static void
cut(struct tbuf_image *image, uint64_t at)
{
	if (image->cut == 0 || at < image->cut)
		image->cut = at;
}

static int
copy(struct tbuf_core *core, const struct tbuf_core_segment *segment,
    struct tbuf_image *image)
{
	uint64_t at = 0, to = segment->address - image->address;
	char bytes[PIECE];
	ssize_t n, some = 0;
	int error = 0;

	for (n = 0; at < segment->size && error == 0 && n == some;
	    at += (uint64_t)n) {
		some = segment->size - at < PIECE ?
		    (ssize_t)(segment->size - at) : PIECE;
		n = tbuf_core_bytes(core, bytes, (size_t)some,
		    segment->offset + at);
		if (n < 0)
			return ((int)n);
		if (n < some) {
			core->truncated = true;
			cut(image, to + at + (uint64_t)n);
		}
		error = tbuf_memfd_store(image->fd, bytes, (size_t)n, to + at);
	}
	return (error);
}

static bool
within(const struct tbuf_core_segment *segment, const struct tbuf_image *image)
{
	uint64_t at = segment->address - image->address;

	return (segment->address >= image->address && at < image->size &&
	    segment->size <= image->size - at);
}

/*
 * Copies segments in file order, and each byte of the core at most once, so
 * that a hostile core cannot make us copy more than its size.
 */
static int
copy_images(struct tbuf_core *core, struct tbuf_images *images)
{
	const struct tbuf_core_segment *s = core->segments;
	uint64_t done = 0, left = TBUF_MEMFD_BYTES;
	size_t i, j;
	int error;

	for (i = 0; i < core->nsegments; i++, s++) {
		for (j = 0; j < images->count; j++)
			if (within(s, &images->images[j]))
				break;
		if (j == images->count || s->offset < done)
			continue;
		if (s->size > left)
			return (-EFBIG);
		left -= s->size;
		done = s->offset + s->size;
		if ((error = copy(core, s, &images->images[j])) != 0)
			return (error);
	}
	return (0);
}

int
tbuf_images_find(struct tbuf_core *core, struct tbuf_images *images)
{
	struct tbuf_core_segment **sorted;
	size_t i;
	int error, fd;

	memset(images, 0, sizeof(*images));
	sorted = calloc(core->nsegments + 1,
	    sizeof(struct tbuf_core_segment *));
	if (sorted == NULL)
		return (-ENOMEM);
	for (i = 0; i < core->nsegments; i++)
		sorted[i] = &core->segments[i];
	qsort(sorted, core->nsegments, sizeof(*sorted), by_address);
	error = look_all(core, images, sorted);
	free(sorted);
	if (error == 0)
		error = look_end(core);
	for (i = 0; i < images->count && error == 0; i++) {
		fd = tbuf_memfd_make(images->images[i].size);
		images->images[i].fd = fd < 0 ? -1 : fd;
		error = fd < 0 ? fd : 0;
	}
	return (error == 0 ? copy_images(core, images) : error);
}

void
tbuf_images_close(struct tbuf_images *images)
{
	size_t i;

	for (i = 0; i < images->count; i++)
		if (images->images[i].fd != -1)
			close(images->images[i].fd);
	images->count = 0;
}
