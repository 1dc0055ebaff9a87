/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A text trace that is put in order, or a core with one: the first byte says
 * which, the rest is patches to a good one, 16 bits of place and 32 of value;
 * the file may be truncated.  Or the bytes of a whole file.
 */
#include <sys/mman.h>

#include <elf.h>
#include <unistd.h>

#include "fuzz.h"
#include "layout/text_trace.h"
#include "tbuf_consumer.h"

#define CORE	4096u		/* bytes before the chunk */
#define CHUNK	(TBUF_TRACE_KB_MIN * 1024u)
#define FILE_SIZE	(CORE + CHUNK)

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

static void
write_patched(struct input *in, bool core)
{
	unsigned char file[FILE_SIZE];
	size_t size = core ? sizeof(file) : CHUNK, at;
	uint32_t value;

	memset(file, 0, sizeof(file));
	if (core)
		make_core(file);
	else
		make_trace(file);
	if (in->size % 2 == 1)
		size = input_take(in, 2) % (size + 1);
	while (in->size > 0) {
		at = input_take(in, 2) % (sizeof(file) - sizeof(value));
		value = (uint32_t)input_take(in, 4);
		memcpy(file + at, &value, sizeof(value));
	}
	write_file(file, size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned kind = (unsigned)input_take(&in, 1), found = 0;
	int result;

	if (kind % 4 == 3)
		write_file(in.at, in.size);
	else
		write_patched(&in, kind % 4 == 1);
	result = tbuf_unwrap_file(path, look, &found);
	FUZZ_CHECK(result <= 0 && found <= FILE_SIZE / 4096);
	/* An unpatched trace must be read. */
	if (size == 1 && kind % 4 != 3)
		FUZZ_CHECK(result == 0 && found == 1);
	return (0);
}
