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
#include "usdt/probe.h"
#include "usdt_notes.h"

#define FILES_MAX	512
#define PROVIDER	"libtbuf-usdt.so"

/* ------------------------------------------------------------ one file */

/* Visits a site; *line has names that are fields of a description. */
static void
visit_site(const struct usdt_object *o, const struct usdt_note *note,
    const char *module, notes_site_visit *visit, void *arg)
{
	struct notes_site site = { .problem = usdt_note_problem(o, note) };
	struct usdt_probe probe;
	char *line;

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
notes_sites(const struct usdt_object *o, const char *path,
    notes_site_visit *visit, void *arg)
{
	struct usdt_note note;
	size_t at = 0;

	while (!o->has_sites && usdt_note_next(o, &at, &note))
		visit_site(o, &note, basename(path), visit, arg);
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
		notes_sites(&object, m->path, visit, arg);
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
