/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Malicious debug information: an input is an executable's sections, and
 * patches of bytes of the file.  Each name in it is looked up, each type read,
 * and scripts are compiled that use the types.
 *
 *	{ count } { offset, 2; byte }… { size, 2; .debug_abbrev }
 *	{ size, 2; .debug_info } .debug_str, which is also the sites' section
 */
#include <sys/mman.h>

#include <elf.h>
#include <unistd.h>

#include "base/messages.h"
#include "debuginfo/dwarf_function.h"
#include "debuginfo/probe_sites.h"
#include "pid/name.h"
#include "support/fuzz.h"
#include "tbufd.h"

#define SECTIONS	6
#define IMAGE_MAX	(64u << 10)
#define TYPES_LOOKED	2000	/* per input */

struct image {
	unsigned char bytes[IMAGE_MAX];
	size_t size;
	Elf64_Shdr sections[SECTIONS];
	unsigned count;
};

static struct image image;
static struct dwarf_types types;
static struct dwarf_module *modules;

void *
memory_get(void *old, size_t count, size_t size)
{
	void *memory = reallocarray(old, count, size);

	FUZZ_CHECK(memory != NULL);
	return (memory);
}

char *
memory_string(const char *text)
{

	return (strcpy(memory_get(NULL, strlen(text) + 1, 1), text));
}

int
fail(const char *format, ...)
{

	(void)format;
	abort();
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

/* ------------------------------------------------------------ the file */

static const char names[] =
    "\0.debug_abbrev\0.debug_info\0.debug_str\0.shstrtab\0tbuf_sites";

static void
put(const void *data, size_t size)
{

	if (size > IMAGE_MAX - image.size)
		size = IMAGE_MAX - image.size;
	memcpy(image.bytes + image.size, data, size);
	image.size += size;
}

static void
put_section(uint32_t name, const void *data, size_t size)
{
	Elf64_Shdr *section = &image.sections[image.count++];

	*section = (Elf64_Shdr){
		.sh_name = name, .sh_type = name == 38 ? SHT_STRTAB :
		SHT_PROGBITS, .sh_offset = image.size, .sh_size = size,
		.sh_addralign = 1
	};
	put(data, size);
}

static void
take_section(struct input *in, uint32_t name)
{
	size_t size = input_take(in, 2);

	if (size > in->size)
		size = in->size;
	put_section(name, in->at, size);
	in->at += size;
	in->size -= size;
}

static void
make_image(struct input *in)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
		    ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS,
		.e_shstrndx = SECTIONS - 1, .e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1
	};
	const Elf64_Phdr program = {
		.p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = 0x10000,
		.p_filesz = 0x10000, .p_memsz = 0x10000, .p_align = 0x1000
	};
	unsigned patches = (unsigned)input_take(in, 1) % 8, i;
	const uint8_t *patch = in->at;

	for (i = 0; i < patches; i++)
		input_take(in, 3);
	image.size = 0;
	image.count = 1;
	put(&header, sizeof(header));
	put(&program, sizeof(program));
	take_section(in, 1);
	take_section(in, 15);
	put_section(27, in->at, in->size);
	put_section(48, in->at, in->size);
	put_section(38, names, sizeof(names));
	header.e_shoff = image.size;
	put(image.sections, sizeof(image.sections));
	memcpy(image.bytes, &header, sizeof(header));
	for (i = 0; i < patches && patch + 3 <= in->at; i++, patch += 3)
		image.bytes[(patch[0] | (size_t)patch[1] << 8) % image.size] =
		    patch[2];
}

/* ------------------------------------------------------------ the types */

static uint64_t
type_find(void *context, const char *module, enum d_import_kind kind,
    const char *name)
{
	const struct dwarf_name *one;

	(void)context;
	(void)module;
	one = modules == NULL ? NULL :
	    dwarf_name_find(modules, kind, name, NULL);
	return (one == NULL ? 0 : dwarf_type_id(&types, modules, &one->die,
	    0));
}

