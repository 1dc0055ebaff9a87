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

/* Returns true for the offset of an instruction: a hexadecimal number. */
bool	missing_is_offset(const char *name);

/* Returns true for a name that no probe of the pid provider can have. */
bool	missing_name(const char *provider, const char *name);

/*
 * Returns true if tbuf lacks this provider of DTrace, or it has no probe of
 * this name, and reports it: once for each provider.
 */
bool	missing_tell(const char *provider, const char *name);

#endif
