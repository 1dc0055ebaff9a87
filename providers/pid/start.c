/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arming of the functions that TBUF_PID names, before main(), and when
 * dlopen(3) has mapped objects and run none of their code.
 */
#include <sys/auxv.h>

#include <errno.h>
#include <link.h>

#include "pid.h"
#include "target/provider.h"

/*
 * Calls from here are not the program's, and no signal handler runs meanwhile,
 * as its calls would be.
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

static void (*former)(void);	/* of another provider, or NULL */

/*
 * Called with the linker's lock held.  The other provider comes later: its
 * jumps would be taken for the object's own.  A thread comes here again if a
 * function that is called from here, such as the program's malloc(3), loads an
 * object.  After another thread's fork(2) the child's thread is not busy.
 */
static void
changed(void)
{
	static _Thread_local bool busy
	    __attribute__((tls_model("initial-exec")));
	int error = errno;
	sigset_t mask;

	if (!busy && pid_objects_complete()) {
		busy = true;
		hide(&mask);
		pid_objects_update(true);
		show(&mask);
		busy = false;
		errno = error;
	}
	if (former != NULL)
		former();
}

/*
 * The decoder is an object, too: it is loaded before others are watched.  They
 * are watched before the dynamic linker's functions are armed.
 */
static void
watch(void)
{
	const char *problem;

	(void)patch_decoder_load();
	if ((problem = patch_watch(changed, &former)) == NULL)
		return;
	pid_report_begin();
	pid_report_object("dlopen", problem);
	pid_report_end();
}

static void
begin(void)
{
	bool later = pid_wanted_later();

	pid_know_stack();
	pid_report_look();
	if (later)
		watch();
	pid_types_begin();
	pid_objects_update(false);
	if (!later) {
		pid_types_end();
		pid_wanted_end();
	}
}

static void __attribute__((constructor))
start(void)
{
	int error = errno;
	sigset_t mask;

	if (getauxval(AT_SECURE) != 0)
		return;
	hide(&mask);
	if (pid_wanted_begin())
		begin();
	else
		pid_wanted_end();
	show(&mask);
	errno = error;
}
