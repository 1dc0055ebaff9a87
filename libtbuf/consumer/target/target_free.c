/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory for a target's work units, batches and EPIDs, and mappings of parts of
 * its file.
 */
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/target/target.h"
#include "consumer/util/util.h"

/* ------------------------------------------------------------ parts */

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

/* ------------------------------------------------------------ batches */

void
tbuf_batch_free(struct tbuf_target *t, struct tbuf_batch *b)
{
	if (b->retained) {
		TAILQ_REMOVE(&t->spec.batches, b, link);
		t->spec.retained -= b->size;
	}
	free(b->bytes);
	free(b->items);
	free(b);
}

void
tbuf_batches_free(struct tbuf_target *t)
{
	struct tbuf_batch *b, *next;
	unsigned i;

	for (i = 0; i < t->nreaders; i++) {
		b = t->readers[i].batch;
		if (b != NULL && !b->retained)
			tbuf_batch_free(t, b);
		t->readers[i].batch = NULL;
	}
	if (t->spec.count == 0)
		return;
	TAILQ_FOREACH_SAFE(b, &t->spec.batches, link, next)
		tbuf_batch_free(t, b);
}

/* ------------------------------------------------------------ work units */

struct tbuf_units *
tbuf_units_map(struct tbuf_target *t)
{
	struct tbuf_unit_tables *u = &t->units;
	void *p;

	if (u->base == NULL) {
		p = mmap(NULL, tbuf_units_tables(u->count),
		    PROT_READ | PROT_WRITE, MAP_SHARED, t->fd, (off_t)u->at);
		if (p == MAP_FAILED)
			return (NULL);
		u->base = p;
	}
	return ((struct tbuf_units *)(void *)u->base);
}

int
tbuf_units_adopt(struct tbuf_target *t, const struct tbuf_part *part,
    const struct tbuf_terms *terms)
{
	struct tbuf_unit_tables *u = &t->units;

	memset(u, 0, sizeof(*u));
	if (part->at == 0)
		return (0);
	u->count = tbuf_terms_units(terms, &u->size);
	if (u->count == 0 || part->size != tbuf_units_tables(u->count) +
	    u->count * u->size)
		return (-EINVAL);
	u->at = part->at;
	u->wraps = (terms->flags & TBUF_S_WRAP) != 0;
	u->seen = calloc(u->count, sizeof(*u->seen));
	u->reader = calloc(1, sizeof(*u->reader));
	if (u->seen == NULL || u->reader == NULL)
		return (-ENOMEM);
	u->reader->target = t;
	u->reader->locked = true;
	u->reader->cpu = -1;
	return (0);
}

void
tbuf_units_free(struct tbuf_target *t)
{
	uint32_t i;

	for (i = 0; t->units.held != NULL && i < 2 * t->units.count; i++)
		if (t->units.held->batches[i] != NULL)
			tbuf_batch_free(t, t->units.held->batches[i]);
	if (t->units.reader != NULL && t->units.reader->batch != NULL)
		tbuf_batch_free(t, t->units.reader->batch);
	free(t->units.held);
	free(t->units.seen);
	free(t->units.reader);
	if (t->units.base != NULL)
		munmap(t->units.base, tbuf_units_tables(t->units.count));
	memset(&t->units, 0, sizeof(t->units));
}

/* ------------------------------------------------------------ EPIDs */

void
tbuf_epids_free(struct tbuf_target *t)
{
	uint32_t i;

	/* Few targets have clauses; for the others the loop is skipped. */
	for (i = 0; t->npieces != 0 && i < t->necbs_max; i++)
		if (t->epids[i].probe != NULL && t->epids[i].clause)
			free((void *)(uintptr_t)t->epids[i].layout);
	tbuf_zeroed_free(t->epids);
	t->epids = NULL;
	t->npieces = 0;
}
