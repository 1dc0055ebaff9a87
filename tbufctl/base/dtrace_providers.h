/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * DTrace's providers that tbuf does not have.
 */
#ifndef TBUFCTL_BASE_DTRACE_PROVIDERS_H
#define TBUFCTL_BASE_DTRACE_PROVIDERS_H

#include <stdbool.h>

/* Returns true for a name of DTrace's pid provider: pid and digits. */
bool	missing_is_pid(const char *provider);

/*
 * Returns true if tbuf lacks this provider of DTrace, and reports it, once for
 * each.
 */
bool	missing_tell(const char *provider);

#endif
