/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Packs arguments into a record's data (the format is in record.h).  Values are
 * little-endian, as on every architecture that configure accepts, so a word's
 * low bytes are its first.
 */
#include <string.h>

#include "target/lane/pack.h"
#include "target/lane/pack_fixed.h"
#include "target/lane/pack_string.h"

/*
 * The size of each fixed-size type: 1 plus the binary logarithm of its bytes; 0
 * for a text.  It is in one word, because a table would be in a page that a
 * fire does not use otherwise.
 */
#define BYTES(type, log)	((UINT64_C(1) + (log)) << 3 * (type))
#define FIXED_BYTES							\
	(BYTES(TBUF_INT8, 0) | BYTES(TBUF_INT16, 1) |			\
	BYTES(TBUF_INT32, 2) | BYTES(TBUF_INT64, 3) |			\
	BYTES(TBUF_UINT8, 0) | BYTES(TBUF_UINT16, 1) |			\
	BYTES(TBUF_UINT32, 2) | BYTES(TBUF_UINT64, 3) |			\
	BYTES(TBUF_CHAR, 0) | BYTES(TBUF_BOOL, 0) |			\
	BYTES(TBUF_FLOAT, 2) | BYTES(TBUF_DOUBLE, 3) |			\
	BYTES(TBUF_POINTER, 3) | BYTES(TBUF_STRING_INTERNED, 2))

_Static_assert(3 * TBUF_STRING_INTERNED + 3 <= 64, "a word has all types");

/* Returns the bits of a fixed-size argument; 0 for a text. */
static inline unsigned
fixed_bits(uint8_t type)
{
	return ((4u << (FIXED_BYTES >> 3 * type & 7)) & ~4u);
}

__attribute__((cold)) enum tbuf_shape
tbuf_pack_shape(const struct tbuf_site *site)
{
	enum tbuf_shape shape = TBUF_SHAPE_FLAT;
	unsigned i;

	for (i = 0; i < site->nargs; i++) {
		if (fixed_bits(site->types[i]) == 0)
			return (shape == TBUF_SHAPE_FLAT &&
			    i + 1 == site->nargs &&
			    site->types[i] == TBUF_STRING ?
			    TBUF_SHAPE_STRING : TBUF_SHAPE_TEXT);
		if (fixed_bits(site->types[i]) != 64)
			shape = TBUF_SHAPE_FIXED;
	}
	return (shape);
}

/* ------------------------------------------------------------ words */

/* A word under construction, with its low bits filled. */
struct stream {
	uint64_t *next;
	uint64_t word;
	unsigned bits;		/* 0 to 64 */
};

static inline void
stream_flush(struct stream *s)
{
	*s->next++ = s->word;
	s->word = 0;
	s->bits = 0;
}

/* Appends the low bits of an argument, at a multiple of `bits'. */
static inline void
stream_put(struct stream *s, uint64_t value, unsigned bits)
{
	s->bits = (s->bits + bits - 1) & -bits;
	if (s->bits == 64)
		stream_flush(s);
	s->word |= (value & UINT64_MAX >> (64 - bits)) << s->bits;
	s->bits += bits;
}

uint64_t
tbuf_pack_fixed(const struct tbuf_site *site, const uint64_t *values,
    uint64_t words[TBUF_NARGS])
{
	struct stream s = { words, 0, 0 };
	unsigned i;

	for (i = 0; i < site->nargs; i++)
		stream_put(&s, values[i], fixed_bits(site->types[i]));
	if (s.bits != 0)
		stream_flush(&s);
	return ((uint64_t)(s.next - words) * sizeof(uint64_t));
}

/* ------------------------------------------------------------ packings */

struct tbuf_packings tbuf_packings;
static uint16_t npackings TBUF_FORKED;

static void
packing_fill(struct tbuf_packing *packing, const struct tbuf_site *site)
{
	unsigned i, width, at = 0;

	for (i = 0; i < site->nargs; i++, at += width) {
		width = fixed_bits(site->types[i]);
		at = ((at + width - 1) & -width) % 64;
		packing->mask[i] = UINT64_MAX >> (64 - width) << at;
		packing->factor[i] = UINT64_C(1) << at;
	}
}

