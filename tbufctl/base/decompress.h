/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a compressed file as if it were not compressed.  The file is unpacked
 * sequentially, in little memory: a read at an offset before the end of the
 * previous read unpacks it from the beginning again.
 */
#ifndef TBUFCTL_BASE_DECOMPRESS_H
#define TBUFCTL_BASE_DECOMPRESS_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the compression format of a file, from its first bytes: "zstd",
 * "lz4", "xz" and so on; NULL if it has no known one.
 */
const char *unpack_name(int fd);

struct unpack;

/*
 * Begins to unpack a file.  Returns NULL with errno ENOTSUP (no library for its
 * format) or ENOMEM.  The caller still owns the descriptor.
 */
struct unpack *unpack_open(int fd);
void	unpack_close(struct unpack *);

/* Returns true if a read ended early, at damaged input. */
bool	unpack_damaged(const struct unpack *);

/* Returns true if a read ended at 64 GiB, and the file may have more bytes. */
bool	unpack_large(const struct unpack *);

/*
 * Reads unpacked bytes; implements tbuf_core_read.  Returns -EINTR after a
 * signal that ends the run.
 */
ssize_t	unpack_read(void *, void *to, size_t size, uint64_t offset);

/*
 * Unpacks a whole file into a file without a name, in memory.  Returns a
 * descriptor, -EFBIG if more than some GiB are not zero, or another -errno.
 */
int	unpack_file(struct unpack *);

#endif
