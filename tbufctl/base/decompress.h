/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A compressed file, read as if it were not.  It is unpacked from its
 * beginning on, in a little memory: what lies before the bytes that were read
 * last is unpacked anew.
 */
#ifndef TBUFCTL_BASE_DECOMPRESS_H
#define TBUFCTL_BASE_DECOMPRESS_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a file is compressed with, by its first bytes: "zstd", "lz4", "xz" or
 * the like; NULL if by nothing that is known.
 */
const char *unpack_name(int fd);

struct unpack;

/*
 * NULL and ENOTSUP where there is no library for it; ENOMEM.  The descriptor
 * stays the caller's.
 */
struct unpack *unpack_open(int fd);
void	unpack_close(struct unpack *);

/* Has it turned out to be damaged?  It is read up to there. */
bool	unpack_damaged(const struct unpack *);

/* A tbuf_core_read. */
ssize_t	unpack_read(void *, void *to, size_t size, uint64_t offset);

/* The whole of it: a descriptor, -EFBIG beyond some GiB, or -errno. */
int	unpack_file(struct unpack *);

#endif
