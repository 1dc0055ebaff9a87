/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the next record after damaged bytes: the next multiple of 8 where a
 * header is valid, and the headers of its successors as well.
 *
 *	| records | damaged bytes | record | record | record | record | ...
 *	                          ^ resync
 *
 * A header is valid if its size is that of a record, its EPID is known, and its
 * time is neither before the header before it nor after the lane's last stamp,
 * as the stamps of a lane rise.  Bytes that look like a record therefore cannot
 * change the order of others.  No successor is needed directly after an invalid
 * record whose size leads there.
 *
 * The search is linear, whatever the bytes are: each place looks at most at
 * SUCCESSORS + 1 headers, and the next read of the file comes after a step of
 * about half a chunk.
 */
#include <sys/param.h>

#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

#define SUCCESSORS	3
/*
 * Bytes that are in memory at each place: the longest record and the header
 * after it, and that of its successor.
 */
#define AHEAD		(TBUF_RECORD_MAX + 2 * sizeof(struct tbuf_header))

_Static_assert(2 * TBUF_RECORD_MAX <= TBUF_CHUNK_OWN, "half of a chunk");

/* Bytes of a lane or a batch, of which `size` are in memory. */
struct span {
	const unsigned char *bytes;
	uint64_t size;
	uint64_t left;			/* up to the last record's end */
};

static struct span
span_after(const struct span *s, uint64_t size)
{
	return ((struct span){
		s->bytes + size, s->size - size, s->left - size
	});
}

/*
 * Returns true if records of the target may have this EPID.  An EPID that
 * cannot be looked up is looked up once: the target must not be able to make
 * each place cost system calls.
 */
static bool
is_known(struct tbuf_consumer *c, struct tbuf_target *t, uint16_t epid)
{
	struct tbuf_epid *known;

	switch (epid) {
	case TBUF_EPID_FAULT:
		return (t->clauses != 0);
	case TBUF_EPID_COMMIT:
		return (t->spec.count != 0);
	case TBUF_EPID_UNIT:
	case TBUF_EPID_ENVELOPE:
		return (t->units.count != 0);
	}
	if (epid == 0 || epid >= t->necbs_max)
		return (false);
	known = &t->epids[epid];
	if (known->probe == NULL && !known->refused)
		known->refused = tbuf_epid_read(c, t, epid) == NULL;
	return (known->probe != NULL);
}

/*
 * Returns true if the bytes begin with valid headers: of a record and of so
 * many successors, or exactly up to the end; or of the first two at least, if
 * the others are not in memory.
 */
static bool
holds(struct tbuf_consumer *c, const struct tbuf_reader *r, struct span s,
    bool timely, unsigned successors)
{
	const struct tbuf_header *header;
	uint64_t time = timely ? r->stamp : 0;
	unsigned n;

	for (n = 0; n <= successors && s.left != 0; n++) {
		header = (const void *)s.bytes;
		if (s.size < sizeof(*header))
			return (n > 1);
		if (!tbuf_reader_plausible(r, header->size, s.left) ||
		    !is_known(c, r->target, header->epid) ||
		    (timely && (header->time < time ||
		    header->time > r->latest)))
			return (false);
		if (header->size > s.size)
			return (n > 0);
		time = header->time;
		s = span_after(&s, header->size);
	}
	return (true);
}

/* Returns the bytes from the reader's position on, as far as is needed. */
static bool
look_ahead(struct tbuf_reader *r, struct span *s)
{
	uint64_t at = r->position;

	s->size = 0;
	s->bytes = tbuf_reader_ahead(r, AHEAD, &s->size);
	s->left = r->end - r->position;
	s->size = MIN(s->size, s->left);
	return (s->bytes != NULL && s->size != 0 && r->position == at);
}

bool
tbuf_reader_outlier(struct tbuf_consumer *c, struct tbuf_reader *r,
    const struct tbuf_header *header)
{
	struct span s = { .left = r->end - r->position };
	const struct tbuf_header *next;

	s.bytes = tbuf_reader_rest(r, &s.size);
	s.size = MIN(s.size, s.left);
	if (tbuf_record_precedes(header, s.size))
		return (false);
	s = span_after(&s, header->size);
	next = (const void *)s.bytes;
	/* Else it is the next one's time that is damaged. */
	return (holds(c, r, s, true, SUCCESSORS) &&
	    s.size >= next->size + sizeof(*next) &&
	    ((const struct tbuf_header *)(const void *)(s.bytes +
	    next->size))->time < header->time);
}

void
tbuf_reader_resync(struct tbuf_consumer *c, struct tbuf_reader *r,
    uint64_t size)
{
	uint64_t from = r->position, at;
	struct span s;

	do {
		at = r->position += sizeof(uint64_t);
		if (at == r->end)
			break;
		if (!look_ahead(r, &s)) {
			/* The bytes are missing, or were overwritten. */
			if (r->position == at)
				r->position = at = r->end;
			break;
		}
	} while (!holds(c, r, s, true, at == from + size ? 0 : SUCCESSORS));
	r->damage += at - from;
}

uint64_t
tbuf_batch_resync(struct tbuf_consumer *c, const struct tbuf_reader *r,
    const void *bytes, uint64_t size)
{
	struct span s = { bytes, size, size };

	do
		s = span_after(&s, MIN(s.left, sizeof(uint64_t)));
	while (!holds(c, r, s, false, SUCCESSORS));
	return (size - s.left);
}
