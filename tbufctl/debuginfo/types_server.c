/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The helper process of types.c, which reads types of programs with libdw.
 */
#include <sys/stat.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/description_field.h"
#include "base/helper_process.h"
#include "base/messages.h"
#include "base/open_regular.h"
#include "base/command_path.h"
#include "base/pipe_message.h"
#include "base/string_list.h"
#include "dwarf_function.h"
#include "elf/needed_libraries.h"
#include "elf/object_files.h"
#include "function_types.h"
#include "probe_sites.h"
#include "types_server.h"

/* Limit of CPU time for all answers, s. */
#define SECONDS		120

static struct types_source *sources;
static struct dwarf_types types;

/* --- opening -------------------------------------------------------------- */

/* Returns the path to which a link of /proc leads, or NULL. */
static char *
path_of_link(const char *format, intmax_t number)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	(void)snprintf(link, sizeof(link), format, number);
	if ((n = readlink(link, path, sizeof(path) - 1)) < 0)
		return (NULL);
	path[n] = '\0';
	return (memory_string(path));
}

/*
 * Returns the path of the program that runs a command, or NULL: the interpreter
 * of a script, and the file that a link leads to, as the kernel names it.
 */
static char *
program_of_command(const char *name)
{
	char *path = command_find(name), *real;
	char interpreter[PATH_MAX];
	unsigned i;
	int fd;

	for (i = 0; path != NULL && i < SCRIPTS_MAX &&
	    script_interpreter(path, interpreter); i++) {
		free(path);
		path = memory_string(interpreter);
	}
	if (path == NULL || (fd = regular_find(path)) == -1)
		return (path);
	real = path_of_link("/proc/self/fd/%jd", fd);
	(void)close(fd);
	if (real == NULL)
		return (path);
	free(path);
	return (real);
}

static void
open_source(struct types_source *one)
{
	char *path = NULL;

	one->opened = true;
	if (one->object != NULL)
		one->dwfl = dwarf_open_object(one->object);
	else if (one->command == NULL) {
		path = path_of_link("/proc/%jd/exe", one->pid);
		one->dwfl = dwarf_open_process(one->pid);
	} else if ((path =
	    program_of_command(one->command[0])) != NULL)
		one->dwfl = dwarf_open_program(path);
	if (one->dwfl != NULL)
		one->modules = dwarf_modules(one->dwfl, path);
	free(path);
}

static struct dwarf_module *
modules(struct types_source *one)
{
	if (!one->opened)
		open_source(one);
	return (one->modules);
}

static struct types_source *
add(void)
{
	struct types_source **last = &sources;

	while (*last != NULL)
		last = &(*last)->next;
	*last = memory_get(NULL, 1, sizeof(**last));
	**last = (struct types_source){ .pid = 0 };
	return (*last);
}

/* --- answers -------------------------------------------------------------- */

static uint64_t
find(const char *module, unsigned kind, const char *name)
{
	const struct dwarf_name *found;
	struct types_source *one;
	struct dwarf_module *m;

	for (one = sources; one != NULL; one = one->next)
		for (m = modules(one); m != NULL; m = m->next) {
			if (module != NULL && !dwarf_module_is(m, module))
				continue;
			found = dwarf_name_find(m, kind, name, NULL);
			if (found != NULL)
				return (dwarf_type_id(&types, m, &found->die,
				    0));
		}
	return (0);
}

static uint64_t
type_in(struct dwarf_module *m, enum types_question question,
    const char *function, const char *name)
{
	switch (question) {
	case TYPES_ARGUMENT:
		return (dwarf_argument(&types, m, function, name));
	case TYPES_PARAMETER:
		return (dwarf_parameter(&types, m, function, name));
	default:
		return (dwarf_result(&types, m, function));
	}
}

/* Answers a question for the type of an argument. */
static uint64_t
argument(enum types_question question, struct parcel *p)
{
	const char *module = parcel_take_text(p);
	const char *function = parcel_take_text(p);
	const char *name = parcel_take_text(p);
	struct types_source *one;
	struct dwarf_module *m;
	uint64_t id;

	for (one = sources; one != NULL; one = one->next)
		for (m = modules(one); m != NULL; m = m->next)
			if (dwarf_module_is(m, module) && (id =
			    type_in(m, question, function, name)) != 0)
				return (id);
	return (0);
}

