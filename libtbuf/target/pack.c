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
static unsigned
fixed_size(uint8_t type)
{
	switch (type) {
	case TBUF_INT8:
	case TBUF_UINT8:
	case TBUF_CHAR:
	case TBUF_BOOL:
		return (1);
	case TBUF_INT16:
	case TBUF_UINT16:
		return (2);
	case TBUF_INT32:
	case TBUF_UINT32:
	case TBUF_FLOAT:
		return (4);
	case TBUF_STRING:
	case TBUF_TEXT:
	case TBUF_BINARY:
		return (0);
	default:
		return (8);
	}
}

uint8_t
tbuf_pack_kind(const struct tbuf_site *site)
{
	uint8_t kind = TBUF_PACK_FLAT;
	unsigned i, size;

	for (i = 0; i < site->nargs; i++) {
		size = fixed_size(site->types[i]);
		if (size == 0)
			return (TBUF_PACK_ANY);
		if (size != 8)
			kind = TBUF_PACK_FIXED;
	}
	return (kind);
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
		size = bytes->size;
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

static void
pad(struct builder *b, unsigned alignment)
{
	while (b->size % alignment != 0) {
		*b->next++ = 0;
		b->size++;
	}
}

static void
put(struct builder *b, const void *value, unsigned size)
{
	pad(b, size);
	memcpy(b->next, value, size);
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
		size = fixed_size(site->types[i]);
		if (size != 0) {
			put(&b, &values[i], size);
			continue;
		}
		word = text_of(site->types[i], values[i], strsize, &data);
		put(&b, &word, sizeof(word));
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
