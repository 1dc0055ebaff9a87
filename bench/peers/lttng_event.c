/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Code that LTTng-UST generates for the events.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_event.h"
