/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A compressed file, which is read as if it were not.  The first byte has the
 * format and options, the second one how many bytes of the file change before a
 * read; each of these takes the read's number, a place of two bytes and a
 * value.  The rest is the file, after the first bytes of its format.
 */
#include <sys/mman.h>

#include <errno.h>
#include <unistd.h>

#include "base/decompress.h"
#include "support/fuzz.h"
#include "support/reads.h"

#define CHANGES_MAX	16
#define READ_MAX	4096u
#define OPTION_WHOLE	4	/* unpacks all of the file */

static const struct {
	const char *bytes;
	size_t size;
	bool known;
} formats[] = {
	{ "\x28\xb5\x2f\xfd", 4, true },
	{ "\x04\x22\x4d\x18", 4, true },
	{ "\x1f\x8b", 2, false },
	{ "", 0, false }
};

static struct {
	unsigned read, at;
	uint8_t value;
} changes[CHANGES_MAX];
static unsigned nchanges;
static int fd;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fd = memfd_create("packed", MFD_CLOEXEC);
	FUZZ_CHECK(fd != -1);
	return (0);
}

static void
change(unsigned number)
{
	unsigned i;

	for (i = 0; i < nchanges; i++)
		if (changes[i].read == number)
			FUZZ_CHECK(pwrite(fd, &changes[i].value, 1,
			    changes[i].at) == 1);
}

/* Reads at places in rising order and before them, within what was there. */
static void
read_places(struct unpack *u)
{
	static const uint64_t places[] = { 0, 1, 5000, 100, 0, 70000, 3 };
	char *bytes = malloc(READ_MAX);
	size_t i;
	ssize_t n;

	FUZZ_CHECK(bytes != NULL);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		n = unpack_read(u, bytes, READ_MAX, places[i]);
		FUZZ_CHECK(n <= (ssize_t)READ_MAX);
	}
	free(bytes);
}

static void
read_whole(struct unpack *u)
{
	int whole = unpack_file(u);

	if (whole >= 0)
		close(whole);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned options = (unsigned)input_take(&in, 1);
	unsigned format = options % 4;
	struct unpack *u;

	nchanges = (unsigned)input_take(&in, 1) % (CHANGES_MAX + 1);
	for (unsigned i = 0; i < nchanges; i++) {
		changes[i].read = (unsigned)input_take(&in, 1);
		changes[i].at = (unsigned)input_take(&in, 2) % 1024;
		changes[i].value = (uint8_t)input_take(&in, 1);
	}
	FUZZ_CHECK(ftruncate(fd, 0) == 0 &&
	    pwrite(fd, formats[format].bytes, formats[format].size, 0) ==
	    (ssize_t)formats[format].size && pwrite(fd, in.at, in.size,
	    (off_t)formats[format].size) == (ssize_t)in.size);
	FUZZ_CHECK(format == 3 || unpack_name(fd) != NULL);
	reads_begin(change);
	if ((u = unpack_open(fd)) != NULL) {
		if ((options & OPTION_WHOLE) != 0)
			read_whole(u);
		else
			read_places(u);
		unpack_close(u);
	} else
		FUZZ_CHECK(errno == ENOTSUP || errno == ENOMEM);
	reads_begin(NULL);
	return (0);
}
