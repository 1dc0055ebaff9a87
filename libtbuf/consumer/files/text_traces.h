/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the files of text traces: by pid in the runtime directory, or by the
 * mappings of a process or a core.
 */
#ifndef TBUF_CONSUMER_FILES_TEXT_TRACES_H
#define TBUF_CONSUMER_FILES_TEXT_TRACES_H

#include <sys/types.h>

#include <limits.h>
#include <stdbool.h>

#include "tbuf_consumer.h"

/* Returns the pid in the name of a trace's file; 0: it is not such a name. */
pid_t	tbuf_trace_name_pid(const char *name);

/* Returns true if the path of a mapping may be a trace's. */
bool	tbuf_trace_mapping(const char *path);

/*
 * Opens the trace that process `pid` (in its own pid namespace) has mapped as
 * `path` below a root directory.  Stores its present path in `found`.  Returns
 * a descriptor or -errno.
 */
int	tbuf_trace_open_mapping(const char *root, const char *path, pid_t pid,
	    char found[PATH_MAX]);

/*
 * Opens the trace of a process, by its mappings, else in the runtime directory,
 * which also has those of dead processes.  Returns a descriptor or -errno;
 * -ESRCH if there is none.
 */
int	tbuf_trace_open_pid(pid_t);

/* Visits the traces in a file, as tbuf_unwrap_file() does. */
int	tbuf_unwrap_descriptor(int fd,
	    int (*visit)(void *, const struct tbuf_unwrapped *), void *);

/* Visits dead processes' traces in a runtime directory, for tbuf_left(). */
int	tbuf_traces_orphan(int dirfd,
	    int (*visit)(void *, const struct tbuf_left *), void *);
int	tbuf_trace_remove(int dirfd, const char *name);

#endif
