/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arguments into a record's data (the format is in layout_record.h).
 * Values are little-endian here, as on every machine that configure accepts,
 * so the low bytes of a slot are the first ones.
 */
#include <string.h>

#include "producer/key.h"
#include "producer/packing.h"
#include "producer/producer.h"

/* Bits of a fixed-size argument; 0 for a text. */
static const uint8_t fixed_bits[TBUF_BINARY + 1] = {
	[TBUF_INT8] = 8, [TBUF_INT16] = 16, [TBUF_INT32] = 32,
	[TBUF_INT64] = 64, [TBUF_UINT8] = 8, [TBUF_UINT16] = 16,
	[TBUF_UINT32] = 32, [TBUF_UINT64] = 64, [TBUF_CHAR] = 8,
	[TBUF_BOOL] = 8, [TBUF_FLOAT] = 32, [TBUF_DOUBLE] = 64,
	[TBUF_POINTER] = 64
};

enum tbuf_shape
tbuf_pack_shape(const struct tbuf_site *site)
{
	enum tbuf_shape shape = TBUF_SHAPE_FLAT;
	unsigned i;

	for (i = 0; i < site->nargs; i++) {
		if (fixed_bits[site->types[i]] == 0)
			return (shape == TBUF_SHAPE_FLAT &&
			    i + 1 == site->nargs &&
			    site->types[i] == TBUF_STRING ?
			    TBUF_SHAPE_STRING : TBUF_SHAPE_TEXT);
		if (fixed_bits[site->types[i]] != 64)
			shape = TBUF_SHAPE_FIXED;
	}
	return (shape);
}

/* ------------------------------------------------------------ words */

/* What is in the making: the low bits of a word. */
struct stream {
	uint64_t *next;
	uint64_t word;
	unsigned bits;		/* 0 to 64 */
};

static inline void
stream_begin(struct stream *s, uint64_t *words)
{
	s->next = words;
	s->word = 0;
	s->bits = 0;
}

static inline void
stream_flush(struct stream *s)
{
	*s->next++ = s->word;
	s->word = 0;
	s->bits = 0;
}

/* Go on at a multiple of a number of bits, and below 64. */
static inline void
stream_align(struct stream *s, unsigned bits)
{
	s->bits = (s->bits + bits - 1) & -bits;
	if (s->bits == 64)
		stream_flush(s);
}

/* The low bits of an argument that has so many. */
static inline void
stream_put(struct stream *s, uint64_t value, unsigned bits)
{
	stream_align(s, bits);
	s->word |= (value & UINT64_MAX >> (64 - bits)) << s->bits;
	s->bits += bits;
}

/* Both halves of a product. */
__extension__ typedef unsigned __int128 wide;

static inline uint64_t
product(uint64_t word, uint64_t factor, uint64_t *high)
{
	wide w = (wide)word * factor;

	*high = (uint64_t)(w >> 64);
	return ((uint64_t)w);
}

/* What shifts by so many bits, modulo 64, in a product. */
static inline uint64_t
shift_by(int bits)
{
	uint64_t factor = UINT64_C(1) << (bits & 63);

	/* The compiler's shifts of two words would be slower. */
	__asm__("" : "+r"(factor));
	return (factor);
}

/*
 * The first bits of a word, the others being zero.  It begins at a bit of the
 * stream's word or, if that is negative, before it: those of it that lie there
 * are zero, too.
 */
static inline void
stream_join(struct stream *s, uint64_t word, int at, uint64_t factor, int bits)
{
	uint64_t low, high;

	low = product(word, factor, &high);
	s->word |= low | (high & -(uint64_t)(at < 0));
	at += bits;
	if (at >= 64) {
		*s->next++ = s->word;
		s->word = high;
		at -= 64;
	}
	s->bits = (unsigned)at;
}

static inline uint64_t
stream_end(struct stream *s, const uint64_t *words)
{
	if (s->bits != 0)
		stream_flush(s);
	return ((uint64_t)(s->next - words) * sizeof(uint64_t));
}

