/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A text trace that is put in order, or a core with one: the first byte has the
 * kind and options, the rest is patches to a good one, 16 bits of place and 32
 * of value; the file may be truncated, or go on after the chunk.  Patches may
 * be applied before a read, whose number comes first.  Or the input is the
 * bytes of a whole file.
 */
#include <sys/mman.h>

#include <elf.h>
#include <unistd.h>

#include "support/fuzz.h"
#include "layout/text_trace.h"
#include "support/reads.h"
#include "tbuf_consumer.h"

#define CORE	4096u		/* bytes before the chunk */
#define CHUNK	(TBUF_TRACE_KB_MIN * 1024u)
#define FILE_SIZE	(CORE + CHUNK)
#define MORE		(4 * CHUNK)	/* bytes after the chunk */

enum {
	KINDS = 3,		/* mask: 1 is a core, 3 a whole file */
	OPTION_LONGER = 4,
	OPTION_BETWEEN = 8	/* patches name a read */
};

static struct change {
	unsigned read;
	unsigned at;
	uint32_t value;
} changes[64];
static unsigned nchanges;
static int fd;
static char path[64];

static void
make_trace(unsigned char *at)
{
	struct tbuf_trace t = { .version = TBUF_TRACE_VERSION,
	    .head = sizeof(t), .size = CHUNK - sizeof(t), .pid = 7 };
	size_t i;

	memcpy(t.eye, TBUF_TRACE_EYE, sizeof(t.eye));
	/* The trace has lines of 16 bytes, one of them across the end. */
	t.oldest = t.size / 2;
	t.next = t.size + t.size / 4;
	t.reserved = t.next + TBUF_TRACE_MARK_SIZE;
	memcpy(at, &t, sizeof(t));
	for (i = sizeof(t); i < CHUNK; i++)
		at[i] = i % 16 == 0 ? '\n' : 'a';
}

static void
make_core(unsigned char *at)
{
	Elf64_Ehdr e = { .e_type = ET_CORE, .e_phoff = sizeof(e),
	    .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 3 };
	Elf64_Phdr p[3] = {
		{ .p_type = PT_NOTE },
		{ .p_type = PT_LOAD, .p_offset = 64, .p_filesz = 512 },
		{ .p_type = PT_LOAD, .p_offset = CORE, .p_filesz = CHUNK }
	};

	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = ELFCLASS64;
	e.e_ident[EI_DATA] = ELFDATA2LSB;
	memcpy(at, &e, sizeof(e));
	memcpy(at + sizeof(e), p, sizeof(p));
	make_trace(at + CORE);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fd = memfd_create("unwrap", MFD_CLOEXEC);
	FUZZ_CHECK(fd != -1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return (0);
}

/* Checks for whole lines without control characters, within the size. */
static int
look(void *found, const struct tbuf_unwrapped *u)
{
	size_t i;

	FUZZ_CHECK(u->size <= CHUNK && strlen(u->comm) < 64);
	FUZZ_CHECK(u->size == 0 || u->text[u->size - 1] == '\n');
	for (i = 0; i < u->size; i++)
		FUZZ_CHECK((unsigned char)u->text[i] >= ' ' ||
		    u->text[i] == '\n');
	++*(unsigned *)found;
	return (0);
}

static void
write_file(const void *bytes, size_t size)
{
	FUZZ_CHECK(ftruncate(fd, 0) == 0 &&
	    pwrite(fd, bytes, size, 0) == (ssize_t)size);
}

/* Applies the patches that name this read. */
static void
change(unsigned number)
{
	const struct change *c;

	for (c = changes; c < changes + nchanges; c++)
		if (c->read == number)
			FUZZ_CHECK(pwrite(fd, &c->value, sizeof(c->value),
			    c->at) == sizeof(c->value));
}

/* Takes a patch, and notes it if it names a read. */
static void
patch(struct input *in, unsigned kind, unsigned char *file)
{
	struct change c;

	c.read = (kind & OPTION_BETWEEN) != 0 ?
	    (unsigned)input_take(in, 1) : 0;
	c.at = (unsigned)input_take(in, 2) % (FILE_SIZE - sizeof(c.value));
	c.value = (uint32_t)input_take(in, 4);
	if (c.read == 0)
		memcpy(file + c.at, &c.value, sizeof(c.value));
	else if (nchanges < sizeof(changes) / sizeof(changes[0]))
		changes[nchanges++] = c;
}

static void
write_patched(struct input *in, unsigned kind)
{
	static unsigned char file[FILE_SIZE + MORE];
	bool core = (kind & KINDS) == 1;
	size_t size = core ? FILE_SIZE : CHUNK;

	memset(file, 'a', sizeof(file));
	memset(file, 0, size);
	if (core)
		make_core(file);
	else
		make_trace(file);
	if ((kind & OPTION_LONGER) != 0)
		size += MORE;
	else if ((kind & OPTION_BETWEEN) == 0 && in->size % 2 == 1)
		size = input_take(in, 2) % (size + 1);
	while (in->size > 0)
		patch(in, kind, file);
	write_file(file, size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned kind = (unsigned)input_take(&in, 1), found = 0;
	int result;

	nchanges = 0;
	if ((kind & KINDS) == 3)
		write_file(in.at, in.size);
	else
		write_patched(&in, kind);
	reads_begin(change);
	result = tbuf_unwrap_file(path, look, &found);
	reads_begin(NULL);
	FUZZ_CHECK(result <= 0 && found <= (FILE_SIZE + MORE) / 4096);
	/* An unpatched trace must be read. */
	if (size == 1 && (kind & KINDS) != 3)
		FUZZ_CHECK(result == 0 && found == 1);
	return (0);
}
