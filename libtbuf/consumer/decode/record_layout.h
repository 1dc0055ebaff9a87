/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Record layouts.  A layout is built and checked once, from a probe's types or
 * from a text record in the session's area; a record's data are read with the
 * layout alone.
 *
 *	data	| fixed pieces             | text | piece | text ...
 *		0                          fixed_size
 *
 * Each piece before the first text has the same offset in every record, so one
 * comparison of sizes checks all of them.
 */
#ifndef TBUF_CONSUMER_DECODE_RECORD_LAYOUT_H
#define TBUF_CONSUMER_DECODE_RECORD_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "layout/layout.h"
#include "machine/program.h"
#include "tbuf_consumer.h"

/* How a piece's bytes become a value. */
enum tbuf_load_kind {
	TBUF_LOAD_S8, TBUF_LOAD_S16, TBUF_LOAD_S32,
	TBUF_LOAD_U8, TBUF_LOAD_U16, TBUF_LOAD_U32,
	TBUF_LOAD_64, TBUF_LOAD_CHAR, TBUF_LOAD_FLOAT, TBUF_LOAD_DOUBLE,
	TBUF_LOAD_ARRAY,
	TBUF_LOAD_TEXT		/* has its length in the record; the last */
};

struct tbuf_layout_piece {
	uint64_t head;		/* first 8 bytes of its struct tbuf_value */
	uint8_t load;		/* enum tbuf_load_kind */
	uint8_t align;
	uint16_t at;		/* offset in the data, of a fixed piece */
	uint16_t size;		/* bytes; 0: text */
	uint16_t reserved;
};

struct tbuf_record_layout {
	uint16_t npieces;
	uint16_t nfixed;	/* pieces before the first text */
	uint16_t fixed_size;	/* bytes of data that these take */
	bool words;		/* all pieces are fixed, and have 64 bits */
	bool interned;		/* numbers stand for texts: interned.c */
	uint16_t ntexts;
	uint16_t first;		/* offset of the first text after its length,
				   or of the data's end */
	struct tbuf_layout_piece pieces[];	/* and a tbuf_layout_gap for
						   each text */
};

/*
 * The bytes between the end of a text and the next one, after its length, or
 * the data's end: the offset of the text's end, modulo 8, decides how pieces
 * between them are aligned.
 */
struct tbuf_layout_gap {
	uint16_t bytes[8];
};

/* Bytes of a layout for a probe's arguments. */
#define TBUF_ARGUMENTS_LAYOUT	(sizeof(struct tbuf_record_layout) +	\
	TBUF_ARGS_MAX * (sizeof(struct tbuf_layout_piece) +		\
	sizeof(struct tbuf_layout_gap)))

/* Returns the bytes of a layout of npieces. */
static inline size_t
tbuf_layout_size(unsigned npieces)
{
	return (sizeof(struct tbuf_record_layout) + npieces *
	    (sizeof(struct tbuf_layout_piece) +
	    sizeof(struct tbuf_layout_gap)));
}

/* Builds the layout of a default record: arguments of a checked probe. */
void	tbuf_layout_arguments(struct tbuf_record_layout *,
	    const struct tbuf_probe_info *);

/*
 * Builds the layout of a clause's record from npieces pieces, a copy of another
 * process's memory; `binding` says which arguments of the probe the clause's
 * names are.  Returns false if the pieces are invalid or no record could hold
 * them.
 */
bool	tbuf_layout_pieces(struct tbuf_record_layout *,
	    const struct tbuf_piece *, unsigned npieces, uint64_t binding,
	    const struct tbuf_probe_info *);

/* ------------------------------------------------------------ reading */

static inline size_t
tbuf_aligned(size_t at, size_t align)
{
	return ((at + align - 1) & ~(align - 1));
}

#define TBUF_TAKE(ctype, field) do {					\
	ctype taken;							\
	memcpy(&taken, bytes, sizeof(taken));				\
	value->field = taken;						\
} while (0)

/* Reads a piece that is not a text; the caller has checked its bounds. */
static inline void
tbuf_layout_take(const struct tbuf_layout_piece *piece,
    const unsigned char *bytes, struct tbuf_value *value)
{
	memcpy(value, &piece->head, sizeof(piece->head));
	/* Most pieces have 64 bits: no jump through a table. */
	if (piece->load == TBUF_LOAD_64) {
		TBUF_TAKE(uint64_t, u);
		return;
	}
	switch ((enum tbuf_load_kind)piece->load) {
	case TBUF_LOAD_S8:
		TBUF_TAKE(int8_t, i);
		break;
	case TBUF_LOAD_S16:
		TBUF_TAKE(int16_t, i);
		break;
	case TBUF_LOAD_S32:
		TBUF_TAKE(int32_t, i);
		break;
	case TBUF_LOAD_U8:
		TBUF_TAKE(uint8_t, u);
		break;
	case TBUF_LOAD_U16:
		TBUF_TAKE(uint16_t, u);
		break;
	case TBUF_LOAD_U32:
		TBUF_TAKE(uint32_t, u);
		break;
	case TBUF_LOAD_CHAR:
		TBUF_TAKE(char, i);
		break;
	case TBUF_LOAD_FLOAT:
		TBUF_TAKE(float, d);
		break;
	case TBUF_LOAD_DOUBLE:
		TBUF_TAKE(double, d);
		break;
	case TBUF_LOAD_ARRAY:
		value->data = (const char *)bytes;
		break;
	case TBUF_LOAD_64:
	case TBUF_LOAD_TEXT:
		TBUF_TAKE(uint64_t, u);
		break;
	}
}

