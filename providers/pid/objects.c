/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The objects that are loaded before main().
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pid.h"
#include "usdt/section.h"

#define OBJECTS_MAX	512u

static struct pid_object objects[OBJECTS_MAX];
static unsigned nobjects;

static char *
path_of(const struct dl_phdr_info *info, bool is_program)
{
	char path[PATH_MAX];
	ssize_t n;

	if (!is_program)
		return (strdup(info->dlpi_name));
	n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (n <= 0)
		return (NULL);
	path[n] = '\0';
	return (strdup(path));
}

static bool
begins(const char *text, const char *prefix)
{
	return (strncmp(text, prefix, strlen(prefix)) == 0);
}

/* musl has one file for both. */
static bool
is_libc(const char *file)
{
	return (begins(file, "libc.so") || begins(file, "libpthread") ||
	    begins(file, "ld-"));
}

/* The program is the first object, and has no name. */
static int
add_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	bool is_program = *info->dlpi_name == '\0' && nobjects == 0;
	struct pid_object *o = &objects[nobjects];
	const char *slash;

	(void)size;
	(void)unused;
	if (nobjects == OBJECTS_MAX ||
	    (o->path = path_of(info, is_program)) == NULL)
		return (0);
	slash = strrchr(o->path, '/');
	o->file = slash == NULL ? o->path : slash + 1;
	o->is_program = is_program;
	o->is_libc = is_libc(o->file);
	o->memory.info = *info;
	o->memory.is_fixed = info->dlpi_addr == 0;
	nobjects++;
	return (0);
}

/* Returns true for objects of which nothing is ever armed, nor reported. */
static bool
is_own(const struct pid_object *o)
{
	return (begins(o->file, "libtbuf") ||
	    begins(o->file, "libZydis") || begins(o->file, "libZycore") ||
	    begins(o->file, "linux-vdso"));
}

/* Returns true if the bytes of a part of the file are those in memory. */
static bool
same_bytes(const struct pid_object *o, int fd, uint64_t offset,
    uintptr_t address, size_t size)
{
	struct patch_text text;
	void *bytes;
	bool same;

	if (patch_texts(&o->memory.info, &text, 1) != 1 ||
	    !patch_readable(&text, address, size) ||
	    (bytes = usdt_copy(fd, offset, size, 4096)) == NULL)
		return (false);
	same = memcmp(bytes, (const void *)address, size) == 0;
	free(bytes);
	return (same);
}

/*
 * Returns true if the file is the one that was loaded: its build ID is the
 * same, or without one the header, which has the place of the last part.
 */
static bool
is_same(const struct pid_object *o, int fd)
{
	const Elf64_Shdr *id;
	struct usdt_sections s;
	struct patch_text text;
	bool same = false;

	if (usdt_sections_read(&s, fd) == NULL) {
		id = usdt_sections_find(&s, ".note.gnu.build-id");
		if (id != NULL)
			same = same_bytes(o, fd, id->sh_offset,
			    o->memory.info.dlpi_addr + id->sh_addr,
			    id->sh_size);
		else if (patch_texts(&o->memory.info, &text, 1) == 1)
			same = same_bytes(o, fd, 0, text.low,
			    sizeof(s.header));
	}
	usdt_sections_free(&s);
	return (same);
}

/* Wants the probes of a function that descriptions match by any alias. */
static void
want_function(struct pid_object *o, size_t function)
{
	const struct pid_functions *f = &o->functions;
	uintptr_t start = f->map.codes[function].start;
	const struct pid_alias *alias = pid_alias_first(f, start), *end;
	char offset[PID_OFFSET];
	struct pid_alias unnamed = { start, offset };
	bool wanted[2] = { false, false };
	unsigned i;

	pid_offset(f, start, offset);
	end = f->aliases + f->naliases;
	if (alias == NULL) {
		alias = &unnamed;
		end = alias + 1;
	}
	for (; alias < end && alias->address == start; alias++)
		for (i = 0; i < 2; i++)
			wanted[i] |= pid_wanted(o->file, o->is_program,
			    alias->name, i == 0 ? PID_ENTRY : PID_RETURN);
	if (wanted[0] || wanted[1])
		pid_plan_add(&o->plan, function, wanted[0], wanted[1]);
}

static const char *
plan(struct pid_object *o, int fd)
{
	struct patch_map *m = &o->functions.map;
	const char *problem;
	size_t i;

	if (!is_same(o, fd))
		return ("its file is not the one that was loaded");
	if ((problem = pid_functions_find(&o->functions, &o->memory, fd)) !=
	    NULL ||
	    (problem = pid_plan_begin(&o->plan, &o->functions)) != NULL)
		return (problem);
	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].owner == i)
			want_function(o, i);
	return (pid_plan_make(&o->plan));
}

static void
arm(struct pid_object *o)
{
	int fd = open(o->path, O_RDONLY | O_CLOEXEC);
	const char *problem = fd == -1 ? "its file cannot be read" :
	    plan(o, fd);

	if (fd != -1)
		close(fd);
	pid_wanted_found(o->file, o->is_program, problem != NULL,
	    o->functions.symbols[0].count + o->functions.symbols[1].count > 0);
	if (problem == NULL)
		pid_arm(o);
	else
		pid_report_object(o->module, problem);
	pid_plan_free(&o->plan);
	pid_functions_free(&o->functions);
}

void
pid_objects_arm(void)
{
	unsigned i;

	(void)dl_iterate_phdr(add_object, NULL);
	for (i = 0; i < nobjects; i++)
		if (!is_own(&objects[i]) && pid_wanted_module(objects[i].file,
		    objects[i].is_program, objects[i].module))
			arm(&objects[i]);
	pid_wanted_tell(pid_report_absent);
	for (i = 0; i < nobjects; i++)
		free(objects[i].path);
	nobjects = 0;
}
