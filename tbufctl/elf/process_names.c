/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
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
#include "base/open_regular.h"
#include "base/string_list.h"
#include "pid_functions.h"
#include "process_names.h"

#define LINES_MAX	65536u	/* of the list of mappings */
#define OBJECTS_MAX	4096u	/* of one process */
#define LIST_MAX	(256u << 10)	/* bytes; more than the library takes */

enum { PROVIDER, MODULE, FUNCTION, NAME, FIELDS };

/*
 * How a description matches a probe: not at all, by another name so that it is
 * to be described, or as it is.
 */
enum match { MATCH_NONE, MATCH_OTHER, MATCH_ITSELF };

struct process_probe {
	const struct tbuf_probe_info *info;
	pid_t pid;
	enum match match;	/* of the present description */
};

/* A name of a function, which is a number in its file. */
struct function_name {
	char *name;
	size_t function;
};

/* The symbols of a file, by name. */
struct process_symbols {
	struct process_symbols *next;
	char *path;
	uint64_t inode;
	struct function_name *all;
	size_t count, room;
	uint64_t last;		/* address of the last function */
	size_t nfunctions;
	bool *wanted;		/* by function; NULL: not looked at yet */
};

/* A file of a process's code. */
struct process_object {
	pid_t pid;
	char *path;
	const char *file;		/* its base name */
	bool is_program;
	uint64_t start, end, inode;	/* of a mapping */
	struct process_symbols *symbols;	/* NULL: not read */
};

/* ------------------------------------------------------------ symbols */

static void
add_name(struct process_symbols *s, const char *name)
{
	if (*name == '\0')
		return;
	if (s->count == s->room) {
		s->room = s->room == 0 ? 256 : 2 * s->room;
		s->all = memory_get(s->all, s->room, sizeof(*s->all));
	}
	s->all[s->count++] = (struct function_name){ memory_string(name),
	    s->nfunctions - 1 };
}

/* The names of one function come together. */
static void
add_symbol(void *symbols, uint64_t address, const char *name,
    const char *scoped)
{
	struct process_symbols *s = symbols;

	if (s->nfunctions == 0 || address != s->last)
		s->nfunctions++;
	s->last = address;
	add_name(s, name);
	add_name(s, scoped);
}

static int
by_name(const void *a, const void *b)
{
	const struct function_name *one = a, *other = b;

	return (strcmp(one->name, other->name));
}

/*
 * Finds the mapped file itself where the kernel allows it, else the file at its
 * path, as the process sees it.
 */
static int
find_file(const struct process_object *o)
{
	char *path = string_format("/proc/%jd/map_files/%" PRIx64 "-%" PRIx64,
	    (intmax_t)o->pid, o->start, o->end);
	int fd = regular_find(path);

	free(path);
	if (fd != -1)
		return (fd);
	path = string_format("/proc/%jd/root%s", (intmax_t)o->pid, o->path);
	fd = regular_find(path);
	free(path);
	return (fd);
}

/* Reads the symbols of an object's file, unless they have been read. */
static struct process_symbols *
read_symbols(struct process_names *n, struct process_object *o)
{
	struct process_symbols *s = o->symbols;
	const char *why;
	int fd;

	if (s != NULL)
		return (s);
	for (s = n->symbols; s != NULL; s = s->next)
		if (s->inode == o->inode && strcmp(s->path, o->path) == 0)
			return (o->symbols = s);
	s = memory_get(NULL, 1, sizeof(*s));
	*s = (struct process_symbols){ .next = n->symbols,
	    .path = memory_string(o->path), .inode = o->inode };
	n->symbols = o->symbols = s;
	if ((fd = regular_open(find_file(o), o->inode, &why)) == -1)
		return (s);
	pid_names_visit(fd, add_symbol, s);
	(void)close(fd);
	if (s->count > 0)
		qsort(s->all, s->count, sizeof(*s->all), by_name);
	return (s);
}

static bool
field_matches(const char *glob, const char *field)
{
	return (*glob == '\0' || fnmatch(glob, field, 0) == 0);
}

