/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A recorded stack that is unwound: the bytes that its frames may take, its
 * alignment, and arbitrary contents.
 */
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "support/fuzz.h"
#include "layout/raw_stack.h"
#include "machine/program.h"

static const char *bytes;
static size_t size;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

/* Reads all bytes and registers, and fills all frames. */
static unsigned
unwind(void *arg, const struct tbuf_stack *stack, uint64_t *frames,
    unsigned most)
{
	const char *from = (const char *)stack->bytes;
	unsigned char sum = 0;
	size_t i;

	(void)arg;
	FUZZ_CHECK(from >= bytes && stack->size == (size_t)
	    (bytes + size - from));
	for (i = 0; i < stack->size; i++)
		sum += stack->bytes[i];
	for (i = 0; i < stack->nregisters; i++)
		sum += (unsigned char)stack->registers[i];
	memset(frames, sum, most * sizeof(*frames));
	return (most);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	static struct tbuf_consumer c;
	struct input in = { data, length };
	struct tbuf_d_piece piece = { .kind = TBUF_PIECE_STACK };
	const struct tbuf_d_record record = {
		.pieces = &piece, .npieces = 1
	};
	struct tbuf_value *v = c.values;
	size_t skip;
	char *all;

	piece.bytes = 8 * (uint32_t)input_take(&in, 2);
	skip = (size_t)input_take(&in, 1) % 8;
	size = in.size;
	all = malloc(skip + size);
	FUZZ_CHECK(all != NULL || skip + size == 0);
	if (size != 0)
		memcpy(all + skip, in.at, size);
	bytes = all + skip;
	c.unwind = skip % 2 == 0 ? unwind : NULL;
	*v = (struct tbuf_value){
		.type = TBUF_BINARY, .size = (uint32_t)size, .data = bytes
	};
	tbuf_stack_give(&c, &record);
	FUZZ_CHECK(v->size <= piece.bytes && v->size <= sizeof(c.stack) &&
	    v->size % 8 == 0 && (v->size == 0 || v->size >= 16));
	FUZZ_CHECK(v->size == 0 || v->data == (const char *)c.stack);
	free(all);
	return (0);
}
