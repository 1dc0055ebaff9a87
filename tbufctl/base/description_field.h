/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the ends of fields in probe descriptions.
 */
#ifndef TBUFCTL_BASE_DESCRIPTION_FIELD_H
#define TBUFCTL_BASE_DESCRIPTION_FIELD_H

/*
 * Returns the end of the field at p: its colon or comma, or the end of the
 * string.  Those in a class or after a backslash do not count; a ] that comes
 * first in a class is a member of it.
 */
const char *field_end(const char *p);

#endif
