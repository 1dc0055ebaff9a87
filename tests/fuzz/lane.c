/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A reader walks a lane that is larger than its chunk, while the target changes
 * bytes between two reads: records across the end of a chunk are read twice.
 * The first byte is options.  The rest is patches: the number of a read before
 * which it is applied, a chunk, a place near that chunk's end (2 bytes), and
 * four bytes to store.
 */
#include <sys/mman.h>
#include <sys/param.h>

#include <unistd.h>

#include "consumer/target/target.h"
#include "support/fuzz.h"
#include "support/reads.h"

#define STORAGE		(UINT64_C(1) << 20)
#define FILLED		(3 * TBUF_CHUNK + 8 * UINT64_C(1000))
#define OPTION_OWN	1	/* the reader has a small chunk of its own */
#define OPTION_LOCKED	2
#define OPTION_FILE	4	/* holes are skipped */
#define OPTION_SIZES	8	/* times: records of other sizes */
#define CHANGES_MAX	32

static struct change {
	unsigned read;
	uint64_t at;
	uint32_t value;
} changes[CHANGES_MAX];
static unsigned nchanges;
static unsigned char *ring;
static int fd;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fd = memfd_create("lane", MFD_CLOEXEC);
	FUZZ_CHECK(fd != -1 && ftruncate(fd, STORAGE) == 0);
	ring = mmap(NULL, STORAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	FUZZ_CHECK(ring != MAP_FAILED);
	return (0);
}

/* Fills the lane with records.  Returns their end. */
static uint64_t
fill(unsigned options)
{
	uint16_t size = (uint16_t)(40 + options / OPTION_SIZES * 1000);
	struct tbuf_header header = { .epid = 1, .tid = 7 };
	uint64_t at;

	for (at = 0; at < FILLED; at += header.size) {
		header.size = (uint16_t)(at % 3 == 0 ? 32 : size) & ~7u;
		header.time++;
		memcpy(ring + at, &header, sizeof(header));
	}
	return (at);
}

/* Applies the patches that name this read. */
static void
change(unsigned number)
{
	const struct change *c;

	for (c = changes; c < changes + nchanges; c++)
		if (c->read == number)
			memcpy(ring + c->at, &c->value, sizeof(c->value));
}

static void
take(struct input *in, unsigned options)
{
	uint64_t chunk = (options & OPTION_OWN) != 0 ? TBUF_CHUNK_OWN :
	    TBUF_CHUNK, at;
	struct change *c;

	for (nchanges = 0; in->size > 0 && nchanges < CHANGES_MAX;
	    nchanges++) {
		c = &changes[nchanges];
		c->read = (unsigned)input_take(in, 1);
		at = (1 + input_take(in, 1) % 4) * chunk;
		at += (uint64_t)(int64_t)(int16_t)input_take(in, 2);
		c->at = at % (STORAGE - sizeof(c->value));
		c->value = (uint32_t)input_take(in, 4);
	}
}

/* The bytes read are stored here, so that the reads are not removed. */
static volatile unsigned sink;

/* Reads every byte of a record, which is in the chunk. */
static void
look(const struct tbuf_reader *r, const struct tbuf_header *header)
{
	const unsigned char *bytes = (const void *)header;
	uint16_t i;

	FUZZ_CHECK(bytes >= r->chunk && (uint64_t)(bytes - r->chunk) +
	    header->size <= r->fetched_size);
	FUZZ_CHECK(header->size >= tbuf_reader_head(r) &&
	    header->size <= r->end - r->position);
	for (i = 0; i < header->size; i++)
		sink += bytes[i];
}

static void
walk(struct tbuf_reader *r)
{
	const struct tbuf_header *header;
	int found;

	while ((found = tbuf_reader_peek(r, &header)) != 0) {
		if (found == 1) {
			look(r, header);
			tbuf_reader_step(r, header);
		} else
			r->position += sizeof(uint64_t);
		FUZZ_CHECK(r->position <= r->end);
	}
	FUZZ_CHECK(r->position == r->end);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned options = (unsigned)input_take(&in, 1);
	struct tbuf_target t = { .fd = fd,
	    .file_only = (options & OPTION_FILE) != 0,
	    .order.terms.policy = TBUF_SWITCH };
	struct tbuf_lane lane = { .kind = 0 };
	struct tbuf_reader r = { .target = &t, .lane = &lane,
	    .storage = STORAGE, .most = TBUF_CHUNK,
	    .locked = (options & OPTION_LOCKED) != 0 };

	r.end = fill(options);
	take(&in, options);
	r.chunk = malloc((options & OPTION_OWN) != 0 ? TBUF_CHUNK_OWN :
	    TBUF_CHUNK);
	FUZZ_CHECK(r.chunk != NULL);
	r.own = (options & OPTION_OWN) != 0 ? r.chunk : NULL;
	reads_begin(change);
	walk(&r);
	reads_begin(NULL);
	free(r.chunk);
	return (0);
}
