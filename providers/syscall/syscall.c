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

#define RETURN_NARGS	(2 + SYSCALL_PATHS)	/* result, errno, and paths */
#define TEXT_MAX	256u

/* Enable words of a number that is no call's. */
static const uint32_t nobody[2];
static const uint32_t somebody[2] = { 1, 1 };
static const uint32_t *none[256];
const uint32_t *syscall_words[SYSCALL_NUMBERS];
const uint32_t *const *syscall_pages[256];

static FILE *list;

static enum tbuf_type
type_of(const char *name)
{
	static const struct {
		const char *name;
		enum tbuf_type type;
	} types[] = {
		{ "i32", TBUF_INT32 },
		{ "u32", TBUF_UINT32 },
		{ "i64", TBUF_INT64 },
		{ "u64", TBUF_UINT64 },
		{ "ptr", TBUF_POINTER },
		{ "path", TBUF_POINTER }
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, name) == 0)
			return (types[i].type);
	return (TBUF_NONE);
}

/* The arguments of a call's row, parsed. */
struct arguments {
	char text[TEXT_MAX];
	const char *names[SYSCALL_NARGS];
	enum tbuf_type types[SYSCALL_NARGS];
	bool is_path[SYSCALL_NARGS];
	unsigned n;
};

static void
parse(const char *arguments, struct arguments *a)
{
	char *rest = a->text, *word, *type;

	strncpy(a->text, arguments, TEXT_MAX - 1);
	a->text[TEXT_MAX - 1] = '\0';
	a->n = 0;
	while ((word = strsep(&rest, " ")) != NULL && *word != '\0' &&
	    a->n < SYSCALL_NARGS) {
		type = word + strcspn(word, ":");
		*type++ = '\0';
		a->names[a->n] = word;
		a->is_path[a->n] = strcmp(type, "path") == 0;
		a->types[a->n++] = type_of(type);
	}
}

/* The return's probe has paths as strings: the call has read them. */
static void
register_return(struct syscall_probes *p, const char *name,
    const struct arguments *a)
{
	enum tbuf_type types[RETURN_NARGS] = { TBUF_INT64, TBUF_INT32 };
	const char *names[RETURN_NARGS] = { "result", "errno" };
	unsigned i;

	for (i = 0; i < a->n && p->npaths < SYSCALL_PATHS; i++) {
		if (!a->is_path[i])
			continue;
		types[2 + p->npaths] = TBUF_STRING;
		names[2 + p->npaths] = a->names[i];
		p->paths[p->npaths++] = (uint8_t)i;
	}
	(void)tbuf_probe_register(&p->leave, "syscall", "", name, "return",
	    2u + p->npaths, types, names);
}

static int
register_call(unsigned number, const char *name)
{
	struct syscall_probes *p = &syscall_probes[number];
	struct arguments a;
	int error;

	parse(syscall_arguments(name), &a);
	error = tbuf_probe_register(&p->entry, "syscall", "", name, "entry",
	    a.n, a.types, a.names);
	if (error == 0)
		register_return(p, name, &a);
	return (error);
}

static int
register_all(void)
{
	sigset_t mask;
	unsigned i;
	int error = 0;

	tbuf_batch_begin(&mask);
	for (i = 0; i < SYSCALL_NUMBERS && error == 0; i++)
		if (syscall_name(i) != NULL)
			error = register_call(i, syscall_name(i));
	tbuf_batch_end(&mask);
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