/* Sets the functions that a description calls by any name. */
static void
want(struct process_symbols *s, const char *glob)
{
	size_t i;

	s->wanted = memory_get(NULL, s->nfunctions + 1, sizeof(*s->wanted));
	memset(s->wanted, 0, (s->nfunctions + 1) * sizeof(*s->wanted));
	for (i = 0; i < s->count; i++)
		if (field_matches(glob, s->all[i].name))
			s->wanted[s->all[i].function] = true;
}

/* Returns the first entry of a name, or the number of all. */
static size_t
first_of(const struct process_symbols *s, const char *name)
{
	size_t low = 0, high = s->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(s->all[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (low);
}

/* Functions of one scoped name are one probe, which any of them matches. */
static bool
is_wanted(struct process_symbols *s, const char *glob, const char *function)
{
	size_t i;

	if (s->wanted == NULL)
		want(s, glob);
	for (i = first_of(s, function); i < s->count &&
	    strcmp(s->all[i].name, function) == 0; i++)
		if (s->wanted[s->all[i].function])
			return (true);
	return (false);
}

/* ------------------------------------------------------------ objects */

static void
add_object(struct process_names *n, struct process_object *o,
    const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t length = strlen(path), cut = strlen(deleted), i;

	if (length > cut && strcmp(path + length - cut, deleted) == 0)
		length -= cut;
	o->path = string_format("%.*s", (int)length, path);
	for (i = n->nobjects; i-- > 0 && n->objects[i].pid == o->pid;)
		if (n->objects[i].inode == o->inode &&
		    strcmp(n->objects[i].path, o->path) == 0) {
			free(o->path);
			return;
		}
	o->file = strrchr(o->path, '/') + 1;
	n->objects = memory_get(n->objects, n->nobjects + 1,
	    sizeof(*n->objects));
	n->objects[n->nobjects++] = *o;
}

static void
read_mappings(struct process_names *n, pid_t pid, FILE *f,
    const char *program)
{
	struct process_object o = { .pid = pid };
	char access[5], path[PATH_MAX], *line = NULL;
	size_t size = 0, first = n->nobjects;
	unsigned lines = 0;

	while (lines++ < LINES_MAX && n->nobjects - first < OBJECTS_MAX &&
	    getline(&line, &size, f) > 0) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*s %" SCNu64
		    " %4095[^\n]", &o.start, &o.end, access, &o.inode,
		    path) != 5 || access[2] != 'x' || path[0] != '/')
			continue;
		o.is_program = strcmp(path, program) == 0;
		add_object(n, &o, path);
	}
	free(line);
}

/* Reads the objects of a process: the files of its code. */
static void
read_process(struct process_names *n, pid_t pid)
{
	char link[64], program[PATH_MAX] = "";
	FILE *f;

	(void)snprintf(link, sizeof(link), "/proc/%jd/exe", (intmax_t)pid);
	if (readlink(link, program, sizeof(program) - 1) == -1)
		*program = '\0';
	(void)snprintf(link, sizeof(link), "/proc/%jd/maps", (intmax_t)pid);
	if ((f = fopen(link, "re")) == NULL)
		return;
	read_mappings(n, pid, f, program);
	(void)fclose(f);
}

/* Finds the objects of a process, and reads them once. */
static struct process_objects
find_objects(struct process_names *n, pid_t pid)
{
	size_t i = 0;

	if (n->pid == pid)
		return (n->present);
	n->pid = pid;
	while (i < n->nobjects && n->objects[i].pid != pid)
		i++;
	n->present.first = i;
	if (i == n->nobjects)
		read_process(n, pid);
	while (i < n->nobjects && n->objects[i].pid == pid)
		i++;
	n->present.last = i;
	return (n->present);
}

/* Returns true if a description may call an object by a name. */
static bool
has_name(const struct process_object *o, const char *name)
{
	size_t length = strlen(name);

	return ((o->is_program && strcmp(name, "a.out") == 0) ||
	    (strncmp(o->file, name, length) == 0 &&
	    (o->file[length] == '\0' || o->file[length] == '.')));
}

