/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A consumer opens a core with a control file, with arbitrary data in both: the
 * first byte of the input is options, the rest is patches to a good one.
 *
 *	+--------+-----------------+-------+------+---------------------+
 *	| header | program headers | notes | sign | image, in two parts |
 *	+--------+-----------------+-------+------+---------------------+
 */
#include <sys/mman.h>
#include <sys/procfs.h>

#include <elf.h>
#include <errno.h>

#include "support/drain.h"
#include "support/image.h"

#define SEGMENTS	4
#define SIGN_AT		4096u
#define IMAGE_AT	8192u
#define ADDRESS		UINT64_C(0x7f0000000000)
#define CORE_SIZE	(IMAGE_AT + IMAGE_SIZE)

/* Patches to the core itself; lower numbers patch the image. */
#define ACTION_BYTE	PATCH_ACTION	/* of headers and notes */
#define ACTION_SEGMENT	(PATCH_ACTION + 8)	/* a word of a header */
#define ACTION_TRUNCATE	(PATCH_ACTION + 16)	/* to so many bytes */

static struct image image;
static unsigned char *core, *good;
static uint64_t size, headers_size;	/* of the complete core */
static uint64_t length;			/* after truncation */
static bool short_reads;

static unsigned char *
add_note(unsigned char *at, uint32_t type, const void *data, uint32_t n)
{
	Elf64_Nhdr head = { .n_namesz = 5, .n_descsz = n, .n_type = type };

	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), "CORE", 5);
	memcpy(at + sizeof(head) + 8, data, n);
	return (at + sizeof(head) + 8 + ((n + 3) & ~3u));
}

static unsigned char *
add_notes(unsigned char *at)
{
	static const char path[] = "/nowhere/tbuf.1.0000000000000001";
	struct elf_prpsinfo info = { .pr_pid = 1 };
	uint64_t words[5] = { 1, 4096, ADDRESS, ADDRESS + IMAGE_SIZE, 0 };
	char files[sizeof(words) + sizeof(path)];

	memcpy(files, words, sizeof(words));
	memcpy(files + sizeof(words), path, sizeof(path));
	at = add_note(at, NT_PRPSINFO, &info, sizeof(info));
	return (add_note(at, NT_FILE, files, sizeof(files)));
}

static void
make_headers(void)
{
	const uint64_t half = (image.size / 2) & ~UINT64_C(4095);
	Elf64_Ehdr elf = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
		    ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE, .e_phoff = sizeof(elf),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = SEGMENTS
	};
	Elf64_Phdr segments[SEGMENTS] = {
		{ .p_type = PT_NOTE, .p_offset = sizeof(elf) +
		    sizeof(segments) },
		{ .p_type = PT_LOAD, .p_offset = SIGN_AT, .p_vaddr = 4096,
		    .p_filesz = 4096 },
		{ .p_type = PT_LOAD, .p_offset = IMAGE_AT, .p_vaddr = ADDRESS,
		    .p_filesz = half },
		{ .p_type = PT_LOAD, .p_offset = IMAGE_AT + half,
		    .p_vaddr = ADDRESS + half, .p_filesz = image.size - half }
	};
	unsigned char *notes = core + segments[0].p_offset;

	headers_size = (uint64_t)(add_notes(notes) - core);
	segments[0].p_filesz = headers_size - segments[0].p_offset;
	memcpy(core, &elf, sizeof(elf));
	memcpy(core + sizeof(elf), segments, sizeof(segments));
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_directory();
	core = mmap(NULL, CORE_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FUZZ_CHECK(core != MAP_FAILED);
	image.view.base = core + IMAGE_AT;
	image.view.size = IMAGE_SIZE;
	image_target(&image, 1, 1);
	image_sessions(&image);
	image_records(&image);
	image_units(&image);
	memcpy(core + SIGN_AT, core + IMAGE_AT, 4096);
	make_headers();
	size = IMAGE_AT + image.size;
	good = malloc(size);
	FUZZ_CHECK(good != NULL);
	memcpy(good, core, size);
	return (0);
}

static ssize_t
read_core(void *arg, void *to, size_t n, uint64_t offset)
{
	uint64_t left = offset < length ? length - offset : 0;

	(void)arg;
	if (short_reads && n > 1)
		n -= n / 3;
	if (n > left)
		n = left;
	if (n != 0)
		memcpy(to, core + offset, n);
	return ((ssize_t)n);
}

/* Patches 8 bytes of a header at once, as single bytes change little. */
static void
patch_segment(const struct patch *p)
{
	uint64_t words = (sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr)) /
	    8;
	uint64_t value = p->value;

	if ((p->how & 1) != 0)
		value = (uint64_t)(int64_t)(int32_t)p->value;
	if ((p->how & 2) != 0)
		value += ADDRESS;
	memcpy(core + p->at % words * 8, &value, sizeof(value));
}

static void
apply(const struct patch *p)
{
	if (p->part >= ACTION_TRUNCATE)
		length = p->value % (size + 1);
	else if (p->part >= ACTION_SEGMENT)
		patch_segment(p);
	else if (p->part >= ACTION_BYTE)
		core[p->at % headers_size] = (unsigned char)p->value;
	else
		image_patch(&image, p);
}

static int
visit_unit(void *arg, const struct tbuf_unit_status *unit)
{
	FUZZ_CHECK(strlen(unit->kind) < TBUF_UNIT_NAME);
	++*(unsigned *)arg;
	return (0);
}

static int
open_core(bool temporal, unsigned *units)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	int result;

	FUZZ_CHECK(c != NULL);
	if (temporal) {
		tbuf_consumer_set(c, "temporal", NULL);
		tbuf_consumer_set(c, "dropsoon", NULL);
	}
	result = tbuf_consumer_open_core(c, "core", read_core, NULL);
	FUZZ_CHECK(result <= 0 || result == 1);
	FUZZ_CHECK(result == 0 || *tbuf_consumer_error(c) != '\0');
	if (result >= 0 && tbuf_consumer_go(c) == 0) {
		drain_list(c);
		tbuf_consumer_units(c, visit_unit, NULL, units);
		while (tbuf_consumer_work(c) > 0)
			drain(c);
		drain(c);
	}
	tbuf_consumer_close(c);
	return (result);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct input in = { data, n };
	unsigned options = (unsigned)input_take(&in, 1);
	bool patched = in.size > 0;
	struct patch p;
	unsigned units = 0;
	int result;

	memcpy(core, good, size);
	length = size;
	short_reads = (options & 2) != 0;
	while (in.size > 0) {
		p = image_next(&in);
		apply(&p);
	}
	result = open_core((options & 1) != 0, &units);
	/* Without patches the file is found, with its two unfinished units. */
	FUZZ_CHECK(patched || (result == 0 && units == 2));
	return (0);
}
