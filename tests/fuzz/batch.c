/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arbitrary speculations, read by a consumer from the file of a dead target,
 * and of a live one, for which it frees the ids.
 *
 * Input: options; for each id its instance and state, a byte each; for each
 * buffer a byte each of its head's instance, and of its bytes and drops; for
 * each lane a commit record's id and instance; then patches of buffers, lanes
 * and commit records: a place of two bytes, and a byte.
 */
#include <sys/mman.h>

#include <stdio.h>
#include <unistd.h>

#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "support/drain.h"
#include "support/image.h"

#define IDS		2
#define SPECSIZE	448
#define OPTION_LIVE	1	/* the target lives on */
#define OPTION_SNAPSHOT	2
#define OPTION_TEMPORAL	4
#define OPTION_POLICY	8	/* to 24: enum tbuf_policy, and switch */

static struct image image;
static struct tbuf_area layout;
static uint64_t area;
static int fd;
static char path[64];

static int
back(void *argument, uint64_t offset, uint64_t length)
{
	(void)argument;
	(void)offset;
	(void)length;
	return (0);
}

/* Makes a session with clauses; all records are default records. */
static void
session_make(enum tbuf_policy policy)
{
	static const char patterns[] = "fuzz:::";
	struct tbuf_order order = {
		.terms = { .bufsize = 512, .policy = policy, .strsize = 32,
		    .only_cpu = -1, .owner = "fuzz", .run = 1 },
		.rseq = true, .patterns = patterns,
		.patterns_size = sizeof(patterns), .npatterns = 1,
		.entries = image.view.tables.entries,
		.parts = { sizeof(struct tbuf_codes) }, .nspec = IDS,
		.specsize = SPECSIZE
	};
	struct tbuf_backing backing = { .back = back };
	struct tbuf_control *control = tbuf_view_control(&image.view);
	struct tbuf_names_copy copy = { .offsets = { 0 } };
	uint32_t i;

	tbuf_cpus_add(&order.cpus, 0);
	tbuf_cpus_add(&order.cpus, 1);
	FUZZ_CHECK(tbuf_area_make(&order, &layout) == 0);
	area = image.view.tables.areas;
	image.size = area + layout.size;
	FUZZ_CHECK(image.size <= image.view.size);
	memset(image.view.base + area, 0, layout.size);
	FUZZ_CHECK(tbuf_session_build(&image.view, 0, area, 1, &order,
	    &layout) == 0);
	tbuf_view_slot(&image.view, 0)->area_size = layout.size;
	control->end = image.size;
	control->state[0] = TBUF_ACTIVE;
	for (i = 0; i < control->nprobes; i++)
		if (tbuf_view_names(&image.view, i, &copy))
			tbuf_match(&image.view, 0, i, &copy.names, patterns,
			    sizeof(patterns), 1, &backing);
}

/* Fills a buffer with records of the third probe, which has numbers only. */
static uint64_t
records_put(unsigned char *to, uint64_t room, bool locked)
{
	struct tbuf_lock_record record = { .cpu = 1 };
	uint64_t head = locked ? sizeof(record) : sizeof(record.header);
	uint64_t size = head + 16, at;

	for (at = 0; room - at >= size; at += size) {
		record.header.time = 1000 - at;
		record.header.epid = 3;
		record.header.size = (uint16_t)size;
		memcpy(to + at, &record, head);
		memset(to + at + head, 'x', 16);
	}
	return (at);
}

static void
mark_put(struct tbuf_lane *lane, struct input *in)
{
	struct tbuf_lock_record record = { .cpu = 1 };
	struct tbuf_commit_record mark = { .id = (uint32_t)input_take(in, 1) };
	uint64_t head = lane->kind == TBUF_KIND_LOCK ? sizeof(record) :
	    sizeof(record.header);
	unsigned char *to = image.view.base + tbuf_place_offset(lane->place);

	mark.instance = input_take(in, 1);
	record.header.time = 1;
	record.header.epid = TBUF_EPID_COMMIT;
	record.header.size = (uint16_t)(head + sizeof(mark));
	memcpy(to, &record, head);
	memcpy(to + head, &mark, sizeof(mark));
	lane->head = record.header.size;
}

