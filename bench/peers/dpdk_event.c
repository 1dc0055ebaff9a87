/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Registers the event of dpdk_event.h.
 */
#include <rte_trace_point_register.h>

#include "dpdk_event.h"

RTE_TRACE_POINT_REGISTER(tbuf_bench_pair, tbuf_bench.pair)
