/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The syscall provider: libtbuf-syscall.so, preloaded.  Its constructor
 * registers the probes and redirects instructions that make system calls to
 * stubs that test the probes' enable words.  From then on the words alone
 * decide.
 *
 * Nothing is done if tracing is off, and nothing is changed if code may not be
 * written, or if threads run already.
 */
#include "dispatch.h"

#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/provider.h"

#define SHAPES		64u	/* lists of types that are remembered */
#define TEXT_MAX	256u

/* Enable words of a number that is no call's. */
static const uint32_t nobody[2];
static const uint32_t somebody[2] = { 1, 1 };
static const uint32_t *none[256];
const uint32_t *syscall_words[SYSCALL_NUMBERS];
const uint32_t *const *syscall_pages[256];

static FILE *list;

/* Returns the type that has this name in a row. */
static enum tbuf_type
type_of(const char *name)
{
	switch (*name) {
	case 'i':
		return (name[1] == '3' ? TBUF_INT32 : TBUF_INT64);
	case 'u':
		return (name[1] == '3' ? TBUF_UINT32 : TBUF_UINT64);
	default:
		return (TBUF_POINTER);
	}
}

/* The arguments of a probe: types, and names as adjacent strings. */
struct arguments {
	char names[TEXT_MAX];
	size_t size;
	uint8_t types[TBUF_ARGS_MAX];
	uint8_t n;
};

static void
add_argument(struct arguments *a, const char *name, size_t length,
    enum tbuf_type type)
{
	if (a->n == TBUF_ARGS_MAX || a->size + length >= TEXT_MAX)
		return;
	memcpy(a->names + a->size, name, length);
	a->size += length;
	a->names[a->size++] = '\0';
	a->types[a->n++] = (uint8_t)type;
}

/*
 * Parses a call's row.  The return's probe has paths as strings: the call has
 * read them.
 */
static void
parse(const char *row, struct syscall_probes *p, struct arguments *entry,
    struct arguments *leave)
{
	const char *type;
	bool is_path;
	size_t name;

	entry->n = leave->n = 0;
	entry->size = leave->size = 0;
	add_argument(leave, "result", 6, TBUF_INT64);
	add_argument(leave, "errno", 5, TBUF_INT32);
	while (*row != '\0' && entry->n < SYSCALL_NARGS) {
		for (type = row; *type != ':'; type++)
			continue;
		name = (size_t)(type++ - row);
		add_argument(entry, row, name, type_of(type));
		is_path = type[0] == 'p' && type[1] == 'a';
		if (is_path && p->npaths < SYSCALL_PATHS) {
			p->paths[p->npaths++] = (uint8_t)(entry->n - 1);
			add_argument(leave, row, name, TBUF_STRING);
		}
		row = type + (is_path ? 4 : 3);
		row += *row == ' ';
	}
}

/*
 * Returns a site with the same types that has been registered, or NULL, and
 * remembers this one in its place.
 */
static const struct tbuf_site *
like(const struct tbuf_site *site)
{
	static const struct tbuf_site *known[SHAPES];
	unsigned i, shape = site->nargs;
	const struct tbuf_site *other;

	for (i = 0; i < site->nargs; i++)
		shape = shape * 7 + site->types[i];
	other = known[shape % SHAPES];
	known[shape % SHAPES] = site;
	return (other != NULL && other->nargs == site->nargs &&
	    memcmp(other->types, site->types, site->nargs) == 0 ? other :
	    NULL);
}

static int
add(struct tbuf_site *site, const char *function, const char *name,
    const struct arguments *a)
{
	struct tbuf_series_probe probe = {
		.provider = "syscall", .module = "", .function = function,
		.name = name, .argnames = a->names, .argnames_size = a->size
	};

	site->nargs = a->n;
	memcpy(site->types, a->types, a->n);
	probe.like = like(site);
	return (tbuf_series_register(site, &probe));
}

