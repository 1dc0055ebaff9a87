/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compressed files, by libzstd and liblz4 where there were such when this was
 * built.
 */
#ifdef HAVE_LIBLZ4
#include <lz4frame.h>
#endif
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unpack.h"

#define INPUT_SIZE	65536
#define SKIP_SIZE	65536

/* Bytes that are there, and room for what they become. */
struct step {
	const unsigned char *from;
	size_t in;
	unsigned char *to;
	size_t out;
};

/* A way to compress: the first bytes, and what undoes it. */
struct codec {
	const char *name;
	const char *magic;
	size_t size;
	void *(*open)(void);
	void (*close)(void *);
	/* Begin anew; false: no memory. */
	bool (*reset)(void *);
	/* Move bytes; false: they make no sense. */
	bool (*move)(void *, struct step *);
};

struct unpack {
	const struct codec *codec;
	void *state;
	int fd;
	bool damaged;
	uint64_t position;	/* of what is unpacked next */
	uint64_t input_at;	/* of the input, in the file */
	size_t begin, end;	/* what of the input is not used yet */
	unsigned char input[INPUT_SIZE];
};

#ifdef HAVE_LIBZSTD
static void *
zstd_open(void)
{

	return (ZSTD_createDStream());
}

static void
zstd_close(void *state)
{

	ZSTD_freeDStream(state);
}

static bool
zstd_reset(void *state)
{

	return (!ZSTD_isError(ZSTD_initDStream(state)));
}

static bool
zstd_move(void *state, struct step *step)
{
	ZSTD_inBuffer in = { step->from, step->in, 0 };
	ZSTD_outBuffer out = { step->to, step->out, 0 };
	size_t result = ZSTD_decompressStream(state, &out, &in);

	step->in = in.pos;
	step->out = out.pos;
	return (!ZSTD_isError(result));
}
#define ZSTD_CODEC	zstd_open, zstd_close, zstd_reset, zstd_move
#else
#define ZSTD_CODEC	NULL, NULL, NULL, NULL
#endif

#ifdef HAVE_LIBLZ4
static void *
lz4_open(void)
{
	LZ4F_dctx *context;

	if (LZ4F_isError(LZ4F_createDecompressionContext(&context,
	    LZ4F_VERSION)))
		return (NULL);
	return (context);
}

static void
lz4_close(void *state)
{

	LZ4F_freeDecompressionContext(state);
}

static bool
lz4_reset(void *state)
{

	LZ4F_resetDecompressionContext(state);
	return (true);
}

static bool
lz4_move(void *state, struct step *step)
{
	size_t result = LZ4F_decompress(state, step->to, &step->out,
	    step->from, &step->in, NULL);

	return (!LZ4F_isError(result));
}
#define LZ4_CODEC	lz4_open, lz4_close, lz4_reset, lz4_move
#else
#define LZ4_CODEC	NULL, NULL, NULL, NULL
#endif

/* systemd-coredump has made xz files, too; gzip and bzip2 are people's. */
static const struct codec codecs[] = {
	{ "zstd", "\x28\xb5\x2f\xfd", 4, ZSTD_CODEC },
	{ "lz4", "\x04\x22\x4d\x18", 4, LZ4_CODEC },
	{ "xz", "\xfd" "7zXZ", 5, NULL, NULL, NULL, NULL },
	{ "gzip", "\x1f\x8b", 2, NULL, NULL, NULL, NULL },
	{ "bzip2", "BZh", 3, NULL, NULL, NULL, NULL }
};

static const struct codec *
codec_of(int fd)
{
	unsigned char head[8];
	ssize_t n = pread(fd, head, sizeof(head), 0);
	size_t i;

	for (i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
		if (n >= (ssize_t)codecs[i].size &&
		    memcmp(head, codecs[i].magic, codecs[i].size) == 0)
			return (&codecs[i]);
	return (NULL);
}

const char *
unpack_name(int fd)
{
	const struct codec *codec = codec_of(fd);

	return (codec == NULL ? NULL : codec->name);
}

struct unpack *
unpack_open(int fd)
{
	const struct codec *codec = codec_of(fd);
	struct unpack *u;

	if (codec == NULL || codec->open == NULL) {
		errno = ENOTSUP;
		return (NULL);
	}
	if ((u = calloc(1, sizeof(*u))) == NULL)
		return (NULL);
	u->codec = codec;
	u->fd = fd;
	u->state = codec->open();
	if (u->state != NULL && codec->reset(u->state))
		return (u);
	unpack_close(u);
	errno = ENOMEM;
	return (NULL);
}

void
unpack_close(struct unpack *u)
{

	if (u->state != NULL)
		u->codec->close(u->state);
	free(u);
}

bool
unpack_damaged(const struct unpack *u)
{

	return (u->damaged);
}

/* Have some input: its bytes, 0 at the end, or -errno. */
static ssize_t
fill(struct unpack *u)
{
	ssize_t n;

	if (u->begin < u->end)
		return ((ssize_t)(u->end - u->begin));
	do {
		n = pread(u->fd, u->input, sizeof(u->input),
		    (off_t)u->input_at);
	} while (n == -1 && errno == EINTR);
	if (n == -1)
		return (-errno);
	u->begin = 0;
	u->end = (size_t)n;
	u->input_at += (uint64_t)n;
	return (n);
}

/* What comes next, at most so much: how much, 0 at the end, or -errno. */
static ssize_t
next(struct unpack *u, void *to, size_t size)
{
	struct step step;
	ssize_t n;

	for (;;) {
		if ((n = fill(u)) < 0)
			return (n);
		step = (struct step){ u->input + u->begin, (size_t)n, to,
		    size };
		u->damaged |= !u->codec->move(u->state, &step);
		if (u->damaged)
			return (0);
		u->begin += step.in;
		u->position += step.out;
		if (step.out != 0)
			return ((ssize_t)step.out);
		if (n == 0)
			return (0);
	}
}

static bool
rewind_to_start(struct unpack *u)
{

	u->position = u->input_at = 0;
	u->begin = u->end = 0;
	return (u->codec->reset(u->state));
}

ssize_t
unpack_read(void *arg, void *to, size_t size, uint64_t offset)
{
	unsigned char skipped[SKIP_SIZE];
	struct unpack *u = arg;
	uint64_t gap;
	ssize_t n;

	if (offset < u->position && !rewind_to_start(u))
		return (-ENOMEM);
	while ((gap = offset - u->position) != 0) {
		n = next(u, skipped, gap < SKIP_SIZE ? gap : SKIP_SIZE);
		if (n <= 0)
			return (n);
	}
	return (next(u, to, size));
}
