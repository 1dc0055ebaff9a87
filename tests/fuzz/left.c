/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A runtime directory with a control file and a text trace, of arbitrary
 * contents, which a user lists, looks at and tidies up: tbuf_left() and
 * tbuf_left_remove(), tbuf_status(), tbuf_unit_list() and tbuf_unit_figures(),
 * and the reaper that programs run.  The first byte is options, the rest is
 * patches and actions; a patch may be applied before a read, whose number comes
 * first.
 */
#include <sys/file.h>
#include <sys/mman.h>

#include <fcntl.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "support/drain.h"
#include "support/image.h"
#include "layout/text_trace.h"
#include "support/reads.h"
#include "shared/control_file.h"

#define OPTION_ALIVE	1	/* the target runs: it is this process */
#define OPTION_BETWEEN	2	/* patches name a read */
#define OPTION_READ	4	/* its records have been read */
#define OPTION_REMOVE	8	/* files that are listed are removed */
#define CHANGES_MAX	16
#define LENGTH		PATCH_ACTION	/* the file's length */
#define TRACE		(PATCH_ACTION + 8)	/* a word of the trace */
#define DEAD		0x3ffffff	/* no process has this pid */

static struct image image;
static unsigned char *good;
static uint64_t good_size;
static struct {
	unsigned read;
	struct change change;
} changes[CHANGES_MAX];
static unsigned nchanges;
static int directory, control = -1;
static char name[TBUF_NAME_MAX], text_name[TBUF_NAME_MAX];
static struct tbuf_trace trace;
static uint64_t length;
static pid_t pid;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_directory();
	directory = tbuf_directory_open(false);
	FUZZ_CHECK(directory >= 0);
	image.view.size = IMAGE_SIZE;
	image.view.base = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FUZZ_CHECK(image.view.base != MAP_FAILED);
	image_target(&image, DEAD, 1);
	image_sessions(&image);
	image_records(&image);
	image_units(&image);
	good_size = image.size;
	good = malloc(good_size);
	FUZZ_CHECK(good != NULL);
	memcpy(good, image.view.base, good_size);
	return (0);
}

static int
file_make(char *as, const char *prefix, const void *bytes, uint64_t size)
{
	int fd;

	tbuf_control_name(as, pid, 1);
	memcpy(as, prefix, 4);
	fd = openat(directory, as, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
	    0600);
	FUZZ_CHECK(fd != -1 &&
	    pwrite(fd, bytes, size, 0) == (ssize_t)size);
	return (fd);
}

/* Applies the patches that name this read. */
static void
change(unsigned number)
{
	unsigned i;

	for (i = 0; i < nchanges; i++)
		if (changes[i].read == number)
			FUZZ_CHECK(pwrite(control, &changes[i].change.value,
			    changes[i].change.bytes,
			    (off_t)changes[i].change.at) ==
			    (ssize_t)changes[i].change.bytes);
}

static void
trace_begin(void)
{
	memset(&trace, 0, sizeof(trace));
	memcpy(trace.eye, TBUF_TRACE_EYE, sizeof(trace.eye));
	trace.version = TBUF_TRACE_VERSION;
	trace.head = sizeof(trace);
	trace.size = TBUF_TRACE_KB_MIN * 1024 - sizeof(trace);
	trace.next = trace.reserved = 16;
}

/* Takes the patches. */
static void
take(struct input *in, unsigned options)
{
	struct patch p;
	unsigned read, at;
	uint64_t word;

	while (in->size > 0) {
		read = (options & OPTION_BETWEEN) != 0 ?
		    (unsigned)input_take(in, 1) : 0;
		p = image_next(in);
		if (p.part >= TRACE) {
			word = (p.how & 1) != 0 ?
			    (uint64_t)(int64_t)(int32_t)p.value : p.value;
			at = p.at % (sizeof(trace) / sizeof(word));
			memcpy((uint64_t *)&trace + at, &word, sizeof(word));
		} else if (p.part >= LENGTH)
			length = p.value % (good_size + 1);
		else if (read == 0)
			image_patch(&image, &p);
		else if (nchanges < CHANGES_MAX) {
			changes[nchanges].read = read;
			changes[nchanges++].change = image_change(&image, &p);
		}
	}
}

