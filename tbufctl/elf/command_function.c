/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "base/command_path.h"
#include "base/description_field.h"
#include "base/messages.h"
#include "base/string_list.h"
#include "command_function.h"

#ifdef HAVE_PID
#include "needed_libraries.h"

#define FILES_MAX	512
#define SCRIPTS_MAX	5	/* levels of interpreters */
#define FIELDS		4u

struct search {
	struct words seen;	/* files */
	const char *module, *function;
	bool found;
};

/* Returns true if a table of symbols defines the function. */
static bool
defines(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
    const char *function)
{
	Elf_Data *data = elf_getdata(section, NULL);
	unsigned type;
	const char *name;
	GElf_Sym symbol;
	int i;

	for (i = 0; gelf_getsym(data, i, &symbol) != NULL; i++) {
		type = GELF_ST_TYPE(symbol.st_info);
		if (symbol.st_shndx != SHN_UNDEF &&
		    (type == STT_FUNC || type == STT_GNU_IFUNC) &&
		    (name = elf_strptr(elf, header->sh_link,
		    symbol.st_name)) != NULL && strcmp(name, function) == 0)
			return (true);
	}
	return (false);
}

static bool
has_function(Elf *elf, const char *function)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &header) != NULL &&
		    (header.sh_type == SHT_SYMTAB ||
		    header.sh_type == SHT_DYNSYM) &&
		    defines(elf, section, &header, function))
			return (true);
	return (false);
}

/* The program is the file that is seen first. */
static bool
is_module(const struct search *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name;

	if (*s->module == '\0')
		return (true);
	name = description_module(s->module, slash == NULL ? path : slash + 1,
	    s->seen.count == 1);
	free(name);
	return (name != NULL);
}

static void
visit(void *arg, const char *path)
{
	struct search *s = arg;
	Elf *elf;
	int fd;

	if (s->found || s->seen.count == FILES_MAX ||
	    words_have(&s->seen, path))
		return;
	words_add(&s->seen, "%s", path);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) == -1)
		return;
	if ((elf = elf_begin(fd, ELF_C_READ, NULL)) != NULL) {
		if (elf_kind(elf) == ELF_K_ELF) {
			s->found = is_module(s, path) &&
			    has_function(elf, s->function);
			(void)needed_visit(elf, path, visit, s);
		}
		elf_end(elf);
	}
	close(fd);
}

static bool
find(struct search *s, const char *command)
{
	char *found = command_find(command), interpreter[PATH_MAX];
	const char *path = found;
	unsigned i;

	if (path == NULL)
		return (false);
	(void)elf_version(EV_CURRENT);
	for (i = 0; i < SCRIPTS_MAX && script_interpreter(path, interpreter);
	    i++)
		path = interpreter;
	visit(s, path);
	words_free(&s->seen);
	free(found);
	return (s->found);
}

/* Splits a description whose fields are aligned at the right. */
static bool
split(char *copy, const char *fields[FIELDS])
{
	unsigned n = field_count(copy), i;
	const char *end;

	for (i = 0; i < FIELDS; i++)
		fields[i] = "";
	if (n > FIELDS)
		return (false);
	for (i = FIELDS - n; i < FIELDS; i++) {
		fields[i] = copy;
		end = field_end(copy);
		copy += end - copy;
		if (*copy != '\0')
			*copy++ = '\0';
	}
	return (true);
}

static int
look_at_probe(void *search, const struct tbuf_probe_info *probe)
{
	struct search *s = search;

	s->found |= probe->function != NULL &&
	    strcmp(probe->function, s->function) == 0;
	return (0);
}

char *
command_function(const char *command, const char *description,
    near_probes *probes, void *context)
{
	char *copy = memory_string(description), *near = NULL;
	const char *fields[FIELDS], *name = "entry";
	struct search s = { .found = false };
	bool names;

	names = split(copy, fields) && *fields[0] == '\0';
	s.module = fields[1];
	s.function = *fields[2] != '\0' ? fields[2] : fields[3];
	if (*fields[2] != '\0')
		name = fields[3];
	if (names && *s.function != '\0' &&
	    strpbrk(s.function, "*?[\\") == NULL &&
	    (*name == '\0' || strcmp(name, "entry") == 0 ||
	    strcmp(name, "return") == 0) &&
	    probes(context, look_at_probe, &s) == 0 && !s.found &&
	    find(&s, command))
		near = string_format("pid$target:%s:%s:%s", s.module,
		    s.function, name);
	free(copy);
	return (near);
}

#else

char *
command_function(const char *command, const char *description,
    near_probes *probes, void *context)
{
	(void)command;
	(void)description;
	(void)probes;
	(void)context;
	return (NULL);
}

#endif
