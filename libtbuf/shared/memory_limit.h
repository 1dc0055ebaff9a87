/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How much memory there is for buffers.  "Not enough space" is decided by
 * arithmetic before anything is taken: the kernel would answer with the OOM
 * killer, or with SIGBUS in the target.  Whoever backs a file is charged for
 * it, so a target that builds its session itself asks for itself, unless it
 * takes little.  No malloc, no stdio.
 */
#ifndef TBUF_SHARED_MEMORY_LIMIT_H
#define TBUF_SHARED_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The least of: free space of the file system of `fd`, available memory, and
 * the room in the memory cgroups of this process.
 */
uint64_t tbuf_room(int fd);
/* ... of the file system alone. */
uint64_t tbuf_room_files(int fd);

/* RLIMIT_FSIZE: growing a file beyond it would raise SIGXFSZ. */
uint64_t tbuf_room_file(void);

/*
 * Backs [offset, offset + length) of a file with storage by fallocate(2), which
 * is repeated after EINTR.  Returns 0 or -errno.
 */
int	tbuf_back(int fd, uint64_t offset, uint64_t length);

/* Space is taken in pieces, with a look at what is left in between. */
#define TBUF_ROOM_PIECE	(UINT64_C(64) << 20)

/*
 * Back [offset, offset + size) in pieces, with a look at what is left in
 * between.  -ENOSPC; a part may be backed then.
 */
int	tbuf_room_back(int fd, uint64_t offset, uint64_t size);

/*
 * The least room of a process's memory cgroups, v1 and v2, from the texts of
 * /proc/self/cgroup and /proc/self/mountinfo; UINT64_MAX: no limit.
 */
uint64_t tbuf_room_groups(const char *cgroup, const char *mountinfo);

#endif
