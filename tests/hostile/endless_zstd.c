/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libzstd.so.1 that unpacks each file to the file $HEAD, followed by zeroes
 * without end.  In call number $INTERRUPT it sends SIGINT to the process, which
 * it ends with status 99 if it is called again and again after that, or for
 * more than 64 GiB.
 */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ZSTD_inBuffer and ZSTD_outBuffer. */
struct in {
	const void *from;
	size_t size, position;
};

struct out {
	void *to;
	size_t size, position;
};

#define BYTES_MAX	(UINT64_C(65) << 30)
#define CALLS_MAX	16

static uint64_t given;
static unsigned calls, calls_at;
static const void *zeroed;

void	*ZSTD_createDStream(void);
size_t	ZSTD_freeDStream(void *stream);
size_t	ZSTD_initDStream(void *stream);
size_t	ZSTD_decompressStream(void *stream, struct out *out, struct in *in);
unsigned ZSTD_isError(size_t code);

void *
ZSTD_createDStream(void)
{
	return (&given);
}

size_t
ZSTD_freeDStream(void *stream)
{
	(void)stream;
	return (0);
}

size_t
ZSTD_initDStream(void *stream)
{
	(void)stream;
	given = 0;
	return (0);
}

unsigned
ZSTD_isError(size_t code)
{
	(void)code;
	return (0);
}

static void
interrupt(void)
{
	const char *number = getenv("INTERRUPT");

	if (number == NULL)
		return;
	calls++;
	if (calls_at == 0 && calls == (unsigned)atoi(number)) {
		calls_at = calls;
		raise(SIGINT);
	}
	if (calls_at != 0 && calls - calls_at > CALLS_MAX)
		_exit(99);
}

/* Fills the room, which the reader may use again, with zeroes once. */
static void
zeroes(struct out *out)
{
	if (zeroed != out->to)
		memset(out->to, 0, out->size);
	zeroed = out->to;
	out->position = out->size;
}

size_t
ZSTD_decompressStream(void *stream, struct out *out, struct in *in)
{
	int fd = open(getenv("HEAD"), O_RDONLY | O_CLOEXEC);
	ssize_t n = pread(fd, out->to, out->size, (off_t)given);

	(void)stream;
	(void)in;
	close(fd);
	interrupt();
	if (n > 0) {
		out->position = (size_t)n;
		zeroed = NULL;
	} else
		zeroes(out);
	given += out->position;
	if (given > BYTES_MAX)
		_exit(99);
	return (1);
}