static int
register_call(unsigned number, const char *name)
{
	struct syscall_probes *p = &syscall_probes[number];
	struct arguments entry, leave;
	int error;

	parse(syscall_arguments(name), p, &entry, &leave);
	error = add(&p->entry, name, "entry", &entry);
	if (error == 0)
		(void)add(&p->leave, name, "return", &leave);
	return (error);
}

static int
register_all(void)
{
	sigset_t mask;
	unsigned i, n = 0;
	int error = 0;

	for (i = 0; i < SYSCALL_NUMBERS; i++)
		n += syscall_name(i) != NULL ? 2 : 0;
	tbuf_series_begin(&mask, n);
	for (i = 0; i < SYSCALL_NUMBERS && error == 0; i++)
		if (syscall_name(i) != NULL)
			error = register_call(i, syscall_name(i));
	tbuf_series_end(&mask);
	return (error);
}

/* Returns both words, if they are adjacent; else two that make the stub ask. */
static const uint32_t *
words_of(const struct syscall_probes *p)
{
	const uint32_t *entry = p->entry.enabled, *leave = p->leave.enabled;

	if (entry == NULL || leave == NULL || entry == &p->entry.zero)
		return (nobody);
	return (leave == entry + 1 && ((uintptr_t)entry & 7) == 0 ? entry :
	    somebody);
}

/* Sets the words that stubs test.  Returns true if any probe can be enabled. */
static bool
point(void)
{
	bool any = false;
	unsigned i;

	for (i = 0; i < SYSCALL_NUMBERS; i++) {
		syscall_words[i] = nobody;
		if (syscall_name(i) == NULL)
			continue;
		syscall_words[i] = words_of(&syscall_probes[i]);
		if (syscall_words[i] == nobody)
			continue;
		any = true;
		/* These calls are inspected, traced or not. */
		if (i == SYS_prctl || i == SYS_seccomp ||
		    syscall_area_looks((int)i) ||
		    syscall_dispatch_looks((int)i))
			syscall_words[i] = somebody;
	}
	for (i = 0; i < 256; i++) {
		none[i] = nobody;
		syscall_pages[i] = i < SYSCALL_NUMBERS / 256 ?
		    syscall_words + 256 * i : none;
	}
	return (any);
}

/* Lists an instruction for tbufctl -l -v, and why it is not traced. */
static void
report(const char *object, uintptr_t offset, const char *problem)
{
	fprintf(list, "%s+%#zx: %s\n", *object == '\0' ? "program" : object,
	    (size_t)offset, problem == NULL ? "traced" : problem);
}

static void
list_open(void)
{
	const char *path = getenv("TBUF_SYSCALL_LIST");

	if (path != NULL)
		list = fopen(path, "we");
}

static void
tell(const char *which, const char *what)
{
	if (list != NULL && what != NULL)
		fprintf(list, "%s: %s\n", which, what);
}

/* Returns NULL, or the reason for a failure. */
static const char *
patch_all(void)
{
	struct patch patch;
	const char *problem;

	if ((problem = patch_begin(&patch)) != NULL)
		return (problem);
	syscall_patch(list == NULL ? NULL : report);
	if (syscall_slots_write(&patch) != 0 ||
	    syscall_callers_write(&patch) != 0)
		problem = "text cannot be written";
	patch_end(&patch);
	return (problem);
}

/* Prepares dispatch before code is redirected: stubs inspect calls for it. */
static void
trace_all(void)
{
	const char *problem = syscall_dispatch_prepare();

	tell("other system calls", problem);
	if (!point())
		return;
	problem = patch_all();
	tell("all system calls", problem);
	if (problem == NULL && syscall_dispatch_begin())
		tell("other system calls", "traced");
}

static void __attribute__((constructor))
begin(void)
{
	int error = errno;

	(void)tbuf_thread_hide(1);
	list_open();
	syscall_area_begin();
	syscall_path_begin();
	if (register_all() == 0)
		trace_all();
	if (list != NULL)
		fclose(list);
	(void)tbuf_thread_hide(-1);
	errno = error;
}
