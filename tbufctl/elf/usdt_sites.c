/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sites of USDT probes in the notes of a file, and of the files that are mapped
 * into a process.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/open_regular.h"
#include "base/string_list.h"
#include "usdt/operand.h"
#include "usdt/probe.h"
#include "usdt/symbol.h"
#include "usdt_notes.h"

#define FILES_MAX	512
#define PROVIDER	"libtbuf-usdt.so"

/* ------------------------------------------------------------ one file */

/* Returns true if the table has the symbol of an operand, or it has none. */
static bool
has_symbol(const struct usdt_symbols *symbols, const struct usdt_operand *o)
{
	uint64_t address;
	char *name;
	bool found;

	if (o->symbol == NULL)
		return (true);
	name = string_format("%.*s", (int)o->length, o->symbol);
	found = usdt_symbol_find(symbols, name, &address);
	free(name);
	return (found);
}

/*
 * Returns why operands that are understood have no address, or NULL.  Of a
 * stripped file the loader may know the symbols.
 */
static const char *
symbols_problem(const struct usdt_symbols *symbols, const char *operands)
{
	unsigned n = usdt_operands_count(operands), i;
	struct usdt_operand o;

	operands += strspn(operands, " \t");
	for (i = 0; symbols->count > 0 && i < n && i < TBUF_ARGS_MAX &&
	    usdt_operand_parse(&operands, &o); i++)
		if (!has_symbol(symbols, &o))
			return ("an operand's symbol is not known");
	return (NULL);
}

/* Visits a site; *line has names that are fields of a description. */
static void
visit_site(const struct usdt_object *o, const struct usdt_symbols *symbols,
    const struct usdt_note *note, const char *module,
    notes_site_visit *visit, void *arg)
{
	struct notes_site site = { .problem = usdt_note_problem(o, note) };
	struct usdt_probe probe;
	char *line;

	if (site.problem == NULL)
		site.problem = symbols_problem(symbols, note->operands);
	if (!usdt_probe_make(&probe, note)) {
		line = string_format("%s at %#" PRIx64 ": not armed: %s",
		    module, note->address - o->low, site.problem);
		probe = (struct usdt_probe){ .nargs = 0 };
	} else
		line = string_format("%s:%s::%s at %#" PRIx64
		    ": not armed: %s", probe.provider, module, probe.name,
		    note->address - o->low, site.problem != NULL ?
		    site.problem : "see TBUF_USDT_LIST in tbuf_usdt(7)");
	site.provider = probe.provider;
	site.name = probe.name;
	site.line = line;
	visit(arg, &site);
	free(line);
}

void
notes_sites(const struct usdt_object *o, int fd, const char *path,
    notes_site_visit *visit, void *arg)
{
	struct usdt_symbols symbols;
	struct usdt_note note;
	size_t at = 0;

	if (o->has_sites || o->notes == NULL)
		return;
	usdt_symbols_read(&symbols, fd);
	while (usdt_note_next(o, &at, &note))
		visit_site(o, &symbols, &note, basename(path), visit, arg);
	usdt_symbols_free(&symbols);
}

/* ------------------------------------------------------------ a process */

/* A line of /proc/PID/maps. */
struct mapped {
	uint64_t start, end, inode;
	char path[4096];
};

static bool
parse(const char *line, struct mapped *m)
{
	char access[5];

	return (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*s %" SCNu64
	    " %4095[^\n]", &m->start, &m->end, access, &m->inode, m->path) ==
	    5 && access[2] == 'x' && m->path[0] == '/' && m->inode != 0);
}

/*
 * Finds the mapped file itself where the kernel allows it, else the file at its
 * path, as the process sees it.
 */
static int
find(pid_t pid, const struct mapped *m)
{
	char *path = string_format("/proc/%jd/map_files/%" PRIx64 "-%" PRIx64,
	    (intmax_t)pid, m->start, m->end);
	int fd = regular_find(path);

	free(path);
	if (fd != -1)
		return (fd);
	path = string_format("/proc/%jd/root%s", (intmax_t)pid, m->path);
	fd = regular_find(path);
	free(path);
	return (fd);
}

static void
read_mapped(pid_t pid, const struct mapped *m, notes_site_visit *visit,
    void *arg)
{
	struct usdt_object object;
	const char *why;
	int fd = regular_open(find(pid, m), m->inode, &why);

	if (fd == -1)
		return;
	if (usdt_object_read(&object, fd) == NULL) {
		notes_sites(&object, fd, m->path, visit, arg);
		usdt_object_free(&object);
	}
	(void)close(fd);
}

bool
notes_process(pid_t pid, notes_site_visit *visit, void *arg)
{
	struct words seen = { NULL, 0 };
	char path[64], *line = NULL;
	bool has_provider = false;
	struct mapped m;
	size_t size = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%jd/maps", (intmax_t)pid);
	if ((f = fopen(path, "re")) == NULL)
		return (false);
	while (seen.count < FILES_MAX && getline(&line, &size, f) > 0) {
		if (!parse(line, &m) || words_have(&seen, m.path))
			continue;
		words_add(&seen, "%s", m.path);
		has_provider |= strcmp(basename(m.path), PROVIDER) == 0;
		read_mapped(pid, &m, visit, arg);
	}
	words_free(&seen);
	free(line);
	fclose(f);
	return (has_provider);
}
