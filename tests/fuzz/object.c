/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Objects whose functions the pid provider finds and plans: symbols, tables of
 * unwinders and of exceptions, relocations and code of a file that its owner
 * has made.  The input is edits of a sound object, so that an arbitrary one
 * gets past the first checks.  An edit is: the part of the file, the offset in
 * it (2 bytes), how, and the value.
 */
#include <sys/mman.h>

#include <limits.h>
#include <stddef.h>
#include <unistd.h>

#include "support/fuzz.h"
/* Memory between segments must not be read: guarded_map() is below. */
#define mmap	guarded_map
static void *guarded_map(void *, size_t, int, int, int, off_t);
#include "../../providers/pid/image.c"
#undef mmap
#include "../../providers/pid/plan.h"

#if defined(__SANITIZE_ADDRESS__)
#define POISONED	1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISONED	1
#endif
#endif
#ifdef POISONED
#include <sanitizer/asan_interface.h>
#endif

#define PAGE	4096u
#define SLOT	32u		/* bytes of a function */
#define SLOTS	12u
#define APART	8u		/* bytes between segments of code */
#define SYMBOLS	12u
#define RANGES	9u
#define AT(field)	((uint32_t)offsetof(struct object, field))
#define TEXT(slot)	(AT(text) + (slot) * SLOT)

enum { CODE = 1, UNWIND, ENTRIES, PADS, MOVED, DYNAMIC, DATA, SYMTAB, STRTAB,
    DYNSYM, DYNSTR, NAMES, NOTES, SEQUENCES, ID, PLT, SECTIONS };

static const char *const section_names[SECTIONS] = {
	"", ".text", ".eh_frame_hdr", ".eh_frame", ".gcc_except_table",
	".rela.dyn", ".dynamic", ".data", ".symtab", ".strtab", ".dynsym",
	".dynstr", ".shstrtab", ".note.fapsdt", "__rseq_cs",
	".note.gnu.build-id", ".plt"
};

static const char *const symbol_names[SYMBOLS] = {
	"", "_start", "outer", "table", "pointer", "tail", "tail.cold",
	"_alias", "alias", "resolver", "__syscall_cancel_arch", "last@@V1"
};

/* Only the first function has a table of pads. */
struct entry {
	uint32_t size, back;
	int32_t start;
	uint32_t length;
	uint8_t block;
	int32_t pads;
	uint8_t program[7];
} __attribute__((packed));

/* Addresses are offsets in the file. */
struct object {
	Elf64_Ehdr header;
	Elf64_Phdr parts[6];
	struct {
		uint8_t version, encodings[3];
		int32_t entries, count;
		int32_t rows[RANGES][2];
	} unwind;
	uint8_t common[32];
	struct entry entries[RANGES];
	uint8_t pads[16];
	int32_t distances[4];
	Elf64_Rela moved[4];
	Elf64_Sym dynsym[4];
	char dynstr[32];
	uint8_t gap[PAGE / 2];
	uint8_t text[SLOTS * SLOT];
	uint8_t other_gap[PAGE / 2];
	Elf64_Dyn dynamic[8];
	uint64_t data[8];
	uint64_t sequences[4];
	uint8_t note[32];
	uint8_t id[24];
	Elf64_Sym symbols[SYMBOLS];
	char strings[160];
	char names[200];
	Elf64_Shdr sections[SECTIONS];
};

static struct object base;

/* Parts that are edited. */
static const struct {
	uint32_t at, size;
} edited[] = {
#define PART(field)	{ AT(field), sizeof(base.field) }
	PART(header), PART(parts), PART(unwind), PART(common), PART(entries),
	PART(pads), PART(distances), PART(moved), PART(dynsym), PART(dynstr),
	PART(text), PART(dynamic), PART(data), PART(sequences), PART(note),
	PART(id), PART(symbols), PART(strings), PART(names), PART(sections)
};
#define NEDITED	(sizeof(edited) / sizeof(edited[0]))

/* ------------------------------------------------------------ the object */

static void
code(unsigned slot, const char *bytes, size_t size)
{
	FUZZ_CHECK(size <= SLOT);
	memset(base.text + slot * SLOT, 0x90, SLOT);
	memcpy(base.text + slot * SLOT, bytes, size);
}

/* Sets a displacement of 4 bytes at an offset of a slot. */
static void
aim(unsigned slot, unsigned offset, uint32_t target)
{
	uint32_t value = target - (TEXT(slot) + offset + 4);

	memcpy(base.text + slot * SLOT + offset, &value, sizeof(value));
}

