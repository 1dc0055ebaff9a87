/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Spare files: the control file of a process that has ended is handed on to a
 * process that begins, as pages that are backed already cost less than pages
 * that are allocated and freed.  A spare contains zeroes alone, so that a
 * target of any version builds the same in it as in a new file.
 *
 *	consumer	is the last user of the file of an ended process, and
 *			would unlink it: renames it to spare.N, a name that no
 *			list has; takes flock LOCK_EX; takes a write lease,
 *			which the kernel grants only if no other open file
 *			description of the file exists, mapped ones included,
 *			and gives it back; writes zeroes to all pages that are
 *			not; releases its other locks, unmaps it, releases the
 *			flock; sets byte N of the board's `spares'
 *	target		finds a byte, which is a hint; opens spare.N; checks
 *			owner, mode, kind, size and that it has one name and a
 *			header of zeroes; takes flock LOCK_EX, and checks once
 *			more; clears the byte; maps the file; from then on
 *			treats it as one that it has made with a hidden name,
 *			which it changes by renameat2(2), so that the mapping
 *			has the new name.  If anything is different, it makes a
 *			file.
 *	end		of a run, and the beginning of one: the consumer
 *			clears the bytes, and unlinks each spare that has a free
 *			flock, or another name by now
 *
 * Invariants [inv.spare]:
 *	alone	While a file is cleared, one open file description of it
 *		exists.  A process that comes by its old name before the rename
 *		makes the lease fail, and then the file is unlinked; one that
 *		comes by its new name does not get the flock.  So no child that
 *		has its parent's file mapped finds another process's in it.
 *	once	A spare has one taker: the one with the flock.  A later one
 *		finds a header with a magic.  A taker that was killed leaves a
 *		name that is not taken any more, and that the end of a run
 *		removes.
 *	back	A target backs each range by fallocate(2) as in a new file: it
 *		need not know which pages a spare has.  The file ends where
 *		the last session does.
 *
 * A spare has at most TBUF_SPARE_BYTES, and there are TBUF_SPARE_FILES in a
 * directory at most.  They are not part of the budget of a run.
 */
#ifndef TBUF_SHARED_SPARE_FILE_H
#define TBUF_SHARED_SPARE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "shared/control_file.h"

#define TBUF_SPARE_FILES		4u
#define TBUF_SPARE_BYTES	(UINT64_C(2) << 20)	/* that are backed */

void	tbuf_spare_name(char name[TBUF_NAME_MAX + 1], unsigned number);

/*
 * Takes a spare of this user that the board, open as `board', has.  Returns a
 * descriptor with the flock, and the spare's name and bytes, or -1.  No malloc.
 */
int	tbuf_spare_take(int dirfd, int board, char name[TBUF_NAME_MAX + 1],
	    uint64_t *bytes);

#endif
