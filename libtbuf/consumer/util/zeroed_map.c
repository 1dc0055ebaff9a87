/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sparse tables, sized for the most that a target may have.  calloc(3) would
 * write all of the zeroes if the heap reuses a freed table: three megabytes for
 * each process that is followed.
 */
#include <sys/mman.h>

#include <stddef.h>

#include "consumer/util/util.h"

/* Precedes a table. */
struct head {
	size_t size;		/* bytes of header and table */
	max_align_t table[];
};

void *
tbuf_zeroed_new(uint64_t count, size_t size)
{
	size_t all = sizeof(struct head) + count * size;
	struct head *head = mmap(NULL, all, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (head == MAP_FAILED)
		return (NULL);
	head->size = all;
	return (head->table);
}

void
tbuf_zeroed_free(const void *table)
{
	struct head *head;

	if (table == NULL)
		return;
	head = (struct head *)((uintptr_t)table - sizeof(*head));
	munmap(head, head->size);
}
