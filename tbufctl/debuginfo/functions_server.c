/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the functions of a file with libdw: in its symbol tables, and in those
 * of its separate debug information, which is found by build id below
 * /usr/lib/debug.  This runs in a helper process.
 */
#include <elfutils/libdwfl.h>

#include <dlfcn.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "functions.h"

#define NAME_MAX_BYTES	4096

typedef char *demangle_function(const char *, char *, size_t *, int *);

/* Allocates memory; without it the helper process ends. */
static void *
grow(void *old, size_t count, size_t size)
{
	void *room = reallocarray(old, count, size);

	if (room == NULL)
		_exit(1);
	return (room);
}

/* ------------------------------------------------------------ names */

/* Returns the length without a version, such as @@GLIBC_2.17. */
static size_t
plain_length(const char *name)
{
	return (strcspn(name, "@"));
}

static demangle_function *demangler;

void
module_load(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_NOW);
	void *symbol = library == NULL ? NULL : dlsym(library,
	    "__cxa_demangle");

	if (symbol != NULL)
		memcpy(&demangler, &symbol, sizeof(demangler));
}

/*
 * Demangles a C++ name without suffixes such as .isra.0, with libstdc++ if that
 * is installed.  Returns a name that the caller frees, or NULL.
 */
static char *
demangle(const char *name)
{
	int status = -1;
	char *text, *plain;

	if (demangler == NULL ||
	    (plain = strndup(name, strcspn(name, ".@"))) == NULL)
		return (NULL);
	text = demangler(plain, NULL, NULL, &status);
	free(plain);
	return (status == 0 ? text : NULL);
}

static unsigned
underscores(const char *name)
{
	return ((unsigned)strspn(name, "_"));
}

bool
module_better(const char *a, const char *b)
{
	size_t n = plain_length(a), m = plain_length(b);

	if (underscores(a) != underscores(b))
		return (underscores(a) < underscores(b));
	return (n != m ? n < m : strcmp(a, b) < 0);
}

static uint64_t
keep_name(struct functions *f, const char *name)
{
	uint64_t at = f->names_size;
	char *plain = strncmp(name, "_Z", 2) == 0 ? demangle(name) : NULL;
	size_t n;

	n = plain == NULL ? plain_length(name) : strlen(plain);
	if (plain != NULL)
		name = plain;
	if (n > NAME_MAX_BYTES)
		n = NAME_MAX_BYTES;
	if (at + n + 1 > f->names_room) {
		f->names_room = 2 * (at + n + 1);
		f->names = grow(f->names, f->names_room, 1);
	}
	memcpy(f->names + at, name, n);
	f->names[at + n] = '\0';
	f->names_size += n + 1;
	free(plain);
	return (at);
}

/* ------------------------------------------------------------ symbols */

/* Symbols are sorted by address; the best of an address comes first. */
struct symbol {
	uint64_t address, size;
	const char *name;
};

static int
compare(const void *one, const void *other)
{
	const struct symbol *a = one, *b = other;

	if (a->address != b->address)
		return (a->address < b->address ? -1 : 1);
	/* A function is better than a label, which has no size. */
	if ((a->size == 0) != (b->size == 0))
		return (a->size == 0 ? 1 : -1);
	return (module_better(a->name, b->name) ? -1 : 1);
}

static bool
is_function(const GElf_Sym *sym, const char *name, GElf_Word section)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (name == NULL || *name == '\0' || section == SHN_UNDEF ||
	    section == SHN_ABS)
		return (false);
	return (type == STT_FUNC || type == STT_GNU_IFUNC ||
	    (type == STT_NOTYPE && GELF_ST_BIND(sym->st_info) != STB_LOCAL));
}

static void
keep(struct functions *f, struct symbol *all, size_t n)
{
	struct function *to;
	size_t i;

	qsort(all, n, sizeof(*all), compare);
	f->all = grow(NULL, n + 1, sizeof(*f->all));
	for (i = 0; i < n; i++) {
		if (i > 0 && all[i].address == all[i - 1].address)
			continue;
		to = &f->all[f->count++];
		to->address = all[i].address;
		to->size = all[i].size;
		to->name = keep_name(f, all[i].name);
	}
}

static void
find_symbols(struct functions *f, Dwfl_Module *module)
{
	int n = dwfl_module_getsymtab(module), i;
	struct symbol *all;
	GElf_Word section;
	const char *name;
	size_t count = 0;
	GElf_Addr address;
	GElf_Sym sym;

	all = grow(NULL, (n > 0 ? (size_t)n : 0) + 1, sizeof(*all));
	for (i = 1; i < n; i++) {
		name = dwfl_module_getsym_info(module, i, &sym, &address,
		    &section, NULL, NULL);
		if (is_function(&sym, name, section))
			all[count++] = (struct symbol){
				address, sym.st_size, name
			};
	}
	keep(f, all, count);
	free(all);
}

/* ------------------------------------------------------------ the file */

static void
find_segments(struct functions *f, Elf *elf)
{
	GElf_Phdr one;
	size_t n, i;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (i = 0; i < n && gelf_getphdr(elf, (int)i, &one) != NULL; i++) {
		if (one.p_type != PT_LOAD)
			continue;
		f->segments = grow(f->segments, f->nsegments + 1,
		    sizeof(*f->segments));
		f->segments[f->nsegments++] = (struct segment){
			one.p_offset, one.p_filesz, one.p_vaddr
		};
	}
}

int
module_find_all(struct functions *f, int fd, const char *path)
{
	static char *debug = NULL;	/* libdwfl's default */
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &debug
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module = NULL;
	GElf_Addr bias;
	Elf *elf;

	/* libdwfl fetches nothing from a network. */
	(void)unsetenv("DEBUGINFOD_URLS");
	if (dwfl != NULL)
		module = dwfl_report_elf(dwfl, path, path, fd, 0, true);
	if (module == NULL || dwfl_report_end(dwfl, NULL, NULL) != 0 ||
	    (elf = dwfl_module_getelf(module, &bias)) == NULL) {
		dwfl_end(dwfl);
		return (-1);
	}
	find_segments(f, elf);
	find_symbols(f, module);
	dwfl_end(dwfl);
	return (0);
}
