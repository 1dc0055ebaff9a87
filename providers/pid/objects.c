/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The objects that are loaded before main(), and those that dlopen(3) and
 * dlmopen(3) load.  Each is inspected once, when it is new; its probes are
 * removed when it has been unloaded.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pid.h"
#include "usdt/section.h"

#define AHEAD	8	/* names are fetched before they are read */

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 36)
#define HAS_SPACES	/* the headers of objects in all name spaces */
#endif
#endif

struct object {
	struct object *next;
	struct dl_phdr_info info;	/* identifies it */
	struct pid_probes probes;
	bool is_program;
	bool is_apart;			/* in another name space */
	bool is_new;
	bool is_there;
};

static struct object *objects;		/* in the order of their loading */

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

/* Gets an object's names.  Returns false if they are not known. */
static bool
name_object(struct pid_object *o, const struct object *from, bool is_loading)
{
	const char *slash;

	memset(o, 0, sizeof(*o));
	o->is_program = from->is_program;
	o->is_loading = is_loading;
	o->path = path_of(&from->info, o->is_program);
	if (o->path == NULL)
		return (false);
	slash = strrchr(o->path, '/');
	o->file = slash == NULL ? o->path : slash + 1;
	o->is_libc = is_libc(o->file);
	o->memory.info = from->info;
	o->memory.is_fixed = from->info.dlpi_addr == 0;
	o->memory.is_passing = is_loading;
	/* Words that short relocations name have no addresses yet. */
	o->memory.slide = is_loading ? from->info.dlpi_addr : 0;
	return (true);
}

/* Returns true for objects of which nothing is ever armed, nor reported. */
static bool
is_own(const struct pid_object *o)
{
	return (begins(o->file, "libtbuf.so") || begins(o->file, "libtbuf-") ||
	    begins(o->file, "libZydis.so") ||
	    begins(o->file, "libZycore.so") ||
	    begins(o->file, "linux-vdso"));
}

static int
is_syscall(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *name = strrchr(info->dlpi_name, '/');

	(void)size;
	(void)unused;
	return (name != NULL && strcmp(name, "/libtbuf-syscall.so") == 0);
}

/* Returns true if the provider syscall is preloaded, too. */
static bool
has_syscall(void)
{
	return (dl_iterate_phdr(is_syscall, NULL) != 0);
}

/* Returns true if the bytes of a part of the file are those in memory. */
static bool
same_bytes(const struct pid_object *o, int fd, uint64_t offset,
    uintptr_t address, size_t size)
{
	struct patch_text text;
	void *bytes;
	bool same;

	if (!patch_text_all(&o->memory.info, &text) ||
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
		else if (patch_text_all(&o->memory.info, &text))
			same = same_bytes(o, fd, 0, text.low,
			    sizeof(s.header));
	}
	usdt_sections_free(&s);
	return (same);
}

struct spots {
	struct pid_object *o;
	size_t function;
	bool wished;		/* the function has a wish */
};

static void
want_spot(void *arg, uint64_t offset, const char *name)
{
	struct spots *s = arg;

	if (!s->wished)
		pid_plan_add(&s->o->plan, s->function, false, false);
	s->wished = true;
	pid_plan_add_spot(&s->o->plan, s->function, offset, name);
}

/* Wants the probes of a function that descriptions match by any alias. */
static void
want_function(struct pid_object *o, size_t function)
{
	const struct pid_functions *f = &o->functions;
	uintptr_t start = f->map.codes[function].start;
	const struct pid_alias *alias = pid_alias_first(f, start), *end, *one;
	struct spots spots = { o, function, false };
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
	for (one = alias; one < end && one->address == start; one++)
		for (i = 0; i < 2; i++)
			wanted[i] |= pid_wanted(o->file, o->is_program,
			    one->name, i == 0 ? PID_ENTRY : PID_RETURN);
	spots.wished = wanted[0] || wanted[1];
	if (spots.wished)
		pid_plan_add(&o->plan, function, wanted[0], wanted[1]);
	for (one = alias; one < end && one->address == start; one++)
		pid_wanted_offsets(o->file, o->is_program, one->name,
		    want_spot, &spots);
}

