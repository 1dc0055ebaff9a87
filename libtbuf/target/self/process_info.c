/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Facts about the start of this process, for clauses.  They are read once, from
 * the line of /proc/self/stat that has the start time, so that a fire makes no
 * system call.  A forked child has its own parent, and its parent's arguments.
 */
#include "base/optimize_size.h"

#include <sys/auxv.h>
#include <sys/syscall.h>

#include <string.h>
#include <unistd.h>

#include "arch/syscall.h"
#include "shared/control_file.h"
#include "target/self/self.h"
#include "target/self/thread.h"

#define ARGUMENTS_MAX	65536u	/* most arguments that are counted */
#define TEXTS_MAX	(UINT64_C(6) << 20)	/* the kernel's bound */

enum {
	PARENT, GROUP, SESSION, TERMINAL, START, ARGUMENTS, ARGUMENTS_END,
	FIELDS
};

static const int fields[FIELDS] = {
	[PARENT] = TBUF_STAT_PARENT, [GROUP] = 5, [SESSION] = 6,
	[TERMINAL] = 7, [START] = TBUF_STAT_START, [ARGUMENTS] = 48,
	[ARGUMENTS_END] = 49
};

/*
 * Copies the argument strings, which are adjacent; blanks replace the NULs
 * between them.
 */
static void
keep_text(const char *text, uint64_t size)
{
	char *to = tbuf_self.arguments;
	uint64_t i;

	if (size > sizeof(tbuf_self.arguments))
		size = sizeof(tbuf_self.arguments);
	for (i = 0; i + 1 < size; i++)
		to[i] = text[i];
	for (i = 0; i + 2 < size; i++)
		if (to[i] == '\0')
			to[i] = ' ';
}

static uint32_t
count(const char *text, uint64_t size)
{
	uint32_t n = 0;
	uint64_t i;

	for (i = 0; i < size && n < ARGUMENTS_MAX; i++)
		n += text[i] == '\0';
	return (n);
}

/*
 * Returns true if the kernel itself placed the arguments at these addresses.
 * /proc shows the kernel's view: under an emulator those are the emulator's
 * arguments, and a program may have set other addresses.  Arguments that the
 * kernel placed are followed by the environment strings and the program's name;
 * the auxiliary vector has the name's address, too.
 */
static bool
are_laid(uint64_t from, uint64_t to)
{
	uint64_t name = getauxval(AT_EXECFN);

	return (from != 0 && from <= to && to <= name &&
	    name - from < TEXTS_MAX);
}

/* argv, NULL and the environment are before the strings in memory. */
static void
keep_arguments(const uint64_t *values)
{
	const char *text = (const char *)(uintptr_t)values[ARGUMENTS];
	uint64_t size = values[ARGUMENTS_END] - values[ARGUMENTS];
	char **argv;

	if (tbuf_self.argc != 0 ||
	    !are_laid(values[ARGUMENTS], values[ARGUMENTS_END]))
		return;
	keep_text(text, size);
	tbuf_self.argc = count(text, size);
	argv = environ == NULL ? NULL : environ - 1 - tbuf_self.argc;
	/* The program may have replaced its environment by now. */
	if ((uintptr_t)argv / sizeof(char *) < (uintptr_t)text /
	    sizeof(char *) && (uintptr_t)text - (uintptr_t)argv <
	    ARGUMENTS_MAX * sizeof(char *) && argv[0] == text)
		tbuf_self.argv = (uintptr_t)argv;
}

/*
 * Saves the name that was executed: a shell script's or a link's, cut as the
 * kernel's comm is.  It is on the initial stack, which may be freed when a
 * child is forked.
 */
static void
keep_execname(void)
{
	const char *path = (const char *)getauxval(AT_EXECFN);
	const char *name = path;
	unsigned i;

	if (path == NULL || *tbuf_self.execname != '\0')
		return;
	for (; *path != '\0'; path++)
		if (*path == '/')
			name = path + 1;
	for (i = 0; i < sizeof(tbuf_self.execname) - 1 && name[i] != '\0'; i++)
		tbuf_self.execname[i] = name[i];
}

static uint32_t
ask(long number)
{
	return ((uint32_t)raw_call(number, 0, 0, 0, 0, 0));
}

/*
 * Returns the start time of a forked child, or 0 if it has to be looked up.  A
 * child has its parent's terminal: a process that does not lead its session
 * cannot get one.  If the session has lost its terminal meanwhile, the parent's
 * facts have it still, and so have the child's.
 */
static uint64_t
began_by_tick(void)
{
	uint64_t tick = tbuf_start_tick(TBUF_TICK_AFTER);

	if (!tbuf_thread.forks || tbuf_thread.fork_tick == 0 ||
	    (tick & TBUF_FORK_TICK) != tbuf_thread.fork_tick || tbuf_self.leads ||
	    ask(SYS_getsid) != tbuf_self.sid)
		return (0);
	tbuf_self.ppid = ask(SYS_getppid);
	tbuf_self.pgid = ask(SYS_getpgid);
	return (tick);
}

uint64_t
tbuf_began(pid_t pid, bool ticks)
{
	uint64_t values[FIELDS], tick = ticks ? began_by_tick() : 0;

	if (tick != 0)
		return (tick);
	tbuf_stat_fields(0, fields, values, FIELDS);
	tbuf_self.ppid = (uint32_t)values[PARENT];
	tbuf_self.pgid = (uint32_t)values[GROUP];
	tbuf_self.sid = (uint32_t)values[SESSION];
	tbuf_self.leads = tbuf_self.sid == (uint32_t)pid;
	tbuf_self.terminal = (uint32_t)values[TERMINAL];
	tbuf_self.gid = (uint32_t)getauxval(AT_GID);
	tbuf_self.euid = (uint32_t)getauxval(AT_EUID);
	tbuf_self.egid = (uint32_t)getauxval(AT_EGID);
	keep_arguments(values);
	keep_execname();
	return (values[START]);
}
