/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The marks and the functions of a map, for the files that make it and for its
 * users.
 */
#include "map.h"

#include <sys/mman.h>

#include <stdlib.h>

#define LENGTH_MAX	15u	/* of an instruction */
#define BLOCK		12u	/* bits of the bytes of a block */

const char *
patch_map_begin(struct patch_map *m, const struct patch_text *text)
{
	void *marks = mmap(NULL, (text->end - text->start) * sizeof(*m->marks),
	    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
	    MAP_NORESERVE, -1, 0);

	*m = (struct patch_map){ .text = text };
	if (marks == MAP_FAILED)
		return ("out of memory");
	m->marks = marks;
	return (NULL);
}

void
patch_map_free(struct patch_map *m)
{
	if (m->marks != NULL)
		munmap(m->marks, (m->text->end - m->text->start) *
		    sizeof(*m->marks));
	m->marks = NULL;
	free(m->ways);
	free(m->blocks);
	free(m->open);
	m->ways = NULL;
	m->blocks = NULL;
	m->open = NULL;
}

void
patch_map_many(const struct patch_map *m)
{
	(void)madvise(m->marks, (m->text->end - m->text->start) *
	    sizeof(*m->marks), MADV_HUGEPAGE);
}

void
patch_map_add(struct patch_map *m, uintptr_t address, unsigned marks)
{
	struct patch_way *ways = m->ways;

	if (!patch_map_has(m, address))
		return;
	if (m->nways == m->room) {
		ways = reallocarray(ways, 2 * m->room + 1024, sizeof(*ways));
		if (ways == NULL) {
			m->failed = true;
			return;
		}
		m->room = 2 * m->room + 1024;
		m->ways = ways;
	}
	ways[m->nways++] = (struct patch_way){
	    (uint32_t)(address - m->text->start), (uint16_t)marks };
}

void
patch_map_arrive(struct patch_map *m, uintptr_t address, unsigned marks)
{
	if (!patch_map_has(m, address))
		return;
	if (patch_map_has_line(m, address - m->text->start))
		*patch_map_mark(m, address) |=
		    (uint16_t)(PATCH_ARRIVAL | marks);
	else
		patch_map_add(m, address, marks);
}

void
patch_map_take(struct patch_map *m)
{
	const struct patch_way *way;

	for (way = m->ways; way < m->ways + m->nways; way++)
		if (patch_map_has_line(m, way->offset))
			patch_map_arrive(m, m->text->start + way->offset,
			    way->marks);
}

void
patch_map_index(struct patch_map *m)
{
	size_t n = ((m->text->end - m->text->start) >> BLOCK) + 2, i, code = 0;

	if (m->ncodes > UINT32_MAX ||
	    (m->blocks = calloc(n, sizeof(*m->blocks))) == NULL)
		return;
	for (i = 0; i < n; i++) {
		while (code < m->ncodes && m->codes[code].start <
		    m->text->start + (i << BLOCK))
			code++;
		m->blocks[i] = (uint32_t)code;
	}
}

struct patch_code *
patch_map_code(const struct patch_map *m, uintptr_t address)
{
	size_t low = 0, high = m->ncodes, middle;

	if (m->blocks != NULL && patch_map_has(m, address)) {
		middle = (address - m->text->start) >> BLOCK;
		low = m->blocks[middle];
		high = m->blocks[middle + 1];
	}
	while (low < high) {
		middle = low + (high - low) / 2;
		if (m->codes[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return (low > 0 && address < m->codes[low - 1].end ?
	    &m->codes[low - 1] : NULL);
}

bool
patch_map_has_site(const struct patch_map *m, uintptr_t at, uintptr_t end)
{
	size_t low = 0, high = m->nsites, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (m->sites[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return (low < m->nsites && m->sites[low] < end);
}

uintptr_t
patch_map_next(const struct patch_map *m, uintptr_t at)
{
	uintptr_t end = at + 1;

	while (end - at < LENGTH_MAX && patch_map_has(m, end) &&
	    (*patch_map_mark(m, end) & (PATCH_BEGINS | PATCH_CODE)) ==
	    PATCH_CODE)
		end++;
	return (end);
}

uintptr_t
patch_map_target(const struct patch_map *m, uintptr_t at)
{
	return (patch_branch_target(at, patch_text_left(m->text, at)));
}
