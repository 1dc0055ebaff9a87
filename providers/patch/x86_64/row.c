/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows of stubs.  All that runs while probes are disabled is at the start of a
 * row, without gaps, so that a function's stubs are in few lines of a cache;
 * the calls of the others are at its end.
 *
 *	at	stub, stub, ...			the head
 *		(room, given back)
 *		..., calls, calls		the tail
 *		address of patch_hit()
 */
#include <stdlib.h>
#include <string.h>

#include "patch/region_stub.h"

#define ALIGN		16u	/* of room that is given back */
#define ESTIMATE	96u	/* bytes of a stub with its calls */
#define NEEDED_MAX	(REGION_STUB_BYTES + REGION_CALLS_BYTES)

void	patch_hit(void);

/* Makes room for two more parts that are used. */
static bool
reserve_rooms(struct patch_regions *regions)
{
	struct patch_room *rooms = reallocarray(regions->rooms,
	    regions->nrooms + 2, sizeof(*rooms));

	if (rooms != NULL)
		regions->rooms = rooms;
	return (rooms != NULL);
}

const char *
region_row_begin(struct region_row *row, const struct patch_text *text,
    struct patch_regions *regions, size_t n)
{
	uintptr_t hit = (uintptr_t)patch_hit;
	size_t size = sizeof(row->bytes);

	if (n < (size - 2 * NEEDED_MAX) / ESTIMATE)
		size = 2 * NEEDED_MAX + n * ESTIMATE;
	size = size / ALIGN * ALIGN;
	if (!reserve_rooms(regions))
		return ("out of memory");
	if ((row->at = patch_map_near(text, size)) == 0)
		return ("there is no room for a stub within reach");
	row->size = size;
	row->head = row->written = 0;
	row->tail = size - sizeof(hit);
	memcpy(row->bytes + row->tail, &hit, sizeof(hit));
	return (NULL);
}

bool
region_row_is_full(const struct region_row *row)
{
	return (row->at == 0 || row->tail - row->head < NEEDED_MAX);
}

void
region_row_add(struct region_row *row, struct region_stub *s)
{
	struct region_stub calls;

	row->tail -= s->calls;
	region_stub_calls(s, &calls, row->at + row->tail,
	    row->at + row->size - sizeof(uintptr_t));
	memcpy(row->bytes + row->tail, calls.bytes, calls.size);
	memcpy(row->bytes + row->head, s->bytes, s->size);
	row->head += s->size;
}

int
region_row_write(struct region_row *row, const struct patch *patch)
{
	int error = row->head == row->written ? 0 : patch_write(patch,
	    row->at + row->written, row->bytes + row->written,
	    row->head - row->written);

	if (error == 0 && row->head > row->written)
		error = patch_write(patch, row->at + row->tail, row->bytes +
		    row->tail, row->size - row->tail);
	row->written = row->head;
	return (error);
}

static void
add_room(struct patch_regions *regions, uintptr_t at, size_t size)
{
	regions->rooms[regions->nrooms].at = at;
	regions->rooms[regions->nrooms++].size = size;
}

void
region_row_end(struct region_row *row, struct patch_regions *regions)
{
	size_t head = (row->head + ALIGN - 1) / ALIGN * ALIGN;
	size_t tail = row->tail / ALIGN * ALIGN;

	if (row->at == 0)
		return;
	if (tail > head) {
		patch_unmap(row->at + head, tail - head);
		add_room(regions, row->at + tail, row->size - tail);
	} else
		head = row->size;
	add_room(regions, row->at, head);
	row->at = 0;
}
