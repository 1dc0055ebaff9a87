/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arming before main(), and when dlopen(3) has mapped objects and run none of
 * their code: sites that are armed then stay so, and afterwards the probes'
 * enable words alone decide.
 *
 * The dynamic linker notifies debuggers of objects that come and go: it calls a
 * function that does nothing, where they have a breakpoint (r_brk in <link.h>).
 * Here it is replaced by a call of changed().  An audit library would be
 * notified, too, but has to be set before the program starts, and loads a C
 * library of its own.
 */
#include <errno.h>
#include <link.h>
#include <string.h>

#include "target/provider.h"
#include "usdt.h"

#define TEXTS_MAX	8u

/*
 * Hides calls from here, which are not the program's.  Those of a signal
 * handler are, so none may run meanwhile.
 */
static void
hide(sigset_t *mask)
{
	patch_block(mask);
	(void)tbuf_thread_hide(1);
}

static void
show(const sigset_t *mask)
{
	(void)tbuf_thread_hide(-1);
	patch_unblock(mask);
}

/*
 * Called with the linker's lock held.  A thread comes here again if a function
 * that is called from here, such as the program's malloc(3), loads an object.
 * After another thread's fork(2) the child's thread is not busy.
 */
static void
changed(void)
{
	static _Thread_local bool busy
	    __attribute__((tls_model("initial-exec")));
	int error = errno;
	sigset_t mask;

	if (busy)
		return;
	busy = true;
	hide(&mask);
	if (_r_debug.r_state == RT_DELETE)
		usdt_objects_suspend();
	else if (_r_debug.r_state == RT_CONSISTENT)
		usdt_objects_update(true);
	show(&mask);
	busy = false;
	errno = error;
}

struct linker {
	struct patch_text text;
	bool found;
};

static int
find_linker(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct patch_text texts[TEXTS_MAX];
	struct linker *l = arg;
	unsigned n = patch_texts(info, texts, TEXTS_MAX), i;

	(void)size;
	for (i = 0; i < n && !l->found; i++)
		if (_r_debug.r_brk >= texts[i].start &&
		    _r_debug.r_brk < texts[i].end) {
			l->text = texts[i];
			l->found = true;
		}
	return (l->found);
}

static const char *
watch(void)
{
	struct linker linker = { .found = false };
	const char *problem;
	struct patch patch;

	(void)dl_iterate_phdr(find_linker, &linker);
	if (!linker.found)
		return ("the dynamic linker is not known");
	if ((problem = patch_begin(&patch)) != NULL)
		return (problem);
	problem = patch_replace(&patch, &linker.text, _r_debug.r_brk, changed);
	patch_end(&patch);
	return (problem);
}

static void __attribute__((constructor))
start(void)
{
	const char *problem;
	int error = errno;
	sigset_t mask;

	hide(&mask);
	usdt_report_look();
	(void)patch_decoder_load();
	usdt_memory_look();
	usdt_objects_update(false);
	if ((problem = watch()) != NULL)
		usdt_tell(USDT_LIST, "dlopen: not armed: %s\n", problem);
	show(&mask);
	errno = error;
}