static bool
module_matches(const char *glob, const char *file, bool is_program)
{
	char *name = description_module(glob, file, is_program);

	free(name);
	return (name != NULL);
}

/* ------------------------------------------------------------ matching */

/*
 * Returns true if one object alone has a probe's module as a name, so that the
 * function is the object's.
 */
static bool
is_alone(const struct process_names *n, struct process_objects objects,
    const char *module)
{
	unsigned found = 0;
	size_t i;

	for (i = objects.first; i < objects.last; i++)
		found += has_name(&n->objects[i], module);
	return (found == 1);
}

/* Returns true if a description matches a probe by other names. */
static bool
is_called(struct process_names *n, const char *const field[FIELDS],
    const struct process_probe *p)
{
	const char *module = p->info->module, *function = p->info->function;
	bool same = field_matches(field[FUNCTION], function);
	struct process_objects objects;
	struct process_object *o;
	size_t i;

	if (same && module_matches(field[MODULE], module, false))
		return (true);
	objects = find_objects(n, p->pid);
	same = same && is_alone(n, objects, module);
	for (i = objects.first; i < objects.last; i++) {
		o = &n->objects[i];
		if (has_name(o, module) && module_matches(field[MODULE],
		    o->file, o->is_program) && (same || is_wanted(
		    read_symbols(n, o), field[FUNCTION], function)))
			return (true);
	}
	return (false);
}

static bool
is_name(const char *wanted, const char *name)
{
	return (field_matches(wanted, name) || (missing_is_offset(wanted) &&
	    missing_is_offset(name) &&
	    strtoull(wanted, NULL, 16) == strtoull(name, NULL, 16)));
}

/* Returns true for a description that matches a probe as it is. */
static bool
is_itself(const char *const field[FIELDS], const struct tbuf_probe_info *probe)
{
	return (field_matches(field[PROVIDER], probe->provider) &&
	    field_matches(field[MODULE], probe->module) &&
	    field_matches(field[FUNCTION], probe->function) &&
	    field_matches(field[NAME], probe->name));
}

static const struct tbuf_probe_info *
eldest_of(const struct tbuf_probe_info *probe)
{
	while (probe->elder != NULL)
		probe = probe->elder;
	return (probe);
}

static int
by_address(const void *a, const void *b)
{
	const struct tbuf_probe_info *const *one = a, *const *other = b;

	return (*one < *other ? -1 : *one > *other);
}

/*
 * Leaves out probes of places of which the description matches another probe as
 * it is: an enabling of the elder would take the place of that one.
 */
static void
leave_places(struct process_names *n)
{
	const struct tbuf_probe_info **places, *eldest;
	size_t count = 0, i;

	places = memory_get(NULL, n->nprobes + 1, sizeof(*places));
	for (i = 0; i < n->nprobes; i++)
		if (n->probes[i].match == MATCH_ITSELF)
			places[count++] = eldest_of(n->probes[i].info);
	qsort(places, count, sizeof(*places), by_address);
	for (i = 0; i < n->nprobes; i++) {
		eldest = eldest_of(n->probes[i].info);
		if (n->probes[i].match == MATCH_OTHER && bsearch(&eldest,
		    places, count, sizeof(*places), by_address) != NULL)
			n->probes[i].match = MATCH_NONE;
	}
	free(places);
}

static void
match(struct process_names *n, const char *const field[FIELDS])
{
	struct process_symbols *s;
	struct process_probe *p;

	for (s = n->symbols; s != NULL; s = s->next) {
		free(s->wanted);
		s->wanted = NULL;
	}
	for (p = n->probes; p < n->probes + n->nprobes; p++)
		if (is_itself(field, p->info))
			p->match = MATCH_ITSELF;
		else
			p->match = field_matches(field[PROVIDER],
			    p->info->provider) && is_name(field[NAME],
			    p->info->name) && is_called(n, field, p) ?
			    MATCH_OTHER : MATCH_NONE;
	leave_places(n);
}

/* ------------------------------------------------------------ descriptions */

/* A description of probes. */
struct described {
	char *field[FIELDS];
	const char *function;	/* the one that it describes; NULL: a glob */
};

