/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of all fuzz targets.  A fuzz target is one file with these two
 * functions; it is linked with libFuzzer (`make fuzz`), or with replay.c, which
 * runs the inputs of its corpus (`make check`).
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

/* Aborts unless the condition holds, which must be so for every input. */
#define FUZZ_CHECK(condition) do {					\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__,	\
		    __LINE__, #condition);				\
		abort();						\
	}								\
} while (0)

/* The rest of the input.  Bytes beyond its end are zero. */
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
 * Returns the text up to the next NUL or the end, in memory of exactly its
 * size, so that a read beyond it is found.  The caller frees it.
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
 * Makes a runtime directory for this process alone, regardless of TBUF_DIR, and
 * sets TBUF_DIR to its path.
 */
const char *fuzz_directory(void);

#endif
