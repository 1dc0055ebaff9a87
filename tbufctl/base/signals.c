/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbufctl's signals.  They are handled even where ignoring them would do: exec
 * then restores the default for a command.  Those that were ignored before are
 * ignored by it, as without tbufctl.
 */
#include <sys/time.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "messages.h"
#include "signals.h"

/* Signals that end a run. */
static const int stops[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
#define NSTOPS	(sizeof(stops) / sizeof(stops[0]))

/* All that are handled, and of these the ones that were ignored. */
static const int handled[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGBUS,
    SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM };
#define NHANDLED	(sizeof(handled) / sizeof(handled[0]))

static bool ignored[NHANDLED];

/*
 * A timer ticks after a signal that stops.  Ticks that come while the process
 * cannot run are one, so that a busy machine does not shorten the time.
 */
#define TICK_USECONDS	50000
#define TICKS_START	20	/* before the run has begun: the end */
#define TICKS_END	40	/* the end, wherever tbufctl is */

static struct tbuf_consumer *volatile consumer;
static volatile sig_atomic_t stopping;
static volatile sig_atomic_t starting;
volatile sig_atomic_t signals_ticks;
static volatile sig_atomic_t snapshot;
static volatile sig_atomic_t reopen;
static volatile sig_atomic_t truncated;

/* Ends tbufctl in a signal handler, with a line unless that would wait. */
static void
end(const char *line, size_t size)
{
	struct pollfd pfd = { .fd = STDERR_FILENO, .events = POLLOUT };
	ssize_t n;

	if (poll(&pfd, 1, 0) == 1) {
		n = write(STDERR_FILENO, line, size);
		(void)n;
	}
	_exit(EXIT_FAILED);
}

static void
set_ticks(sig_atomic_t number)
{
	signals_ticks = number;
	if (number >= SIGNALS_LATE && consumer != NULL)
		tbuf_consumer_hurry(consumer);
}

static void
start_timer(void)
{
	const struct itimerval period = {
		.it_interval.tv_usec = TICK_USECONDS,
		.it_value.tv_usec = TICK_USECONDS
	};

	(void)setitimer(ITIMER_REAL, &period, NULL);
}

static void
on_stop(int number)
{
	(void)number;
	if (stopping && starting)
		_exit(EXIT_FAILED);
	if (!stopping)
		start_timer();
	else if (!signals_over())
		set_ticks(signals_late() ? SIGNALS_OVER : SIGNALS_LATE);
	stopping = 1;
	if (consumer != NULL)
		tbuf_consumer_stop(consumer);
}

static void
on_tick(int number)
{
	static const char early[] = "tbufctl: " MSG_INTERRUPTED "\n";
	static const char line[] = "tbufctl: " MSG_UNCOUNTED "\n";
	int saved = errno;

	(void)number;
	if (!stopping)
		return;
	set_ticks(signals_ticks + 1);
	if (starting && signals_ticks >= TICKS_START)
		end(early, sizeof(early) - 1);
	if (signals_ticks >= TICKS_END)
		end(line, sizeof(line) - 1);
	errno = saved;
}

static void
on_snapshot(int number)
{
	(void)number;
	snapshot = 1;
	if (consumer != NULL)
		tbuf_consumer_wake(consumer);
}

static void
on_reopen(int number)
{
	(void)number;
	reopen = 1;
	if (consumer != NULL)
		tbuf_consumer_wake(consumer);
}

/*
 * A write without a reader fails with EPIPE, one beyond RLIMIT_FSIZE with
 * EFBIG; the handler does nothing.
 */
static void
on_write(int number)
{
	(void)number;
}

/* Exits, unless the consumer can repair its mapping and go on. */
static void
on_bus(int number, siginfo_t *info, void *context)
{
	static const char line[] = "tbufctl: " MSG_SIGBUS "\n";
	ssize_t n;

	(void)number;
	(void)context;
	if (consumer != NULL && info->si_code == BUS_ADRERR &&
	    tbuf_consumer_mend(consumer, info->si_addr)) {
		truncated = 1;
		return;
	}
	n = write(STDERR_FILENO, line, sizeof(line) - 1);
	(void)n;
	_exit(EXIT_FAILED);
}

static void
handle_with(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(number, &action, NULL);
}

static void
handle(int number, void (*handler)(int))
{
	handle_with(number, handler, SA_RESTART);
}

static bool
is_ignored(int number)
{
	struct sigaction now;

	return (sigaction(number, NULL, &now) == 0 &&
	    now.sa_handler == SIG_IGN);
}

/* Runs in children, of which one becomes the command. */
static void
ignore_again(void)
{
	size_t i;

	for (i = 0; i < NHANDLED; i++)
		if (ignored[i])
			handle_with(handled[i], SIG_IGN, 0);
}

void
signals_init(void)
{
	struct sigaction action = { .sa_sigaction = on_bus };
	size_t i;

	for (i = 0; i < NHANDLED; i++)
		ignored[i] = is_ignored(handled[i]);
	(void)pthread_atfork(NULL, NULL, ignore_again);
	(void)sigemptyset(&action.sa_mask);
	action.sa_flags = SA_SIGINFO;
	(void)sigaction(SIGBUS, &action, NULL);
	handle(SIGPIPE, on_write);
	handle(SIGXFSZ, on_write);
	handle(SIGUSR2, on_reopen);
}

void
signals_mend(struct tbuf_consumer *mended)
{
	consumer = mended;
}

void
signals_end(void)
{
	size_t i;

	/* A tick ends a wait, but not a read that a run begins with. */
	handle_with(SIGALRM, on_tick, starting ? SA_RESTART : 0);
	/* Under nohup(1) a closed terminal must not end a run. */
	for (i = 0; i < NSTOPS; i++)
		if (stops[i] != SIGHUP || !is_ignored(SIGHUP))
			handle(stops[i], on_stop);
}

void
signals_take(struct tbuf_consumer *taken)
{
	signals_mend(taken);
	starting = 1;
	signals_end();
	handle(SIGUSR1, on_snapshot);
}

void
signals_running(void)
{
	starting = 0;
	signals_ticks = 0;
	handle_with(SIGALRM, on_tick, 0);
}

bool
signals_stopping(void)
{
	return (stopping != 0);
}

bool
signals_snapshot(void)
{
	/* A SIGUSR1 between test and store is served by this snapshot. */
	if (snapshot == 0)
		return (false);
	snapshot = 0;
	return (true);
}

bool
signals_reopen(void)
{
	if (reopen == 0)
		return (false);
	reopen = 0;
	return (true);
}

bool
signals_truncated(void)
{
	return (truncated != 0);
}

/* Sets the signals that end a run or that open its output again. */
static void
wait_set(sigset_t *set)
{
	size_t i;

	(void)sigemptyset(set);
	(void)sigaddset(set, SIGUSR2);
	for (i = 0; i < NSTOPS; i++)
		if (stops[i] != SIGHUP || !is_ignored(SIGHUP))
			(void)sigaddset(set, stops[i]);
}

bool
signals_wait(const struct timespec *time)
{
	sigset_t set, before;
	int number;

	wait_set(&set);
	(void)sigprocmask(SIG_BLOCK, &set, &before);
	number = stopping ? SIGTERM : sigtimedwait(&set, NULL, time);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	if (number == SIGUSR2)
		reopen = 1;
	return (number == -1 || number == SIGUSR2);
}

const char *
signal_name(int number, char *room, size_t size)
{
	const char *name = sigabbrev_np(number);

	if (name != NULL)
		(void)snprintf(room, size, "SIG%s", name);
	else if (number >= SIGRTMIN && number <= SIGRTMAX)
		(void)snprintf(room, size, "SIGRTMIN+%d", number - SIGRTMIN);
	else
		(void)snprintf(room, size, "signal %d", number);
	return (room);
}
