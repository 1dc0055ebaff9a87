/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads recordings (recording.h): of one target, of a chunk, or all of a
 * directory but snapshots in it, whose records other chunks have.
 */
#ifndef TBUFCTL_RECORD_READ_RECORDING_H
#define TBUFCTL_RECORD_READ_RECORDING_H

#include <tbuf_consumer.h>

/*
 * Opens the traces in a directory, each as a session.  Returns 0, or -errno:
 * *why is then a reason, or NULL if the consumer has a message.
 */
int	recording_read(struct tbuf_consumer *, const char *path,
	    const char **why);

#endif
