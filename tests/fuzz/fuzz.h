/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What fuzz targets have in common.  A target is one file with these two
 * functions; it is linked with libFuzzer (`make fuzz`), or with replay.c,
 * which runs the inputs of its corpus (`make check`).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int	LLVMFuzzerInitialize(int *argc, char ***argv);
int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input is. */
#define FUZZ_CHECK(condition) do {					\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,	\
		    __LINE__, #condition);				\
		abort();						\
	}								\
} while (0)

/* The input, as it is used up.  What is missing at its end reads as zero. */
struct input {
	const uint8_t *at;
	size_t size;
};

static inline uint64_t
input_take(struct input *in, unsigned bytes)
{
	uint64_t value = 0;
	unsigned n = in->size < bytes ? (unsigned)in->size : bytes;

	memcpy(&value, in->at, n);
	in->at += n;
	in->size -= n;
	return (value);
}

/*
 * The text up to the next NUL or the end, in memory of its very size, so that
 * a read beyond it is found.  To be freed.
 */
static inline char *
input_text(struct input *in)
{
	size_t length = strnlen((const char *)in->at, in->size);
	char *text = malloc(length + 1);

	FUZZ_CHECK(text != NULL);
	memcpy(text, in->at, length);
	text[length] = '\0';
	in->at += length;
	in->size -= length;
	input_take(in, 1);
	return (text);
}

/*
 * A runtime directory for this process alone, whatever TBUF_DIR was; the path
 * is TBUF_DIR from now on.
 */
const char *fuzz_directory(void);

#endif
