/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Interposes daemon(3) and setsid(2): a forked child that calls one of them
 * will live on, so it becomes a target.
 */
#include "base/optimize_size.h"

#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tbuf.h"

__attribute__((visibility("default")))
pid_t
setsid(void)
{
	pid_t session = (pid_t)syscall(SYS_setsid);

	if (session != -1)
		tbuf_process_register();
	return (session);
}

/*
 * Acts as the C library's: a fork, a session, and the three descriptors on
 * /dev/null.  The C library's daemon() would not call the setsid() above.
 */
__attribute__((visibility("default")))
int
daemon(int nochdir, int noclose)
{
	int fd;

	switch (fork()) {
	case -1:
		return (-1);
	case 0:
		break;
	default:
		_exit(0);
	}
	if (setsid() == -1)
		return (-1);
	if (nochdir == 0)
		(void)!chdir("/");
	if (noclose != 0)
		return (0);
	fd = open("/dev/null", O_RDWR);
	if (fd == -1)
		return (-1);
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	return (0);
}