static bool
type_read(void *context, uint64_t id, struct d_import *type)
{

	(void)context;
	return (dwarf_type_read(&types, id, type));
}

/* Compiles a script, which may be in error. */
static void
compile(const char *text)
{
	const struct d_options options = {
		.callbacks = { .type_find = type_find, .type_read = type_read },
		.zdefs = true
	};
	const struct d_source source = {
		.text = text, .length = strlen(text), .is_script = true, .has_lines = true,
		.field = D_FIELD_NAME
	};
	struct d_compiler *compiler = d_open(&options);
	struct d_error error;
	struct d_node *program;

	FUZZ_CHECK(compiler != NULL);
	if ((program = d_compile(compiler, &source, &error)) != NULL)
		(void)d_generate(compiler, &program, 1, &error);
	d_close(compiler);
}

static void
look_into(const struct dwarf_name *name)
{
	static const char *const tags[] = {
		[D_IMPORT_STRUCT] = "struct ", [D_IMPORT_UNION] = "union ",
		[D_IMPORT_ENUM] = "enum ", [D_IMPORT_TYPEDEF] = ""
	};
	char text[512];

	if (name->kind > D_IMPORT_TYPEDEF || strlen(name->name) > 64)
		return;
	snprintf(text, sizeof(text), "BEGIN { this->x = *(%s%s *)arg0; "
	    "print((%s%s *)arg0); trace(sizeof(%s%s)); }",
	    tags[name->kind], name->name, tags[name->kind], name->name,
	    tags[name->kind], name->name);
	compile(text);
	snprintf(text, sizeof(text), "BEGIN { trace(((%s%s *)arg0)->a.b); }",
	    tags[name->kind], name->name);
	compile(text);
}

static bool
wants(void *unused, uint64_t address, const char *name)
{
	char scoped[PID_SCOPED];
	unsigned all, plain;

	(void)unused;
	(void)address;
	FUZZ_CHECK(!dwarf_mangled(name, &all, &plain) || plain <= all);
	FUZZ_CHECK(name != NULL);
	FUZZ_CHECK(!pid_scoped(name, scoped) || strlen(scoped) < PID_SCOPED);
	return (true);
}

static void
see(void *unused, const struct dwarf_function *f)
{
	unsigned i;

	(void)unused;
	FUZZ_CHECK(f->nwords <= TBUF_ARGS_MAX && f->nlacks <= TBUF_ARGS_MAX);
	for (i = 0; i < f->nwords; i++)
		FUZZ_CHECK(f->words[i].type != TBUF_NONE &&
		    strlen(f->words[i].name) < 64);
}

static void
look_at(struct dwarf_module *m)
{
	struct d_import told;
	struct sites sites = { .count = 0 };
	uint64_t id;
	size_t i;

	(void)dwarf_name_find(m, D_IMPORT_STRUCT, "a", NULL);
	for (i = 0; i < m->count && i < 2; i++)
		look_into(&m->names[i]);
	for (i = 0; i < m->count; i++)
		(void)dwarf_type_id(&types, m, &m->names[i].die, 0);
	for (id = 1; id < TYPES_LOOKED && dwarf_type_read(&types, id, &told);
	    id++)
		continue;
	(void)dwarf_argument(&types, m, "f", "a");
	(void)dwarf_parameter(&types, m, "f", "a");
	(void)dwarf_result(&types, m, "f");
	dwarf_functions(m, wants, see, NULL);
	sites_read(&sites, m);
	sites_free(&sites);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	Dwfl *dwfl;

	FUZZ_CHECK(fd >= 0);
	make_image(&in);
	FUZZ_CHECK(write(fd, image.bytes, image.size) == (ssize_t)image.size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	types = (struct dwarf_types){ .count = 0 };
	modules = NULL;
	if ((dwfl = dwarf_open_program(path)) != NULL &&
	    (modules = dwarf_modules(dwfl, path)) != NULL)
		look_at(modules);
	dwarf_types_free(&types);
	dwarf_modules_free(modules);
	dwfl_end(dwfl);
	close(fd);
	return (0);
}
