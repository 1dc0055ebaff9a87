/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * USDT probes as files describe them: notes, operands, types.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <check.h>

#include "lib/check_main.h"
#include "usdt/operand.h"
#include "usdt/probe.h"
#include "usdt/symbol.h"

/* ------------------------------------------------------------ operands */

/* The words that memory operands point to. */
static uint64_t memory[4] = {
	0x8877665544332211, 0xfffefdfcfbfaf9f8, 3, 4
};

/* Register n is 0x0101... * n, but for those set here. */
static void
fill(uint64_t registers[USDT_REGISTERS])
{
	unsigned i;

	for (i = 0; i < USDT_REGISTERS; i++)
		registers[i] = 0x0101010101010101 * i;
	registers[0] = 0xf0e0d0c0b0a09080;
	registers[3] = 2;			/* rbx */
	registers[5] = (uintptr_t)&memory[1];	/* rbp */
	registers[26] = 0x12345678ffffffff;	/* -1, of 32 bits */
	registers[27] = 0x1234567800000002;
	registers[29] = (uintptr_t)&memory[1];
	registers[31] = (uintptr_t)memory;	/* the stack pointer */
}

/* Operands of both processors, tested on either. */
static const struct operand {
	const char *text;
	uint64_t value;
} operands[] = {
	{ "-4@$17", 17 }, { "-4@$-1", ~(uint64_t)0 }, { "4@$-1", 0xffffffff },
	{ "2@$65535", 65535 }, { "-2@$65535", ~(uint64_t)0 },
	{ "8@$0x10", 16 }, { "8@$18446744073709551615", ~(uint64_t)0 },
	{ "-8@$-9223372036854775808", (uint64_t)1 << 63 },
	{ "8@%rax", 0xf0e0d0c0b0a09080 }, { "%rax", 0xf0e0d0c0b0a09080 },
	{ "4@%eax", 0xb0a09080 }, { "-4@%eax", 0xffffffffb0a09080 },
	{ "2@%ax", 0x9080 }, { "1@%al", 0x80 }, { "1@%ah", 0x90 },
	{ "-1@%ah", 0xffffffffffffff90 }, { "4@%rax", 0xb0a09080 },
	{ "1@%cl", 1 }, { "1@%dl", 2 }, { "1@%bl", 2 }, { "1@%spl", 4 },
	{ "1@%sil", 6 }, { "1@%dil", 7 }, { "1@%ch", 1 }, { "1@%dh", 2 },
	{ "1@%bh", 0 }, { "2@%si", 0x0606 }, { "8@%rdi", 0x0707070707070707 },
	{ "8@%r8", 0x0808080808080808 }, { "4@%r9d", 0x09090909 },
	{ "2@%r10w", 0x0a0a }, { "1@%r15b", 0x0f }, { "1@%r12l", 0x0c },
	{ "8f@%rbx", 2 }, { "4f@%ebx", 2 },
	{ "8@(%rbp)", 0xfffefdfcfbfaf9f8 }, { "-8@-8(%rbp)",
	    0x8877665544332211 }, { "4@-8(%rbp)", 0x44332211 },
	{ "-4@4(%rbp)", 0xfffffffffffefdfc }, { "2@0x1(%rbp)", 0xfaf9 },
	{ "-1@(%rbp)", 0xfffffffffffffff8 }, { "1@(%rbp)", 0xf8 },
	{ "8@(%rbp,%rbx)", 0x0003fffefdfcfbfa },
	{ "8@(%rbp,%rbx,4)", 3 }, { "8@8(%rbp,%rbx,4)", 4 },
	{ "8@-24(%rbp,%rbx,8)", 0xfffefdfcfbfaf9f8 },
	{ "1@8+8(%rbp)", 4 }
};

