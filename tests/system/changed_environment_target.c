/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that changes its environment and forks, for
 * tests/system/changed_environment.sh:
 *
 *	changed_environment_target CHANGE DIRECTORY CHILDREN [OPTIONS]
 *
 * It changes its environment as CHANGE says, starts a recorder with OPTIONS,
 * fires record 0, and then forks CHILDREN children, one after the other: child
 * i fires record i.
 */
#include <sys/wait.h>

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>

extern char **environ;

static void
fire(int number)
{
	TBUF_PROBE(env, fired, number);
}

/* Overwrites the strings, as programs do that show a title in ps(1). */
static void
overwrite(void)
{
	char **p;

	for (p = environ; *p != NULL; p++)
		memset(*p, 'x', strlen(*p));
}

static void
change(const char *how, const char *directory)
{
	if (strcmp(how, "clear") == 0)
		clearenv();
	else if (strcmp(how, "overwrite") == 0)
		overwrite();
	else if (strcmp(how, "null") == 0)
		environ = NULL;
	else if (strcmp(how, "set") == 0)
		setenv("TBUF_DIR", directory, 1);
	else if (strcmp(how, "nothing") != 0)
		errx(99, "%s: not a change", how);
}

static void
child(int number)
{
	int status;
	pid_t pid;

	if ((pid = fork()) == 0) {
		fire(number);
		_exit(0);
	}
	if (pid == -1 || waitpid(pid, &status, 0) != pid || status != 0)
		err(99, "fork");
}

int
main(int argc, char **argv)
{
	int i, n;

	if (argc < 4)
		errx(99, "an argument is missing");
	n = atoi(argv[3]);
	change(argv[1], argv[2]);
	if (argc > 4 && tbuf_recorder_start(argv[4]) != 0)
		errx(99, "%s", tbuf_recorder_error());
	fire(0);
	for (i = 1; i <= n; i++)
		child(i);
	return (0);
}
