/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory of this process that may not be there, or be unmapped meanwhile: read
 * by calls that fail where a load would trap.  Async-signal-safe, and part of
 * fires.
 *
 * process_vm_readv(2) does that, but a filter of system calls may kill for it.
 * A process that has begun under one, as in a container, has /proc/self/mem
 * read by openat(2), pread64(2) and close(2) instead: calls that libtbuf makes
 * at its begin in any case, as it does these very ones here, to see that there
 * is such a file.
 */
#ifndef TBUF_BASE_SAFE_READ_H
#define TBUF_BASE_SAFE_READ_H

#include <sys/uio.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tbuf_peek {
	TBUF_PEEK_NOT,		/* it cannot be read */
	TBUF_PEEK_CALL,		/* process_vm_readv(2) */
	TBUF_PEEK_FILE		/* /proc/self/mem */
};

/* How this process's memory is read, under filters or not; asked once. */
enum tbuf_peek tbuf_peek_way(bool filtered);

/*
 * Copy pieces, one behind the other, `size` bytes in all: how many were copied,
 * up to the first that cannot be read, or a negative errno if none was.
 */
long	tbuf_peek(enum tbuf_peek, const struct iovec *pieces, unsigned count,
	    void *to, size_t size);

/* How whoever has this compiled in makes system calls: a result, or -errno. */
long	tbuf_peek_call(long number, long a, const void *b, long c,
	    const void *d, long e);

#endif
