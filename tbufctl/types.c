/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf.h"
#include "messages.h"
#include "types.h"
#include "words.h"

#define SOURCES_MAX	64	/* processes that are looked into */

struct types_source {
	struct types_source *next;
	pid_t pid;
	const char *command;		/* NULL: a process */
	bool opened;
	Dwfl *dwfl;
	struct dwarf_module *modules;
};

static struct types_source *
add(struct types *t)
{
	struct types_source *one = memory_get(NULL, 1, sizeof(*one));

	*one = (struct types_source){ .next = NULL };
	if (t->last == NULL)
		t->last = &t->first;
	*t->last = one;
	t->last = &one->next;
	return (one);
}

void
types_add_process(struct types *t, pid_t pid)
{
	const struct types_source *one;
	unsigned n = 0;

	for (one = t->first; one != NULL; one = one->next, n++)
		if (one->pid == pid)
			return;
	if (n < SOURCES_MAX)
		add(t)->pid = pid;
}

void
types_add_command(struct types *t, const char *name)
{

	add(t)->command = name;
}

/* --- opening -------------------------------------------------------------- */

/* Where the shell would find it; to be freed, or NULL. */
static char *
command_path(const char *name)
{
	struct words list = { NULL, 0 };
	const char *path = getenv("PATH"), *end;
	char *found = NULL;

	if (strchr(name, '/') != NULL)
		return (memory_string(name));
	for (path = path == NULL ? "/bin:/usr/bin" : path; found == NULL;
	    path = end + 1) {
		end = strchrnul(path, ':');
		words_add(&list, "%.*s%s%s", (int)(end - path), path,
		    end == path ? "" : "/", name);
		if (access(list.all[list.count - 1], X_OK) == 0)
			found = memory_string(list.all[list.count - 1]);
		if (*end == '\0')
			break;
	}
	words_free(&list);
	return (found);
}

static void
open_source(struct types_source *one)
{
	char *path;

	one->opened = true;
	if (one->command == NULL)
		one->dwfl = dwarf_open_process(one->pid);
	else if ((path = command_path(one->command)) != NULL) {
		one->dwfl = dwarf_open_program(path);
		free(path);
	}
	if (one->dwfl != NULL)
		one->modules = dwarf_modules(one->dwfl);
}

static struct dwarf_module *
modules(struct types *t, struct types_source *one)
{

	if (t->dwarf == NULL) {
		t->dwarf = memory_get(NULL, 1, sizeof(*t->dwarf));
		memset(t->dwarf, 0, sizeof(*t->dwarf));
	}
	if (!one->opened)
		open_source(one);
	return (one->modules);
}

void
types_free(struct types *t)
{
	struct types_source *one, *next;

	for (one = t->first; one != NULL; one = next) {
		next = one->next;
		dwarf_modules_free(one->modules);
		dwfl_end(one->dwfl);
		free(one);
	}
	if (t->dwarf != NULL)
		dwarf_types_free(t->dwarf);
	free(t->dwarf);
}

/* --- asking --------------------------------------------------------------- */

uint64_t
types_find(struct types *t, const char *module, enum d_import_kind kind,
    const char *name)
{
	const struct dwarf_name *found;
	struct types_source *one;
	struct dwarf_module *m;

	for (one = t->first; one != NULL; one = one->next)
		for (m = modules(t, one); m != NULL; m = m->next) {
			if (module != NULL && !dwarf_module_is(m, module))
				continue;
			found = dwarf_name_find(m, kind, name, NULL);
			if (found != NULL)
				return (dwarf_type_id(t->dwarf, m,
				    &found->die, 0));
		}
	return (0);
}

uint64_t
types_argument(struct types *t, const char *module, const char *function,
    const char *name)
{
	struct types_source *one;
	struct dwarf_module *m;
	uint64_t id;

	for (one = t->first; one != NULL; one = one->next)
		for (m = modules(t, one); m != NULL; m = m->next)
			if (dwarf_module_is(m, module) &&
			    (id = dwarf_argument(t->dwarf, m, function,
			    name)) != 0)
				return (id);
	return (0);
}

void
types_sites(struct types *t, struct sites *sites)
{
	const struct dwarf_module *m;
	struct types_source *one;

	for (one = t->first; one != NULL; one = one->next)
		for (m = one->command == NULL ? NULL : modules(t, one);
		    m != NULL; m = m->next)
			sites_read(sites, m);
}

void
types_tags(struct types *t, void (*visit)(void *, const char *name),
    void *arg)
{
	const struct dwarf_module *m;
	struct types_source *one;
	size_t i;

	for (one = t->first; one != NULL; one = one->next)
		for (m = modules(t, one); m != NULL; m = m->next)
			for (i = 0; i < m->count; i++)
				if (m->names[i].kind == D_IMPORT_STRUCT ||
				    m->names[i].kind == D_IMPORT_UNION ||
				    m->names[i].kind == D_IMPORT_ENUM)
					visit(arg, m->names[i].name);
}

bool
types_read(struct types *t, uint64_t id, struct d_import *to)
{

	return (t->dwarf != NULL && dwarf_type_read(t->dwarf, id, to));
}