uint64_t
tbuf_pack_fixed(const struct tbuf_site *site, const uint64_t *values,
    uint64_t words[TBUF_NARGS])
{
	struct stream s;
	unsigned i;

	stream_begin(&s, words);
	for (i = 0; i < site->nargs; i++)
		stream_put(&s, values[i], fixed_bits[site->types[i]]);
	return (stream_end(&s, words));
}

/* ------------------------------------------------------------ a few */

struct tbuf_packing tbuf_packings[TBUF_PACKINGS];

/*
 * Worked out for the first site of its kind.  A forked child may find another
 * thread's half done: the first mask comes last.
 */
static void
packing_fill(struct tbuf_packing *packing, const struct tbuf_site *site)
{
	uint64_t mask[TBUF_PACKING_ARGS];
	unsigned i, width, at = 0;

	for (i = 0; i < site->nargs; i++, at += width) {
		width = fixed_bits[site->types[i]];
		at = ((at + width - 1) & -width) % 64;
		mask[i] = UINT64_MAX >> (64 - width) << at;
		packing->mask[i] = i > 0 ? mask[i] : 0;
		packing->factor[i] = UINT64_C(1) << at;
	}
	tbuf_store_release(&packing->mask[0], mask[0]);
}

unsigned
tbuf_packing_make(struct tbuf_site *site)
{
	unsigned key = 1, starts = 0, i;
	struct tbuf_packing *packing;

	if (site->nargs == 0 || site->nargs > TBUF_PACKING_ARGS)
		return (0);
	for (i = 0; i < site->nargs; i++)
		key = key << 2 |
		    (unsigned)__builtin_ctz(fixed_bits[site->types[i]] / 8u);
	packing = &tbuf_packings[key];
	if (packing->mask[0] == 0)
		packing_fill(packing, site);
	for (i = 0; i < site->nargs; i++)
		starts |= (unsigned)(packing->factor[i] == 1) << i;
	site->packing = (uint16_t)key;
	return (1u << site->nargs | starts);
}

/* ------------------------------------------------------------ texts */

/* Words of anybody's memory, each of which is read once. */
typedef volatile uint64_t word_of_any __attribute__((may_alias));

/* So many low bits, fewer than 64. */
static inline uint64_t
low_bits(unsigned n)
{
	return ((UINT64_C(1) << n) - 1);
}

/* A bit in the first zero byte of a word, and perhaps some above; else 0. */
static inline uint64_t
zero_bytes(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	return ((word - ones) & ~word & (ones << 7));
}

/* How many bits come before the byte that the lowest bit lies in. */
static inline unsigned
bits_before(uint64_t word)
{
	return ((unsigned)__builtin_ctzll(word) & 56);
}

/*
 * A string, cut where it has more bits than `most`: how many it had of them,
 * or one more if it was cut.  No function of the C library would do that
 * without vector registers, and reading once what another thread may change.
 * What is read are aligned words, which never reach into a page that the
 * string does not; a sanitizer would mind.
 */
static inline __attribute__((no_sanitize("address", "thread"))) unsigned
stream_string(struct stream *s, uint64_t string, unsigned most)
{
	unsigned skip = (unsigned)(string % 8 * 8), left = most + skip, n = 64;
	const word_of_any *next = (const word_of_any *)(uintptr_t)
	    (string & -UINT64_C(8));
	uint64_t word = *next, zero = zero_bytes(word | low_bits(skip));
	int at = (int)s->bits - (int)skip;
	uint64_t factor = shift_by(at), low, high;

	word &= -UINT64_C(1) << skip;
	if (zero == 0 && left >= 64) {
		stream_join(s, word, at, factor, 64);
		at = (int)s->bits;
		left -= 64;
		while ((zero = zero_bytes(word = *++next)) == 0 && left >= 64) {
			low = product(word, factor, &high);
			*s->next++ = s->word | low;
			s->word = high;
			left -= 64;
		}
	}
	/* The last word: up to the NUL, or as many as there may be. */
	if (zero != 0)
		n = bits_before(zero);
	if (__builtin_expect(n > left, 0)) {
		stream_join(s, word & low_bits(left), at, factor, (int)left);
		return (most + 1);
	}
	stream_join(s, word & low_bits(n), at, factor, (int)n);
	return (most - left + n);
}

