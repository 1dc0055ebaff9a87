/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * System calls by number, as in the kernel's headers at build time, and their
 * arguments.  A call that the headers have and this table lacks is traced, too:
 * its arguments have no names.
 */
#include "syscall.h"

#include <sys/syscall.h>

#include <stdlib.h>
#include <string.h>

static const char *const names[SYSCALL_NUMBERS] = {
#include "syscall_names.h"
};

/* Sorted by name. */
static const struct syscall_row rows[] = {
#include "rows.h"
};

#define NROWS	(sizeof(rows) / sizeof(rows[0]))
#define UNKNOWN	"arg0:u64 arg1:u64 arg2:u64 arg3:u64 arg4:u64 arg5:u64"

const char *
syscall_name(unsigned number)
{
	return (number < SYSCALL_NUMBERS ? names[number] : NULL);
}

static int
compare(const void *name, const void *row)
{
	return (strcmp(name, ((const struct syscall_row *)row)->name));
}

const char *
syscall_arguments(const char *name)
{
	const struct syscall_row *row = bsearch(name, rows, NROWS,
	    sizeof(rows[0]), compare);

	return (row == NULL ? UNKNOWN : row->arguments);
}
