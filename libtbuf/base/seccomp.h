/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Filters of system calls (seccomp(2)), by /proc/PID/task/TID/status.
 */
#ifndef TBUF_BASE_SECCOMP_H
#define TBUF_BASE_SECCOMP_H

#include <stdint.h>

#define TBUF_FILTERS_UNKNOWN	UINT32_MAX	/* some: before Linux 5.9 */

/* Returns the number of a thread's filters, by the text of that file. */
uint32_t tbuf_filters(const char *status);

#endif
