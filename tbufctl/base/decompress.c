/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Unpacks compressed files with libzstd and liblz4.  The libraries are loaded
 * when a file needs them: systems that compress cores have them, and tbufctl is
 * built and started without them.
 */
#include <sys/mman.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decompress.h"
#include "signals.h"

#define INPUT_SIZE	65536
#define PIECE		65536
#define BLOCK		4096u
#define BYTES_MAX	(UINT64_C(4) << 30)	/* in nonzero blocks */
/* Twice the largest core that systemd-coredump stores by default. */
#define UNPACKED_MAX	(UINT64_C(64) << 30)

/* Input and room for output; move() sets in and out to the bytes it used. */
struct step {
	const unsigned char *from;
	size_t in;
	unsigned char *to;
	size_t out;
};

/* A compression format: its first bytes, and the functions that unpack it. */
struct codec {
	const char *name;
	const char *magic;
	size_t size;
	bool (*load)(void);	/* NULL: the format is not supported */
	void *(*open)(void);
	void (*close)(void *);
	/* Resets to the beginning; false without memory. */
	bool (*reset)(void *);
	/* Unpacks one step; false if the input is damaged. */
	bool (*move)(void *, struct step *);
};

struct unpack {
	const struct codec *codec;
	void *state;
	int fd;
	bool damaged;
	bool large;		/* it has more than UNPACKED_MAX */
	bool ended;		/* no more bytes, until a rewind */
	uint64_t position;	/* unpacked bytes before the next one */
	uint64_t input_at;	/* file offset of the next input */
	size_t begin, end;	/* unused part of input */
	unsigned char input[INPUT_SIZE];
};

/* ------------------------------------------------------------ libraries */

/* Stores a library's function in the pointer at `to`; false if missing. */
static bool
function(void *from, const char *name, void *to)
{
	void *p = dlsym(from, name);

	memcpy(to, &p, sizeof(p));
	return (p != NULL);
}

/* ZSTD_inBuffer and ZSTD_outBuffer of libzstd. */
struct zstd_in {
	const void *from;
	size_t size, position;
};

struct zstd_out {
	void *to;
	size_t size, position;
};

static struct {
	void *(*create)(void);
	size_t (*free)(void *);
	size_t (*init)(void *);
	size_t (*move)(void *, struct zstd_out *, struct zstd_in *);
	unsigned (*is_error)(size_t);
} zstd;

static bool
zstd_load(void)
{
	void *from = dlopen("libzstd.so.1", RTLD_NOW);

	return (from != NULL &&
	    function(from, "ZSTD_createDStream", &zstd.create) &&
	    function(from, "ZSTD_freeDStream", &zstd.free) &&
	    function(from, "ZSTD_initDStream", &zstd.init) &&
	    function(from, "ZSTD_decompressStream", &zstd.move) &&
	    function(from, "ZSTD_isError", &zstd.is_error));
}

static void *
zstd_open(void)
{
	return (zstd.create());
}

static void
zstd_close(void *state)
{
	zstd.free(state);
}

static bool
zstd_reset(void *state)
{
	return (!zstd.is_error(zstd.init(state)));
}

static bool
zstd_move(void *state, struct step *step)
{
	struct zstd_in in = { step->from, step->in, 0 };
	struct zstd_out out = { step->to, step->out, 0 };
	size_t result = zstd.move(state, &out, &in);

	step->in = in.position;
	step->out = out.position;
	return (!zstd.is_error(result));
}

#define LZ4_VERSION	100	/* LZ4F_VERSION of liblz4 */

static struct {
	size_t (*create)(void **, unsigned);
	size_t (*free)(void *);
	void (*reset)(void *);
	size_t (*move)(void *, void *, size_t *, const void *, size_t *,
	    const void *);
	unsigned (*is_error)(size_t);
} lz4;

static bool
lz4_load(void)
{
	void *from = dlopen("liblz4.so.1", RTLD_NOW);

	return (from != NULL &&
	    function(from, "LZ4F_createDecompressionContext", &lz4.create) &&
	    function(from, "LZ4F_freeDecompressionContext", &lz4.free) &&
	    function(from, "LZ4F_resetDecompressionContext", &lz4.reset) &&
	    function(from, "LZ4F_decompress", &lz4.move) &&
	    function(from, "LZ4F_isError", &lz4.is_error));
}

static void *
lz4_open(void)
{
	void *context;

	return (lz4.is_error(lz4.create(&context, LZ4_VERSION)) ? NULL :
	    context);
}

static void
lz4_close(void *state)
{
	lz4.free(state);
}

static bool
lz4_reset(void *state)
{
	lz4.reset(state);
	return (true);
}

