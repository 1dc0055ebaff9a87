/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A consumer opens the control file of a dead target, with arbitrary contents:
 * the first byte is options, the rest is patches to a good file, with or
 * without work units.  A patch may be applied before a read, whose number comes
 * first.
 */
#include <sys/mman.h>

#include <stdio.h>
#include <unistd.h>

#include "consumer/run/run.h"
#include "support/drain.h"
#include "support/image.h"
#include "lib/machine_word.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "support/reads.h"

#define CHANGES_MAX	16
#define ACTION_TRUNCATE	PATCH_ACTION	/* to so many bytes */

enum {
	OPTION_TEMPORAL = 1,
	OPTION_PACKETS = 2,
	OPTION_SCRIPT = 4,
	OPTION_UNITS = 8,
	OPTIONS_HIGH = 0xf0,
	OPTION_BETWEEN = 0x40	/* all of the high half: patches name a read */
};

static struct {
	unsigned read;
	struct change change;
} changes[CHANGES_MAX];
static unsigned nchanges;
static const struct image *changed;

/* Good files, without and with units. */
static struct good {
	struct image image;
	unsigned char *bytes;
} plain, units;
static int fd;
static char path[64];

static void
keep(struct good *g)
{
	g->bytes = malloc(g->image.size);
	FUZZ_CHECK(g->bytes != NULL);
	memcpy(g->bytes, g->image.view.base, g->image.size);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct image *image = &plain.image;

	(void)argc;
	(void)argv;
	fuzz_directory();
	fd = memfd_create("image", MFD_CLOEXEC);
	FUZZ_CHECK(fd != -1 && ftruncate(fd, IMAGE_SIZE) == 0);
	image->view.size = IMAGE_SIZE;
	image->view.base = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	FUZZ_CHECK(image->view.base != MAP_FAILED);
	image_target(image, 1, 1);
	image_sessions(image);
	image_records(image);
	keep(&plain);
	units.image = *image;
	image_units(&units.image);
	keep(&units);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return (0);
}

/* *:::{ self->x = arg0; trace(arg0); trace(arg1); } */
static const uint64_t code[] = {
	W(LDA, 0, 0, 0, 0), W(STV, 0, 0, TBUF_SCOPE_THREAD, 0),
	W(ROOM, 0, 0, 0, 0), W(PUTA, 0, 0, 0, 0), W(PUTA, 0, 0, 0, 1),
	W(EMIT, 0, 0, 0, 0), W(END, 0, 0, 0, 0)
};
static const struct tbuf_d_shape number = {
	.kind = TBUF_KIND_INTEGER, .size = 8, .name = "uint64_t"
};
static const struct tbuf_d_piece pieces[] = {
	{ .kind = TBUF_PIECE_ARGUMENT, .argument = 0 },
	{ .kind = TBUF_PIECE_ARGUMENT, .argument = 1 }
};
static const struct tbuf_d_action actions[] = {
	{ .kind = TBUF_ACTION_TRACE, .first = 0, .count = 1 },
	{ .kind = TBUF_ACTION_TRACE, .first = 1, .count = 1 }
};
static const struct tbuf_d_record record = {
	.actions = actions, .nactions = 2, .pieces = pieces, .npieces = 2,
	.bytes = 600, .charge = 600
};
static const struct tbuf_d_program program = {
	.code = code, .length = sizeof(code) / sizeof(code[0])
};
static const char *const descriptions[] = { "*:::" };
static const struct tbuf_d_clause clause = {
	.descriptions = descriptions, .ndescriptions = 1,
	.programs = &program, .nprograms = 1,
	.records = &record, .nrecords = 1
};
static const struct tbuf_d_variable variable = {
	.name = "x", .scope = TBUF_SCOPE_THREAD, .shape = &number,
	.is_written = 1
};
static const struct tbuf_d_script script = {
	.clauses = &clause, .nclauses = 1,
	.variables = &variable, .nvariables = 1
};

static bool
begin(struct tbuf_consumer *c, unsigned options)
{
	if ((options & OPTION_SCRIPT) != 0 &&
	    tbuf_consumer_script(c, &script) != 0)
		return (false);
	return (tbuf_consumer_go(c) == 0);
}

