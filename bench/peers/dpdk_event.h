/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The event of dpdk.c, in DPDK's form.
 */
#ifndef BENCH_DPDK_EVENT_H
#define BENCH_DPDK_EVENT_H

#include <rte_trace_point.h>

RTE_TRACE_POINT(
	tbuf_bench_pair,
	RTE_TRACE_POINT_ARGS(uint64_t a, uint64_t b),
	rte_trace_point_emit_u64(a);
	rte_trace_point_emit_u64(b);
)

#endif
