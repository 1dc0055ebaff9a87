/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arguments into a record's data (the format is at the end of layout.h).
 * Values are little-endian here, as on every machine that configure accepts,
 * so the low bytes of a slot are the first ones.
 */
#include <string.h>

#include "target/target.h"

/* Bytes of a fixed-size argument; 0 for a text. */
static const uint8_t fixed_size[TBUF_BINARY + 1] = {
	[TBUF_INT8] = 1, [TBUF_INT16] = 2, [TBUF_INT32] = 4, [TBUF_INT64] = 8,
	[TBUF_UINT8] = 1, [TBUF_UINT16] = 2, [TBUF_UINT32] = 4,
	[TBUF_UINT64] = 8, [TBUF_CHAR] = 1, [TBUF_BOOL] = 1, [TBUF_FLOAT] = 4,
	[TBUF_DOUBLE] = 8, [TBUF_POINTER] = 8
};

bool
tbuf_pack_flat(const struct tbuf_site *site)
{
	unsigned i;

	for (i = 0; i < site->nargs; i++)
		if (fixed_size[site->types[i]] != sizeof(uint64_t))
			return (false);
	return (true);
}

/* The bytes of a text argument, cut at strsize; its 16-bit word. */
static uint16_t
text_of(uint8_t type, uint64_t value, uint32_t strsize, const void **data)
{
	const struct tbuf_bytes *bytes;
	const char *string;
	size_t size, most = strsize - 1;

	if (type == TBUF_STRING) {
		string = (const char *)(uintptr_t)value;
		size = string == NULL ? 0 : strnlen(string, most + 1);
		*data = string;
	} else {
		bytes = (const struct tbuf_bytes *)(uintptr_t)value;
		size = bytes->data == NULL ? 0 : bytes->size;
		*data = bytes->data;
	}
	if (*data == NULL)
		return (TBUF_TEXT_NULL);
	if (size > most)
		return ((uint16_t)(most | TBUF_TEXT_CUT));
	return ((uint16_t)size);
}

/* What is being built: bytes of the stage since `run` are one segment. */
struct builder {
	struct tbuf_pack *pack;
	unsigned char *run;
	unsigned char *next;
	uint64_t size;
};

/* Padding is zero: eight bytes of it, of which the next store takes the rest. */
static inline void
pad(struct builder *b, unsigned alignment)
{
	unsigned more = (unsigned)-b->size & (alignment - 1);

	memset(b->next, 0, 8);
	b->next += more;
	b->size += more;
}

/* The low bytes of a value; each size by a store of its own. */
static inline void
put(struct builder *b, uint64_t value, unsigned size)
{
	uint32_t value4 = (uint32_t)value;
	uint16_t value2 = (uint16_t)value;

	pad(b, size);
	if (size == 8)
		memcpy(b->next, &value, 8);
	else if (size == 4)
		memcpy(b->next, &value4, 4);
	else if (size == 2)
		memcpy(b->next, &value2, 2);
	else
		*b->next = (unsigned char)value;
	b->next += size;
	b->size += size;
}

static void
segment(struct builder *b, const void *data, uint64_t size)
{
	if (size == 0)
		return;
	b->pack->end->data = data;
	b->pack->end->size = size;
	b->pack->end++;
}

static void
flush(struct builder *b)
{
	segment(b, b->run, (uint64_t)(b->next - b->run));
	b->run = b->next;
}

void
tbuf_pack(const struct tbuf_site *site, const uint64_t *values,
    uint32_t strsize, struct tbuf_pack *pack)
{
	struct builder b = { pack, pack->stage, pack->stage, 0 };
	const void *data;
	uint16_t word;
	unsigned i, size;

	pack->end = pack->segments + 1;
	for (i = 0; i < site->nargs; i++) {
		size = fixed_size[site->types[i]];
		if (size != 0) {
			put(&b, values[i], size);
			continue;
		}
		word = text_of(site->types[i], values[i], strsize, &data);
		put(&b, word, sizeof(word));
		flush(&b);
		if (data != NULL) {
			size = word & ~TBUF_TEXT_CUT;
			segment(&b, data, size);
			b.size += size;
		}
	}
	pad(&b, 8);
	flush(&b);
	pack->size = b.size;
}