/*
 * Returns a pattern for one name, for the caller to free.  A question mark may
 * stand for a character that tbufctl does not print.
 */
static char *
exact(const char *name)
{
	char *text = memory_get(NULL, 2, strlen(name) + 1), *to = text;

	for (; *name != '\0'; name++) {
		if (strchr("*[\\:", *name) != NULL)
			*to++ = '\\';
		*to++ = *name;
	}
	*to = '\0';
	return (text);
}

/*
 * Describes a probe: by the description's own fields where these match, unless
 * `is_exact`.
 */
static void
describe(struct described *d, const char *const field[FIELDS],
    const struct tbuf_probe_info *probe, bool is_exact)
{
	const char *const names[FIELDS] = {
		probe->provider, probe->module, probe->function, probe->name
	};
	bool own;
	unsigned i;

	d->function = probe->function;
	for (i = 0; i < FIELDS; i++) {
		own = i == PROVIDER || (!is_exact && field_matches(field[i],
		    names[i]));
		d->field[i] = own ? memory_string(field[i]) : exact(names[i]);
		if (i == FUNCTION && own)
			d->function = NULL;
	}
}

static void
described_free(struct described *d)
{
	unsigned i;

	for (i = 0; i < FIELDS; i++)
		free(d->field[i]);
}

static bool
is_described(const struct described *d, const struct tbuf_probe_info *probe)
{
	return ((d->function == NULL ||
	    strcmp(d->function, probe->function) == 0) &&
	    is_itself((const char *const *)d->field, probe));
}

/* Returns true if a description matches a probe that is not wanted. */
static bool
is_wide(const struct process_names *n, const struct described *d)
{
	size_t i;

	for (i = 0; i < n->nprobes; i++)
		if (n->probes[i].match == MATCH_NONE &&
		    is_described(d, n->probes[i].info))
			return (true);
	return (false);
}

static void
cover(struct process_names *n, const struct described *d)
{
	size_t i;

	for (i = 0; i < n->nprobes; i++)
		if (n->probes[i].match == MATCH_OTHER &&
		    is_described(d, n->probes[i].info))
			n->probes[i].match = MATCH_ITSELF;
}

static size_t
described_size(const struct described *d)
{
	size_t size = FIELDS;
	unsigned i;

	for (i = 0; i < FIELDS; i++)
		size += strlen(d->field[i]);
	return (size);
}

/* A process may have any number of probes: longer lists are refused later. */
void
process_names_find(struct process_names *n, const char *const field[FIELDS],
    void (*visit)(void *, const char *const field[FIELDS]), void *arg)
{
	struct described d;
	size_t i, size = 0;

	match(n, field);
	for (i = 0; i < n->nprobes && size < LIST_MAX; i++) {
		if (n->probes[i].match != MATCH_OTHER)
			continue;
		describe(&d, field, n->probes[i].info, false);
		if (is_wide(n, &d)) {
			described_free(&d);
			describe(&d, field, n->probes[i].info, true);
		}
		cover(n, &d);
		visit(arg, (const char *const *)d.field);
		size += described_size(&d);
		described_free(&d);
	}
}

void
process_names_add(struct process_names *n, pid_t pid,
    const struct tbuf_probe_info *probe)
{
	if (!missing_is_pid(probe->provider))
		return;
	n->probes = memory_get(n->probes, n->nprobes + 1, sizeof(*n->probes));
	n->probes[n->nprobes++] = (struct process_probe){ .info = probe,
	    .pid = pid };
}

static void
free_symbols(struct process_symbols *s)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		free(s->all[i].name);
	free(s->all);
	free(s->wanted);
	free(s->path);
	free(s);
}

void
process_names_free(struct process_names *n)
{
	struct process_symbols *s;
	size_t i;

	while ((s = n->symbols) != NULL) {
		n->symbols = s->next;
		free_symbols(s);
	}
	for (i = 0; i < n->nobjects; i++)
		free(n->objects[i].path);
	free(n->objects);
	free(n->probes);
	*n = (struct process_names){ .nprobes = 0 };
}
