/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Where the files of text traces are: by a process's pid in the runtime
 * directory, or by what a process, or a core, says that it has mapped.
 */
#ifndef TBUF_CONSUMER_FILES_TEXT_TRACES_H
#define TBUF_CONSUMER_FILES_TEXT_TRACES_H

#include <sys/types.h>

#include <limits.h>
#include <stdbool.h>

#include "tbuf_consumer.h"

/* The pid in the name of a trace's file; 0 if it is no such name. */
pid_t	tbuf_trace_name_pid(const char *name);

/* Is this the path of a mapping that may be a trace's? */
bool	tbuf_trace_mapping(const char *path);

/*
 * The file that process `pid', as it knows itself, has mapped as `path' below
 * a root directory; `found' is its path today.  A descriptor or -errno.
 */
int	tbuf_trace_open_mapping(const char *root, const char *path, pid_t pid,
	    char found[PATH_MAX]);

/*
 * A process's file, by its own mappings or else in the runtime directory, where
 * a dead one's is, too.  A descriptor or -errno: -ESRCH if there is none.
 */
int	tbuf_trace_open_pid(pid_t);

/* What is in this file, as tbuf_unwrap_file() has it. */
int	tbuf_unwrap_descriptor(int fd,
	    int (*visit)(void *, const struct tbuf_unwrapped *), void *);

/* Those of dead processes in a runtime directory, as tbuf_left() has them. */
int	tbuf_traces_left(int dirfd,
	    int (*visit)(void *, const struct tbuf_left *), void *);
int	tbuf_trace_remove(int dirfd, const char *name);

#endif
