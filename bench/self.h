/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Benches in which this process is both target and consumer.
 */
#ifndef BENCH_SELF_H
#define BENCH_SELF_H

struct tbuf_consumer;

/* Traces this process into a ring; `probes` must match, or any number (0). */
struct tbuf_consumer *bench_trace(const char *enabling, unsigned probes);

/*
 * Runs this program again, with a provider preloaded and one argument; exits if
 * the provider was not built.
 */
void	bench_preload(char *argv[], const char *provider);

#endif
