/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An ELF core: the segments of process memory that it contains, and its notes.
 * The file is not trusted: each number is checked, and the work is bounded by
 * the bytes that exist.
 */
#ifndef TBUF_CONSUMER_FILES_CORE_ELF_H
#define TBUF_CONSUMER_FILES_CORE_ELF_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/layout.h"
#include "tbuf_consumer.h"

#define TBUF_CORE_SEGMENTS	(1u << 20)	/* program headers */
#define TBUF_CORE_NOTES		(UINT64_C(32) << 20)	/* bytes */
#define TBUF_CORE_PATHS		64		/* of control files */

/* A segment of the process's memory in the core. */
struct tbuf_core_segment {
	uint64_t address;
	uint64_t offset;	/* in the core */
	uint64_t size;		/* bytes in it, if it is not truncated */
};

/* A mapped file: its path at the time when the core was written. */
struct tbuf_core_path {
	char *path;
	bool deleted;
};

struct tbuf_core {
	tbuf_core_read read;
	void *arg;
	struct tbuf_core_segment *segments;	/* sorted by offset */
	size_t nsegments;
	struct tbuf_core_path paths[TBUF_CORE_PATHS];
	size_t npaths;
	char *traces[TBUF_CORE_PATHS];	/* mappings that may be text traces */
	size_t ntraces;
	pid_t pid;		/* in its own pid namespace; 0: not known */
	bool truncated;
	bool headless;		/* a part of the program headers is missing */
};

/*
 * Reads the headers and notes of a core through `read`.  Returns NULL, or a
 * message about the problem, with `error` set to -EINVAL, -ENOMEM or the error
 * of `read`.
 */
const char *tbuf_core_open(struct tbuf_core *, tbuf_core_read, void *arg,
	    int *error);
void	tbuf_core_close(struct tbuf_core *);
/* Reads from the descriptor that `arg` points to: a tbuf_core_read. */
ssize_t	tbuf_core_read_file(void *arg, void *to, size_t size, uint64_t offset);

/*
 * Reads bytes of the core.  Returns their number, less than `size` at its end,
 * or -errno.
 */
ssize_t	tbuf_core_bytes(struct tbuf_core *, void *to, size_t size,
	    uint64_t offset);

/* ------------------------------------------------------------ core images */

/* Core images: control files as a core contains them. */
#define TBUF_IMAGES		8
#define TBUF_EYECATCHERS	64	/* looked at in one core */

struct tbuf_image {
	struct tbuf_control control;	/* a copy, not checked */
	uint64_t address, size;		/* in the process; 0 and more */
	uint64_t cut;			/* first missing byte; 0: none */
	int fd;				/* memfd with the copy; -1: none */
};

struct tbuf_images {
	struct tbuf_image images[TBUF_IMAGES];
	size_t count;
	unsigned seen;			/* eye-catchers found */
};

/*
 * Finds the control files of a core and copies them into memfds.  Returns 0,
 * also if there are none, -EFBIG, -ENOMEM, or the error of reading the core.
 * The caller calls tbuf_images_close() in any case, and sets an fd that it
 * takes over to -1.
 */
int	tbuf_images_find(struct tbuf_core *, struct tbuf_images *);
void	tbuf_images_close(struct tbuf_images *);

#endif
