/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --read: a control file; --core: a core file, which may be compressed.
 */
#ifndef TBUFCTL_RUN_READ_FILES_H
#define TBUFCTL_RUN_READ_FILES_H

struct options;
struct tbuf_consumer;

/*
 * Makes the consumer read all files.  Returns 0, or an exit status after a
 * message.
 */
int	files_open(struct tbuf_consumer *, const struct options *);

#endif
