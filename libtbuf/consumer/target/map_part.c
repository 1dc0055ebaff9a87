/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parts of a target's file that are mapped by themselves.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include "consumer/target/target.h"

bool
tbuf_part_map(const struct tbuf_target *t, const struct tbuf_part *part,
    unsigned char **base)
{
	struct stat st;
	void *p;

	if (*base != NULL)
		return (true);
	if (part->size == 0 || fstat(t->fd, &st) != 0 ||
	    (uint64_t)st.st_size < part->at + part->size)
		return (false);
	p = mmap(NULL, part->size, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd,
	    (off_t)part->at);
	if (p == MAP_FAILED)
		return (false);
	*base = p;
	return (true);
}

void
tbuf_part_unmap(const struct tbuf_part *part, unsigned char **base)
{
	if (*base != NULL)
		munmap(*base, part->size);
	*base = NULL;
}