/*
 * Reads the length word of a text and sets *at to its bytes.  Returns false if
 * the data do not have all of them.
 */
static inline bool
tbuf_layout_text(const unsigned char *data, size_t size, size_t *at,
    uint16_t *word)
{
	*at = tbuf_aligned(*at, sizeof(*word)) + sizeof(*word);
	if (*at > size)
		return (false);
	memcpy(word, data + *at - sizeof(*word), sizeof(*word));
	return ((*word & ~TBUF_TEXT_CUT) <= size - *at);
}

static inline void
tbuf_layout_take_text(const struct tbuf_layout_piece *piece,
    const unsigned char *bytes, uint16_t word, struct tbuf_value *value)
{
	memcpy(value, &piece->head, sizeof(piece->head));
	value->size = word & ~TBUF_TEXT_CUT;
	value->null = word == TBUF_TEXT_NULL;
	value->cut = word > TBUF_TEXT_NULL;
	value->data = (const char *)bytes;
}

/*
 * Returns true if a record's data end with its last piece at `at`, apart from
 * padding: a record that is longer has swallowed others.
 */
static inline bool
tbuf_layout_ends(size_t at, size_t size)
{
	return (at <= size && size - at < sizeof(uint64_t));
}

/*
 * Reads a record's data, `size` bytes at an address that is a multiple of 8,
 * into npieces values.  Values of texts and arrays point into the data.
 * Returns false if the data are too short, or too long.
 */
static inline bool
tbuf_layout_read(const struct tbuf_record_layout *layout, const void *from,
    size_t size, struct tbuf_value *value)
{
	const struct tbuf_layout_piece *piece = layout->pieces;
	const unsigned char *data = from;
	size_t at = layout->fixed_size;
	unsigned n = layout->nfixed, texts = layout->npieces - n;
	uint16_t word;

	if (size < at)
		return (false);
	for (; n > 0; n--, piece++, value++)
		tbuf_layout_take(piece, data + piece->at, value);
	for (; texts > 0; texts--, piece++, value++) {
		if (piece->load == TBUF_LOAD_TEXT) {
			if (!tbuf_layout_text(data, size, &at, &word))
				return (false);
			tbuf_layout_take_text(piece, data + at, word, value);
			at += word & ~TBUF_TEXT_CUT;
			continue;
		}
		at = tbuf_aligned(at, piece->align);
		if (at + piece->size > size)
			return (false);
		tbuf_layout_take(piece, data + at, value);
		at += piece->size;
	}
	return (tbuf_layout_ends(at, size));
}

/* Returns the gaps after the texts of a layout. */
static inline const struct tbuf_layout_gap *
tbuf_layout_gaps(const struct tbuf_record_layout *layout)
{
	return ((const void *)&layout->pieces[layout->npieces]);
}

/*
 * Returns true if data of so many texts are complete, the first one of which is
 * at an offset; only the lengths of texts are read.
 */
static inline bool
tbuf_layout_passes(const struct tbuf_layout_gap *gap, unsigned texts, size_t at,
    const void *data, size_t size)
{
	uint16_t word;

	for (; texts > 0; texts--, gap++) {
		if (at > size)
			return (false);
		memcpy(&word, (const char *)data + at - sizeof(word),
		    sizeof(word));
		at += word & ~TBUF_TEXT_CUT;
		at += gap->bytes[at % 8];
	}
	return (tbuf_layout_ends(at, size));
}

/* Returns true if the data are complete. */
static inline bool
tbuf_layout_fits(const struct tbuf_record_layout *layout, const void *data,
    size_t size)
{
	return (tbuf_layout_passes(tbuf_layout_gaps(layout), layout->ntexts,
	    layout->first, data, size));
}

/* Reads a record's data as tbuf_layout_read() does, if layout->words. */
static inline bool
tbuf_layout_words(const struct tbuf_record_layout *layout, const void *from,
    size_t size, struct tbuf_value *value)
{
	/* Read once: a compiler cannot know that values do not overlap it. */
	const size_t n = layout->npieces;
	const unsigned char *bytes = from;
	size_t i;

	if (!tbuf_layout_ends(layout->fixed_size, size))
		return (false);
	for (i = 0; i < n; i++) {
		memcpy(&value[i], &layout->pieces[i].head, sizeof(uint64_t));
		memcpy(&value[i].u, bytes + 8 * i, sizeof(uint64_t));
	}
	return (true);
}

#undef TBUF_TAKE

/*
 * Reads the pieces of a record or of a key in the machine's format
 * (doc/machine.md, "Pieces").  Values of texts point into the data.
 */
void	tbuf_pieces_read(const struct tbuf_d_piece *, uint32_t npieces,
	    const void *data, struct tbuf_value *);

/* ------------------------------------------------------------ address kinds */

/*
 * Which D function recorded an address (ustack, usym, ...): its name in a
 * script's shape, and its number in a control file (enum
 * tbuf_recorded_address).
 */

/* Returns the number for a piece's shape, which may be NULL. */
uint32_t tbuf_address_of(const struct tbuf_d_shape *);

/*
 * Return the shape and the action for a number out of a file: NULL and trace()
 * if it is not a valid one.
 */
const struct tbuf_d_shape *tbuf_address_shape(uint32_t kind);
enum tbuf_d_action_kind	tbuf_address_action(uint32_t kind);

#endif
