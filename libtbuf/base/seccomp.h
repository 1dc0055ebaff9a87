/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Filters of system calls (seccomp(2)) as /proc/PID/task/TID/status has them.
 */
#ifndef TBUF_BASE_SECCOMP_H
#define TBUF_BASE_SECCOMP_H

#include <stdint.h>

#define TBUF_FILTERS_UNKNOWN	UINT32_MAX	/* some: before Linux 5.9 */

/* How many a thread has, by the text of its file. */
uint32_t tbuf_filters(const char *status);

#endif