#define CODE(slot, bytes)	code((slot), (bytes), sizeof(bytes) - 1)

static void
make_code(void)
{
	/* xor %ebp,%ebp; call outer; hlt */
	CODE(0, "\x31\xed\xe8____\xf4");
	aim(0, 3, TEXT(1));
	/* push %rbx; call tail; pop %rbx; ret; a pad: mov %rax,%rdi; jmp */
	CODE(1, "\x53\xe8____\x5b\xc3\x48\x89\xc7\xe9____");
	aim(1, 2, TEXT(4));
	aim(1, 12, TEXT(6));
	/* lea; movslq (%rdx,%rdi,4),%rax; add %rdx,%rax; jmp *%rax; ret */
	CODE(2, "\x48\x8d\x15____\x48\x63\x04\xba\x48\x01\xd0\xff\xe0"
	    "\x31\xc0\xc3\xb8\x07\0\0\0\xc3");
	aim(2, 3, AT(distances));
	/* mov 8(%rdi),%rax; jmp *%rax */
	CODE(3, "\x48\x8b\x47\x08\xff\xe0");
	/* test %rdi,%rdi; jne cold; nopl; ret; int3; jmp */
	CODE(4, "\x48\x85\xff\x0f\x85____\x0f\x1f\x40\0\xc3\xcc\xe9____");
	aim(4, 5, TEXT(5));
	aim(4, 15, TEXT(6));
	/* mov $1,%eax; jrcxz; loop; jmp short back */
	CODE(5, "\xb8\1\0\0\0\xe3\2\xe2\xfe\xeb\xd9");
	/* mov %rdi,%rax; add %rsi,%rax; ret */
	CODE(6, "\x48\x89\xf8\x48\x01\xf0\xc3");
	/* mov $15,%rax; syscall: a signal's frame */
	CODE(7, "\x48\xc7\xc0\xf\0\0\0\x0f\x05");
	/* test; je; nops; ret */
	CODE(8, "\x85\xff\x74\2\x90\x90\x0f\x1f\x44\0\0\xc3");
	/* a piece without a symbol: addl $1,0(%rip); ret $8 */
	CODE(9, "\x83\x05____\1\xc2\x08\0");
	aim(9, 2, AT(data));
	/* jmp *data(%rip) */
	CODE(10, "\xff\x25____\x68\0\0\0\0\xe9____");
	aim(10, 2, AT(data) + 8);
	/* switch by absolute addresses: jmp *data(,%rdi,8) */
	CODE(11, "\xff\x24\xfd____\xc3\x90\xc3");
	memcpy(base.text + 11 * SLOT + 3, &(uint32_t){ AT(data) }, 4);
}

static void
make_unwind(void)
{
	unsigned i;

	base.unwind.version = 1;
	memcpy(base.unwind.encodings, "\x1b\x03\x3b", 3);
	base.unwind.count = RANGES;
	/* Its size, id, version, letters, factors, register, encodings. */
	memcpy(base.common, "\x1c\0\0\0\0\0\0\0\1zLR\0\1\x78\x10\2\x1b\x1b"
	    "\x0c\7\x08\x90\1", 24);
	for (i = 0; i < RANGES; i++) {
		base.entries[i] = (struct entry){
		    .size = sizeof(struct entry) - 4,
		    .back = AT(entries) + i * sizeof(struct entry) + 4 -
		    AT(common),
		    .start = (int32_t)(TEXT(i + 1) - (AT(entries) + i *
		    sizeof(struct entry) + 8)),
		    .length = SLOT, .block = 4, .program =
		    "\x41\x0e\x10\x86\2\xc6" };
		base.unwind.rows[i][0] = (int32_t)(TEXT(i + 1) - AT(unwind));
		base.unwind.rows[i][1] = (int32_t)(AT(entries) + i *
		    sizeof(struct entry) - AT(unwind));
	}
	base.entries[0].pads = (int32_t)(AT(pads) - (AT(entries) + 17));
	/* No base, no types, uleb; rows: start, length, pad, action. */
	memcpy(base.pads, "\xff\xff\1\x08\1\5\x08\0\0\1\0\0", 12);
	base.distances[0] = (int32_t)(TEXT(2) + 17 - AT(distances));
	base.distances[1] = (int32_t)(TEXT(2) + 20 - AT(distances));
}

/* Appends a text to a table.  Returns its offset. */
static uint32_t
string(char *table, size_t size, uint32_t *used, const char *text)
{
	uint32_t at = *used;

	FUZZ_CHECK(at + strlen(text) < size);
	strcpy(table + at, text);
	*used += (uint32_t)strlen(text) + 1;
	return (at);
}

