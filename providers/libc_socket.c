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
 * The pointer to an address.  For C the headers declare it as a transparent
 * union, so that any kind of address will do.
 */
#define ADDRESS_OF(addr)	ADDRESS((addr).__sockaddr__)

/* What the C library exports for the headers' checking versions. */
ssize_t	__recv_chk(int fd, void *buf, size_t len, size_t size, int flags);
ssize_t	__recvfrom_chk(int fd, void *buf, size_t len, size_t size, int flags,
	    __SOCKADDR_ARG addr, socklen_t *addrlen);

int
socket(int domain, int type, int protocol)
{
	struct libc_function *f = &functions[SOCKET];
	typeof(socket) *real;
	int result;

	if (quiet(f))
		return (REAL(socket, f)(domain, type, protocol));
	real = tbuf_libc_real(f);
	FIRE(f->entry, domain, type, protocol);
	result = real(domain, type, protocol);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

int
connect(int fd, __CONST_SOCKADDR_ARG addr, socklen_t addrlen)
{
	struct libc_function *f = &functions[CONNECT];
	typeof(connect) *real;
	int result;

	if (quiet(f))
		return (REAL(connect, f)(fd, addr, addrlen));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS_OF(addr), addrlen);
	result = real(fd, addr, addrlen);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

int
accept(int fd, __SOCKADDR_ARG addr, socklen_t *addrlen)
{
	struct libc_function *f = &functions[ACCEPT];
	typeof(accept) *real;
	int result;

	if (quiet(f))
		return (REAL(accept, f)(fd, addr, addrlen));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS_OF(addr), ADDRESS(addrlen));
	result = real(fd, addr, addrlen);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

int
accept4(int fd, __SOCKADDR_ARG addr, socklen_t *addrlen, int flags)
{
	struct libc_function *f = &functions[ACCEPT4];
	typeof(accept4) *real;
	int result;

	if (quiet(f))
		return (REAL(accept4, f)(fd, addr, addrlen, flags));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS_OF(addr), ADDRESS(addrlen), flags);
	result = real(fd, addr, addrlen, flags);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
send(int fd, const void *buf, size_t len, int flags)
{
	struct libc_function *f = &functions[SEND];
	typeof(send) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(send, f)(fd, buf, len, flags));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(buf), len, flags);
	result = real(fd, buf, len, flags);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
sendto(int fd, const void *buf, size_t len, int flags,
    __CONST_SOCKADDR_ARG addr, socklen_t addrlen)
{
	struct libc_function *f = &functions[SENDTO];
	typeof(sendto) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(sendto, f)(fd, buf, len, flags, addr, addrlen));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(buf), len, flags, ADDRESS_OF(addr),
	    addrlen);
	result = real(fd, buf, len, flags, addr, addrlen);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
sendmsg(int fd, const struct msghdr *msg, int flags)
{
	struct libc_function *f = &functions[SENDMSG];
	typeof(sendmsg) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(sendmsg, f)(fd, msg, flags));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(msg), flags);
	result = real(fd, msg, flags);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
recv(int fd, void *buf, size_t len, int flags)
{
	struct libc_function *f = &functions[RECV];
	typeof(recv) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(recv, f)(fd, buf, len, flags));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(buf), len, flags);
	result = real(fd, buf, len, flags);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
__recv_chk(int fd, void *buf, size_t len, size_t size, int flags)
{
	struct libc_function *f = &functions[RECV];
	typeof(__recv_chk) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(__recv_chk, &functions[RECV_CHK])(fd, buf, len,
		    size, flags));
	real = tbuf_libc_real(&functions[RECV_CHK]);
	FIRE(f->entry, fd, ADDRESS(buf), len, flags);
	result = real(fd, buf, len, size, flags);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
recvfrom(int fd, void *buf, size_t len, int flags, __SOCKADDR_ARG addr,
    socklen_t *addrlen)
{
	struct libc_function *f = &functions[RECVFROM];
	typeof(recvfrom) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(recvfrom, f)(fd, buf, len, flags, addr, addrlen));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(buf), len, flags, ADDRESS_OF(addr),
	    ADDRESS(addrlen));
	result = real(fd, buf, len, flags, addr, addrlen);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
__recvfrom_chk(int fd, void *buf, size_t len, size_t size, int flags,
    __SOCKADDR_ARG addr, socklen_t *addrlen)
{
	struct libc_function *f = &functions[RECVFROM];
	typeof(__recvfrom_chk) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(__recvfrom_chk, &functions[RECVFROM_CHK])(fd, buf,
		    len, size, flags, addr, addrlen));
	real = tbuf_libc_real(&functions[RECVFROM_CHK]);
	FIRE(f->entry, fd, ADDRESS(buf), len, flags, ADDRESS_OF(addr),
	    ADDRESS(addrlen));
	result = real(fd, buf, len, size, flags, addr, addrlen);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}

ssize_t
recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct libc_function *f = &functions[RECVMSG];
	typeof(recvmsg) *real;
	ssize_t result;

	if (quiet(f))
		return (REAL(recvmsg, f)(fd, msg, flags));
	real = tbuf_libc_real(f);
	FIRE(f->entry, fd, ADDRESS(msg), flags);
	result = real(fd, msg, flags);
	FIRE(f->leave, result, error_if(result == -1));
	return (result);
}
