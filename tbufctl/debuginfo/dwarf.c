/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The modules of a program.  A process has those that it has mapped; one that
 * has ended, the files that it had mapped, if their paths still lead to the
 * same inodes; a command that does not run yet, its executable and the
 * libraries that this needs.
 * libdwfl finds split debug files by build id and by link, also under
 * /usr/lib/debug.  It opens regular files only (regular_only()), as the program
 * chooses the paths.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "base/open_regular.h"
#include "base/string_list.h"
#include "dwarf.h"
#include "elf/needed_libraries.h"

static char *path_of_debug;	/* NULL: libdwfl's default */

/* Without DEBUGINFOD_URLS, libdwfl fetches nothing from a network. */
static int
find_debuginfo(Dwfl_Module *module, void **data, const char *name,
    Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
    char **found)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *saved = urls == NULL ? NULL : memory_string(urls);
	int fd;

	if (saved != NULL)
		(void)unsetenv("DEBUGINFOD_URLS");
	fd = dwfl_standard_find_debuginfo(module, data, name, base, file,
	    link, crc, found);
	if (saved != NULL)
		(void)setenv("DEBUGINFOD_URLS", saved, 1);
	free(saved);
	return (fd);
}

static const Dwfl_Callbacks of_process = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = find_debuginfo,
	.debuginfo_path = &path_of_debug,
};

static const Dwfl_Callbacks of_files = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &path_of_debug,
};

/* Ends the reports of modules.  Frees the Dwfl and returns NULL on failure. */
static Dwfl *
reported(Dwfl *dwfl, bool good)
{
	if (dwfl != NULL && good &&
	    dwfl_report_end(dwfl, NULL, NULL) == 0)
		return (dwfl);
	dwfl_end(dwfl);
	return (NULL);
}

/* Without memory the process ended, perhaps while its mappings were read. */
static bool
has_memory(pid_t pid)
{
	char path[32], one;
	bool has;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return (false);
	has = read(fd, &one, sizeof(one)) == sizeof(one);
	(void)close(fd);
	return (has);
}

Dwfl *
dwarf_open_process(pid_t pid)
{
	Dwfl *dwfl = dwfl_begin(&of_process);

	return (reported(dwfl, dwfl != NULL &&
	    dwfl_linux_proc_report(dwfl, pid) == 0 && has_memory(pid)));
}

/* --- ended processes ------------------------------------------------------ */

/* Finds how far mapped code is from its addresses in the file. */
static bool
find_bias(int fd, const struct dwarf_mapped *m, GElf_Addr *bias)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	GElf_Phdr segment;
	size_t i, n = 0;
	bool found = false;

	if (elf != NULL && elf_getphdrnum(elf, &n) != 0)
		n = 0;
	for (i = 0; i < n && !found; i++) {
		if (gelf_getphdr(elf, (int)i, &segment) == NULL)
			break;
		found = segment.p_type == PT_LOAD &&
		    (segment.p_flags & PF_X) != 0 &&
		    m->offset <= segment.p_offset &&
		    segment.p_offset - m->offset < segment.p_align;
		*bias = m->start + (segment.p_offset - m->offset) -
		    segment.p_vaddr;
	}
	(void)elf_end(elf);
	return (found);
}

Dwfl *
dwarf_open_mapped(const struct dwarf_mapped *m, size_t count)
{
	const struct dwarf_mapped *end = m + count;
	Dwfl *dwfl = dwfl_begin(&of_files);
	GElf_Addr bias = 0;
	const char *why;
	int fd;

	for (; dwfl != NULL && m < end; m++) {
		if (m->path == NULL || (fd = regular_open(
		    regular_find(m->path), m->inode, &why)) == -1)
			continue;
		if (!find_bias(fd, m, &bias) || dwfl_report_elf(dwfl, m->path,
		    m->path, fd, bias, true) == NULL)
			(void)close(fd);
	}
	return (reported(dwfl, dwfl != NULL));
}

/* --- programs ------------------------------------------------------------- */

#define FILES_MAX	64	/* the executable, and libraries */

/* Files to report, each once: the executable, then libraries as needed. */
struct report {
	Dwfl *dwfl;
	struct words files;
};

static void
add_file(void *arg, const char *path)
{
	struct words *files = &((struct report *)arg)->files;

	if (files->count < FILES_MAX && !words_have(files, path))
		words_add(files, "%s", path);
}

static bool
report_file(struct report *report, const char *path)
{
	Dwfl_Module *module = dwfl_report_offline(report->dwfl, path, path,
	    -1);
	GElf_Addr bias;
	Elf *elf = module == NULL ? NULL : dwfl_module_getelf(module, &bias);

	if (elf != NULL)
		(void)needed_visit(elf, path, add_file, report);
	return (module != NULL);
}

Dwfl *
dwarf_open_program(const char *path)
{
	struct report report = { .dwfl = dwfl_begin(&of_files) };
	bool good;
	size_t i;

	if (report.dwfl == NULL)
		return (NULL);
	add_file(&report, path);
	good = report_file(&report, path);
	for (i = 1; i < report.files.count; i++)
		(void)report_file(&report, report.files.all[i]);
	words_free(&report.files);
	return (reported(report.dwfl, good));
}

Dwfl *
dwarf_open_object(const char *path)
{
	Dwfl *dwfl = dwfl_begin(&of_files);

	return (reported(dwfl, dwfl != NULL &&
	    dwfl_report_offline(dwfl, path, path, -1) != NULL));
}

/* --- the list ------------------------------------------------------------- */

struct list {
	struct dwarf_module **last;
	const char *program;
};

static int
add(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start,
    void *arg)
{
	struct list *list = arg;
	struct dwarf_module *one;

	(void)data;
	(void)start;
	one = memory_get(NULL, 1, sizeof(*one));
	*one = (struct dwarf_module){
		.module = module, .name = basename(name),
		.is_program = list->program != NULL &&
		    strcmp(list->program, name) == 0
	};
	*list->last = one;
	list->last = &one->next;
	return (DWARF_CB_OK);
}

/* Lists the modules in the order of reports, which is that of addresses. */
struct dwarf_module *
dwarf_modules(Dwfl *dwfl, const char *program)
{
	struct dwarf_module *first = NULL;
	struct list list = { &first, program };

	(void)dwfl_getmodules(dwfl, add, &list, 0);
	return (first);
}

void
dwarf_modules_free(struct dwarf_module *one)
{
	struct dwarf_module *next;

	for (; one != NULL; one = next) {
		next = one->next;
		free(one->names);
		free(one->hash);
		free(one->locals);
		free(one);
	}
}

bool
dwarf_module_is(const struct dwarf_module *module, const char *name)
{
	const char *file = module->name;

	if (strcmp(file, name) == 0 || (module->is_program &&
	    strcmp(name, "a.out") == 0))
		return (true);
	for (; *name != '\0' && *file != '\0'; name++, file++)
		if (*name != *file &&
		    (*name != '_' || isalnum((unsigned char)*file)))
			return (false);
	return (*name == '\0' && (*file == '\0' || *file == '.'));
}
