/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scenarios and defects by name.
 */
#ifndef TESTS_MODEL_BY_NAME_H
#define TESTS_MODEL_BY_NAME_H

#include <stddef.h>

/*
 * Returns the index of a name in a table whose entries begin with a pointer to
 * theirs; exits with a message that names the kind if none has this name.
 */
unsigned model_by_name(const void *table, unsigned n, size_t entry,
	    const char *kind, const char *name);

#endif
