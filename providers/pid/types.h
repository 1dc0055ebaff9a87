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
 * tbuf_type, a pair for each of the first words of a call; a name is - if no
 * parameter has the word.
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

#include <inttypes.h>

#define PID_TYPES	"TBUF_PID_TYPES"
#define PID_OBJECT	"object "	/* ID FILE */

#define PID_BUILD_ID	64u		/* bytes of the longest build ID */
#define PID_ID		(2u * PID_BUILD_ID + 32u)

/* The two forms of an ID; the first one takes a text of digits. */
#define PID_ID_BUILD	"id/%s/%" PRIx64
#define PID_ID_FILE	"file/%" PRIx64 "/%" PRIx64 "/%" PRIx64 "/%" PRIx64

#endif
