/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What signals do to tbufctl.
 */
#ifndef TBUFCTL_BASE_SIGNALS_H
#define TBUFCTL_BASE_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct tbuf_consumer;

/* SIGBUS and SIGPIPE, for every mode; whose mappings the former mends. */
void	signals_init(void);
void	signals_mend(struct tbuf_consumer *);

/*
 * The first of SIGHUP, SIGINT, SIGQUIT and SIGTERM stops this consumer, the
 * second is final.  SIGUSR1 wakes it: has there been one since the last look?
 */
void	signals_take(struct tbuf_consumer *);
bool	signals_snapshot(void);
void	signals_forget(void);

/* A target's control file was truncated while that consumer read it. */
bool	signals_truncated(void);

/* Without a consumer: hold them back, and wait for one or for the time. */
void	signals_block(void);
bool	signals_wait(const struct timespec *);

/*
 * Writes the name of a signal, such as SIGKILL or SIGRTMIN+1, to `room`, which
 * is returned.
 */
const char *signal_name(int number, char *room, size_t size);

#endif