static inline uint64_t
load8(const unsigned char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return (word);
}

/* Fewer than eight bytes. */
static inline uint64_t
load_few(const unsigned char *p, size_t size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | p[size];
	return (value);
}

/* Bytes whose number is given. */
static inline void
stream_bytes(struct stream *s, const unsigned char *bytes, size_t size)
{
	uint64_t factor = shift_by((int)s->bits), low, high;
	size_t left;

	for (left = size; left >= 8; left -= 8, bytes += 8) {
		low = product(load8(bytes), factor, &high);
		*s->next++ = s->word | low;
		s->word = high;
	}
	/* The last ones come with those before them, if there are any. */
	if (left != 0)
		stream_join(s, size < 8 ? load_few(bytes, left) :
		    load8(bytes + left - 8) >> (64 - 8 * left), (int)s->bits,
		    factor, 8 * (int)left);
}

/* A text without its word, as stream_string() does it. */
static inline unsigned
stream_text(struct stream *s, uint8_t type, uint64_t value, unsigned most)
{
	struct tbuf_bytes bytes;
	size_t size;

	if (value == 0)
		return (TBUF_TEXT_NULL * 8);
	if (type == TBUF_STRING)
		return (stream_string(s, value, most));
	bytes = *(const struct tbuf_bytes *)(uintptr_t)value;
	if (bytes.data == NULL)
		return (TBUF_TEXT_NULL * 8);
	size = bytes.size < most / 8 ? bytes.size : most / 8;
	stream_bytes(s, bytes.data, size);
	return (8 * (unsigned)size + (bytes.size > size));
}

/* False if the text is cut for want of room. */
static inline bool
stream_put_text(struct stream *s, uint8_t type, uint64_t value, unsigned most,
    unsigned room)
{
	unsigned place, bits;
	uint64_t *first, word;

	stream_align(s, 16);
	first = s->next;
	place = s->bits;
	s->bits += 16;
	if (s->bits == 64)
		stream_flush(s);
	bits = stream_text(s, type, value, most < room ? most : room);
	word = bits / 8;
	if (__builtin_expect(bits % 8 != 0, 0)) {
		if (room < most)
			return (false);
		word |= TBUF_TEXT_CUT;
	}
	if (s->next == first)
		s->word |= word << place;
	else
		*first |= word << place;
	return (true);
}

uint64_t
tbuf_pack_texts(const struct tbuf_site *site, const uint64_t *values,
    uint32_t strsize, uint64_t words[TBUF_STAGE_WORDS])
{
	/* What there may be besides a text, and behind it. */
	uint64_t *const last = words + TBUF_STAGE_WORDS - TBUF_NARGS - 2;
	struct stream s;
	unsigned i, bits;

	stream_begin(&s, words);
	for (i = 0; i < site->nargs; i++) {
		bits = fixed_bits[site->types[i]];
		if (bits != 0)
			stream_put(&s, values[i], bits);
		else if (s.next >= last ||
		    !stream_put_text(&s, site->types[i], values[i],
		    8 * (strsize - 1), 64 * (unsigned)(last - s.next)))
			return (0);
	}
	return (stream_end(&s, words));
}

/* Bytes of a string that fit beside its word, other arguments and one spare. */
#define STRING_MOST							\
	(8 * (uint64_t)(TBUF_STAGE_WORDS - TBUF_NARGS - 1) - 2)

/* A word as above, wherever it begins. */
typedef volatile uint64_t word_anywhere
    __attribute__((may_alias, aligned(1)));

static inline const word_anywhere *
word_at(uint64_t address)
{
	return ((const word_anywhere *)(uintptr_t)address);
}