/*
 * Returns true if descriptions may want a probe of a function, or of a part.
 * `alias` is the first alias at its start or after it.
 */
static bool
may_want(const struct pid_object *o, uintptr_t start,
    const struct pid_alias *alias)
{
	const struct pid_functions *f = &o->functions;
	const struct pid_alias *end = f->aliases + f->naliases;
	char offset[PID_OFFSET];

	if (alias == end || alias->address != start) {
		pid_offset(f, start, offset);
		return (pid_wanted_some(o->file, o->is_program, offset));
	}
	for (; alias < end && alias->address == start; alias++)
		if (pid_wanted_some(o->file, o->is_program, alias->name))
			return (true);
	return (false);
}

/* Marks the functions that are wanted, before it is known which are parts. */
static bool
want(void *object, struct pid_functions *f)
{
	const struct pid_object *o = object;
	const struct pid_alias *alias = f->aliases;
	struct patch_code *code;
	bool any = false;
	size_t i;

	for (i = 0; i < f->map.ncodes; i++) {
		code = &f->map.codes[i];
		while (alias < f->aliases + f->naliases &&
		    alias->address < code->start)
			alias++;
		if (f->aliases + f->naliases - alias > AHEAD)
			__builtin_prefetch(alias[AHEAD].name);
		code->owner = i;
		code->is_wanted = may_want(o, code->start, alias);
		any |= code->is_wanted;
	}
	return (any);
}

/* Refuses the function that start.c has replaced. */
static void
refuse_watched(const struct patch_map *m)
{
	struct patch_code *code = patch_map_code(m, _r_debug.r_brk);

	if (code != NULL)
		code->problem = "debuggers have a breakpoint there";
}

static const char *
plan(struct pid_object *o, int fd)
{
	struct patch_map *m = &o->functions.map;
	const char *problem;
	struct patch_text text;
	size_t i;

	if (!patch_text_all(&o->memory.info, &text))
		return (pid_not_text);
	if (!is_same(o, fd))
		return ("its file is not the one that was loaded");
	if (!pid_types_object(o, fd))
		pid_report_untyped(o->module, o->path);
	if ((problem = pid_functions_find(&o->functions, &o->memory, fd, want,
	    o)) != NULL ||
	    (problem = pid_plan_begin(&o->plan, &o->functions)) != NULL)
		return (problem);
	refuse_watched(m);
	m->keeps_calls = has_syscall();
	o->plan.is_partial = pid_option("partial");
	o->plan.is_once = pid_option("loops");
	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].is_wanted && m->codes[i].owner == i)
			want_function(o, i);
	return (pid_plan_make(&o->plan));
}

static void
arm_object(struct pid_object *o, struct pid_probes *probes)
{
	int fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *problem = fd == -1 ? "its file cannot be read" :
	    plan(o, fd);

	if (fd != -1)
		close(fd);
	pid_wanted_found(o->file, o->is_program, problem != NULL,
	    o->functions.symbols[0].count + o->functions.symbols[1].count > 0);
	if (problem == NULL)
		pid_arm(o, probes);
	else
		pid_report_object(o->module, problem);
	pid_plan_free(&o->plan);
	pid_functions_free(&o->functions);
}

/* The dynamic linker calls code of an auditor while objects are armed. */
static void
refuse_auditor(const struct pid_object *o)
{
	pid_wanted_found(o->file, false, true, false);
	pid_report_object(o->module, "it is an auditor of the dynamic linker");
}

/*
 * Arms a new object.  This makes other system calls than the linker does: a
 * filter that has been set since the start may kill for them.  A child of
 * another thread's fork(2) finds an object as it was then, and does not go on
 * with it.
 */
static void
arm(struct object *object, bool is_loading)
{
	struct pid_object o;

	object->is_new = false;
	if (name_object(&o, object, is_loading) && !is_own(&o) &&
	    pid_wanted_module(o.file, o.is_program, o.module) &&
	    !(is_loading && patch_refiltered())) {
		if (object->is_apart && !is_loading)
			refuse_auditor(&o);
		else
			arm_object(&o, &object->probes);
	}
	free(o.path);
}