static const struct operand operands_aarch64[] = {
	{ "-4@17", 17 }, { "-4@-1", ~(uint64_t)0 }, { "4@-1", 0xffffffff },
	{ "2@#65535", 65535 }, { "8@0x10", 16 }, { "12", 12 },
	{ "8@18446744073709551615", ~(uint64_t)0 },
	{ "8@x0", 0xf0e0d0c0b0a09080 }, { "x0", 0xf0e0d0c0b0a09080 },
	{ "4@x0", 0xb0a09080 }, { "-4@x0", 0xffffffffb0a09080 },
	{ "4@w0", 0xb0a09080 }, { "-2@w0", 0xffffffffffff9080 },
	{ "1@w0", 0x80 }, { "8@x9", 0x0909090909090909 },
	{ "8@x10", 0x0a0a0a0a0a0a0a0a }, { "4@w28", 0x1c1c1c1c },
	{ "8@x30", 0x1e1e1e1e1e1e1e1e }, { "8f@x3", 2 },
	{ "8@[x5]", 0xfffefdfcfbfaf9f8 }, { "8@[sp]", 0x8877665544332211 },
	{ "8@[sp, 16]", 3 }, { "1@[sp,24]", 4 }, { "8@[sp, #16]", 3 },
	{ "-8@[x29, -8]", 0x8877665544332211 },
	{ "4@[x29, #-8]", 0x44332211 }, { "-4@[x29, 4]", 0xfffffffffffefdfc },
	{ "-1@[x29]", 0xfffffffffffffff8 }, { "2@[x29, 0x1]", 0xfaf9 },
	{ "8@[x29, x3]", 0x0003fffefdfcfbfa },
	{ "8@[x29, x3, lsl 2]", 3 }, { "8@[x29,x3,lsl #2]", 3 },
	{ "1@[x29 , x3]", 0xfa }, { "8@[x29, w27, sxtw 2]", 3 },
	{ "8@[x29, w27, uxtw #2]", 3 }, { "1@[x29, w27, sxtw]", 0xfa },
	{ "1@[x29,w27,uxtw]", 0xfa },
	{ "8@[x29, w26, sxtw 3]", 0x8877665544332211 }
};

static void
check_operand(const struct operand *operand, usdt_place_parse *parse)
{
	const char *text = operand->text, *start = text;
	struct usdt_operand o;
	uint64_t registers[USDT_REGISTERS];

	fill(registers);
	if (strcmp(text, "8@-24(%rbp,%rbx,8)") == 0)
		registers[3] = 3;
	ck_assert_msg(usdt_operand_parse_by(parse, &text, &o), "%s", start);
	ck_assert_msg(*text == '\0', "%s", start);
	ck_assert_msg(usdt_operand_value(&o, registers) == operand->value,
	    "%s is %#llx", start, (unsigned long long)
	    usdt_operand_value(&o, registers));
}

START_TEST(operands_are_read)
{

	check_operand(&operands[_i], usdt_place_x86_64);
}
END_TEST

START_TEST(operands_of_aarch64_are_read)
{

	check_operand(&operands_aarch64[_i], usdt_place_aarch64);
}
END_TEST

static const char *const no_operands[] = {
	"", "4", "4@", "@%rax", "3@%rax", "0@%rax", "16@%rax", "-0@%rax",
	"-9223372036854775808@%rax",
	"4@%", "4@%xmm0", "8f@%xmm0", "2f@%ax", "8@%rip", "8@%r7", "8@%r16",
	"8@%r08", "8@%raxx", "8@%ah", "2@%r10q", "4@$", "4@$x", "4@$1x",
	"4@foo", "4@12", "4@(%rip)", "4@8(%rip)", "4@(%ax", "4@(%rax,%rbx,3)",
	"4@(%rax,%rbx,)", "4@(%rax,)", "4@(%rax))", "4@(%ah)", "4@%fs:8(%rax)",
	"4@a+b(%rip)", "4@8(%rax,%xmm1)", "4@+(%rax)", "4@1-(%rax)"
};

static const char *const no_operands_aarch64[] = {
	"", "4@", "@x0", "3@x0", "4@x", "4@x31", "4@x0x1", "4@x-1",
	"4@x00", "4@x01", "4@x100",
	"4@x0y", "8@w0", "-8@w30", "4@w31", "4@xzr", "8f@d0", "4@v0", "2f@x0",
	"4@spx", "8@x0:", "4@#", "4@#x", "4@1x", "4@%x0", "4@$1", "4@foo",
	"4@(x0)", "4@[", "4@[]", "4@[x0", "4@[x0, 4", "4@[w0]", "4@[x0]]",
	"4@[x0]!", "4@[x0],4", "4@[x0, ]", "4@[x0 4]", "4@[x0, 4, 4]",
	"4@[x0, sp]", "4@[x0, w1]", "4@[x0, w1, lsl 2]",
	"4@[x0, x1, sxtw 2]", "4@[x0, w1, sxtw 4]",
	"4@[x0, w1, sxtw2]", "4@[x0, w1, sxtw ]", "4@[x0, w1, sxth 2]",
	"4@[x0, x1, lsl 4]",
	"4@[x0, x1, lsl -1]", "4@[x0, x1, lsl]", "4@[x0, x1, lsl2]",
	"4@[x0, x1, lsr 1]", "4@[x0, :lo12:]", "4@[x0, :lo12:a+]",
	"4@[x0, :lo12:a b]", "4@[x0, foo]", "4@[foo]", "4@[16]", "4@[x0,\t4]"
};

