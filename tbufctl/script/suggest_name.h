/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What was probably meant by a name of a script that nobody knows.
 */
#ifndef TBUFCTL_SCRIPT_SUGGEST_NAME_H
#define TBUFCTL_SCRIPT_SUGGEST_NAME_H

struct compiled;
struct d_error;

/* To be freed; NULL when nothing is near. */
char	*hint(struct compiled *, const struct d_error *);

#endif