static void
make_symbols(void)
{
	static const uint8_t slots[SYMBOLS] = {
		0, 0, 1, 2, 3, 4, 5, 6, 6, 8, 7, 11
	};
	uint32_t used = 0, loader = 0;
	unsigned i;

	for (i = 0; i < SYMBOLS; i++)
		base.symbols[i] = (Elf64_Sym){
		    .st_name = string(base.strings, sizeof(base.strings),
		    &used, symbol_names[i]),
		    .st_info = ELF64_ST_INFO(STB_GLOBAL, i == 9 ?
		    STT_GNU_IFUNC : STT_FUNC), .st_shndx = i == 0 ? 0 : CODE,
		    .st_value = TEXT(slots[i]), .st_size = SLOT };
	for (i = 0; i < 4; i++) {
		base.dynsym[i] = base.symbols[i + 2];
		base.dynsym[i].st_name = string(base.dynstr,
		    sizeof(base.dynstr), &loader, symbol_names[i + 2]);
	}
}

static void
make_data(void)
{
	static const int64_t tags[] = {
		DT_RELA, DT_RELASZ, DT_INIT, DT_FINI, DT_FLAGS, DT_NULL
	};
	const uint64_t values[] = {
		AT(moved), sizeof(base.moved), TEXT(0), TEXT(6), 0, 0
	};
	unsigned i;

	for (i = 0; i < 6; i++) {
		base.dynamic[i].d_tag = tags[i];
		base.dynamic[i].d_un.d_val = values[i];
	}
	for (i = 0; i < 4; i++) {
		base.moved[i] = (Elf64_Rela){ AT(data) + i * 8,
		    ELF64_R_INFO(0, R_X86_64_RELATIVE), TEXT(i + 8) };
		base.data[i] = TEXT(i + 8);
	}
	base.data[0] = TEXT(11) + 7;
	base.sequences[1] = TEXT(9);
	memcpy(base.note, "\x08\0\0\0\x04\0\0\0\3\0\0\0stapsdt\0", 20);
	memcpy(base.id, "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\1\2\3\4", 20);
}

static void
section(unsigned i, uint32_t type, uint32_t at, size_t size, size_t each)
{
	base.sections[i].sh_type = type;
	base.sections[i].sh_addr = base.sections[i].sh_offset = at;
	base.sections[i].sh_size = size;
	base.sections[i].sh_entsize = each;
}

static void
make_sections(void)
{
	uint32_t used = 0;
	unsigned i;

#define SECTION(i, type, field, each)					\
	section((i), (type), AT(field), sizeof(base.field), (each))
	SECTION(CODE, SHT_PROGBITS, text, 0);
	SECTION(UNWIND, SHT_PROGBITS, unwind, 0);
	section(ENTRIES, SHT_PROGBITS, AT(common), sizeof(base.common) +
	    sizeof(base.entries), 0);
	SECTION(PADS, SHT_PROGBITS, pads, 0);
	SECTION(MOVED, SHT_RELA, moved, sizeof(Elf64_Rela));
	SECTION(DYNAMIC, SHT_DYNAMIC, dynamic, sizeof(Elf64_Dyn));
	SECTION(DATA, SHT_PROGBITS, data, 0);
	SECTION(SYMTAB, SHT_SYMTAB, symbols, sizeof(Elf64_Sym));
	SECTION(STRTAB, SHT_STRTAB, strings, 0);
	SECTION(DYNSYM, SHT_DYNSYM, dynsym, sizeof(Elf64_Sym));
	SECTION(DYNSTR, SHT_STRTAB, dynstr, 0);
	SECTION(NAMES, SHT_STRTAB, names, 0);
	SECTION(NOTES, SHT_NOTE, note, 0);
	SECTION(SEQUENCES, SHT_PROGBITS, sequences, 0);
	SECTION(ID, SHT_NOTE, id, 0);
	section(PLT, SHT_PROGBITS, TEXT(10), SLOT, 16);
	for (i = 0; i < SECTIONS; i++)
		base.sections[i].sh_name = string(base.names,
		    sizeof(base.names), &used, section_names[i]);
}