static void
take(struct tbuf_consumer *c, unsigned options)
{
	if ((options & OPTION_PACKETS) != 0)
		drain_packets(c);
	else
		drain(c);
}

static int
visit_unit(void *arg, const struct tbuf_unit_status *unit)
{
	FUZZ_CHECK(strlen(unit->kind) < TBUF_UNIT_NAME &&
	    strlen(unit->program) < 64);
	++*(unsigned *)arg;
	return (0);
}

static int
visit_figures(void *arg, const struct tbuf_unit_figures *figures)
{
	(void)arg;
	FUZZ_CHECK(strlen(figures->kind) < TBUF_UNIT_NAME);
	return (0);
}

/* Looks mappings up; an unpatched file must have them. */
static void
look_at_mappings(struct tbuf_consumer *c, bool patched)
{
	const uint64_t image = tbuf_image(1, 1);
	struct tbuf_mapping m;
	unsigned i;

	for (i = 0; tbuf_consumer_mapped(c, image, i, &m) == 1; i++)
		FUZZ_CHECK(strlen(m.path) != 0 && m.pid == 0);
	FUZZ_CHECK(patched || (i == 2 && tbuf_consumer_mapping(c, image,
	    0x11234, &m) == 1 && m.offset == 0x1000 && m.inode == 5));
}

/* Reads the file.  Returns the number of unfinished units. */
static unsigned
read_file(unsigned options, bool patched)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	unsigned found = 0;

	FUZZ_CHECK(c != NULL);
	if ((options & OPTION_TEMPORAL) != 0) {
		tbuf_consumer_set(c, "temporal", NULL);
		tbuf_consumer_set(c, "dropsoon", NULL);
	}
	if (tbuf_consumer_open_file(c, path) >= 0 && begin(c, options)) {
		drain_list(c);
		look_at_mappings(c, patched);
		tbuf_consumer_units(c, visit_unit, visit_figures, &found);
		while (tbuf_consumer_work(c) > 0)
			take(c, options);
		take(c, options);
	}
	tbuf_consumer_close(c);
	return (found);
}

/* Applies the patches that name this read. */
static void
change(unsigned number)
{
	const struct change *one;
	unsigned i;

	for (i = 0; i < nchanges; i++) {
		one = &changes[i].change;
		if (changes[i].read == number)
			memcpy(changed->view.base + one->at, &one->value,
			    one->bytes);
	}
}

/* Takes the patches.  Returns the length of the file. */
static uint64_t
take_patches(struct input *in, unsigned options, uint64_t size)
{
	uint64_t length = size;
	struct patch p;
	unsigned read;

	for (nchanges = 0; in->size > 0;) {
		read = (options & OPTIONS_HIGH) == OPTION_BETWEEN ?
		    (unsigned)input_take(in, 1) : 0;
		p = image_next(in);
		if (p.part >= ACTION_TRUNCATE)
			length = p.value % (size + 1);
		else if (read == 0)
			image_patch(changed, &p);
		else if (nchanges < CHANGES_MAX) {
			changes[nchanges].read = read;
			changes[nchanges++].change = image_change(changed, &p);
		}
	}
	/* Missing pages cannot be written to. */
	return (nchanges == 0 ? length : size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct input in = { data, n };
	unsigned options = (unsigned)input_take(&in, 1);
	const struct good *good = (options & OPTION_UNITS) != 0 ? &units :
	    &plain;
	uint64_t size = good->image.size;
	bool patched = in.size > 0;
	unsigned found;

	FUZZ_CHECK(ftruncate(fd, (off_t)size) == 0);
	memcpy(good->image.view.base, good->bytes, size);
	changed = &good->image;
	FUZZ_CHECK(ftruncate(fd, (off_t)take_patches(&in, options, size)) ==
	    0);
	reads_begin(change);
	found = read_file(options, patched);
	reads_begin(NULL);
	FUZZ_CHECK(patched || found == (good == &units ? 2 : 0));
	return (0);
}
