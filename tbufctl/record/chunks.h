/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Directories of a recording: DIR, and chunks of it, which are numbered.  A
 * chunk has an eighth of the bytes of a recording of a limited size, or it is a
 * snapshot.  The oldest ones are removed.  Bytes are those of a disk's pages,
 * with heads, metadata and directories.
 */
#ifndef TBUFCTL_RECORD_CHUNKS_H
#define TBUFCTL_RECORD_CHUNKS_H

#include <sys/param.h>

#include <stdbool.h>
#include <stdint.h>

#include "stream.h"

#define CHUNKS		8	/* of a recording */

struct chunk {
	struct chunk *next;
	unsigned number;
	bool snapshot;		/* its records are not in totals */
	bool written;		/* so that it cannot be removed yet */
	uint64_t bytes, records;
	uint64_t heads;		/* bytes of heads and metadata */
	struct ctf_tail losses;	/* of its packets */
};

/* The content of a hidden file in DIR: sums of the chunks that were removed. */
struct chunks_removed {
	uint64_t number;	/* of the last one: it may be there in part */
	uint64_t records;
	struct ctf_tail losses;
};
#define REMOVED_FILE	".removed"

struct chunks {
	int base;		/* DIR */
	uint64_t most;		/* bytes; 0: no limit */
	struct chunk *list;	/* from the oldest on */
	unsigned numbers;	/* of chunks so far */
	struct chunks_removed removed;
};

/*
 * Begins a chunk, after removing the oldest ones until there is room for it.
 * Returns its directory, and *chunk, or -errno.
 */
int	chunk_begin(struct chunks *, bool is_snapshot, struct chunk **chunk);

/*
 * Returns true if a chunk is to have this many bytes more.  One in which heads
 * take more than its eighth has as many bytes of packets, up to a half of all.
 */
static inline bool
chunk_has_room(const struct chunks *all, const struct chunk *chunk,
    uint64_t bytes)
{
	return (chunk->bytes + bytes <= MAX(all->most / CHUNKS,
	    MIN(2 * chunk->heads, all->most / 2)));
}

/*
 * Removes the oldest chunks until so many bytes more are within the limit, or
 * until the oldest one is being written.  Returns 0 or -errno.
 */
int	chunks_make_room(struct chunks *, uint64_t bytes);

void	chunks_free(struct chunks *);

/* Opens a directory in another one, but no link.  Returns it, or -errno. */
int	chunks_open(int directory, const char *name);

/*
 * Removes a directory with its files, and with directories in it down to this
 * depth.  Returns 0 or -errno.
 */
int	chunks_remove(int directory, const char *name, int depth);

/* Returns true if a directory has no files; *error: it cannot be read. */
bool	chunks_is_empty(int directory, int *error);

#endif
