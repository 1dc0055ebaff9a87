/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that asks its consumers for a buffer switch, for
 * tests/system/flush.sh:
 *
 *	flush_target COMMANDS ANSWERS
 *
 * It reads commands, one a line, from the FIFO COMMANDS, and writes an answer
 * to each, a line, to the FIFO ANSWERS:
 *
 *	fire N		fires record N
 *	enabled		answers with 1 if a consumer has enabled the probe
 *	flush		answers with the result of tbuf_flush()
 *	handler		answers with its result in a signal handler
 *	fork		a child serves the further commands
 *
 * It ends at the end of the commands.
 */
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>

static volatile sig_atomic_t asked;

static void
handler(int signal)
{
	(void)signal;
	asked = tbuf_flush();
}

static int
in_handler(void)
{
	asked = -1;
	raise(SIGUSR2);
	return ((int)asked);
}

/* Returns in the child; the parent ends as the child does. */
static int
fork_here(void)
{
	int status;
	pid_t pid = fork();

	if (pid == -1)
		err(99, "fork");
	if (pid == 0)
		return (0);
	if (waitpid(pid, &status, 0) != pid)
		err(99, "waitpid");
	_exit(status == 0 ? 0 : 99);
}

static int
serve(const char *command)
{
	int number;

	if (sscanf(command, "fire %d", &number) == 1) {
		TBUF_PROBE(flush, fired, number);
		return (0);
	}
	if (strcmp(command, "enabled") == 0)
		return (TBUF_ENABLED(flush, fired));
	if (strcmp(command, "flush") == 0)
		return (tbuf_flush());
	if (strcmp(command, "handler") == 0)
		return (in_handler());
	if (strcmp(command, "fork") == 0)
		return (fork_here());
	errx(99, "%s: not a command", command);
}

int
main(int argc, char **argv)
{
	char line[64];
	FILE *in, *out;
	int answer;

	if (argc != 3 || (in = fopen(argv[1], "r")) == NULL ||
	    (out = fopen(argv[2], "w")) == NULL)
		err(99, "two FIFOs are needed");
	signal(SIGUSR2, handler);
	/* No byte is read that a child has to read. */
	setvbuf(in, NULL, _IONBF, 0);
	while (fgets(line, sizeof(line), in) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		errno = 0;
		answer = serve(line);
		if (errno != 0)
			err(99, "%s changes errno", line);
		fprintf(out, "%d\n", answer);
		fflush(out);
	}
	return (0);
}
