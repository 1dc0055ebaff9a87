/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --read: a control file; --core: a core file, which may be compressed.
 */
#ifndef TBUFCTL_RUN_READ_FILES_H
#define TBUFCTL_RUN_READ_FILES_H

#include <stdbool.h>

struct tbuf_consumer;

/*
 * Make the consumer read a file.  Return 0, or an exit status after a message.
 */
int	file_open(struct tbuf_consumer *, const char *file_or_pid, bool quiet);
int	core_open(struct tbuf_consumer *, const char *path, bool quiet);

#endif