/* The program is the first object, and has no name. */
static int
look_at(struct dl_phdr_info *info, size_t size, void *is_new)
{
	struct object **link = &objects, *o;

	(void)size;
	for (; (o = *link) != NULL; link = &o->next)
		if (o->info.dlpi_addr == info->dlpi_addr &&
		    o->info.dlpi_phdr == info->dlpi_phdr)
			break;
	if (o == NULL && (o = calloc(1, sizeof(*o))) != NULL) {
		o->info = *info;
		o->is_program = objects == NULL && *info->dlpi_name == '\0';
		o->is_new = *(const bool *)is_new;
		*link = o;
	}
	if (o != NULL)
		o->is_there = true;
	return (0);
}

/* ------------------------------------------------------------ name spaces */

/*
 * Each name space of dlmopen(3) has a list of its own, which dl_iterate_phdr(3)
 * does not visit.  All have the same dynamic linker, the first of them.
 */
#ifdef HAS_SPACES
static const struct r_debug_extended *
first_space(void)
{
	const struct r_debug *first = &_r_debug;

	/* The declaration has the size of the older version. */
	__asm__("" : "+r" (first));
	return (first->r_version < 2 ? NULL :
	    ((const struct r_debug_extended *)first)->r_next);
}

static void
look_apart(const struct link_map *map, bool is_new)
{
	struct dl_phdr_info info = {
		.dlpi_addr = map->l_addr, .dlpi_name = map->l_name
	};
	struct object *last;
	int n;

	n = map->l_addr == _r_debug.r_ldbase ? 0 :
	    dlinfo((void *)(uintptr_t)map, RTLD_DI_PHDR, &info.dlpi_phdr);
	if (n <= 0 || n > UINT16_MAX)
		return;
	info.dlpi_phnum = (ElfW(Half))n;
	(void)look_at(&info, sizeof(info), &is_new);
	for (last = objects; last != NULL && (last->info.dlpi_addr !=
	    info.dlpi_addr || last->info.dlpi_phdr != info.dlpi_phdr);)
		last = last->next;
	if (last != NULL)
		last->is_apart = true;
}

static void
look_at_spaces(bool is_new)
{
	const struct r_debug_extended *space = first_space();
	const struct link_map *map;

	for (; space != NULL; space = space->r_next)
		for (map = space->base.r_map; map != NULL; map = map->l_next)
			look_apart(map, is_new);
}

bool
pid_objects_complete(void)
{
	const struct r_debug_extended *space = first_space();

	for (; space != NULL; space = space->r_next)
		if (space->base.r_state != RT_CONSISTENT)
			return (false);
	return (_r_debug.r_state == RT_CONSISTENT);
}
#else
static void
look_at_spaces(bool is_new)
{
	(void)is_new;
}

bool
pid_objects_complete(void)
{
	return (_r_debug.r_state == RT_CONSISTENT);
}
#endif

static void
look_at_all(bool is_new)
{
	(void)dl_iterate_phdr(look_at, &is_new);
	look_at_spaces(is_new);
}

/* Drops unloaded objects: others may have their addresses. */
static void
drop_gone(void)
{
	struct object **link = &objects, *o;

	while ((o = *link) != NULL)
		if (o->is_there) {
			o->is_there = false;
			link = &o->next;
		} else {
			*link = o->next;
			pid_disarm(&o->probes);
			free(o);
		}
}

/*
 * Objects that a function has loaded that is called from here, such as the
 * program's malloc(3), have run code already, and are left alone.
 */
void
pid_objects_update(bool is_loading)
{
	struct object *o;

	look_at_all(true);
	drop_gone();
	pid_report_begin();
	for (o = objects; o != NULL; o = o->next)
		if (o->is_new)
			arm(o, is_loading);
	if (!is_loading)
		pid_wanted_tell(pid_report_absent);
	pid_report_end();
	look_at_all(false);
	for (o = objects; o != NULL; o = o->next)
		o->is_there = false;
}