static void
check_no_operand(const char *text, usdt_place_parse *parse)
{
	const char *start = text;
	struct usdt_operand o;

	ck_assert_msg(!usdt_operand_parse_by(parse, &text, &o), "%s", start);
	ck_assert_ptr_eq(text, start);
}

START_TEST(what_is_no_operand_is_refused)
{

	check_no_operand(no_operands[_i], usdt_place_x86_64);
}
END_TEST

START_TEST(what_is_none_of_aarch64_is_refused)
{

	check_no_operand(no_operands_aarch64[_i], usdt_place_aarch64);
}
END_TEST

START_TEST(symbols_are_left_to_the_caller)
{
	const char *text = "-4@8+counter.1-4(%rip)  8@table(,%rbx,8)\t1@$2";
	usdt_place_parse *parse = usdt_place_x86_64;
	struct usdt_operand o;

	ck_assert_uint_eq(usdt_operands_count(text), 3);
	ck_assert(usdt_operand_parse_by(parse, &text, &o));
	ck_assert(o.length == 9 && memcmp(o.symbol, "counter.1", 9) == 0);
	ck_assert(!o.low);
	ck_assert_int_eq(o.value, 4);
	ck_assert(o.base == USDT_NO_REGISTER && o.index == USDT_NO_REGISTER);
	ck_assert(usdt_operand_parse_by(parse, &text, &o));
	ck_assert(o.length == 5 && o.index == 3 && o.scale == 8);
	ck_assert(usdt_operand_parse_by(parse, &text, &o));
	ck_assert_str_eq(text, "");
}
END_TEST

/* On aarch64 operands contain blanks, too. */
START_TEST(symbols_of_aarch64_are_left_to_the_caller)
{
	const char *text = " -4@[x1, #:lo12:counter.1+8]  "
	    "8@[x2,:lo12:t]\t1@[sp, 2] 4@[w, 1] 4@x0";
	usdt_place_parse *parse = usdt_place_aarch64;
	struct usdt_operand o;

	ck_assert_uint_eq(usdt_operands_count(text), 5);
	text++;
	ck_assert(usdt_operand_parse_by(parse, &text, &o));
	ck_assert(o.length == 9 && memcmp(o.symbol, "counter.1", 9) == 0);
	ck_assert(o.low && o.value == 8 && o.base == 1);
	ck_assert(usdt_operand_parse_by(parse, &text, &o));
	ck_assert(o.low && o.value == 0 && o.length == 1 && o.base == 2);
	ck_assert(usdt_operand_parse_by(parse, &text, &o));
	ck_assert(o.symbol == NULL && o.base == 31 && o.value == 2);
	ck_assert(!usdt_operand_parse_by(parse, &text, &o));
	text = usdt_operand_skip(text);
	ck_assert_str_eq(text, "4@x0");
}
END_TEST

/* ------------------------------------------------------------ notes */

/* A file with just the sections that matter. */
struct image {
	Elf64_Ehdr header;
	Elf64_Shdr sections[4];
	char names[48];
	char notes[256];
};

static const char names[] = "\0.notes\0.note.stapsdt\0.stapsdt.base";

static void
put_note(struct image *image, const char *strings, size_t size,
    uint64_t address, uint64_t base, uint64_t semaphore)
{
	Elf64_Shdr *section = &image->sections[2];
	char *p = image->notes + section->sh_size;
	uint64_t numbers[3] = { address, base, semaphore };
	Elf64_Nhdr header = { 8, (Elf64_Word)(sizeof(numbers) + size), 3 };

	memcpy(p, &header, sizeof(header));
	memcpy(p + 12, "stapsdt", 8);
	memcpy(p + 20, numbers, sizeof(numbers));
	memcpy(p + 44, strings, size);
	section->sh_size += 44 + ((size + 3) & ~(size_t)3);
}

