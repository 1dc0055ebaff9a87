/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Benches of which this process is the target as well as the consumer.
 */
#ifndef BENCH_SELF_H
#define BENCH_SELF_H

struct tbuf_consumer;

/* Trace this process under ring; so many probes have to match, or any (0). */
struct tbuf_consumer *bench_trace(const char *enabling, unsigned probes);

/*
 * Run this program again, with the provider of this name preloaded and one
 * argument; exit where it was not built.
 */
void	bench_preload(char *argv[], const char *provider);

#endif