static void
put_place(struct parcel *p, struct parcel *to)
{
	const char *module = parcel_take_text(p);
	const char *function = parcel_take_text(p);
	const char *name = parcel_take_text(p);
	uint64_t word = parcel_take(p), shift = 0, id = 0;
	struct types_source *one;
	struct dwarf_module *m;

	for (one = sources; one != NULL && id == 0; one = one->next)
		for (m = modules(one); m != NULL && id == 0; m = m->next)
			if (dwarf_module_is(m, module))
				id = dwarf_place(&types, m, function, name,
				    &word, &shift);
	parcel_put(to, id);
	parcel_put(to, word);
	parcel_put(to, shift);
}

static void
put_member(struct parcel *p, const struct d_import_member *member)
{
	parcel_put_text(p, member->name);
	parcel_put(p, member->type);
	parcel_put(p, member->offset);
	parcel_put(p, member->bit);
	parcel_put(p, member->bits);
	parcel_put(p, (uint64_t)member->value);
}

static void
put_type(struct parcel *p, uint64_t id)
{
	struct d_import type;
	size_t i;

	memset(&type, 0, sizeof(type));
	if (!dwarf_type_read(&types, id, &type))
		return;
	parcel_put(p, type.kind);
	parcel_put(p, type.is_signed);
	parcel_put(p, type.is_character);
	parcel_put_text(p, type.name);
	parcel_put(p, type.size);
	parcel_put(p, type.of);
	parcel_put(p, type.count);
	for (i = 0; i < type.nmembers; i++)
		put_member(p, &type.members[i]);
}

static bool
is_tag(unsigned kind)
{
	return (kind == D_IMPORT_STRUCT || kind == D_IMPORT_UNION ||
	    kind == D_IMPORT_ENUM);
}

/* Appends the names of typedefs, or all tags. */
static void
put_names(struct parcel *p, bool typedefs)
{
	const struct dwarf_module *m;
	struct types_source *one;
	size_t i;

	for (one = sources; one != NULL; one = one->next)
		for (m = modules(one); m != NULL; m = m->next)
			for (i = 0; i < m->count; i++)
				if (typedefs ? m->names[i].kind ==
				    D_IMPORT_TYPEDEF :
				    is_tag(m->names[i].kind))
					parcel_put_text(p, m->names[i].name);
}

static void
put_site(struct parcel *p, const struct tbuf_probe_info *site)
{
	unsigned i;

	parcel_put_text(p, site->provider);
	parcel_put_text(p, site->module);
	parcel_put_text(p, site->function);
	parcel_put_text(p, site->name);
	parcel_put(p, site->nargs);
	for (i = 0; i < site->nargs; i++) {
		parcel_put(p, site->types[i]);
		parcel_put_text(p, site->argnames[i]);
	}
}

static void
put_sites(struct parcel *p)
{
	struct sites sites = { .count = 0 };
	const struct dwarf_module *m;
	struct types_source *one;
	size_t i;

	for (one = sources; one != NULL; one = one->next)
		for (m = one->command == NULL ? NULL : modules(one);
		    m != NULL; m = m->next)
			sites_read(&sites, m);
	for (i = 0; i < sites.count; i++)
		put_site(p, &sites.all[i]);
	sites_free(&sites);
}

/* --- objects that a command may load -------------------------------------- */

/* The modules of descriptions, as globs. */
struct loading {
	struct types_source *command;
	struct words modules;
	struct object_files *found;
	const char *module;		/* that is searched for */
};

static void
put_list(struct parcel *p, const struct words *list, size_t fields)
{
	size_t i;

	parcel_put(p, list->count / fields);
	for (i = 0; i < list->count; i++)
		parcel_put_text(p, list->all[i]);
}

static bool
has_name(const char *module, const char *file, bool is_program)
{
	char *name = description_module(module, file, is_program);

	free(name);
	return (name != NULL);
}

static bool
is_wanted(void *loading, const char *file)
{
	const struct loading *l = loading;
	size_t i;

	for (i = 0; i < l->modules.count; i++)
		if (has_name(l->modules.all[i], file, false))
			return (true);
	return (false);
}