static void
make_image(struct image *image)
{

	*image = (struct image){
		.header = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
			    ELFDATA2LSB },
#ifdef __x86_64__
			.e_machine = EM_X86_64,
#else
			.e_machine = EM_AARCH64,
#endif
			.e_shoff = offsetof(struct image, sections),
			.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 4,
			.e_shstrndx = 1
		},
		.sections = {
			[1] = { .sh_offset = offsetof(struct image, names),
			    .sh_size = sizeof(names) },
			[2] = { .sh_name = 8, .sh_type = SHT_NOTE,
			    .sh_offset = offsetof(struct image, notes) },
			[3] = { .sh_name = 22, .sh_addr = 0x1800 }
		}
	};
	memcpy(image->names, names, sizeof(names));
}

static const char *
read_image(struct usdt_object *object, const struct image *image, size_t size)
{
	int fd = memfd_create("image", MFD_CLOEXEC);
	const char *error;

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(write(fd, image, size), (ssize_t)size);
	error = usdt_object_read(object, fd);
	close(fd);
	return (error);
}

#define STRINGS(text)	text, sizeof(text)

START_TEST(notes_are_moved_with_their_base)
{
	struct usdt_object object;
	struct usdt_note note;
	struct image image;
	size_t at = 0;

	make_image(&image);
	put_note(&image, STRINGS("kv\0get__done\0-4@%eax"), 0x1234, 0x1000,
	    0x5678);
	put_note(&image, STRINGS("kv\0no__end"), 0x1, 0x1800, 0);
	put_note(&image, STRINGS("kv\0put\0"), 0x2000, 0x1800, 0);
	ck_assert_ptr_null(read_image(&object, &image, sizeof(image)));
	ck_assert(usdt_note_next(&object, &at, &note));
	ck_assert_uint_eq(note.address, 0x1a34);
	ck_assert_uint_eq(note.semaphore, 0x5e78);
	ck_assert_str_eq(note.provider, "kv");
	ck_assert_str_eq(note.name, "get__done");
	ck_assert_str_eq(note.operands, "-4@%eax");
	/* The note that lacks a string is skipped. */
	ck_assert(usdt_note_next(&object, &at, &note));
	ck_assert_uint_eq(note.address, 0x2000);
	ck_assert_uint_eq(note.semaphore, 0);
	ck_assert_str_eq(note.operands, "");
	ck_assert(!usdt_note_next(&object, &at, &note));
	usdt_object_free(&object);
}
END_TEST

/* The file may end at any byte. */
START_TEST(files_that_end_early_are_refused)
{
	struct usdt_object object;
	struct usdt_note note;
	struct image image;
	size_t size, at;

	make_image(&image);
	put_note(&image, STRINGS("kv\0put\0"), 0x2000, 0x1800, 0);
	size = offsetof(struct image, notes) + image.sections[2].sh_size;
	ck_assert_ptr_null(read_image(&object, &image, size));
	usdt_object_free(&object);
	while (size-- > 0)
		ck_assert_ptr_nonnull(read_image(&object, &image, size));
	/* A section's size may also exceed the file. */
	image.sections[2].sh_size = sizeof(image.notes);
	ck_assert_ptr_null(read_image(&object, &image, sizeof(image)));
	at = 0;
	ck_assert(usdt_note_next(&object, &at, &note));
	ck_assert(!usdt_note_next(&object, &at, &note));
	usdt_object_free(&object);
	image.sections[2].sh_size = UINT64_MAX;
	ck_assert_ptr_nonnull(read_image(&object, &image, sizeof(image)));
}
END_TEST

/* ------------------------------------------------------------ probes */

static void
describe(void *probe, const struct usdt_description *d)
{

	usdt_probe_describe(probe, d);
}

/* Operands of the processor that runs the tests. */
#ifdef __x86_64__
#define OPERANDS_FIRST	"-4@%eax 1@$1 8@%rdi 8@%rsi 2@%cx 4@%xmm0"
#define OPERANDS_SECOND	"-8@$2 4@$1 8@%rdi 8@%rsi 2@%cx"
#else
#define OPERANDS_FIRST	"-4@x0 1@1 8@[sp, 8] 8@x1 2@x2 4@v0"
#define OPERANDS_SECOND	"-8@2 4@1 8@x0 8@[x1, x2, lsl 3] 2@x2"
#endif