/*
 * Adds a packing, for the first site with these sizes.  One that another thread
 * has not finished has no effect in a forked child: the index is stored last.
 */
static unsigned
packing_add(unsigned key, const struct tbuf_site *site)
{
	unsigned index;

	if (npackings == TBUF_PACKINGS - 1)
		return (0);
	index = ++npackings;
	packing_fill(&tbuf_packings.made[index], site);
	tbuf_store_release(&tbuf_packings.index[key], (uint16_t)index);
	return (index);
}

__attribute__((cold)) unsigned
tbuf_packing_make(struct tbuf_site *site)
{
	unsigned key = 1, starts = 0, index = 0, i;

	if (site->nargs == 0 || site->nargs > TBUF_PACKING_ARGS)
		return (0);
	for (i = 0; i < site->nargs; i++)
		key = key << 2 |
		    (unsigned)__builtin_ctz(fixed_bits(site->types[i]) / 8u);
	/* Load only after a store: a page that is read first faults twice. */
	if (npackings != 0)
		index = tbuf_packings.index[key];
	if (index == 0 && (index = packing_add(key, site)) == 0)
		return (0);
	for (i = 0; i < site->nargs; i++)
		starts |= (unsigned)(tbuf_packings.made[index].factor[i] == 1)
		    << i;
	site->packing = (uint16_t)index;
	return (1u << site->nargs | starts);
}

/* ------------------------------------------------------------ texts */

static inline uint64_t
load8(const unsigned char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return (word);
}

static inline void
store8(unsigned char *p, uint64_t word)
{
	memcpy(p, &word, sizeof(word));
}

/*
 * Copies a string.  Returns its length; if it has more than `most' bytes,
 * copies these and some more, and returns a number above `most'.  The C library
 * has no function that does this without vector registers and with one read of
 * each byte, which another thread may change.  It loads aligned words, which
 * never reach into a page that the string does not; a sanitizer would report
 * these.  It stores whole words, too.
 */
static inline __attribute__((no_sanitize("address", "thread"))) uint64_t
string_put_any(unsigned char *to, uint64_t string, unsigned most)
{
	unsigned skip = (unsigned)(string % 8 * 8), n = 8 - skip / 8;
	const tbuf_word_of_any *at = (const tbuf_word_of_any *)(uintptr_t)
	    (string & -UINT64_C(8));
	const unsigned char *end = to + most;
	unsigned char *next = to;
	uint64_t word = *at, zero;

	zero = tbuf_zero_bytes(word | tbuf_low_bits(skip)) >> skip;
	word >>= skip;
	while (zero == 0) {
		store8(next, word);
		next += n;
		if (next > end)
			return ((uint64_t)(next - to));
		word = *++at;
		zero = tbuf_zero_bytes(word);
		n = 8;
	}
	n = tbuf_bits_before(zero);
	store8(next, word & tbuf_low_bits(n));
	return ((uint64_t)(next - to) + n / 8);
}

/* Copies a string; fast for short ones that are not at a page's end. */
static inline __attribute__((no_sanitize("address", "thread"))) uint64_t
string_put(unsigned char *to, uint64_t string, unsigned most)
{
	uint64_t word, zero = 0;
	unsigned n;

	if (string % TBUF_PAGE <= TBUF_PAGE - 8) {
		word = *tbuf_word_at(string);
		zero = tbuf_zero_bytes(word);
	}
	if (zero == 0)
		return (string_put_any(to, string, most));
	n = tbuf_bits_before(zero);
	store8(to, word & tbuf_low_bits(n));
	return (n / 8);
}

/* Loads fewer than eight bytes. */
static inline uint64_t
load_few(const unsigned char *p, size_t size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | p[size];
	return (value);
}

/* Copies `size' bytes, in whole words. */
static inline void
bytes_put(unsigned char *to, const unsigned char *bytes, size_t size)
{
	size_t left;

	for (left = size; left >= 8; left -= 8, bytes += 8, to += 8)
		store8(to, load8(bytes));
	/* Load the last bytes with those before them, if there are any. */
	if (left != 0)
		store8(to, size < 8 ? load_few(bytes, left) :
		    load8(bytes + left - 8) >> (64 - 8 * left));
}

#define TEXT_NONE	UINT64_MAX

