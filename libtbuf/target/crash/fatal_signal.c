/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf_on_fatal(): prints the last records when the process ends by a signal,
 * before the previous handler or the default action runs.
 *
 *	fault --> handler --> last records --> previous handler
 *	             |                     \-> default action, by the same
 *	             |                         signal with its own siginfo
 *	             +--> a fault meanwhile: abandoned, and on from the arrow
 */
#include "base/optimize_size.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/crash/fatal_signal.h"
#include "target/crash/last_records.h"
#include "target/file/file.h"

#define STACK_SIZE	65536u
#define GUARD_SIZE	TBUF_PAGE
#define RECORDS		32
#define WAITS		500		/* for another thread's records: */
#define WAIT		10		/* ms each */

static const struct {
	int number;
	const char *name;
} signals[] = {
	{ SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" }, { SIGABRT, "SIGABRT" },
	{ SIGFPE, "SIGFPE" }, { SIGILL, "SIGILL" }, { SIGSYS, "SIGSYS" }
};
#define NSIGNALS	(sizeof(signals) / sizeof(signals[0]))

static struct sigaction before[NSIGNALS];
static int records = RECORDS, to = STDERR_FILENO;
static pthread_mutex_t setting = PTHREAD_MUTEX_INITIALIZER;
static bool installed;
static pthread_key_t stack_key;

static int dumper;			/* the thread that writes, or 0 */
static sigjmp_buf give_up;		/* where it continues after a fault */

static void
heading(const char *name, const siginfo_t *info)
{
	static struct tbuf_lines lines;	/* of the dumper */

	lines.fd = to;
	lines.used = 0;
	lines.error = 0;
	tbuf_lines_text(&lines, "tbuf: ");
	tbuf_lines_text(&lines, name);
	if (info->si_code > 0) {
		tbuf_lines_text(&lines, " at 0x");
		tbuf_lines_number(&lines, (uintptr_t)info->si_addr, 16, 1);
	}
	tbuf_lines_text(&lines, " in thread ");
	tbuf_lines_number(&lines, (uint64_t)gettid(), 10, 1);
	tbuf_lines_text(&lines, "\n");
	tbuf_lines_flush(&lines);
}

/* Unblocks other fatal signals: the control file may have been truncated. */
static void
unblock(sigset_t *old)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < NSIGNALS; i++)
		sigaddset(&set, signals[i].number);
	pthread_sigmask(SIG_UNBLOCK, &set, old);
}

/* Writes the last records.  `ends': the default action follows. */
static void
dump(const char *name, const siginfo_t *info, bool ends)
{
	sigset_t old;
	int waits;

	/* Another thread may be ending, too, and with it the process. */
	for (waits = 0; !tbuf_cas(&dumper, 0, gettid()); waits++) {
		if (waits == WAITS)
			return;
		poll(NULL, 0, WAIT);
	}
	unblock(&old);
	if (sigsetjmp(give_up, 1) == 0) {
		heading(name, info);
		tbuf_backtrace(to, records);
	} else
		tbuf_backtrace_abandon();
	/* Last: a seccomp filter may forbid its system calls. */
	if (sigsetjmp(give_up, 1) == 0)
		tbuf_file_fatal(ends ? info->si_signo : 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	tbuf_store_release(&dumper, 0);
}

/* Sends the signal again: it ends the process when this handler returns. */
static void
end_by(int number, siginfo_t *info)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	sigaction(number, &action, NULL);
	if (syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), number,
	    info) != 0)
		raise(number);
}

