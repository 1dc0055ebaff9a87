/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Types of the arguments of functions: tbufctl reads them from the debug
 * information of files, before it lets its command run, and the provider in the
 * command gives them to probes.
 *
 * The variable TBUF_PID_TYPES names a file that tbufctl has written.  For each
 * object there is a line, then one for each function of it:
 *
 *	object ID FILE
 *	ADDRESS RESULT TYPE NAME TYPE NAME ...
 *
 * FILE is the base name of the object's file.  ID identifies the object:
 *
 *	id/BUILD-ID/SIZE
 *	file/DEVICE/INODE/SIZE/TIME
 *
 * The first has the build ID, and the size of the object in memory, from its
 * lowest segment to the end of the highest one: strip(1) keeps both.  The
 * second is that of an object without a build ID, whose file has to be the same
 * one, unchanged; TIME is that of its last change of content, in ns.  Numbers
 * in these lines are hexadecimal.
 *
 * ADDRESS is that in the object's file, hexadecimal; types are numbers of enum
 * tbuf_type, a pair for each argument, which is the word of its number of a
 * call; a name is - if no parameter has the word.  The type of an argument in a
 * vector register is followed by v and the register's number, or by u if it is
 * the second float there.
 *
 * The rules:
 *
 * - The file is complete before the command runs.  The provider reads it once,
 *   before main(), and keeps it for objects that are loaded later.  It waits
 *   for nothing: tbufctl may have ended, or be stopped, when an object comes.
 * - An object has the types of the entry with its ID, and of no other one,
 *   whatever its name is.  The provider takes the build ID and the size from
 *   the memory of the object, not from the file that has its path by now.
 * - An object without such an entry has words without types.  If an entry has
 *   its FILE, tbufctl has read another file, and the provider reports that.
 * - A type is a choice of how a word is shown: a wrong one makes a wrong value,
 *   and nothing else.  Each type and name is checked before it is used.
 */
#ifndef TBUF_PROVIDERS_PID_TYPES_H
#define TBUF_PROVIDERS_PID_TYPES_H

#include <sys/stat.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Where a floating-point argument is that no word of a call has: in a vector
 * register, by its number.  On x86-64 a register may have two floats of a
 * structure.
 */
#define PID_VECTOR	0x80u
#define PID_UPPER	0x40u		/* it is the second one */
#define PID_VECTORS	8u		/* registers that pass arguments */

#define PID_TYPES	"TBUF_PID_TYPES"
#define PID_OBJECT	"object "	/* ID FILE */

#define PID_BUILD_ID	64u		/* bytes of the longest build ID */
#define PID_ID		(2u * PID_BUILD_ID + 32u)

/* The ID of an object with a build ID of n bytes, at most PID_BUILD_ID. */
static inline void
pid_id_of_build(char id[PID_ID], const uint8_t *build, size_t n, uint64_t size)
{
	char digits[2 * PID_BUILD_ID + 1];
	size_t i;

	for (i = 0; i < n; i++)
		(void)snprintf(digits + 2 * i, 3, "%02x", build[i]);
	(void)snprintf(id, PID_ID, "id/%s/%" PRIx64, digits, size);
}

/* The ID of an object without one. */
static inline void
pid_id_of_file(char id[PID_ID], const struct stat *st)
{
	(void)snprintf(id, PID_ID, "file/%" PRIx64 "/%" PRIx64 "/%" PRIx64
	    "/%" PRIx64, (uint64_t)st->st_dev, (uint64_t)st->st_ino,
	    (uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec * 1000000000u +
	    (uint64_t)st->st_mtim.tv_nsec);
}

#endif
