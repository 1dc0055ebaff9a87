/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command_path.h"
#include "base/string_list.h"
#include "loads_more.h"
#include "needed_libraries.h"

#define FILES_MAX	512

struct search {
	struct words seen;	/* files */
	unsigned abilities;
};

/* Returns the ability that a program has by calling a function; 0: none. */
static unsigned
ability_of(const char *name)
{
	static const struct {
		const char *name;
		unsigned ability;
	} functions[] = {
		{ "dlopen", PROGRAM_LOADS }, { "dlmopen", PROGRAM_LOADS },
		{ "execl", PROGRAM_EXECUTES }, { "execle", PROGRAM_EXECUTES },
		{ "execlp", PROGRAM_EXECUTES }, { "execv", PROGRAM_EXECUTES },
		{ "execve", PROGRAM_EXECUTES },
		{ "execveat", PROGRAM_EXECUTES },
		{ "execvp", PROGRAM_EXECUTES },
		{ "execvpe", PROGRAM_EXECUTES },
		{ "fexecve", PROGRAM_EXECUTES },
		{ "popen", PROGRAM_EXECUTES },
		{ "posix_spawn", PROGRAM_EXECUTES },
		{ "posix_spawnp", PROGRAM_EXECUTES },
		{ "system", PROGRAM_EXECUTES },
		{ "wordexp", PROGRAM_EXECUTES },
		{ "tbuf_component_register", PROGRAM_REGISTERS },
		{ "tbuf_probe_register", PROGRAM_REGISTERS }
	};
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(name, functions[i].name) == 0)
			return (functions[i].ability);
	return (0);
}

/* Returns the abilities of the undefined symbols in an ELF section. */
static unsigned
imports(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	unsigned abilities = 0;
	const char *name;
	GElf_Sym symbol;
	int i;

	for (i = 0; gelf_getsym(data, i, &symbol) != NULL; i++)
		if (symbol.st_shndx == SHN_UNDEF && (name = elf_strptr(elf,
		    header->sh_link, symbol.st_name)) != NULL)
			abilities |= ability_of(name);
	return (abilities);
}

static unsigned
elf_abilities(Elf *elf)
{
	Elf_Scn *section = NULL;
	unsigned abilities = 0;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &header) != NULL &&
		    header.sh_type == SHT_DYNSYM)
			abilities |= imports(elf, section, &header);
	return (abilities);
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
		s->abilities |= PROGRAM_UNKNOWN;
		if (fd != -1)
			close(fd);
		return;
	}
	if (elf_kind(elf) != ELF_K_ELF)
		s->abilities |= PROGRAM_UNKNOWN;
	else
		s->abilities |= elf_abilities(elf);
	if (!needed_visit(elf, path, visit, s))
		s->abilities |= PROGRAM_UNKNOWN;
	elf_end(elf);
	close(fd);
}

unsigned
program_abilities(const char *path)
{
	const char *preloaded = getenv("LD_PRELOAD");
	char interpreter[PATH_MAX];
	struct search s = { .abilities = 0 };
	unsigned i;

	if (preloaded != NULL && *preloaded != '\0')
		s.abilities |= PROGRAM_UNKNOWN;
	(void)elf_version(EV_CURRENT);
	for (i = 0; i < SCRIPTS_MAX && script_interpreter(path, interpreter);
	    i++) {
		s.abilities |= PROGRAM_UNKNOWN;
		path = interpreter;
	}
	visit(&s, path);
	words_free(&s.seen);
	return (s.abilities);
}
