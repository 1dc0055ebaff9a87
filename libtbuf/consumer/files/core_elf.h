/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An ELF core: what of the process's memory it has and where, and what its
 * notes tell.  Anybody may have written it: each number is checked, and the
 * work is bounded by the bytes that are there.
 */
#ifndef TBUF_CONSUMER_FILES_CORE_ELF_H
#define TBUF_CONSUMER_FILES_CORE_ELF_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tbuf_consumer.h"

#define TBUF_CORE_SEGMENTS	(1u << 20)	/* program headers */
#define TBUF_CORE_NOTES		(UINT64_C(32) << 20)	/* bytes */
#define TBUF_CORE_PATHS		64		/* of control files */

/* A piece of the process's memory that the core has. */
struct tbuf_core_segment {
	uint64_t address;
	uint64_t offset;	/* in the core */
	uint64_t size;		/* bytes there, if it is not truncated */
};

/* A mapped file, by its path when the core was written. */
struct tbuf_core_path {
	char *path;
	bool deleted;
};

struct tbuf_core {
	tbuf_core_read read;
	void *arg;
	struct tbuf_core_segment *segments;	/* in the core's order */
	size_t nsegments;
	struct tbuf_core_path paths[TBUF_CORE_PATHS];
	size_t npaths;
	char *traces[TBUF_CORE_PATHS];	/* mappings that may be of text */
	size_t ntraces;
	pid_t pid;		/* in its own namespace; 0: not known */
	bool truncated;
};

/*
 * Read the headers and notes of a core that `read` gives the bytes of.  NULL,
 * or what is wrong, and -EINVAL, -ENOMEM or what `read` returned.
 */
const char *tbuf_core_open(struct tbuf_core *, tbuf_core_read, void *arg,
	    int *error);
void	tbuf_core_close(struct tbuf_core *);
/* Of the descriptor that `arg' points to. */
ssize_t	tbuf_core_read_file(void *arg, void *to, size_t size, uint64_t offset);

/*
 * Bytes of the core: how many there were, less than `size` at its end, or
 * -errno.
 */
ssize_t	tbuf_core_bytes(struct tbuf_core *, void *to, size_t size,
	    uint64_t offset);

#endif
