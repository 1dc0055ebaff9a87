/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arming before main(), and when dlopen(3) has mapped objects and run none of
 * their code: sites that are armed then stay so, and afterwards the probes'
 * enable words alone decide.
 */
#include <errno.h>
#include <link.h>

#include "target/provider.h"
#include "usdt.h"

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

static void (*former)(void);	/* of another provider, or NULL */

/*
 * Called with the linker's lock held.  The other provider comes first, as it
 * reads code as it is in the file.  A thread comes here again if a function
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

	if (former != NULL)
		former();
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
	if ((problem = patch_watch(changed, &former)) != NULL)
		usdt_tell(USDT_LIST, "dlopen: not armed: %s\n", problem);
	show(&mask);
	errno = error;
}
