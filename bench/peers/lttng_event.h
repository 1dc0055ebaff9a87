/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The events of lttng.c, in LTTng-UST's form.  This header is included more
 * than once.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER tbuf_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_event.h"

#if !defined(BENCH_LTTNG_EVENT_H) || \
    defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_EVENT_H

#include <stdint.h>

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(tbuf_bench, pair,
    LTTNG_UST_TP_ARGS(uint64_t, i, uint64_t, times),
    LTTNG_UST_TP_FIELDS(
	lttng_ust_field_integer(uint64_t, i, i)
	lttng_ust_field_integer(uint64_t, times, times)
    )
)

LTTNG_UST_TRACEPOINT_EVENT(tbuf_bench, string,
    LTTNG_UST_TP_ARGS(uint64_t, i, const char *, path),
    LTTNG_UST_TP_FIELDS(
	lttng_ust_field_integer(uint64_t, i, i)
	lttng_ust_field_string(path, path)
    )
)

#endif

#include <lttng/tracepoint-event.h>
