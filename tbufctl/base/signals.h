/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbufctl's signals.
 */
#ifndef TBUFCTL_BASE_SIGNALS_H
#define TBUFCTL_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct tbuf_consumer;

/*
 * signals_init() handles SIGBUS, SIGPIPE and SIGXFSZ, in every mode;
 * signals_mend() sets the consumer that SIGBUS repairs mappings of; NULL before
 * it is closed.
 */
void	signals_init(void);
void	signals_mend(struct tbuf_consumer *);

/*
 * signals_take() sets the consumer that signals control: the first SIGHUP,
 * SIGINT, SIGQUIT or SIGTERM stops it.  SIGUSR1 wakes it; signals_snapshot()
 * returns true if one came since the last call.  signals_mend(NULL) ends this.
 * signals_stopping() returns true once a signal has stopped the consumer.
 *
 * Until signals_running() a signal that stops ends tbufctl within a second,
 * also while it reads or searches files that would not end: no record is lost
 * yet.
 */
void	signals_take(struct tbuf_consumer *);
bool	signals_stopping(void);
void	signals_running(void);
bool	signals_snapshot(void);

/*
 * The time after a signal that stops: for a second the run prints its last
 * records and its aggregations, unless a second signal ends that time.
 * signals_late() returns true from then on: the rest is counted, and not
 * printed.  signals_over() returns true half a second later, or after one more
 * signal: the rest is not counted, either.  Half a second after that, tbufctl
 * exits, wherever it is.  Calls of the system that wait are interrupted.
 */
#define SIGNALS_LATE	20	/* ticks of 50 ms after the signal */
#define SIGNALS_OVER	30
extern volatile sig_atomic_t signals_ticks;

static inline bool
signals_late(void)
{
	return (signals_ticks >= SIGNALS_LATE);
}

static inline bool
signals_over(void)
{
	return (signals_ticks >= SIGNALS_OVER);
}

/*
 * Returns true if a SIGUSR2 came since the last call: the output file has to be
 * opened again.  It is handled from signals_init() on.
 */
bool	signals_reopen(void);

/* Returns true if a control file was truncated while the consumer read it. */
bool	signals_truncated(void);

/*
 * For modes without a consumer: handles the signals that end a run, as
 * signals_take() does in a run.  signals_wait() waits until a timeout, or for a
 * SIGUSR2, and returns false if a signal came that ends the run.
 */
void	signals_end(void);
bool	signals_wait(const struct timespec *);

/*
 * Writes the name of a signal, such as SIGKILL or SIGRTMIN+1, to `room`.
 * Returns `room`.
 */
const char *signal_name(int number, char *room, size_t size);

#endif