static void
part(unsigned i, uint32_t type, uint32_t flags, uint32_t at, uint32_t end)
{
	base.parts[i] = (Elf64_Phdr){ .p_type = type, .p_flags = flags,
	    .p_offset = at, .p_vaddr = at, .p_filesz = end - at,
	    .p_memsz = end - at };
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	memcpy(base.header.e_ident, ELFMAG "\2\1\1", 7);
	base.header.e_type = ET_DYN;
	base.header.e_machine = EM_X86_64;
	base.header.e_entry = TEXT(0);
	base.header.e_phoff = AT(parts);
	base.header.e_phentsize = sizeof(Elf64_Phdr);
	base.header.e_phnum = 6;
	base.header.e_shoff = AT(sections);
	base.header.e_shentsize = sizeof(Elf64_Shdr);
	base.header.e_shnum = SECTIONS;
	base.header.e_shstrndx = NAMES;
	part(0, PT_LOAD, PF_R, 0, AT(gap));
	part(1, PT_LOAD, PF_R | PF_X, AT(text), TEXT(SLOTS - 1) - APART);
	part(2, PT_LOAD, PF_R | PF_X, TEXT(SLOTS - 1), AT(other_gap));
	part(3, PT_LOAD, PF_R | PF_W, AT(dynamic), AT(symbols));
	part(4, PT_GNU_EH_FRAME, PF_R, AT(unwind), AT(common));
	part(5, PT_DYNAMIC, PF_R, AT(dynamic), AT(data));
	make_code();
	make_unwind();
	make_symbols();
	make_data();
	make_sections();
	(void)patch_decoder_load();
	return (0);
}

/* ------------------------------------------------------------ its memory */

/* Maps memory between pages that cannot be read. */
static void *
guarded_map(void *at, size_t size, int protection, int flags, int fd,
    off_t offset)
{
	size_t whole = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	char *p = mmap(at, whole + 2 * PAGE, PROT_NONE, flags, fd, offset);

	if (p == MAP_FAILED || mprotect(p + PAGE, whole, protection) != 0)
		return (MAP_FAILED);
	return (p + PAGE);
}

static void
guarded_unmap(const struct pid_image *image)
{
	size_t whole = (image->size + PAGE - 1) & ~(size_t)(PAGE - 1);

	if (image->bytes == NULL)
		return;
#ifdef POISONED
	__asan_unpoison_memory_region(image->bytes, whole);
#endif
	(void)munmap((char *)image->bytes - PAGE, whole + 2 * PAGE);
}

/* In a process, nothing need be mapped between segments. */
static void
poison(const struct pid_image *image)
{
#ifdef POISONED
	const ElfW(Phdr) *p = image->parts;
	unsigned i;

	__asan_poison_memory_region(image->bytes, image->size);
	for (i = 0; i < image->memory.info.dlpi_phnum; i++)
		if (p[i].p_type == PT_LOAD && (p[i].p_flags & PF_R) != 0)
			__asan_unpoison_memory_region((char *)
			    image->memory.info.dlpi_addr + p[i].p_vaddr,
			    p[i].p_memsz);
#else
	(void)image;
#endif
}

/* ------------------------------------------------------------ the checks */

static void
check_codes(const struct pid_functions *f)
{
	const struct patch_map *m = &f->map;
	size_t i, j, parts = 0, owners = 0;

	for (i = 0; i < m->ncodes; i++) {
		FUZZ_CHECK(m->codes[i].start < m->codes[i].end);
		FUZZ_CHECK(m->codes[i].end - m->codes[i].start <=
		    patch_text_left(&f->text, m->codes[i].start));
		FUZZ_CHECK(i == 0 || m->codes[i - 1].end <=
		    m->codes[i].start);
		FUZZ_CHECK(m->codes[i].owner < m->ncodes);
		if (m->codes[i].owner != i)
			continue;
		owners++;
		for (j = m->codes[i].part; j != PATCH_NO_PART;
		    j = m->codes[j].part) {
			FUZZ_CHECK(m->codes[j].owner == i);
			parts++;
		}
	}
	FUZZ_CHECK(owners + parts == m->ncodes);
	for (i = 0; i < f->naliases; i++)
		FUZZ_CHECK(strpbrk(f->aliases[i].name, "\t\n: ,") == NULL);
}

/* Bytes that change are marked, and in the text. */
static void
check_changed(const struct patch_map *m, uintptr_t at, size_t size)
{
	for (; size-- > 0; at++)
		FUZZ_CHECK(patch_map_has(m, at) && (*patch_map_mark(m, at) &
		    PATCH_BUSY) != 0);
}

/*
 * A region is whole instructions, control arrives at the first alone, and a
 * call is the last one.
 */
