/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs a command on a terminal of its own, which is closed after a line, or the
 * end, on standard input; then waits for the command and exits with its status.
 *
 *	terminal COMMAND [ARGUMENT ...]
 */
#include <sys/wait.h>

#include <err.h>
#include <pty.h>
#include <stdio.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	char line[80];
	int master, status;
	pid_t pid;

	if (argc < 2)
		errx(99, "no command");
	if ((pid = forkpty(&master, NULL, NULL, NULL)) == -1)
		err(99, "forkpty");
	if (pid == 0) {
		(void)execv(argv[1], argv + 1);
		_exit(99);
	}
	(void)!fgets(line, sizeof(line), stdin);
	(void)close(master);
	if (waitpid(pid, &status, 0) != pid)
		err(99, "waitpid");
	if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	return (WIFEXITED(status) ? WEXITSTATUS(status) : 98);
}