static void
fill(struct input *in)
{
	struct tbuf_slot *slot = tbuf_view_slot(&image.view, 0);
	struct tbuf_lane *lanes = (void *)(image.view.base + slot->lanes);
	unsigned char *buffers = image.view.base + slot->speculations.at;
	struct tbuf_speculated *buffer;
	unsigned i, id;

	for (id = 0; id < IDS; id++) {
		slot->speculation[id] = tbuf_speculation_word(1,
		    input_take(in, 1), TBUF_INACTIVE);
		slot->speculation[id] |= input_take(in, 1);
	}
	for (i = 0; i < layout.nlanes; i++)
		for (id = 0; id < IDS; id++) {
			buffer = (void *)(buffers +
			    (i * IDS + id) * layout.speculated);
			records_put((unsigned char *)(buffer + 1), SPECSIZE,
			    lanes[i].kind == TBUF_KIND_LOCK);
			buffer->head = input_take(in, 1) << 24;
			buffer->drops = buffer->head;
			buffer->head |= input_take(in, 1);
			buffer->drops |= input_take(in, 1);
		}
	for (i = 0; i < layout.nlanes; i++)
		mark_put(&lanes[i], in);
}

static void
patch(struct input *in)
{
	uint64_t at;

	while (in->size > 0) {
		at = layout.data + input_take(in, 2) % layout.storage;
		image.view.base[area + at] = (unsigned char)input_take(in, 1);
	}
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_directory();
	fd = memfd_create("batch", MFD_CLOEXEC);
	FUZZ_CHECK(fd != -1 && ftruncate(fd, IMAGE_SIZE) == 0);
	image.view.size = IMAGE_SIZE;
	image.view.base = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	FUZZ_CHECK(image.view.base != MAP_FAILED);
	image_target(&image, 1, 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return (0);
}

/* Cleans up as for a live target, which has no slot here otherwise. */
static void
clean(struct tbuf_consumer *c)
{
	struct tbuf_target *t = TAILQ_FIRST(&c->targets);

	t->file_only = false;
	t->slot = 0;
	tbuf_batches_clean(c);
	FUZZ_CHECK(t->spec.retained <= t->order.terms.bufsize *
	    t->layout.ncpu_lanes);
	t->slot = -1;
	t->file_only = true;
}

static void
read_it(unsigned options)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	FUZZ_CHECK(c != NULL);
	if ((options & OPTION_TEMPORAL) != 0) {
		tbuf_consumer_set(c, "temporal", NULL);
		tbuf_consumer_set(c, "dropsoon", NULL);
	}
	if (tbuf_consumer_open_file(c, path) == 0 &&
	    tbuf_consumer_go(c) == 0) {
		if ((options & OPTION_LIVE) != 0)
			clean(c);
		if ((options & OPTION_SNAPSHOT) != 0 &&
		    tbuf_consumer_snapshot(c) == 0)
			drain(c);
		while (tbuf_consumer_work(c) > 0)
			drain(c);
		drain(c);
	}
	tbuf_consumer_close(c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum tbuf_policy policies[] = {
		TBUF_SWITCH, TBUF_FILL, TBUF_RING, TBUF_SWITCH
	};
	struct input in = { data, size };
	unsigned options = (unsigned)input_take(&in, 1);

	session_make(policies[options / OPTION_POLICY % 4]);
	fill(&in);
	patch(&in);
	FUZZ_CHECK(ftruncate(fd, (off_t)image.size) == 0);
	read_it(options);
	FUZZ_CHECK(ftruncate(fd, IMAGE_SIZE) == 0);
	return (0);
}
