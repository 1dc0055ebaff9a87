/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Suggests a known name for an unknown name in a script.
 */
#ifndef TBUFCTL_SCRIPT_SUGGEST_NAME_H
#define TBUFCTL_SCRIPT_SUGGEST_NAME_H

struct compiled;
struct d_error;

/* Returns a name for the caller to free; NULL if none is near. */
char	*hint(struct compiled *, const struct d_error *);

#endif
