/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The helper process of types.c, which reads types of programs with libdw.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper_process.h"
#include "base/messages.h"
#include "base/command_path.h"
#include "base/pipe_message.h"
#include "base/string_list.h"
#include "dwarf_function.h"
#include "function_types.h"
#include "probe_sites.h"
#include "types_server.h"

/* Limit of CPU time for all answers, s. */
#define SECONDS		120

static struct types_source *sources;
static struct dwarf_types types;

/* --- opening -------------------------------------------------------------- */

/* Returns the path of a process's program, or NULL. */
static char *
program_of(pid_t pid)
{
	char *link = string_format("/proc/%jd/exe", (intmax_t)pid);
	char path[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	free(link);
	if (n < 0)
		return (NULL);
	path[n] = '\0';
	return (memory_string(path));
}

static void
open_source(struct types_source *one)
{
	char *path = one->command == NULL ? program_of(one->pid) :
	    command_find(one->command);

	one->opened = true;
	if (one->command == NULL)
		one->dwfl = dwarf_open_process(one->pid);
	else if (path != NULL)
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

static void
add(pid_t pid)
{
	struct types_source **last = &sources;

	while (*last != NULL)
		last = &(*last)->next;
	*last = memory_get(NULL, 1, sizeof(**last));
	**last = (struct types_source){ .pid = pid };
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
	uint64_t word = parcel_take(p), id = 0;
	struct types_source *one;
	struct dwarf_module *m;

	for (one = sources; one != NULL && id == 0; one = one->next)
		for (m = modules(one); m != NULL && id == 0; m = m->next)
			if (dwarf_module_is(m, module))
				id = dwarf_place(&types, m, function, name,
				    &word);
	parcel_put(to, id);
	parcel_put(to, word);
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

static void
put_functions(struct parcel *p, const char *wanted, const char *provider)
{
	struct function_answer answer = { .wanted = wanted,
	    .provider = provider };
	struct dwarf_module *m;
	struct types_source *one;
	size_t i;

	for (one = sources; one != NULL; one = one->next)
		for (m = one->command == NULL ? NULL : modules(one);
		    m != NULL; m = m->next)
			function_types_add(&answer, m);
	parcel_put_text(p, answer.table);
	function_types_put_lacks(&answer, p);
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
		add((pid_t)parcel_take(question));
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