static bool
is_module(void *loading, const char *file)
{
	const struct loading *l = loading;

	return (has_name(l->module, file, false));
}

static bool
look_in(void *loading, const char *folder)
{
	const struct loading *l = loading;

	return (object_files_folder(l->found, folder, is_module, loading));
}

/* Returns true if the command has the module from its start. */
static bool
is_linked(const struct loading *l)
{
	const struct dwarf_module *m;

	for (m = l->command->modules; m != NULL; m = m->next)
		if (has_name(l->module, m->name, m->is_program))
			return (true);
	return (false);
}

/* Returns true if one of the first files is the module. */
static bool
is_found(const struct loading *l, size_t count)
{
	const char *path;
	size_t i;

	for (i = 0; i < count; i++) {
		path = l->found->paths.all[i];
		if (has_name(l->module, basename(path), false))
			return (true);
	}
	return (false);
}

/* Adds a file if a word is its path. */
static bool
look_at_word(struct loading *l, const char *word)
{
	const char *slash = strrchr(word, '/');

	return (slash != NULL && is_module(l, slash + 1) &&
	    object_files_add(l->found, word) == NULL);
}

/* Adds files whose paths are words of the command, or are preloaded. */
static bool
look_at_words(struct loading *l)
{
	const char *preloaded = getenv("LD_PRELOAD");
	char *copy = memory_string(preloaded == NULL ? "" : preloaded);
	char *const *word = l->command->command, *rest = copy, *one;
	bool found = false;

	while ((one = strsep(&rest, " :")) != NULL)
		found |= look_at_word(l, one);
	for (; *word != NULL; word++)
		found |= look_at_word(l, *word);
	free(copy);
	return (found);
}

/* Searches the folders in which dlopen(3) searches. */
static bool
look_in_folders(struct loading *l)
{
	const struct dwarf_module *m;
	const char *path;
	GElf_Addr bias;
	Elf *elf;

	for (m = l->command->modules; m != NULL; m = m->next) {
		path = NULL;
		(void)dwfl_module_info(m->module, NULL, NULL, NULL, NULL,
		    NULL, &path, NULL);
		elf = dwfl_module_getelf(m->module, &bias);
		if (path != NULL && elf != NULL && (m->is_program ?
		    needed_folders : needed_run_path)(elf, path, look_in, l))
			return (true);
	}
	return (false);
}

/* Adds files that the user has named. */
static void
look_at_files(struct loading *l, struct words *useless)
{
	const struct words *files = l->command->files;
	const char *file, *why, *slash;
	struct stat st;
	size_t i;

	for (i = 0; files != NULL && i < files->count; i++) {
		file = files->all[i];
		slash = strrchr(file, '/');
		why = NULL;
		if (stat(file, &st) == 0 && S_ISDIR(st.st_mode)) {
			if (!object_files_folder(l->found, file, is_wanted, l))
				why = "no description names a library in it";
		} else if (!is_wanted(l, slash == NULL ? file : slash + 1))
			why = "no description names it";
		else
			why = object_files_add(l->found, file);
		if (why != NULL) {
			words_add(useless, "%s", file);
			words_add(useless, "%s", why);
		}
	}
}

/* Gets the modules of descriptions, each once. */
static void
find_modules(const char *wanted, struct words *to)
{
	char *copy = memory_string(wanted), *rest = copy, *one, *end;

	while ((one = strsep(&rest, ",")) != NULL) {
		if ((one = strchr(one, ':')) == NULL ||
		    (end = strchr(++one, ':')) == NULL)
			continue;
		*end = '\0';
		if (!words_have(to, one))
			words_add(to, "%s", one);
	}
	free(copy);
}

/*
 * Adds the objects of a command that it is not linked with.  A glob names only
 * files that the user has named, too: it matches many others.
 */
static void
add_objects(struct types_source *command, const char *wanted,
    struct words *useless, struct words *unknown)
{
	struct object_files found = { .paths = { NULL, 0 } };
	struct loading l = { .command = command, .found = &found };
	size_t i, named;