START_TEST(probes_have_the_types_of_the_widest_note)
{
	struct usdt_note note = {
		.provider = "kv", .name = "get__it",
		.operands = OPERANDS_FIRST
	};
	struct usdt_probe probe;
	unsigned line;

	ck_assert(usdt_probe_make(&probe, &note));
	ck_assert_str_eq(probe.name, "get-it");
	ck_assert_uint_eq(probe.nargs, 6);
	note.operands = OPERANDS_SECOND;
	ck_assert(usdt_probe_has(&probe, &note));
	usdt_probe_add(&probe, &note);
	ck_assert_uint_eq(probe.nargs, 5);
	ck_assert_uint_eq(probe.types[0], TBUF_INT64);
	ck_assert_uint_eq(probe.types[1], TBUF_UINT32);
	ck_assert_ptr_null(usdt_describe("typedef const char *path_t;\n"
	    "provider kv { probe get__it(int, unknown_t b, char *, path_t p,"
	    " unsigned char flags); probe get(double x); };", describe, &probe,
	    &line));
	ck_assert_uint_eq(probe.types[0], TBUF_INT32);
	ck_assert_uint_eq(probe.types[1], TBUF_UINT32);
	ck_assert_uint_eq(probe.types[2], TBUF_STRING);
	ck_assert_uint_eq(probe.types[3], TBUF_STRING);
	ck_assert_uint_eq(probe.types[4], TBUF_UINT8);
	ck_assert_str_eq(probe.names[0], "");
	ck_assert_str_eq(probe.names[1], "b");
	ck_assert_str_eq(probe.names[3], "p");
}
END_TEST

#ifdef __x86_64__
#define OPERANDS_SIZED	"8@%rdi -4@%esi 8@%rdx"
#else
#define OPERANDS_SIZED	"8@x0 -4@x1 8@x2"
#endif

START_TEST(texts_have_a_length_if_it_is_passed)
{
	struct usdt_note note = {
		.provider = "kv", .name = "get", .operands = OPERANDS_SIZED
	};
	struct usdt_probe probe;
	unsigned line;

	ck_assert(usdt_probe_make(&probe, &note));
	ck_assert_ptr_null(usdt_describe("provider kv { probe get(char k[n],"
	    " int n, char v[m], int m); };", describe, &probe, &line));
	ck_assert_uint_eq(probe.types[0], TBUF_STRING);
	ck_assert_uint_eq(probe.lengths[0], 2);
	ck_assert_uint_eq(probe.types[2], TBUF_POINTER);
	ck_assert_uint_eq(probe.lengths[2], 0);
	ck_assert_ptr_null(usdt_describe("provider kv { probe get(char k[16],"
	    " int n, const char v[n]); };", describe, &probe, &line));
	ck_assert_uint_eq(probe.lengths[0], 0);
	ck_assert_uint_eq(probe.types[2], TBUF_STRING);
	ck_assert_uint_eq(probe.lengths[2], 2);
	ck_assert_str_eq(usdt_describe("provider kv {\n probe get(char k[m],"
	    " int n); };", describe, &probe, &line),
	    "no other argument has the length's name");
	ck_assert_uint_eq(line, 2);
	ck_assert_ptr_nonnull(usdt_describe("provider kv { probe get(char k[k]"
	    "); };", describe, &probe, &line));
}
END_TEST

START_TEST(names_that_are_no_fields_are_refused)
{
	static const char *const bad[] = { "", "a:b", "a b", "a,b",
	    "a234567890123456789012345678901234567890123456789012345678901234"
	};
	struct usdt_note note = {
		.provider = "kv", .name = bad[_i], .operands = ""
	};
	struct usdt_probe probe;

	ck_assert(!usdt_probe_make(&probe, &note));
	note.provider = bad[_i];
	note.name = "ok";
	ck_assert(!usdt_probe_make(&probe, &note));
}
END_TEST

/* ------------------------------------------------------------ functions */

static char symbol_names[] = "\0small\0late\0outer\0local\0seen\0alias\0data";