/* NULL, and strings that may cross a page. */
static __attribute__((noinline)) struct tbuf_key_text
pack_key_other(uint64_t string, uint32_t strsize, uint64_t *words,
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

/*
 * As stream_string() does it, where the string begins in the third byte of a
 * word, nothing comes behind it, and any word that begins in it lies in its
 * page: all but the first are read as they will lie.  That one waits for the
 * length; no byte that is used is read twice.
 */
__attribute__((no_sanitize("address", "thread"))) struct tbuf_key_text
tbuf_pack_key(uint64_t string, uint32_t strsize, uint64_t *words,
    uint64_t factor)
{
	uint64_t most = strsize - 1 < STRING_MOST ? strsize - 1 : STRING_MOST;
	uint64_t at = string + 6, end = string + most, first = factor;
	uint64_t *next = words, head, word, zero, n, sum = 0;

	if (string == 0 || string % TBUF_PAGE + most + 8 > TBUF_PAGE)
		return (pack_key_other(string, strsize, words, factor));
	head = word = *word_at(string) << 16;
	zero = zero_bytes(word | low_bits(16));
	while (zero == 0 && at <= end) {
		word = *word_at(at);
		zero = zero_bytes(word);
		at += 8;
		next++;
		factor += TBUF_HASH_STEP;
		if (zero != 0 || at > end)
			break;
		*next = word;
		sum += tbuf_hash_fold(word, factor);
	}
	n = zero != 0 ? bits_before(zero) / 8 : 8;
	at += n - 8;
	if (__builtin_expect(at > end, 0)) {
		if (most < strsize - 1)
			return ((struct tbuf_key_text){ 0, UINT64_MAX });
		n -= at - end;
		at = end + TBUF_TEXT_CUT;
	}
	word &= low_bits(8 * (unsigned)n);
	if (next == words)
		head = word;
	else {
		*next = word;
		sum += tbuf_hash_fold(word, factor);
	}
	*words = head |= at - string;
	return ((struct tbuf_key_text){
		sum + tbuf_hash_fold(head, first), at - string
	});
}

uint64_t
tbuf_pack_string(const struct tbuf_site *site, const uint64_t *values,
    uint32_t strsize, uint64_t words[TBUF_STAGE_WORDS])
{
	unsigned n = site->nargs - 1u, i;
	uint64_t text;

	for (i = 0; i < n; i++)
		words[i] = values[i];
	text = tbuf_pack_key(values[n], strsize, words + n, 0).word;
	return (text == UINT64_MAX ? 0 :
	    8 * n + ((2 + (text & ~(uint64_t)TBUF_TEXT_CUT) + 7) & -UINT64_C(8)));
}

/* ------------------------------------------------------------ segments */

/* strnlen(3), as above. */
static __attribute__((no_sanitize("address", "thread"))) size_t
text_length(const unsigned char *text, size_t most)
{
	unsigned skip = (unsigned)((uintptr_t)text % 8);
	const word_of_any *at = (const word_of_any *)(const void *)
	    (text - skip);
	uint64_t zero = zero_bytes(*at | low_bits(8 * skip));
	size_t n = 8 - skip;

	while (zero == 0 && n < most) {
		zero = zero_bytes(*++at);
		n += 8;
	}
	if (zero != 0)
		n = n - 8 + (size_t)__builtin_ctzll(zero) / 8;
	return (n < most ? n : most);
}

/* The bytes of a text argument, cut at strsize; its 16-bit word. */
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

/* What is being built: bytes of the stage since `run` are one segment. */
struct builder {
	struct tbuf_pack *pack;
	unsigned char *run;
	unsigned char *next;
	uint64_t size;
};

/* Padding is zero: eight bytes, of which the next store takes the rest. */
static inline void
pad(struct builder *b, unsigned alignment)
{
	unsigned more = (unsigned)-b->size & (alignment - 1);

	memset(b->next, 0, 8);
	b->next += more;
	b->size += more;
}

/* The low bytes of a value; the next store takes what is too many. */
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

static void
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
		size = fixed_bits[site->types[i]] / 8;
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

void
tbuf_pack(const struct tbuf_site *site, const uint64_t *values,
    uint32_t strsize, struct tbuf_pack *pack)
{
	pack->size = tbuf_pack_texts(site, values, strsize, pack->stage);
	pack->words = pack->size != 0;
	if (pack->words) {
		pack->segments[1].data = pack->stage;
		pack->segments[1].size = pack->size;
		pack->end = pack->segments + 2;
	} else
		pack_segments(site, values, strsize, pack);
}