/*
 * Copies a text without its 16-bit word.  Returns as string_put_any(), or
 * TEXT_NONE.
 */
static inline uint64_t
text_put(unsigned char *to, uint8_t type, uint64_t value, unsigned most)
{
	struct tbuf_bytes bytes;

	if (value == 0)
		return (TEXT_NONE);
	if (type == TBUF_STRING)
		return (string_put(to, value, most));
	bytes = *(const struct tbuf_bytes *)(uintptr_t)value;
	if (bytes.data == NULL)
		return (TEXT_NONE);
	if (bytes.size > most) {
		bytes_put(to, bytes.data, most);
		return (most + UINT64_C(1));
	}
	bytes_put(to, bytes.data, bytes.size);
	return (bytes.size);
}

/*
 * Stores a text and its word at an even byte.  Returns the text's end, or NULL
 * if it does not fit into `room'.
 */
static inline unsigned char *
text_put_word(unsigned char *text, uint8_t type, uint64_t value, unsigned most,
    unsigned room)
{
	uint64_t n = text_put(text + 2, type, value,
	    most < room ? most : room);
	uint16_t word = (uint16_t)n;

	if (__builtin_expect(n > most || n > room, 0)) {
		if (n != TEXT_NONE && room < most)
			return (NULL);
		word = n == TEXT_NONE ? TBUF_TEXT_NULL :
		    (uint16_t)(most | TBUF_TEXT_CUT);
		n = n == TEXT_NONE ? 0 : most;
	}
	memcpy(text, &word, sizeof(word));
	text += sizeof(word) + n;
	store8(text, 0);
	return (text);
}

/*
 * Padding is zero: a fixed-size argument is stored as eight bytes, and eight
 * zero bytes follow a text.
 */
TBUF_FIRES uint64_t
tbuf_pack_texts(const struct tbuf_site *site, const uint64_t *values,
    uint32_t strsize, uint64_t words[TBUF_STAGE_WORDS])
{
	/* Room after this for other arguments and for padding. */
	unsigned char *const last = (unsigned char *)(words +
	    TBUF_STAGE_WORDS - TBUF_NARGS - 2);
	unsigned char *next = (unsigned char *)words;
	unsigned i, bits;

	for (i = 0; i < site->nargs; i++) {
		bits = fixed_bits(site->types[i]);
		if (bits != 0) {
			next += -(uintptr_t)next & (bits / 8 - 1);
			store8(next, values[i] & UINT64_MAX >> (64 - bits));
			next += bits / 8;
			continue;
		}
		next += (uintptr_t)next & 1;
		if (next >= last || (next = text_put_word(next,
		    site->types[i], values[i], strsize - 1,
		    (unsigned)(last - next))) == NULL)
			return (0);
	}
	return (((uint64_t)(next - (unsigned char *)words) + 7) &
	    -UINT64_C(8));
}

/* NULL, and strings that may cross a page. */
__attribute__((cold)) struct tbuf_key_text
tbuf_pack_key_other(uint64_t string, uint32_t strsize, uint64_t *words,
    uint64_t factor)
{
	static const struct tbuf_site site = {
		.nargs = 1, .types = { TBUF_STRING }
	};
	uint64_t size = tbuf_pack_texts(&site, &string, strsize, words), i;
	struct tbuf_key_text text = { 0, UINT64_MAX };

	for (i = 0; i < size / 8; i++)
		tbuf_hash_add(&text.sum, &factor, words[i]);
	if (size != 0)
		text.word = (uint16_t)words[0];
	return (text);
}

__attribute__((no_sanitize("address", "thread"))) struct tbuf_key_text
tbuf_pack_key(uint64_t string, uint32_t strsize, uint64_t *words,
    uint64_t factor)
{
	return (tbuf_string_words(string, strsize, words, factor, true));
}

/* ------------------------------------------------------------ segments */

/* Acts as strnlen(3), with aligned loads as in string_put_any(). */
static __attribute__((no_sanitize("address", "thread"))) size_t
text_length(const unsigned char *text, size_t most)
{
	unsigned skip = (unsigned)((uintptr_t)text % 8);
	const tbuf_word_of_any *at = (const tbuf_word_of_any *)(const void *)
	    (text - skip);
	uint64_t zero = tbuf_zero_bytes(*at | tbuf_low_bits(8 * skip));
	size_t n = 8 - skip;

	while (zero == 0 && n < most) {
		zero = tbuf_zero_bytes(*++at);
		n += 8;
	}
	if (zero != 0)
		n = n - 8 + (size_t)__builtin_ctzll(zero) / 8;
	return (n < most ? n : most);
}