/* The symbols of a table, in no order. */
static Elf64_Sym table[] = {
#define SYMBOL(name, bind, type, section, value, size) \
	{ name, ELF64_ST_INFO(bind, type), 0, section, value, size }
	SYMBOL(7, STB_LOCAL, STT_FUNC, 1, 0x9000, 0x10),
	SYMBOL(1, STB_LOCAL, STT_FUNC, 1, 0x1800, 0x10),
	SYMBOL(12, STB_LOCAL, STT_FUNC, 1, 0x1000, 0x2000),
	SYMBOL(18, STB_LOCAL, STT_FUNC, 1, 0x4000, 0x20),
	SYMBOL(24, STB_GLOBAL, STT_GNU_IFUNC, 1, 0x4000, 0x10),
	SYMBOL(29, STB_WEAK, STT_FUNC, 1, 0x4008, 8),
	SYMBOL(35, STB_GLOBAL, STT_OBJECT, 1, 0x5000, 0x10),
	SYMBOL(1, STB_GLOBAL, STT_FUNC, SHN_UNDEF, 0x6000, 0x10),
	SYMBOL(sizeof(symbol_names), STB_GLOBAL, STT_FUNC, 1, 0x7000, 0x10),
	SYMBOL(7, STB_GLOBAL, STT_FUNC, 1, UINT64_MAX - 7, 0x10),
	SYMBOL(7, STB_GLOBAL, STT_FUNC, 1, 0x8000, 0)
#undef SYMBOL
};

static const struct {
	uint64_t address;
	const char *name;
} functions[] = {
	{ 0, NULL }, { 0xfff, NULL }, { 0x1000, "outer" }, { 0x1800, "small" },
	{ 0x180f, "small" }, { 0x1810, "outer" }, { 0x2fff, "outer" },
	{ 0x3000, NULL }, { 0x4000, "seen" }, { 0x4008, "seen" },
	{ 0x400f, "seen" }, { 0x4010, "local" }, { 0x4020, NULL },
	{ 0x5000, NULL }, { 0x6000, NULL }, { 0x7000, NULL }, { 0x8000, NULL },
	{ 0x9000, "late" }, { 0x9010, NULL }, { UINT64_MAX - 7, "late" },
	{ UINT64_MAX - 1, "late" }
};

START_TEST(functions_are_found_by_address)
{
	struct usdt_symbols s = {
		.all = malloc(sizeof(table)),
		.names = malloc(sizeof(symbol_names)),
		.count = sizeof(table) / sizeof(table[0]),
		.names_size = sizeof(symbol_names)
	}, none = { .count = 0 };
	const char *name;
	size_t i;

	ck_assert(s.all != NULL && s.names != NULL);
	memcpy(s.all, table, sizeof(table));
	memcpy(s.names, symbol_names, sizeof(symbol_names));
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		name = usdt_symbol_function(&s, functions[i].address);
		ck_assert_msg(name == functions[i].name || (name != NULL &&
		    functions[i].name != NULL &&
		    strcmp(name, functions[i].name) == 0), "%#lx is %s",
		    (unsigned long)functions[i].address, name);
	}
	usdt_symbols_free(&s);
	ck_assert(usdt_symbol_function(&none, 0x1000) == NULL);
}
END_TEST

#define COUNT(array)	((int)(sizeof(array) / sizeof((array)[0])))

int
main(void)
{
	Suite *s = suite_create("usdt");
	TCase *t = tcase_create("usdt");

	tcase_add_loop_test(t, operands_are_read, 0, COUNT(operands));
	tcase_add_loop_test(t, what_is_no_operand_is_refused, 0,
	    COUNT(no_operands));
	tcase_add_loop_test(t, operands_of_aarch64_are_read, 0,
	    COUNT(operands_aarch64));
	tcase_add_loop_test(t, what_is_none_of_aarch64_is_refused, 0,
	    COUNT(no_operands_aarch64));
	tcase_add_test(t, symbols_are_left_to_the_caller);
	tcase_add_test(t, symbols_of_aarch64_are_left_to_the_caller);
	tcase_add_test(t, notes_are_moved_with_their_base);
	tcase_add_test(t, files_that_end_early_are_refused);
	tcase_add_test(t, probes_have_the_types_of_the_widest_note);
	tcase_add_test(t, texts_have_a_length_if_it_is_passed);
	tcase_add_test(t, functions_are_found_by_address);
	tcase_add_loop_test(t, names_that_are_no_fields_are_refused, 0, 5);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
