/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Providers of DTrace's that are not here.
 */
#ifndef TBUFCTL_BASE_DTRACE_PROVIDERS_H
#define TBUFCTL_BASE_DTRACE_PROVIDERS_H

#include <stdbool.h>

/* Is it a provider that no program can have: pid, with digits behind it? */
bool	missing_is_pid(const char *provider);

/* Say of a provider of DTrace's, whose probes are not here, that it is so. */
void	missing_tell(const char *provider);

#endif
