/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An object that is not linked with the library, and calls functions that the
 * library interposes.
 */
#include <sched.h>
#include <signal.h>
#include <unistd.h>

pid_t	stranger_setsid(void);
pid_t	stranger_vfork(int (*)(void *));
pid_t	stranger_clone(int (*)(void *), void *stack);

pid_t
stranger_setsid(void)
{
	return (setsid());
}

pid_t
stranger_vfork(int (*function)(void *))
{
	pid_t pid = vfork();

	if (pid == 0)
		_exit(function(NULL));
	return (pid);
}

pid_t
stranger_clone(int (*function)(void *), void *stack)
{
	return (clone(function, stack, CLONE_VM | SIGCHLD, NULL));
}
