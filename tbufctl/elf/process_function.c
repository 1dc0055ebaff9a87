/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Other names of functions that a process has probes of.  The provider pid has
 * given these the names that TBUF_PID used: a description may call the module
 * by another part of its file's name, or the function by another symbol.
 */
#include <sys/stat.h>

#include <fcntl.h>
#include <fnmatch.h>
#include <gelf.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "base/description_field.h"
#include "base/dtrace_providers.h"
#include "base/messages.h"
#include "base/string_list.h"
#include "command_function.h"
#include "pid/name.h"

#define LINES_MAX	65536u	/* of the list of mappings */
#define ADDRESSES_MAX	8u	/* of the functions that one name has */
#define ALIASES_MAX	64u

/* An object of the process that the description's module names. */
struct object {
	char *file;			/* its base name */
	bool is_program;
	struct words aliases;		/* other names of the function */
};

struct search {
	struct near_function wanted;
	pid_t pid;			/* the process of the objects */
	struct object *objects;
	size_t nobjects;
	struct words seen;		/* paths */
	char *found;			/* a description, or NULL */
	bool matches;			/* the description has a probe */
};

/* ------------------------------------------------------------ symbols */

typedef void see_symbol(void *arg, const char *name, uint64_t address);

static void
see_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, see_symbol *see,
    void *arg)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;
	const char *name;
	unsigned type;
	int i;

	for (i = 0; gelf_getsym(data, i, &symbol) != NULL; i++) {
		type = GELF_ST_TYPE(symbol.st_info);
		if (symbol.st_shndx != SHN_UNDEF &&
		    (type == STT_FUNC || type == STT_GNU_IFUNC) &&
		    (name = elf_strptr(elf, header->sh_link,
		    symbol.st_name)) != NULL)
			see(arg, name, symbol.st_value);
	}
}

static void
see_symbols(Elf *elf, see_symbol *see, void *arg)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &header) != NULL &&
		    (header.sh_type == SHT_SYMTAB ||
		    header.sh_type == SHT_DYNSYM))
			see_table(elf, section, &header, see, arg);
}

struct aliases {
	const char *function;
	uint64_t addresses[ADDRESSES_MAX];
	size_t naddresses;
	struct words *names;
};

static void
see_address(void *arg, const char *name, uint64_t address)
{
	struct aliases *a = arg;
	char scoped[PID_SCOPED];

	if (a->naddresses < ADDRESSES_MAX &&
	    pid_name_match(a->function, name, scoped) != NULL)
		a->addresses[a->naddresses++] = address;
}

static void
see_alias(void *arg, const char *name, uint64_t address)
{
	struct aliases *a = arg;
	size_t i;

	for (i = 0; i < a->naddresses; i++)
		if (a->addresses[i] == address &&
		    a->names->count < ALIASES_MAX &&
		    !words_have(a->names, name))
			words_add(a->names, "%s", name);
}

/* Finds the symbols of the functions that one symbol, or scoped name, has. */
static void
find_aliases(struct words *names, const char *path, const char *function)
{
	struct aliases a = { .function = function, .names = names };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf;

	if (fd == -1)
		return;
	(void)elf_version(EV_CURRENT);
	if ((elf = elf_begin(fd, ELF_C_READ, NULL)) != NULL) {
		if (elf_kind(elf) == ELF_K_ELF) {
			see_symbols(elf, see_address, &a);
			see_symbols(elf, see_alias, &a);
		}
		elf_end(elf);
	}
	close(fd);
}

/* ------------------------------------------------------------ objects */

/* Adds an object if the description's module names it. */
static void
add_object(struct search *s, const char *path, bool is_program)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash == NULL ? path : slash + 1;
	char *name = description_module(s->wanted.module, file, is_program);
	struct object *o;

	if (name == NULL || words_have(&s->seen, path)) {
		free(name);
		return;
	}
	free(name);
	words_add(&s->seen, "%s", path);
	s->objects = memory_get(s->objects, s->nobjects + 1,
	    sizeof(*s->objects));
	o = &s->objects[s->nobjects++];
	*o = (struct object){ .file = memory_string(file),
	    .is_program = is_program };
	if (s->wanted.length == 0)
		return;
	name = string_format("/proc/%jd/root%s", (intmax_t)s->pid, path);
	find_aliases(&o->aliases, name, s->wanted.function);
	free(name);
}

