/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program whose events are a list, for registry.sh.  It executes its
 * arguments in order:
 *
 *	fire=N		N requests: start, look, done
 *	intern=TEXT	an event whose only texts are numbers
 *	unknown		one with a number that is not a text's, and one with 0
 *	label=TEXT	labels an address
 *	many		interns until there is no room, and prints how often
 *	fork		goes on in a child that stays
 *	back		prints its last records
 *	types		an event with one argument of each class
 *	wait		reads a line from standard input
 *	fatal		prints its last records when it ends by a signal
 *	abort, kill	ends by SIGABRT, or by SIGKILL
 */
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "registry/registry_events.h"

static void
fire(uint64_t n)
{
	uint64_t id;

	for (id = 1; id <= n; id++) {
		TBUF_EVENT(request__start, id, id % 2 == 0 ? "set" : "get");
		TBUF_EVENT(look, (uint32_t)id % 7);
		TBUF_EVENT(request__done, id, id % 10 == 0);
	}
	TBUF_EVENT(idle);
}

static void
intern(const char *text)
{
	uint32_t number = tbuf_intern(text);

	if (number == 0)
		err(99, "tbuf_intern");
	if (tbuf_intern(text) != number)
		errx(99, "another number");
	TBUF_EVENT(interned, -1, TBUF_INTERNED(number), 7);
	TBUF_EVENT(mixed, "plain", TBUF_INTERNED(number));
}

static void
many(void)
{
	char text[16], longest[257];
	unsigned n = 0;

	memset(longest, 'x', sizeof(longest));
	longest[256] = '\0';
	if (tbuf_intern(NULL) != 0 || errno != EINVAL ||
	    tbuf_intern(longest) != 0 || errno != EINVAL)
		errx(99, "not refused");
	longest[255] = '\0';
	if (tbuf_intern(longest) == 0)
		err(99, "255 bytes");
	do
		snprintf(text, sizeof(text), "text%u", n);
	while (tbuf_intern(text) != 0 && ++n < 10 * TBUF_INTERN_MAX);
	printf("%u %s\n", n + 1, errno == ENOSPC ? "ENOSPC" : "another");
	/* Known texts keep their numbers. */
	if (tbuf_intern(longest) == 0)
		err(99, "a known text");
}

/* The child fires with a number that its parent got. */
static void
child(void)
{
	uint32_t number = tbuf_intern("parent");
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (tbuf_intern("parent") != number)
			errx(99, "another number");
		TBUF_EVENT(interned, 1, TBUF_INTERNED(number), 0);
		intern("child");
		exit(0);
	}
	waitpid(pid, &status, 0);
	if (status != 0)
		errx(99, "the child failed");
}

static void
text_order(const char *order)
{
	static int labelled;

	if (strncmp(order, "intern=", 7) == 0)
		intern(order + 7);
	else if (strncmp(order, "label=", 6) == 0)
		tbuf_label(&labelled, order + 6);
	else if (strcmp(order, "many") == 0)
		many();
	else if (strcmp(order, "fork") == 0)
		child();
	else if (strcmp(order, "wait") == 0)
		(void)getchar();
	else if (strcmp(order, "fatal") == 0)
		tbuf_on_fatal("fd=1");
	else if (strcmp(order, "types") == 0)
		TBUF_EVENT(types, true, -5, 0.25, (void *)16, "text",
		    TBUF_TEXT("cut off", 3), TBUF_BYTES("\1\2\3", 3));
	else if (strcmp(order, "unknown") == 0) {
		TBUF_EVENT(interned, 1, TBUF_INTERNED(0xfffffff0), 0);
		TBUF_EVENT(interned, 0, TBUF_INTERNED(0), 0);
	} else
		errx(99, "unknown order %s", order);
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (strncmp(argv[i], "fire=", 5) == 0)
			fire(strtoull(argv[i] + 5, NULL, 10));
		else if (strcmp(argv[i], "kill") == 0)
			raise(SIGKILL);
		else if (strcmp(argv[i], "abort") == 0)
			abort();
		else if (strcmp(argv[i], "back") == 0)
			tbuf_backtrace(1, 100);
		else
			text_order(argv[i]);
	}
	return (0);
}
