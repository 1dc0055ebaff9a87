/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/string_list.h"
#include "loads_more.h"
#include "needed_libraries.h"

#define FILES_MAX	512

struct search {
	struct words seen;	/* files */
	bool loads;
};

/*
 * Returns true for a function that loads code, replaces the program, or
 * registers probes that no file has.
 */
static bool
is_loader(const char *name)
{
	static const char *const names[] = {
		"dlopen", "dlmopen", "execl", "execle", "execlp", "execv",
		"execve", "execveat", "execvp", "execvpe", "fexecve",
		"tbuf_component_register", "tbuf_probe_register"
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return (true);
	return (false);
}

/* Returns true if an ELF section of symbols has an undefined loader. */
static bool
imports_loader(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const char *name;
	GElf_Sym symbol;
	int i;

	for (i = 0; gelf_getsym(data, i, &symbol) != NULL; i++)
		if (symbol.st_shndx == SHN_UNDEF && (name = elf_strptr(elf,
		    header->sh_link, symbol.st_name)) != NULL &&
		    is_loader(name))
			return (true);
	return (false);
}

static bool
has_loader(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &header) != NULL &&
		    header.sh_type == SHT_DYNSYM &&
		    imports_loader(elf, section, &header))
			return (true);
	return (false);
}

static void
visit(void *arg, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct search *s = arg;
	Elf *elf;
	int fd;

	/* libtbuf starts programs for other reasons. */
	if (words_have(&s->seen, path) || strncmp(slash == NULL ? path :
	    slash + 1, "libtbuf.so", strlen("libtbuf.so")) == 0)
		return;
	words_add(&s->seen, "%s", path);
	fd = s->seen.count > FILES_MAX ? -1 :
	    open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd == -1 || (elf = elf_begin(fd, ELF_C_READ, NULL)) == NULL) {
		s->loads = true;
		if (fd != -1)
			close(fd);
		return;
	}
	if (elf_kind(elf) != ELF_K_ELF || has_loader(elf) ||
	    !needed_visit(elf, path, visit, s))
		s->loads = true;
	elf_end(elf);
	close(fd);
}

bool
program_loads_more(const char *path)
{
	const char *preloaded = getenv("LD_PRELOAD");
	struct search s = {
		.loads = preloaded != NULL && *preloaded != '\0'
	};

	(void)elf_version(EV_CURRENT);
	visit(&s, path);
	words_free(&s.seen);
	return (s.loads);
}