static bool
lz4_move(void *state, struct step *step)
{
	size_t result = lz4.move(state, step->to, &step->out, step->from,
	    &step->in, NULL);

	return (!lz4.is_error(result));
}

/* ------------------------------------------------------------ files */

/*
 * systemd-coredump once made xz files; users make gzip and bzip2 files.  These
 * three are recognized, but not unpacked.
 */
static const struct codec codecs[] = {
	{ "zstd", "\x28\xb5\x2f\xfd", 4, zstd_load, zstd_open, zstd_close,
	    zstd_reset, zstd_move },
	{ "lz4", "\x04\x22\x4d\x18", 4, lz4_load, lz4_open, lz4_close,
	    lz4_reset, lz4_move },
	{ "xz", "\xfd" "7zXZ", 5, NULL, NULL, NULL, NULL, NULL },
	{ "gzip", "\x1f\x8b", 2, NULL, NULL, NULL, NULL, NULL },
	{ "bzip2", "BZh", 3, NULL, NULL, NULL, NULL, NULL }
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

	if (codec == NULL || codec->load == NULL || !codec->load()) {
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

bool
unpack_large(const struct unpack *u)
{
	return (u->large);
}

/* Reads input if all is used.  Returns its bytes, 0 at the end, or -errno. */
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

/*
 * Unpacks at most `size` bytes.  Returns how many, 0 at the end, or -errno.  A
 * packed file of some MiB may have TiB of zeroes.
 */
static ssize_t
next(struct unpack *u, void *to, size_t size)
{
	struct step step;
	ssize_t n;

	if (u->position >= UNPACKED_MAX)
		u->large = u->ended = true;
	while (!u->ended) {
		if (signals_stopping())
			return (-EINTR);
		if ((n = fill(u)) < 0)
			return (n);
		step = (struct step){ u->input + u->begin, (size_t)n, to,
		    size };
		u->ended = !u->codec->move(u->state, &step);
		if (u->ended) {
			u->damaged = true;
			break;
		}
		u->begin += step.in;
		u->position += step.out;
		if (step.out != 0)
			return ((ssize_t)step.out);
		/* libzstd reports an error if called again at the end. */
		u->ended = n == 0;
	}
	return (0);
}

static bool
rewind_to_start(struct unpack *u)
{
	u->position = u->input_at = 0;
	u->begin = u->end = 0;
	u->ended = false;
	return (u->codec->reset(u->state));
}

ssize_t
unpack_read(void *arg, void *to, size_t size, uint64_t offset)
{
	unsigned char skipped[PIECE];
	struct unpack *u = arg;
	uint64_t gap;
	ssize_t n;

	if (offset < u->position && !rewind_to_start(u))
		return (-ENOMEM);
	while ((gap = offset - u->position) != 0) {
		n = next(u, skipped, gap < PIECE ? gap : PIECE);
		if (n <= 0)
			return (n);
	}
	return (next(u, to, size));
}

/* ------------------------------------------------------------ whole files */

/* Stores a block; one of zeroes takes no memory.  Returns 0 or -errno. */
static int
store_block(int fd, const char *bytes, size_t size, uint64_t at, uint64_t *room)
{
	static const char zeroes[BLOCK];

	if (memcmp(bytes, zeroes, size) == 0)
		return (0);
	if (size > *room)
		return (-EFBIG);
	*room -= size;
	if (pwrite(fd, bytes, size, (off_t)at) != (ssize_t)size)
		return (-ENOMEM);
	return (0);
}

static int
store(int fd, const char *bytes, size_t size, uint64_t at, uint64_t *room)
{
	size_t i, n;
	int error = 0;

	for (i = 0; i < size && error == 0; i += n) {
		n = size - i < BLOCK ? size - i : BLOCK;
		error = store_block(fd, bytes + i, n, at + i, room);
	}
	return (error);
}

static int
store_all(int fd, struct unpack *u)
{
	uint64_t at = 0, room = BYTES_MAX;
	char bytes[PIECE];
	ssize_t n;
	int error = 0;

	for (; error == 0; at += (uint64_t)n) {
		if ((n = unpack_read(u, bytes, sizeof(bytes), at)) < 0)
			return ((int)n);
		if (n == 0)
			return (ftruncate(fd, (off_t)at) == 0 ? 0 : -errno);
		error = store(fd, bytes, (size_t)n, at, &room);
	}
	return (error);
}

int
unpack_file(struct unpack *u)
{
	int fd = memfd_create("tbuf-unpacked", MFD_CLOEXEC), error;

	if (fd == -1)
		return (-errno);
	if ((error = store_all(fd, u)) == 0)
		return (fd);
	close(fd);
	return (error);
}
