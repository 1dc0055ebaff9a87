/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Buffered output and the writers of numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "messages.h"
#include "output.h"

/* Large enough that the system calls do not count, small enough to stay in
 * a second-level cache. */
#define BUFFER_SIZE	(256 * 1024)

void
output_guard(void)
{
	int fd;

	/* Not to be written to, and closed again where a command runs. */
	while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) != -1 &&
	    fd <= STDERR_FILENO)
		continue;
	if (fd != -1)
		(void)close(fd);
}

void
output_init(struct output *out, int fd)
{

	*out = (struct output){ .fd = fd };
	out->buffer = memory_get(NULL, 1, BUFFER_SIZE);
	out->size = BUFFER_SIZE;
}

int
output_append(struct output *out, const char *path)
{
	int fd;

	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd == -1)
		return (-errno);
	out->fd = fd;
	return (0);
}

/* The descriptor is shared with others, who may have made it nonblocking. */
static bool
again(const struct output *out)
{
	struct pollfd pfd = { .fd = out->fd, .events = POLLOUT };

	if (errno == EINTR)
		return (true);
	if (errno != EAGAIN)
		return (false);
	return (poll(&pfd, 1, -1) != -1 || errno == EINTR);
}

void
output_flush(struct output *out)
{
	const char *p = out->buffer;
	ssize_t n;

	while (out->used > 0 && out->error == 0) {
		n = write(out->fd, p, out->used);
		if (n >= 0) {
			p += n;
			out->used -= n;
		} else if (!again(out))
			out->error = errno;
	}
	out->used = 0;
}

void
output_look(struct output *out)
{
	struct pollfd pfd = { .fd = out->fd };

	if (out->error == 0 && poll(&pfd, 1, 0) == 1 &&
	    (pfd.revents & (POLLERR | POLLHUP)) != 0)
		out->error = EPIPE;
}

void
output_grow(struct output *out, size_t n)
{

	output_flush(out);
	if (out->size < n) {
		out->buffer = memory_get(out->buffer, 1, n);
		out->size = n;
	}
}

void
output_printf(struct output *out, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0)
		return;
	va_start(ap, format);
	n = vsnprintf(output_room(out, n + 1), n + 1, format, ap);
	va_end(ap);
	out->used += n;
}

static const char pairs[] =
    "0001020304050607080910111213141516171819"
    "2021222324252627282930313233343536373839"
    "4041424344454647484950515253545556575859"
    "6061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

char *
put_unsigned(char *p, uint64_t value)
{
	char digits[20], *d = digits + sizeof(digits);

	while (value >= 100) {
		d -= 2;
		memcpy(d, pairs + 2 * (value % 100), 2);
		value /= 100;
	}
	if (value >= 10) {
		d -= 2;
		memcpy(d, pairs + 2 * value, 2);
	} else
		*--d = '0' + value;
	return (put_bytes(p, d, digits + sizeof(digits) - d));
}

char *
put_signed(char *p, int64_t value)
{

	if (value >= 0)
		return (put_unsigned(p, value));
	*p = '-';
	return (put_unsigned(p + 1, -(uint64_t)value));
}

char *
put_padded(char *p, int64_t value, int width)
{
	char number[OUTPUT_NUMBER];
	int n = put_signed(number, value) - number;

	for (; width > n; width--)
		*p++ = ' ';
	return (put_bytes(p, number, n));
}

static const char hex[] = "0123456789abcdef";

char *
put_pointer(char *p, uint64_t value)
{
	int shift = 60;

	p = put_literal(p, "0x");
	while (shift > 0 && value >> shift == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*p++ = hex[(value >> shift) & 15];
	return (p);
}

char *
put_hex(char *p, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;

	for (; n > 0; n--, b++) {
		*p++ = hex[*b >> 4];
		*p++ = hex[*b & 15];
	}
	return (p);
}

char *
put_double(char *p, double value)
{

	return (p + snprintf(p, OUTPUT_NUMBER, "%.17g", value));
}

/*
 * Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above
 * U+10FFFF.
 */
unsigned
utf8_sequence(const unsigned char *s, size_t left)
{
	unsigned i, n, low = 0x80, high = 0xbf;

	if (s[0] < 0xc2 || s[0] > 0xf4)
		return (0);
	n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (left < n)
		return (0);
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return (0);
	for (i = 2; i < n; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return (0);
	return (n);
}