static void
check_region(const struct patch_map *m, const struct patch_region *r)
{
	uintptr_t at = r->start, next;

	FUZZ_CHECK(r->start < r->end && r->end - r->start <=
	    patch_text_left(m->text, r->start));
	for (; at < r->end; at = next) {
		FUZZ_CHECK((*patch_map_mark(m, at) & PATCH_BEGINS) != 0);
		next = patch_map_next(m, at);
		FUZZ_CHECK(at == r->start || (*patch_map_mark(m, at) &
		    PATCH_ARRIVAL) == 0);
		FUZZ_CHECK(patch_class(*patch_map_mark(m, at)) != PATCH_CALL ||
		    (next == r->end && (r->call == at ||
		    r->way == PATCH_WAY_AIM)));
	}
	FUZZ_CHECK(at == r->end);
	if (r->way == PATCH_WAY_JUMP)
		check_changed(m, r->start, PATCH_JUMP);
	if (r->way == PATCH_WAY_HOLE) {
		check_changed(m, r->start, 2);
		check_changed(m, r->hole, PATCH_JUMP);
	}
}

static void
check_plan(const struct pid_functions *f, const struct pid_plan *plan)
{
	const struct patch_point *p = plan->points;
	const struct patch_region *r = plan->regions.all;

	for (; r < plan->regions.all + plan->regions.n; r++)
		check_region(&f->map, r);
	for (; p < plan->points + plan->npoints; p++) {
		if (p->problem != NULL)
			continue;
		FUZZ_CHECK(f->map.codes[p->function].problem == NULL);
		FUZZ_CHECK(p->region < plan->regions.n);
		r = &plan->regions.all[p->region];
		FUZZ_CHECK(r->start <= p->at && p->at < r->end);
	}
}

static void
plan(struct pid_functions *f, bool is_one)
{
	struct pid_plan plan;
	char why[PID_WHY];
	size_t i;

	FUZZ_CHECK(pid_plan_begin(&plan, f) == NULL);
	plan.is_once = !is_one;
	for (i = 0; i < f->map.ncodes; i++)
		if (f->map.codes[i].owner == i &&
		    (!is_one || f->map.codes[i].is_wanted))
			pid_plan_add(&plan, i, true, true);
	FUZZ_CHECK(pid_plan_make(&plan) == NULL);
	check_plan(f, &plan);
	for (i = 0; i < plan.nwishes; i++)
		if (plan.wishes[i].exit_problem != NULL)
			pid_plan_why(&plan.wishes[i], why);
	pid_plan_free(&plan);
}

/* Wants one of the functions alone. */
static bool
want(void *unused, struct pid_functions *f)
{
	(void)unused;
	if (f->map.ncodes == 0)
		return (false);
	f->map.codes[f->map.ncodes / 3].is_wanted = true;
	return (true);
}

static void
find_some(const struct pid_image *image, int fd, bool is_one)
{
	struct pid_functions f = { .naliases = 0 };

	if (pid_functions_find(&f, &image->memory, fd, is_one ? want : NULL,
	    NULL) == NULL && (!is_one || f.map.ncodes > 0)) {
		check_codes(&f);
		plan(&f, is_one);
	}
	pid_functions_free(&f);
}

static void
find(int fd)
{
	struct pid_image image;

	if (pid_image_read(&image, fd) == NULL) {
		poison(&image);
		find_some(&image, fd, false);
		find_some(&image, fd, true);
	}
	guarded_unmap(&image);
	free(image.parts);
}

/* ------------------------------------------------------------ the input */

/* Stores a value of 1 to 8 bytes, or adds it, as often as there is room. */
static void
edit(uint8_t *object, struct input *in)
{
	unsigned which = (unsigned)input_take(in, 1) % NEDITED;
	uint32_t offset = (uint32_t)input_take(in, 2) % edited[which].size;
	unsigned how = (unsigned)input_take(in, 1);
	unsigned size = 1u << how % 4, step = how >> 4, i;
	uint64_t value = input_take(in, (how & 4) != 0 ? 1 : size), old;

	if ((how & 4) != 0)
		value = (uint64_t)(int64_t)(int8_t)value;
	for (i = 0; offset + size <= edited[which].size; i++) {
		old = 0;
		if ((how & 8) != 0)
			memcpy(&old, object + edited[which].at + offset, size);
		old += value;
		memcpy(object + edited[which].at + offset, &old, size);
		if (step == 0)
			return;
		offset += step * 4;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct input in = { data, size };
	static struct object object;

	if (fd == -1)
		fd = memfd_create("object", MFD_CLOEXEC);
	object = base;
	while (in.size > 0)
		edit((uint8_t *)&object, &in);
	FUZZ_CHECK(fd != -1 && pwrite(fd, &object, sizeof(object), 0) ==
	    (ssize_t)sizeof(object));
	find(fd);
	return (0);
}
