/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A process starts with an arbitrary file that a consumer made for it
 * (TBUF_CONTROL), or with an arbitrary board in its runtime directory.  The
 * first byte of the input is options, the rest is patches to one of the two.
 */
#include <sys/mman.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "support/image.h"
#include "shared/board.h"
#include "shared/control_file.h"
#include "target/file/file.h"

enum {
	OPTION_BOARD = 1,	/* else a file to adopt */
	OPTION_RSEQ = 2,
	OPTION_UNITS = 4	/* sessions have work units */
};

static struct image image;		/* in memory */
static struct good {
	struct image image;
	unsigned char *bytes;
} plain, units;
static struct tbuf_board *board;	/* the mapped file */
static int directory, board_fd;
static char own_name[TBUF_NAME_MAX];

static void
leave(void)
{
	unlinkat(directory, TBUF_BOARD_NAME, 0);
	unlinkat(directory, own_name, 0);
}

/* Makes the board with its consumers' locks, by an open file of its own. */
static void
make_board(void)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET,
		.l_start = 1, .l_len = TBUF_BOARD_ENTRIES
	};

	board_fd = openat(directory, TBUF_BOARD_NAME,
	    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FUZZ_CHECK(board_fd != -1 &&
	    ftruncate(board_fd, sizeof(struct tbuf_board)) == 0);
	FUZZ_CHECK(fcntl(board_fd, F_OFD_SETLK, &lock) == 0);
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED,
	    board_fd, 0);
	FUZZ_CHECK(board != MAP_FAILED);
}

static void
fill_board(bool with_units)
{
	static const char patterns[] = "fuzz:::\0p1";
	struct tbuf_board_entry *entry;
	unsigned i;

	memset(board, 0, sizeof(*board));
	memcpy(board->head.magic, TBUF_BOARD_MAGIC, sizeof(board->head.magic));
	board->head.major = TBUF_MAJOR;
	board->head.entry_size = sizeof(struct tbuf_board_entry);
	board->head.used = 2;
	for (i = 0; i < 2; i++) {
		entry = &board->entries[i];
		entry->run = i + 1;
		entry->budget = 1 << 20;
		entry->terms.bufsize = 4096;
		entry->flags = i == 0 ? TBUF_BOARD_ALL | TBUF_BOARD_AUTO :
		    TBUF_BOARD_FOLLOW;
		entry->terms.run = i + 1;
		entry->terms.policy = i == 0 ? TBUF_SWITCH : TBUF_RING;
		entry->terms.strsize = 64;
		entry->terms.only_cpu = -1;
		if (with_units)
			entry->terms.flags = tbuf_terms_unit_flags(
			    IMAGE_UNITS, IMAGE_UNITSIZE);
		entry->npatterns = 2;
		entry->patterns_size = sizeof(patterns);
		memcpy(entry->patterns, patterns, sizeof(patterns));
	}
}

static void
keep(struct good *g)
{
	g->image = image;
	g->bytes = malloc(image.size);
	FUZZ_CHECK(g->bytes != NULL);
	memcpy(g->bytes, image.view.base, image.size);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* Removes the file that the constructor made for this process. */
	tbuf_file_unlink();
	fuzz_directory();
	FUZZ_CHECK(setenv("TBUF_WINDOW", "8m", 1) == 0);
	directory = tbuf_directory_open(false);
	FUZZ_CHECK(directory >= 0);
	tbuf_control_name(own_name, getpid(), 1);
	FUZZ_CHECK(setenv(TBUF_CONTROL_ENV, own_name, 1) == 0);
	atexit(leave);
	image.view.size = IMAGE_SIZE;
	image.view.base = calloc(1, IMAGE_SIZE);
	FUZZ_CHECK(image.view.base != NULL);
	image_target(&image, getpid(), tbuf_start_time(getpid()));
	tbuf_view_control(&image.view)->stage = TBUF_STAGE_WAITING;
	tbuf_view_control(&image.view)->nprobes = 0;
	image_sessions(&image);
	keep(&plain);
	image_units(&image);
	keep(&units);
	make_board();
	return (0);
}

static void
patch_board(const struct patch *p)
{
	struct tbuf_board_entry *entry = &board->entries[p->part % 2];
	uint64_t value = p->value;
	size_t at = p->at % 256, bytes = 8;

	/* The last quarter is for the patterns. */
	if (at >= 192)
		at += offsetof(struct tbuf_board_entry, patterns) - 192;
	if (p->how % 16 == 15) {
		memcpy((char *)board + p->at % 20, &value, 4);
		return;
	}
	if (p->how % 4 == 1)
		value = UINT64_C(1) << (p->value & 63);
	else if (p->how % 4 == 2)
		value = (uint64_t)(int64_t)(int32_t)p->value;
	else if (p->how % 4 == 3)
		bytes = 4;
	memcpy((char *)entry + at, &value, bytes);
}

static void
patch_all(struct input *in, unsigned options, uint64_t *length)
{
	struct patch p;

	while (in->size > 0) {
		p = image_next(in);
		if ((options & OPTION_BOARD) != 0)
			patch_board(&p);
		else if (p.part >= PATCH_ACTION)
			*length = p.value % (image.size + 1);
		else
			image_patch(&image, &p);
	}
}

static void
write_file(uint64_t length)
{
	int fd = openat(directory, own_name,
	    O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	FUZZ_CHECK(fd != -1);
	FUZZ_CHECK(write(fd, image.view.base, length) == (ssize_t)length);
	close(fd);
}

/* Returns false if access to the file's end would raise SIGBUS. */
static bool
is_whole(uint64_t length, unsigned options)
{
	const struct tbuf_control *control =
	    (const struct tbuf_control *)(void *)tbuf_file.base;

	return ((options & OPTION_BOARD) != 0 || control->end <= length);
}

static void
forget(void)
{
	if (tbuf_file.base != NULL)
		munmap(tbuf_file.base, tbuf_self.window);
	if (tbuf_file.sign != NULL)
		munmap(tbuf_file.sign, TBUF_PAGE);
	tbuf_file.base = NULL;
	tbuf_file.sign = NULL;
	tbuf_file_unlink();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned options = (unsigned)input_take(&in, 1);
	const struct good *good = (options & OPTION_UNITS) != 0 ? &units :
	    &plain;
	uint64_t length = good->image.size;
	int named;

	image = good->image;
	memcpy(image.view.base, good->bytes, length);
	fill_board(good == &units);
	patch_all(&in, options, &length);
	tbuf_self.rseq = (options & OPTION_RSEQ) != 0;
	tbuf_file.base = NULL;
	tbuf_file.sign = NULL;
	if ((options & OPTION_BOARD) == 0)
		write_file(length);
	named = tbuf_board_file(directory);
	if (tbuf_file_begin(directory, &named, geteuid()) == NULL &&
	    is_whole(length, options)) {
		FUZZ_CHECK(tbuf_load(&tbuf_file.sign->stage) ==
		    TBUF_STAGE_LIVE);
		/* A child that is wanted and cannot be a target. */
		if (tbuf_wanted_child(named))
			tbuf_wanted_missed("fuzzed");
	}
	if (named != -1)
		close(named);
	forget();
	unlinkat(directory, own_name, 0);
	return (0);
}