	(void)modules(command);
	find_modules(wanted, &l.modules);
	look_at_files(&l, useless);
	named = found.paths.count;
	for (i = 0; i < l.modules.count; i++) {
		l.module = l.modules.all[i];
		if (*l.module != '\0' && strpbrk(l.module, "*?[\\/") == NULL &&
		    strcmp(l.module, "a.out") != 0 && !is_linked(&l) &&
		    !is_found(&l, named) && !look_at_words(&l) &&
		    !look_in_folders(&l))
			words_add(unknown, "%s", l.module);
	}
	for (i = 0; i < found.paths.count; i++)
		add()->object = memory_string(found.paths.all[i]);
	words_free(&found.paths);
	words_free(&l.modules);
}

/* Returns true if the user has named an object's file. */
static bool
is_named(const char *path)
{
	const struct types_source *one;

	for (one = sources; one != NULL; one = one->next)
		if (one->files != NULL && words_have(one->files, path))
			return (true);
	return (false);
}

static void
add_functions(struct function_answer *answer, struct words *useless,
    struct words *unknown)
{
	struct types_source *one, *end;
	struct dwarf_module *m;
	size_t before;

	/* Objects are added at the end. */
	for (end = sources; end != NULL && end->next != NULL;)
		end = end->next;
	for (one = sources; one != NULL; one = one->next) {
		if (one->command != NULL)
			add_objects(one, answer->wanted, useless, unknown);
		if (one == end)
			break;
	}
	for (one = sources; one != NULL; one = one->next) {
		before = answer->nmodules;
		for (m = one->command == NULL && one->object == NULL ? NULL :
		    modules(one); m != NULL; m = m->next)
			function_types_add(answer, m);
		if (answer->nmodules == before && one->object != NULL &&
		    is_named(one->object)) {
			words_add(useless, "%s", one->object);
			words_add(useless, "%s", "it has no debug information "
			    "of functions that are wanted");
		}
	}
}

static void
put_functions(struct parcel *p, const char *wanted, const char *provider)
{
	struct function_answer answer = { .wanted = wanted,
	    .provider = provider };
	struct words useless = { NULL, 0 }, unknown = { NULL, 0 };
	size_t i;

	add_functions(&answer, &useless, &unknown);
	parcel_put_text(p, answer.table);
	function_types_put_lacks(&answer, p);
	put_list(p, &useless, 2);
	put_list(p, &unknown, 1);
	words_free(&useless);
	words_free(&unknown);
	for (i = 0; i < answer.sites.count; i++)
		put_site(p, &answer.sites.all[i]);
	sites_free(&answer.sites);
	free(answer.table);
}

/* Answers a question.  Its values are taken in the order they were put. */
static void
answer(struct parcel *question, struct parcel *to)
{
	enum types_question asked = (enum types_question)parcel_take(question);
	const char *module, *text;
	uint64_t kind;

	switch (asked) {
	case TYPES_ADD:
		add()->pid = (pid_t)parcel_take(question);
		break;
	case TYPES_FIND:
		module = parcel_take_text(question);
		kind = parcel_take(question);
		parcel_put(to, find(module, (unsigned)kind,
		    parcel_take_text(question)));
		break;
	case TYPES_ARGUMENT:
	case TYPES_PARAMETER:
	case TYPES_RESULT:
		parcel_put(to, argument(asked, question));
		break;
	case TYPES_PLACE:
		put_place(question, to);
		break;
	case TYPES_FUNCTIONS:
		text = parcel_take_text(question);
		put_functions(to, text, parcel_take_text(question));
		break;
	case TYPES_READ:
		put_type(to, parcel_take(question));
		break;
	case TYPES_NAMES:
		put_names(to, parcel_take(question) != 0);
		break;
	case TYPES_SAME:
		kind = parcel_take(question);
		parcel_put(to, dwarf_same(&types, kind,
		    parcel_take(question)));
		break;
	case TYPES_SITES:
		put_sites(to);
	}
}

void
types_answer(struct types_source *first, int fd)
{
	sources = first;
	if (first != NULL && first->next == NULL && first->command == NULL)
		reader_become(first->pid);
	else
		reader_lower();
	parcels_answer(fd, SECONDS, answer);
}
