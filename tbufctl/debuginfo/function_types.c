/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/stat.h>

#include <elfutils/libdwfl.h>

#include <fnmatch.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/description_field.h"
#include "base/messages.h"
#include "dwarf_function.h"
#include "function_types.h"
#include "functions.h"
#include "pid/name.h"
#include "pid/types.h"

#define FIELDS		4
#define FUNCTIONS_MAX	100000u

void
function_types_free(struct function_types *t)
{
	size_t i;

	for (i = 0; i < t->nlacks; i++) {
		free(t->lacks[i].function);
		free(t->lacks[i].name);
		free(t->lacks[i].why);
	}
	free(t->lacks);
	free(t->table);
	words_free(&t->unknown);
}

/* ------------------------------------------------------------ one module */

/* A description that the module matches. */
struct wish {
	char *module;			/* its name in the description */
	char *function, *probe;		/* globs */
};

/* Symbols are sorted by address, the best name of a function first. */
struct symbol {
	uint64_t address;
	const char *name;
};

struct visiting {
	struct function_answer *answer;
	struct wish *wishes;
	size_t nwishes;
	struct symbol *symbols;		/* wanted ones */
	size_t nsymbols, room;
	char id[PID_ID];		/* of the module */
	const char *file;
	FILE *table;			/* NULL before the first function */
	size_t table_size;
};

static bool
matches(const char *glob, const char *name)
{
	return (*glob == '\0' || fnmatch(glob, name, 0) == 0);
}

/* Splits "provider:module:function:name"; the function may have colons. */
static bool
split(char *description, char *fields[FIELDS])
{
	char *last = strrchr(description, ':');
	unsigned i;

	if (last == NULL)
		return (false);
	*last = '\0';
	for (i = 0; i < FIELDS - 1; i++) {
		fields[i] = description;
		if (i == FIELDS - 2)
			break;
		if ((description = strchr(description, ':')) == NULL)
			return (false);
		*description++ = '\0';
	}
	fields[FIELDS - 1] = last + 1;
	return (true);
}

static void
look_at(struct visiting *v, const char *file, bool is_program,
    char *description)
{
	char *fields[FIELDS], *module;

	if (!split(description, fields) || (module =
	    description_module(fields[1], file, is_program)) == NULL)
		return;
	v->wishes = memory_get(v->wishes, v->nwishes + 1, sizeof(*v->wishes));
	v->wishes[v->nwishes++] = (struct wish){ module, fields[2],
	    fields[3] };
}

static bool
is_wanted(const struct visiting *v, const char *name)
{
	char scoped[PID_SCOPED];
	size_t i;

	for (i = 0; i < v->nwishes; i++)
		if (pid_name_match(v->wishes[i].function, name, scoped) !=
		    NULL)
			return (true);
	return (false);
}

static int
compare_symbols(const void *a, const void *b)
{
	const struct symbol *one = a, *other = b;

	if (one->address != other->address)
		return (one->address < other->address ? -1 : 1);
	return (module_better(other->name, one->name) -
	    module_better(one->name, other->name));
}

static void
find_symbols(struct visiting *v, const struct dwarf_module *m)
{
	int i, n = dwarf_symbols(m);
	uint64_t address;
	const char *name;

	for (i = 0; i < n; i++) {
		name = dwarf_symbol_get(m, i, &address, NULL);
		if (name == NULL || !is_wanted(v, name))
			continue;
		if (v->nsymbols == v->room) {
			v->room = 2 * v->room + 64;
			v->symbols = memory_get(v->symbols, v->room,
			    sizeof(*v->symbols));
		}
		v->symbols[v->nsymbols++] = (struct symbol){ address, name };
	}
	if (v->nsymbols > 0)
		qsort(v->symbols, v->nsymbols, sizeof(*v->symbols),
		    compare_symbols);
}

