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

/* Enable words of a number that is no call's. */
static const uint32_t nobody[2];
static const uint32_t somebody[2] = { 1, 1 };
static const uint32_t *none[256];
const uint32_t *syscall_words[SYSCALL_NUMBERS];
const uint32_t *const *syscall_pages[256];

static FILE *list;

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
	int number;

	for (i = 0; i < SYSCALL_NUMBERS; i++)
		syscall_words[i] = nobody;
	for (i = 0; (number = syscall_number(i)) >= 0; i++) {
		syscall_words[number] = words_of(&syscall_probes[number]);
		if (syscall_words[number] == nobody)
			continue;
		any = true;
		/* These calls are inspected, traced or not. */
		if (number == SYS_prctl || number == SYS_seccomp ||
		    syscall_area_looks(number) ||
		    syscall_dispatch_looks(number))
			syscall_words[number] = somebody;
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
	syscall_slots_begin(&patch);
	syscall_patch(list == NULL ? NULL : report);
	if (syscall_slots_write() != 0 ||
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
	if (syscall_register() == 0)
		trace_all();
	if (list != NULL)
		fclose(list);
	(void)tbuf_thread_hide(-1);
	errno = error;
}
