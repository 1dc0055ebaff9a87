/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbufctl's signals.  They are handled even where ignoring them would do: exec
 * then restores the default for a command.
 */
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

/* From a signal that stops to the end, before the run has begun. */
#define START_SECONDS	1

static struct tbuf_consumer *volatile consumer;
static volatile sig_atomic_t stopping;
static volatile sig_atomic_t starting;
static volatile sig_atomic_t snapshot;
static volatile sig_atomic_t reopen;
static volatile sig_atomic_t truncated;

static void
on_stop(int number)
{
	(void)number;
	if (stopping)
		_exit(EXIT_FAILED);
	stopping = 1;
	if (starting)
		(void)alarm(START_SECONDS);
	if (consumer != NULL)
		tbuf_consumer_stop(consumer);
}

static void
on_alarm(int number)
{
	static const char line[] = "tbufctl: " MSG_INTERRUPTED "\n";
	ssize_t n;

	(void)number;
	if (!starting)
		return;
	n = write(STDERR_FILENO, line, sizeof(line) - 1);
	(void)n;
	_exit(EXIT_FAILED);
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
handle(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	(void)sigemptyset(&action.sa_mask);
	action.sa_flags = SA_RESTART;
	(void)sigaction(number, &action, NULL);
}

void
signals_init(void)
{
	struct sigaction action = { .sa_sigaction = on_bus };

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

/* Returns true under nohup(1), where a closed terminal must not end a run. */
static bool
survives_hangup(void)
{
	struct sigaction now;

	return (sigaction(SIGHUP, NULL, &now) == 0 &&
	    now.sa_handler == SIG_IGN);
}

void
signals_take(struct tbuf_consumer *taken)
{
	size_t i;

	signals_mend(taken);
	starting = 1;
	handle(SIGALRM, on_alarm);
	for (i = 0; i < NSTOPS; i++)
		if (stops[i] != SIGHUP || !survives_hangup())
			handle(stops[i], on_stop);
	handle(SIGUSR1, on_snapshot);
}

void
signals_running(void)
{
	starting = 0;
	(void)alarm(0);
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
		if (stops[i] != SIGHUP || !survives_hangup())
			(void)sigaddset(set, stops[i]);
}

void
signals_block(void)
{
	sigset_t set;

	wait_set(&set);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
}

bool
signals_wait(const struct timespec *time)
{
	sigset_t set;
	int number;

	wait_set(&set);
	number = sigtimedwait(&set, NULL, time);
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