static void
call(struct sigaction *action, int number, siginfo_t *info, void *context)
{
	struct sigaction then = *action;
	sigset_t old, own;

	if ((then.sa_flags & (int)SA_RESETHAND) != 0)
		action->sa_handler = SIG_DFL;
	pthread_sigmask(SIG_BLOCK, &then.sa_mask, &old);
	if ((then.sa_flags & SA_NODEFER) != 0) {
		sigemptyset(&own);
		sigaddset(&own, number);
		pthread_sigmask(SIG_UNBLOCK, &own, NULL);
	}
	if ((then.sa_flags & SA_SIGINFO) != 0)
		then.sa_sigaction(number, info, context);
	else
		then.sa_handler(number);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void
handler(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	size_t i = 0;
	bool ends;

	if (tbuf_load(&dumper) == gettid())
		siglongjmp(give_up, 1);
	while (signals[i].number != number)
		i++;
	/* A signal that was sent stays ignored; a fault cannot be ignored. */
	if (before[i].sa_handler == SIG_IGN && info->si_code <= 0) {
		errno = saved;
		return;
	}
	ends = before[i].sa_handler == SIG_DFL ||
	    before[i].sa_handler == SIG_IGN;
	dump(signals[i].name, info, ends);
	errno = saved;
	if (ends)
		end_by(number, info);
	else
		call(&before[i], number, info, context);
}

/* Frees a thread's stack at its end. */
static void
stack_free(void *p)
{
	stack_t stack;

	if (sigaltstack(NULL, &stack) == 0 &&
	    stack.ss_sp == (char *)p + GUARD_SIZE) {
		stack.ss_flags = SS_DISABLE;
		sigaltstack(&stack, NULL);
	}
	munmap(p, GUARD_SIZE + STACK_SIZE);
}

/* Makes the calling thread's stack, if it has none. */
static int
stack_make(void)
{
	stack_t stack;
	void *p;
	int error;

	if (sigaltstack(NULL, &stack) != 0)
		return (-errno);
	if ((stack.ss_flags & SS_DISABLE) == 0)
		return (0);
	p = mmap(NULL, GUARD_SIZE + STACK_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return (-errno);
	mprotect(p, GUARD_SIZE, PROT_NONE);
	stack = (stack_t){
		.ss_sp = (char *)p + GUARD_SIZE, .ss_size = STACK_SIZE
	};
	if ((error = pthread_setspecific(stack_key, p)) == 0 &&
	    sigaltstack(&stack, NULL) == 0)
		return (0);
	error = error != 0 ? error : errno;
	pthread_setspecific(stack_key, NULL);
	munmap(p, GUARD_SIZE + STACK_SIZE);
	return (-error);
}

/* Parses NAME=NUMBER of an option list.  Returns its end, or NULL. */
static const char *
option(const char *text, const char *name, long least, int *value)
{
	size_t n = strlen(name);
	char *end;
	long number;

	if (strncmp(text, name, n) != 0 || text[n] != '=' ||
	    text[n + 1] < '0' || text[n + 1] > '9')
		return (NULL);
	errno = 0;
	number = strtol(text + n + 1, &end, 10);
	if (errno != 0 || number < least || number > 65535 ||
	    (*end != ',' && *end != '\0'))
		return (NULL);
	*value = (int)number;
	return (end);
}

static int
options_set(const char *text)
{
	int n = RECORDS, fd = STDERR_FILENO;
	const char *end;

	while (text != NULL && *text != '\0') {
		if ((end = option(text, "records", 1, &n)) == NULL &&
		    (end = option(text, "fd", 0, &fd)) == NULL)
			return (-EINVAL);
		text = *end == ',' ? end + 1 : end;
	}
	records = n;
	to = fd;
	return (0);
}

static int
install(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
	size_t i;
	int error;

	if (installed)
		return (0);
	if ((error = pthread_key_create(&stack_key, stack_free)) != 0)
		return (-error);
	action.sa_sigaction = handler;
	sigemptyset(&action.sa_mask);
	/*
	 * First the previous handlers: the handler may need them from the next
	 * line on.
	 */
	for (i = 0; i < NSIGNALS; i++)
		sigaction(signals[i].number, NULL, &before[i]);
	for (i = 0; i < NSIGNALS; i++)
		sigaction(signals[i].number, &action, NULL);
	tbuf_store_release(&installed, true);
	return (0);
}

int
tbuf_on_fatal(const char *options)
{
	int saved = errno, error;

	pthread_mutex_lock(&setting);
	if ((error = options_set(options)) == 0 && (error = install()) == 0)
		error = stack_make();
	pthread_mutex_unlock(&setting);
	errno = saved;
	return (error);
}

/* Returns true if abort(3) will call the handler, and it will write. */
static bool
abort_tells(const struct sigaction *now)
{
	size_t i = 0;

	if (!tbuf_load(&installed) || now->sa_sigaction != handler)
		return (false);
	while (signals[i].number != SIGABRT)
		i++;
	return (before[i].sa_handler != SIG_IGN);
}

void
tbuf_fatal_assertion(void)
{
	struct sigaction now;

	if (sigaction(SIGABRT, NULL, &now) != 0 || abort_tells(&now))
		return;
	tbuf_backtrace(to, records);
	tbuf_file_fatal(now.sa_handler == SIG_DFL ? SIGABRT : 0);
}
