/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads memory of this process that may be unmapped, by system calls that fail
 * where a load would trap.  Async-signal-safe, and used in fires.
 *
 * process_vm_readv(2) does that, but a filter of system calls may kill the
 * process for it.  A process that was started under a filter, as in a
 * container, reads /proc/self/mem by openat(2), pread64(2) and close(2)
 * instead.  libtbuf makes these calls in any case when it starts, also on this
 * file, to find out whether it can be read.
 */
#ifndef TBUF_BASE_SAFE_READ_H
#define TBUF_BASE_SAFE_READ_H

#include <sys/uio.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tbuf_peek {
	TBUF_PEEK_NOT,		/* memory cannot be read */
	TBUF_PEEK_CALL,		/* process_vm_readv(2) */
	TBUF_PEEK_FILE		/* /proc/self/mem */
};

/* Returns how to read this process's memory; called once, when it starts. */
enum tbuf_peek tbuf_peek_way(bool filtered);

/*
 * Copies pieces one after the other, `size` bytes in all.  Returns the number
 * of bytes before the first that cannot be read, or a negative errno for none.
 */
long	tbuf_peek(enum tbuf_peek, const struct iovec *pieces, unsigned count,
	    void *to, size_t size);

/*
 * Makes a system call; each object that has this compiled in defines it.
 * Returns the result or a negative errno.
 */
long	tbuf_peek_call(long number, long a, const void *b, long c,
	    const void *d, long e);

#endif