static void
free_objects(struct search *s)
{
	size_t i;

	for (i = 0; i < s->nobjects; i++) {
		free(s->objects[i].file);
		words_free(&s->objects[i].aliases);
	}
	free(s->objects);
	s->objects = NULL;
	s->nobjects = 0;
	words_free(&s->seen);
	s->seen = (struct words){ NULL, 0 };
}

/* Reads the objects of a process: its program, and the files of its code. */
static void
read_objects(struct search *s, pid_t pid)
{
	char link[64], program[PATH_MAX], *line = NULL, *path;
	unsigned n = 0;
	size_t size = 0;
	ssize_t length;
	FILE *f;

	free_objects(s);
	s->pid = pid;
	(void)snprintf(link, sizeof(link), "/proc/%jd/exe", (intmax_t)pid);
	if ((length = readlink(link, program, sizeof(program) - 1)) > 0) {
		program[length] = '\0';
		add_object(s, program, true);
	}
	(void)snprintf(link, sizeof(link), "/proc/%jd/maps", (intmax_t)pid);
	if ((f = fopen(link, "re")) == NULL)
		return;
	while (n++ < LINES_MAX && getline(&line, &size, f) > 0)
		if (strstr(line, " r-xp ") != NULL &&
		    (path = strchr(line, '/')) != NULL) {
			path[strcspn(path, "\n")] = '\0';
			if (length <= 0 || strcmp(path, program) != 0)
				add_object(s, path, false);
		}
	free(line);
	(void)fclose(f);
}

/* ------------------------------------------------------------ probes */

static bool
is_function(const struct search *s, const struct object *o,
    const char *function)
{
	char scoped[PID_SCOPED];
	size_t i;

	if (pid_name_match(s->wanted.function, function, scoped) != NULL)
		return (true);
	for (i = 0; i < o->aliases.count; i++)
		if (strcmp(o->aliases.all[i], function) == 0 ||
		    (pid_scoped(o->aliases.all[i], scoped) &&
		    strcmp(scoped, function) == 0))
			return (true);
	return (false);
}

static bool
field_matches(const char *glob, const char *field)
{
	return (*glob == '\0' || fnmatch(glob, field, 0) == 0);
}

static bool
is_name(const char *wanted, const char *name)
{
	return (field_matches(wanted, name) || (missing_is_offset(wanted) &&
	    missing_is_offset(name) &&
	    strtoull(wanted, NULL, 16) == strtoull(name, NULL, 16)));
}

/* Returns the description with the probe's names where its own do not match. */
static char *
describe(const struct near_function *w, const struct tbuf_probe_info *probe)
{
	return (string_format("%s:%s:%s:%s", probe->provider,
	    field_matches(w->module, probe->module) ? w->module :
	    probe->module, field_matches(w->function, probe->function) ?
	    w->function : probe->function, field_matches(w->name,
	    probe->name) ? w->name : probe->name));
}

static int
compare(void *search, const struct tbuf_probe_info *probe)
{
	struct search *s = search;
	const struct near_function *w = &s->wanted;
	const struct object *o;
	char *module;
	size_t i;

	if (s->found != NULL || !missing_is_pid(probe->provider) ||
	    fnmatch(w->provider, probe->provider, 0) != 0 ||
	    !is_name(w->name, probe->name))
		return (0);
	s->matches |= field_matches(w->module, probe->module) &&
	    field_matches(w->function, probe->function) &&
	    field_matches(w->name, probe->name);
	if (s->pid != atoi(probe->provider + strlen("pid")))
		read_objects(s, atoi(probe->provider + strlen("pid")));
	for (i = 0; i < s->nobjects; i++) {
		o = &s->objects[i];
		module = description_module(probe->module, o->file,
		    o->is_program);
		if (module != NULL && s->found == NULL &&
		    is_function(s, o, probe->function))
			s->found = describe(w, probe);
		free(module);
	}
	return (0);
}

char *
process_function(const char *description, near_probes *probes, void *context)
{
	struct search s = { .pid = 0 };

	if (near_function_begin(&s.wanted, description))
		(void)probes(context, compare, &s);
	free_objects(&s);
	free(near_function_end(&s.wanted));
	if (!s.matches)
		return (s.found);
	free(s.found);
	return (NULL);
}
