/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What LTTng-UST makes of its events.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_event.h"
