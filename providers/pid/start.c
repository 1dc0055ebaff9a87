/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arming before main(), of the functions that TBUF_PID names.
 */
#include <sys/auxv.h>

#include <errno.h>

#include "pid.h"
#include "target/provider.h"

/*
 * Calls from here are not the program's, and no signal handler runs meanwhile,
 * as its calls would be.
 */
static void __attribute__((constructor))
start(void)
{
	int error = errno;
	sigset_t mask;

	if (getauxval(AT_SECURE) != 0)
		return;
	patch_block(&mask);
	(void)tbuf_thread_hide(1);
	if (pid_wanted_begin()) {
		pid_know_stack();
		pid_report_begin();
		pid_objects_arm();
		pid_report_end();
	}
	pid_wanted_end();
	(void)tbuf_thread_hide(-1);
	patch_unblock(&mask);
	errno = error;
}
