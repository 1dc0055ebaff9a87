/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider: sockets.
 */
#include "libc.h"

#include <sys/socket.h>

#define FUNCTIONS	SOCKET_FUNCTIONS

LIBC_FAMILY(tbuf_libc_socket)

/*
 * The pointer to an address.  In C the headers declare it as a transparent
 * union, so that any kind of address will do.
 */
#define ADDRESS_OF(addr)	ADDRESS((addr).__sockaddr__)

/* The checking versions that the C library exports for its headers. */
ssize_t	__recv_chk(int fd, void *buf, size_t len, size_t size, int flags);
ssize_t	__recvfrom_chk(int fd, void *buf, size_t len, size_t size, int flags,
	    __SOCKADDR_ARG addr, socklen_t *addrlen);

WRAPPER(int, socket, (int domain, int type, int protocol), (domain, type,
    protocol), (domain, type, protocol), OR_ERRNO)

WRAPPER(int, connect, (int fd, __CONST_SOCKADDR_ARG addr, socklen_t addrlen),
    (fd, addr, addrlen), (fd, ADDRESS_OF(addr), addrlen), OR_ERRNO)

WRAPPER(int, accept, (int fd, __SOCKADDR_ARG addr, socklen_t *addrlen), (fd,
    addr, addrlen), (fd, ADDRESS_OF(addr), ADDRESS(addrlen)), OR_ERRNO)

WRAPPER(int, accept4, (int fd, __SOCKADDR_ARG addr, socklen_t *addrlen,
    int flags), (fd, addr, addrlen, flags), (fd, ADDRESS_OF(addr),
    ADDRESS(addrlen), flags), OR_ERRNO)

WRAPPER(ssize_t, send, (int fd, const void *buf, size_t len, int flags), (fd,
    buf, len, flags), (fd, ADDRESS(buf), len, flags), OR_ERRNO)

WRAPPER(ssize_t, sendto, (int fd, const void *buf, size_t len, int flags,
    __CONST_SOCKADDR_ARG addr, socklen_t addrlen), (fd, buf, len, flags, addr,
    addrlen), (fd, ADDRESS(buf), len, flags, ADDRESS_OF(addr), addrlen),
    OR_ERRNO)

WRAPPER(ssize_t, sendmsg, (int fd, const struct msghdr *msg, int flags), (fd,
    msg, flags), (fd, ADDRESS(msg), flags), OR_ERRNO)

WRAPPER(ssize_t, recv, (int fd, void *buf, size_t len, int flags), (fd, buf,
    len, flags), (fd, ADDRESS(buf), len, flags), OR_ERRNO)

WRAPPER_OF(ssize_t, __recv_chk, recv, (int fd, void *buf, size_t len,
    size_t size, int flags), (fd, buf, len, size, flags), (fd, ADDRESS(buf),
    len, flags), OR_ERRNO)

WRAPPER(ssize_t, recvfrom, (int fd, void *buf, size_t len, int flags,
    __SOCKADDR_ARG addr, socklen_t *addrlen), (fd, buf, len, flags, addr,
    addrlen), (fd, ADDRESS(buf), len, flags, ADDRESS_OF(addr),
    ADDRESS(addrlen)), OR_ERRNO)

WRAPPER_OF(ssize_t, __recvfrom_chk, recvfrom, (int fd, void *buf, size_t len,
    size_t size, int flags, __SOCKADDR_ARG addr, socklen_t *addrlen), (fd, buf,
    len, size, flags, addr, addrlen), (fd, ADDRESS(buf), len, flags,
    ADDRESS_OF(addr), ADDRESS(addrlen)), OR_ERRNO)

WRAPPER(ssize_t, recvmsg, (int fd, struct msghdr *msg, int flags), (fd, msg,
    flags), (fd, ADDRESS(msg), flags), OR_ERRNO)
