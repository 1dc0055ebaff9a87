/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The fields of a description.
 */
#ifndef TBUFCTL_BASE_DESCRIPTION_FIELD_H
#define TBUFCTL_BASE_DESCRIPTION_FIELD_H

/*
 * The end of the field at p: its colon or comma, or the end.  What stands in
 * a class or behind a backslash separates nothing; a ] that comes first in a
 * class stands for itself.
 */
const char *field_end(const char *p);

#endif