/* Finds a text argument's bytes, cut at strsize.  Returns its 16-bit word. */
static inline uint16_t
text_of(uint8_t type, uint64_t value, uint32_t strsize,
    const unsigned char **data)
{
	const struct tbuf_bytes *bytes;
	size_t size, most = strsize - 1;

	if (type == TBUF_STRING) {
		*data = (const unsigned char *)(uintptr_t)value;
		size = *data == NULL ? 0 : text_length(*data, most + 1);
	} else {
		bytes = (const struct tbuf_bytes *)(uintptr_t)value;
		*data = bytes->data;
		size = bytes->size;
	}
	if (*data == NULL)
		return (TBUF_TEXT_NULL);
	if (size > most)
		return ((uint16_t)(most | TBUF_TEXT_CUT));
	return ((uint16_t)size);
}

/* Segments under construction; stage bytes from `run' on are one segment. */
struct builder {
	struct tbuf_pack *pack;
	unsigned char *run;
	unsigned char *next;
	uint64_t size;
};

/* Pads with zeroes: stores eight, and the next store overwrites the surplus. */
static inline void
pad(struct builder *b, unsigned alignment)
{
	unsigned more = (unsigned)-b->size & (alignment - 1);

	memset(b->next, 0, 8);
	b->next += more;
	b->size += more;
}

/* Stores the low bytes of a value; the next store overwrites the surplus. */
static inline void
put(struct builder *b, uint64_t value, unsigned size)
{
	pad(b, size);
	memcpy(b->next, &value, 8);
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

/* Returns the size of the data, which may be too large for a record. */
static uint64_t
pack_segments(const struct tbuf_site *site, const uint64_t *values,
    uint32_t strsize, struct tbuf_pack *pack)
{
	struct builder b = { pack, (unsigned char *)pack->stage,
	    (unsigned char *)pack->stage, 0 };
	const unsigned char *data;
	uint16_t word;
	unsigned i, size;

	pack->end = pack->segments + 1;
	for (i = 0; i < site->nargs; i++) {
		size = fixed_bits(site->types[i]) / 8;
		if (size != 0) {
			put(&b, values[i], size);
			continue;
		}
		word = text_of(site->types[i], values[i], strsize, &data);
		put(&b, word, sizeof(word));
		flush(&b);
		size = word & ~TBUF_TEXT_CUT;
		segment(&b, data, size);
		b.size += size;
	}
	pad(&b, 8);
	flush(&b);
	pack->size = b.size;
	return (b.size);
}

/* Most bytes of data that fit into a record, of a lock lane too. */
#define DATA_MOST	(TBUF_RECORD_MAX - sizeof(struct tbuf_lock_record))

/* Padding, of which shorter texts may need more. */
#define PADDING_MOST	(8u * TBUF_NARGS)

/*
 * Returns a strsize with which the packed texts fit into a record: it shortens
 * the longest ones.
 */
static inline uint32_t
fitting_strsize(const struct tbuf_pack *pack, uint32_t strsize)
{
	const struct tbuf_segment *s;
	uint32_t size;

	do {
		strsize -= strsize / 64;
		size = PADDING_MOST;
		for (s = pack->segments + 1; s < pack->end; s++)
			size += (uint32_t)s->size < strsize ?
			    (uint32_t)s->size : strsize;
	} while (size > DATA_MOST);
	return (strsize);
}

void
tbuf_pack(const struct tbuf_site *site, const uint64_t *values,
    uint32_t strsize, struct tbuf_pack *pack)
{
	pack->size = tbuf_pack_texts(site, values, strsize, pack->stage);
	pack->words = pack->size != 0;
	pack->segments[1].data = pack->stage;
	pack->segments[1].size = pack->size;
	pack->end = pack->segments + 2;
	if (pack->words)
		return;
	while (pack_segments(site, values, strsize, pack) > DATA_MOST)
		strsize = fitting_strsize(pack, strsize);
}
