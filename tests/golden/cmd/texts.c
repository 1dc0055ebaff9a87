/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program with text messages for the golden tests.  Each argument is an
 * order:
 *
 *	LEVEL=TEXT	a message of the component `words'
 *	other=TEXT	a warning of the component `other'
 *	lines=N		N messages of level info
 *	until=LEVEL	messages of the level until it is enabled
 *	fork=TEXT	a child has a warning; wait for it
 *	say=WORD	print a line
 *	wait		until there is a line, or the end, on standard input
 *	assert		an assertion that fails
 *	kill=N		raise that signal
 */
#include <sys/wait.h>

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_text.h>

TBUF_COMPONENT(words, "words");
TBUF_COMPONENT(other, "other");

static int
level_of(const char *name)
{
	static const char *const names[] = {
		"", "severe", "warning", "info", "debug", "flow"
	};
	int level;

	for (level = TBUF_FLOW; level > 0; level--)
		if (strncmp(name, names[level], strlen(names[level])) == 0)
			break;
	return (level);
}

static void
lines(int n)
{
	int i;

	for (i = 1; i <= n; i++)
		tbuf_text(&words, TBUF_INFO, "line %d", i);
}

static void
until(int level)
{
	while (!tbuf_text_wanted(&words, level))
		sched_yield();
	tbuf_text(&words, level, "wanted");
}

static void
child(const char *text)
{
	if (fork() == 0) {
		tbuf_text(&words, TBUF_WARNING, "%s", text);
		_exit(0);
	}
	wait(NULL);
}

static void
obey(const char *order)
{
	const char *value = strchr(order, '=');
	char line[80];

	value = value == NULL ? order : value + 1;
	if (strncmp(order, "lines=", 6) == 0)
		lines(atoi(value));
	else if (strncmp(order, "other=", 6) == 0)
		tbuf_text(&other, TBUF_WARNING, "%s", value);
	else if (strncmp(order, "until=", 6) == 0)
		until(level_of(value));
	else if (strncmp(order, "fork=", 5) == 0)
		child(value);
	else if (strncmp(order, "say=", 4) == 0)
		puts(value);
	else if (strcmp(order, "wait") == 0)
		(void)!fgets(line, sizeof(line), stdin);
	else if (strcmp(order, "assert") == 0)
		TBUF_ASSERT(value == NULL);
	else if (strncmp(order, "kill=", 5) == 0)
		raise(atoi(value));
	else
		tbuf_text(&words, level_of(order), "%s", value);
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		obey(argv[i]);
	return (0);
}