/* Sets all tails to the heads, so that the file has no unread records. */
static void
mark_read(void)
{
	struct tbuf_slot *slot;
	struct tbuf_lane *lane;
	unsigned i, n;

	for (n = 0; n < IMAGE_SESSIONS; n++) {
		slot = tbuf_view_slot(&image.view, n);
		for (i = 0; i < slot->nlanes; i++) {
			lane = (struct tbuf_lane *)(void *)
			    (image.view.base + slot->lanes) + i;
			lane->tail = lane->pair[0].tail = lane->head;
		}
		slot->units.at = 0;
	}
}

/* Strings are cleaned by the programs that print them. */
static int
visit_left(void *arg, const struct tbuf_left *left)
{
	const unsigned *options = arg;

	FUZZ_CHECK(strlen(left->name) < TBUF_NAME_MAX &&
	    strlen(left->program) < 64 && left->end <= TBUF_LEFT_SAVED);
	if ((*options & OPTION_REMOVE) != 0)
		(void)tbuf_left_remove(left);
	return (0);
}

static int
visit_lane(void *arg, const struct tbuf_lane_status *status)
{
	(void)arg;
	FUZZ_CHECK(strlen(status->consumer_name) < 16);
	FUZZ_CHECK(status->fill <= IMAGE_SIZE || !status->locked);
	return (0);
}

static int
visit_unit(void *arg, const struct tbuf_unit_status *unit)
{
	(void)arg;
	FUZZ_CHECK(strlen(unit->kind) < TBUF_UNIT_NAME &&
	    strlen(unit->program) < 64);
	return (0);
}

static int
visit_figures(void *arg, const struct tbuf_unit_figures *figures)
{
	(void)arg;
	FUZZ_CHECK(strlen(figures->kind) < TBUF_UNIT_NAME &&
	    strlen(figures->program) < 64 && figures->units != 0);
	return (0);
}

static void
look(unsigned options)
{
	reads_begin(change);
	FUZZ_CHECK(tbuf_unit_list(visit_unit, NULL) <= 0);
	reads_begin(change);
	FUZZ_CHECK(tbuf_unit_figures(visit_figures, NULL) <= 0);
	reads_begin(change);
	FUZZ_CHECK(tbuf_status(NULL, 0, visit_lane, NULL) <= 0);
	reads_begin(change);
	FUZZ_CHECK(tbuf_left(visit_left, &options) <= 0);
	reads_begin(change);
	(void)tbuf_control_reap_some(directory, 0);
	reads_begin(NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned options = (unsigned)input_take(&in, 1);
	bool alive = (options & OPTION_ALIVE) != 0, patched = in.size > 0;
	struct tbuf_control *head = tbuf_view_control(&image.view);
	int text;

	pid = alive ? getpid() : DEAD;
	length = good_size;
	nchanges = 0;
	memcpy(image.view.base, good, good_size);
	head->pid = (uint32_t)pid;
	head->start = alive ? tbuf_start_time(0) : 1;
	head->pid_namespace = tbuf_pid_namespace(getpid());
	if ((options & OPTION_READ) != 0)
		mark_read();
	trace_begin();
	take(&in, options);
	control = file_make(name, "tbuf", image.view.base, length);
	text = file_make(text_name, "text", &trace, sizeof(trace));
	/* This lock shows that the target lives. */
	FUZZ_CHECK(!alive || (flock(control, LOCK_EX | LOCK_NB) == 0 &&
	    flock(text, LOCK_EX | LOCK_NB) == 0));
	look(options);
	/* A file without unread records was reaped, the other one was not. */
	FUZZ_CHECK(patched || (options & OPTION_REMOVE) != 0 ||
	    (faccessat(directory, name, F_OK, 0) == 0) ==
	    (alive || (options & OPTION_READ) == 0));
	(void)unlinkat(directory, name, 0);
	(void)unlinkat(directory, text_name, 0);
	close(text);
	close(control);
	return (0);
}
