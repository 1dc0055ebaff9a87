/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Notes of USDT probes in a file that is not trusted.  The first byte has the
 * binary logarithm of the bytes that may be read, the second is 1
 * for a large file; the rest patches a good file: a byte of place, in words of
 * four bytes, and four of value.
 */
#include <sys/mman.h>

#include <elf.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "support/fuzz.h"

#define SEMAPHORE	0x4100u
#define DATA		UINT64_C(0x100)	/* of the file, from SEMAPHORE on */
#define SEGMENTS	64u		/* most that are kept */

/* A file with a note of one probe. */
struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	Elf64_Shdr sections[3];
	char names[32];
	Elf64_Nhdr note;
	char owner[8];
	uint32_t numbers[6];	/* three of 64 bits */
};

static void
make(struct file *f)
{
	static const char names[] = "\0.stapsdt.base\0.names\0";

	*f = (struct file){
		.header = { .e_phoff = offsetof(struct file, segments),
		    .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
		    .e_shoff = offsetof(struct file, sections),
		    .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
		    .e_shstrndx = 2 },
		.segments = {
			{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X },
			{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W,
			    .p_offset = DATA, .p_vaddr = SEMAPHORE,
			    .p_memsz = 64 }
		},
		.sections = {
			{ .sh_type = SHT_NOTE,
			    .sh_offset = offsetof(struct file, note),
			    .sh_size = sizeof(*f) - offsetof(struct file, note)
			},
			{ .sh_name = 1, .sh_addr = 16 },
			{ .sh_name = 15,
			    .sh_offset = offsetof(struct file, names),
			    .sh_size = sizeof(names) }
		},
		.note = { .n_namesz = 8, .n_descsz = 24, .n_type = 3 },
		.owner = "stapsdt",
		.numbers = { 0, 0, 16, 0, SEMAPHORE + 8, 0 }
	};
	memcpy(f->header.e_ident, ELFMAG, SELFMAG);
	f->header.e_ident[EI_CLASS] = ELFCLASS64;
	memcpy(f->names, names, sizeof(names));
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct tbuf_notes n;
	uint64_t left = 4096;
	struct file f;
	int fd = memfd_create("notes", MFD_CLOEXEC);

	(void)argc;
	(void)argv;
	make(&f);
	FUZZ_CHECK(write(fd, &f, sizeof(f)) == sizeof(f));
	tbuf_notes_read(&n, fd, &left);
	FUZZ_CHECK(n.count == 1 && n.nsegments == 1 && left != 0);
	FUZZ_CHECK(tbuf_notes_have(&n, DATA + 8) && !tbuf_notes_have(&n, DATA));
	tbuf_notes_free(&n);
	close(fd);
	return (0);
}

static int
make_patched(struct input *in, unsigned large)
{
	int fd = memfd_create("notes", MFD_CLOEXEC);
	struct file f;
	uint64_t at;
	uint32_t value;

	make(&f);
	while (in->size != 0) {
		at = input_take(in, 1) * 4;
		value = (uint32_t)input_take(in, 4);
		if (at <= sizeof(f) - 4)
			memcpy((char *)&f + at, &value, 4);
	}
	FUZZ_CHECK(write(fd, &f, sizeof(f)) == sizeof(f));
	FUZZ_CHECK(large == 0 || ftruncate(fd, (off_t)1 << large) == 0);
	return (fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint64_t left = UINT64_C(1) << input_take(&in, 1) % 22, before = left;
	unsigned large = input_take(&in, 1) % 8 == 1 ? 26 : 0, i;
	int fd = make_patched(&in, large);
	struct tbuf_notes n;

	tbuf_notes_read(&n, fd, &left);
	FUZZ_CHECK(left <= before);
	/* Each number of a note has been read, and so has each segment. */
	FUZZ_CHECK(n.count * 24 <= before - left);
	FUZZ_CHECK(n.nsegments <= SEGMENTS &&
	    n.nsegments * sizeof(Elf64_Phdr) <= before - left);
	for (i = 1; i < n.count; i++)
		FUZZ_CHECK(n.semaphores[i - 1] <= n.semaphores[i]);
	for (i = 0; i < 64; i++)
		(void)tbuf_notes_have(&n, DATA + i);
	(void)tbuf_notes_have(&n, UINT64_MAX);
	tbuf_notes_free(&n);
	close(fd);
	return (0);
}