/* Returns the first symbol at an address, or after it. */
static const struct symbol *
first_symbol(const struct visiting *v, uint64_t address)
{
	size_t low = 0, high = v->nsymbols, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (v->symbols[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return (v->symbols + low);
}

static bool
wants(void *visiting, uint64_t address, const char *name)
{
	const struct visiting *v = visiting;
	const struct symbol *s = first_symbol(v, address);

	return ((s < v->symbols + v->nsymbols && s->address == address) ||
	    is_wanted(v, name));
}

/* Finds the names by which a wish calls a probe, as the provider will. */
static bool
find_names(const struct visiting *v, const struct wish *wish,
    const struct dwarf_function *f, struct tbuf_probe_info *names,
    char scoped[PID_SCOPED])
{
	const struct symbol *s = first_symbol(v, f->address);

	names->module = wish->module;
	names->function = NULL;
	for (; s < v->symbols + v->nsymbols && s->address == f->address &&
	    names->function == NULL; s++)
		names->function = pid_name_match(wish->function, s->name,
		    scoped);
	if (names->function == NULL)
		names->function = pid_name_match(wish->function, f->name,
		    scoped);
	return (names->function != NULL);
}

/* Returns true if a wish matches a probe that was added at `from` or later. */
static bool
is_added(const struct visiting *v, const struct wish *wish, const char *name,
    size_t from)
{
	const struct sites *sites = &v->answer->sites;
	const struct tbuf_probe_info *one;

	for (; from < sites->count; from++) {
		one = &sites->all[from];
		if (strcmp(one->module, wish->module) == 0 &&
		    strcmp(one->name, name) == 0 &&
		    matches(wish->function, one->function))
			return (true);
	}
	return (false);
}

/* ------------------------------------------------------------ one function */

static void
add_argument(struct tbuf_probe_info *to, const char *name, unsigned type)
{
	char place[16];

	(void)snprintf(place, sizeof(place), "arg%u", to->nargs);
	to->types[to->nargs] = (uint8_t)type;
	to->argnames[to->nargs++] = memory_string(*name == '\0' ? place :
	    name);
}

/* Returns NULL if the wish has no such probe, or one from `from` on. */
static struct tbuf_probe_info *
add_probe(struct visiting *v, const struct wish *wish,
    const struct dwarf_function *f, const char *name, size_t from)
{
	struct tbuf_probe_info *to, names;
	char scoped[PID_SCOPED];

	if (!matches(wish->probe, name) || is_added(v, wish, name, from) ||
	    !find_names(v, wish, f, &names, scoped))
		return (NULL);
	to = sites_add(&v->answer->sites);
	*to = (struct tbuf_probe_info){
		.provider = memory_string(v->answer->provider),
		.module = memory_string(names.module),
		.function = memory_string(names.function),
		.name = memory_string(name)
	};
	return (to);
}

static void
add_lacks(struct function_answer *answer, const struct dwarf_function *f,
    const char *name)
{
	unsigned i;

	answer->nlacks += f->nlacks;
	for (i = 0; i < f->nlacks; i++) {
		parcel_put_text(&answer->lacks, name);
		parcel_put_text(&answer->lacks, f->lacks[i].name);
		parcel_put_text(&answer->lacks, f->lacks[i].why);
	}
}

void
function_types_put_lacks(struct function_answer *answer, struct parcel *to)
{
	struct parcel *lacks = &answer->lacks;
	size_t i;

	parcel_put(to, answer->nlacks);
	for (i = 0; i < 3 * answer->nlacks; i++)
		parcel_put_text(to, parcel_take_text(lacks));
	parcel_free(lacks);
}

/* Begins the lines of the module at its first function. */
static bool
begin_table(struct visiting *v)
{
	char *old = v->answer->table;

	if (v->table != NULL)
		return (true);
	v->table = open_memstream(&v->answer->table, &v->table_size);
	if (v->table == NULL)
		return (false);
	if (old != NULL)
		fputs(old, v->table);
	free(old);
	fprintf(v->table, PID_OBJECT "%s %s\n", v->id, v->file);
	v->answer->nmodules++;
	return (true);
}

static void
add_probes(struct visiting *v, const struct wish *wish,
    const struct dwarf_function *f, size_t from)
{
	struct tbuf_probe_info *to;
	unsigned i;

	if ((to = add_probe(v, wish, f, "entry", from)) != NULL) {
		for (i = 0; i < f->nwords; i++)
			add_argument(to, f->words[i].name, f->words[i].type);
		add_lacks(v->answer, f, to->function);
	}
	if ((to = add_probe(v, wish, f, "return", from)) != NULL) {
		add_argument(to, "", TBUF_UINT64);
		add_argument(to, "", f->result);
	}
}

static void
put_argument(FILE *table, const struct dwarf_word *one)
{

	fprintf(table, " %u", one->type);
	if (one->vector != 0)
		fprintf(table, "%c%u", (one->vector & PID_UPPER) != 0 ? 'u' :
		    'v', one->vector % PID_VECTORS);
	fprintf(table, " %s", *one->name == '\0' ? "-" : one->name);
}

static void
add_function(void *visiting, const struct dwarf_function *f)
{
	struct visiting *v = visiting;
	size_t from = v->answer->sites.count;
	unsigned i;

	if (from >= FUNCTIONS_MAX || !begin_table(v))
		return;
	fprintf(v->table, "%jx %u", (uintmax_t)f->address, f->result);
	for (i = 0; i < f->nwords; i++)
		put_argument(v->table, &f->words[i]);
	fprintf(v->table, "\n");
	for (i = 0; i < v->nwishes; i++)
		add_probes(v, &v->wishes[i], f, from);
}

/* ------------------------------------------------------------ all */

/* Returns the size of a file's segments in memory. */
static uint64_t
memory_size(Elf *elf)
{
	uint64_t low = UINT64_MAX, high = 0;
	GElf_Phdr part;
	size_t i, n;

	if (elf_getphdrnum(elf, &n) != 0)
		return (0);
	for (i = 0; i < n && gelf_getphdr(elf, (int)i, &part) != NULL; i++) {
		if (part.p_type != PT_LOAD)
			continue;
		low = part.p_vaddr < low ? part.p_vaddr : low;
		if (part.p_vaddr + part.p_memsz > high)
			high = part.p_vaddr + part.p_memsz;
	}
	return (high - low);
}

/* Gets the ID by which the provider knows the module's file. */
static bool
identify(const struct dwarf_module *m, const char *path, char id[PID_ID])
{
	const unsigned char *bytes;
	GElf_Addr unused;
	struct stat st;
	Elf *elf;
	int size;

	if ((elf = dwfl_module_getelf(m->module, &unused)) == NULL)
		return (false);
	size = dwfl_module_build_id(m->module, &bytes, &unused);
	if (size > 0 && size <= (int)PID_BUILD_ID)
		pid_id_of_build(id, bytes, (size_t)size, memory_size(elf));
	else if (stat(path, &st) == 0)
		pid_id_of_file(id, &st);
	else
		return (false);
	return (true);
}

static void
visit(struct visiting *v, struct dwarf_module *m)
{
	const char *path = NULL;

	(void)dwfl_module_info(m->module, NULL, NULL, NULL, NULL, NULL, &path,
	    NULL);
	if (path == NULL || !identify(m, path, v->id) ||
	    strchr(m->name, '\n') != NULL)
		return;
	v->file = m->name;
	find_symbols(v, m);
	dwarf_functions(m, wants, add_function, v);
	free(v->symbols);
	if (v->table != NULL)
		fclose(v->table);
}

void
function_types_add(struct function_answer *answer, struct dwarf_module *m)
{
	char *copy = memory_string(answer->wanted), *rest = copy, *one;
	struct visiting v = { .answer = answer };
	size_t i;

	while ((one = strsep(&rest, ",")) != NULL)
		look_at(&v, m->name, m->is_program, one);
	if (v.nwishes > 0)
		visit(&v, m);
	for (i = 0; i < v.nwishes; i++)
		free(v.wishes[i].module);
	free(v.wishes);
	free(copy);
}
