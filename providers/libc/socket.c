/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider: sockets.
 */
#include "libc.h"

#include <sys/socket.h>

enum {
	SOCKET, CONNECT, ACCEPT, ACCEPT4, SEND, SENDTO, SENDMSG, RECV,
	RECVFROM, RECVMSG, RECV_CHK, RECVFROM_CHK, NFUNCTIONS
};

static const struct libc_row rows[NFUNCTIONS] = {
	[SOCKET] = { "socket",
	    "domain:i32 type:i32 protocol:i32", "result:i32 errno:i32" },
	[CONNECT] = { "connect",
	    "fd:i32 addr:ptr addrlen:u32", "result:i32 errno:i32" },
	[ACCEPT] = { "accept",
	    "fd:i32 addr:ptr addrlen:ptr", "result:i32 errno:i32" },
	[ACCEPT4] = { "accept4",
	    "fd:i32 addr:ptr addrlen:ptr flags:i32", "result:i32 errno:i32" },
	[SEND] = { "send",
	    "fd:i32 buf:ptr len:u64 flags:i32", "result:i64 errno:i32" },
	[SENDTO] = { "sendto",
	    "fd:i32 buf:ptr len:u64 flags:i32 addr:ptr addrlen:u32",
	    "result:i64 errno:i32" },
	[SENDMSG] = { "sendmsg",
	    "fd:i32 msg:ptr flags:i32", "result:i64 errno:i32" },
	[RECV] = { "recv",
	    "fd:i32 buf:ptr len:u64 flags:i32", "result:i64 errno:i32" },
	[RECVFROM] = { "recvfrom",
	    "fd:i32 buf:ptr len:u64 flags:i32 addr:ptr addrlen:ptr",
	    "result:i64 errno:i32" },
	[RECVMSG] = { "recvmsg",
	    "fd:i32 msg:ptr flags:i32", "result:i64 errno:i32" },
	[RECV_CHK] = { "__recv_chk", NULL, NULL },
	[RECVFROM_CHK] = { "__recvfrom_chk", NULL, NULL },
};

static struct libc_function functions[NFUNCTIONS] =
    LIBC_FUNCTIONS(NFUNCTIONS);

const struct libc_family tbuf_libc_socket = {
	rows, functions, NFUNCTIONS, NULL, NULL, 0
};

/*
 * The pointer to an address.  In C the headers declare it as a transparent
 * union, so that any kind of address will do.
 */
#define ADDRESS_OF(addr)	ADDRESS((addr).__sockaddr__)

/* The checking versions that the C library exports for its headers. */
ssize_t	__recv_chk(int fd, void *buf, size_t len, size_t size, int flags);
ssize_t	__recvfrom_chk(int fd, void *buf, size_t len, size_t size, int flags,
	    __SOCKADDR_ARG addr, socklen_t *addrlen);

WRAPPER(int, socket, (int domain, int type, int protocol), SOCKET, SOCKET,
    (domain, type, protocol), (domain, type, protocol), OR_ERRNO)

WRAPPER(int, connect, (int fd, __CONST_SOCKADDR_ARG addr, socklen_t addrlen),
    CONNECT, CONNECT, (fd, addr, addrlen), (fd, ADDRESS_OF(addr), addrlen),
    OR_ERRNO)

WRAPPER(int, accept, (int fd, __SOCKADDR_ARG addr, socklen_t *addrlen), ACCEPT,
    ACCEPT, (fd, addr, addrlen), (fd, ADDRESS_OF(addr), ADDRESS(addrlen)),
    OR_ERRNO)

WRAPPER(int, accept4,
    (int fd, __SOCKADDR_ARG addr, socklen_t *addrlen, int flags), ACCEPT4,
    ACCEPT4, (fd, addr, addrlen, flags),
    (fd, ADDRESS_OF(addr), ADDRESS(addrlen), flags), OR_ERRNO)

WRAPPER(ssize_t, send, (int fd, const void *buf, size_t len, int flags), SEND,
    SEND, (fd, buf, len, flags), (fd, ADDRESS(buf), len, flags), OR_ERRNO)

WRAPPER(ssize_t, sendto, (int fd, const void *buf, size_t len, int flags,
    __CONST_SOCKADDR_ARG addr, socklen_t addrlen), SENDTO, SENDTO,
    (fd, buf, len, flags, addr, addrlen),
    (fd, ADDRESS(buf), len, flags, ADDRESS_OF(addr), addrlen), OR_ERRNO)

WRAPPER(ssize_t, sendmsg, (int fd, const struct msghdr *msg, int flags),
    SENDMSG, SENDMSG, (fd, msg, flags), (fd, ADDRESS(msg), flags), OR_ERRNO)

WRAPPER(ssize_t, recv, (int fd, void *buf, size_t len, int flags), RECV, RECV,
    (fd, buf, len, flags), (fd, ADDRESS(buf), len, flags), OR_ERRNO)

WRAPPER(ssize_t, __recv_chk,
    (int fd, void *buf, size_t len, size_t size, int flags), RECV, RECV_CHK,
    (fd, buf, len, size, flags), (fd, ADDRESS(buf), len, flags), OR_ERRNO)

WRAPPER(ssize_t, recvfrom, (int fd, void *buf, size_t len, int flags,
    __SOCKADDR_ARG addr, socklen_t *addrlen), RECVFROM, RECVFROM,
    (fd, buf, len, flags, addr, addrlen),
    (fd, ADDRESS(buf), len, flags, ADDRESS_OF(addr), ADDRESS(addrlen)),
    OR_ERRNO)

WRAPPER(ssize_t, __recvfrom_chk, (int fd, void *buf, size_t len, size_t size,
    int flags, __SOCKADDR_ARG addr, socklen_t *addrlen), RECVFROM, RECVFROM_CHK,
    (fd, buf, len, size, flags, addr, addrlen),
    (fd, ADDRESS(buf), len, flags, ADDRESS_OF(addr), ADDRESS(addrlen)),
    OR_ERRNO)

WRAPPER(ssize_t, recvmsg, (int fd, struct msghdr *msg, int flags), RECVMSG,
    RECVMSG, (fd, msg, flags), (fd, ADDRESS(msg), flags), OR_ERRNO)
