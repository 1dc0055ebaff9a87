/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory that is available for buffers.  It is computed before any is
 * taken: otherwise the kernel would react with the OOM killer, or with SIGBUS
 * in the target.  The process that backs a file is charged for it, so a target
 * that builds its session itself computes its own limit, unless the session is
 * small.  No malloc, no stdio.
 */
#ifndef TBUF_SHARED_MEMORY_LIMIT_H
#define TBUF_SHARED_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Returns the least of: free space of the file system of `fd`, available
 * memory, and the room in the memory cgroups of this process, in bytes.
 */
uint64_t tbuf_room(int fd);
/* Returns the free space of the file system of `fd`, in bytes. */
uint64_t tbuf_room_files(int fd);

/* Returns RLIMIT_FSIZE; growing a file beyond it would raise SIGXFSZ. */
uint64_t tbuf_room_file(void);

/*
 * Backs [offset, offset + length) of a file with storage by fallocate(2), which
 * is repeated after EINTR.  Returns 0 or -errno.
 */
int	tbuf_back(int fd, uint64_t offset, uint64_t length);

#define TBUF_ROOM_PIECE	(UINT64_C(64) << 20)	/* bytes backed at once */

/*
 * Backs [offset, offset + size) in pieces, and checks the remaining room before
 * each.  Returns 0, -ENOSPC, or another -errno; a part may be backed then.
 */
int	tbuf_room_back(int fd, uint64_t offset, uint64_t size);

/*
 * Returns the least room in a process's memory cgroups, v1 and v2, by files
 * such as /proc/self/cgroup and /proc/self/mountinfo; UINT64_MAX: no limit.
 */
uint64_t tbuf_room_groups(const char *cgroup, const char *mountinfo);

#endif
