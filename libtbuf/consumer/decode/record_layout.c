/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Builds record layouts, and reads records with them (layout/record.h has the
 * format of records).
 */
#include <sys/param.h>

#include <string.h>

#include "consumer/decode/record_layout.h"
#include "machine/program.h"

/* How a record stores each type of argument. */
static const struct {
	uint8_t load;
	uint8_t size;		/* also the alignment; 0: text */
} kinds[] = {
	[TBUF_INT8] = { TBUF_LOAD_S8, 1 },
	[TBUF_INT16] = { TBUF_LOAD_S16, 2 },
	[TBUF_INT32] = { TBUF_LOAD_S32, 4 },
	[TBUF_INT64] = { TBUF_LOAD_64, 8 },
	[TBUF_UINT8] = { TBUF_LOAD_U8, 1 },
	[TBUF_UINT16] = { TBUF_LOAD_U16, 2 },
	[TBUF_UINT32] = { TBUF_LOAD_U32, 4 },
	[TBUF_UINT64] = { TBUF_LOAD_64, 8 },
	[TBUF_CHAR] = { TBUF_LOAD_CHAR, 1 },
	[TBUF_BOOL] = { TBUF_LOAD_U8, 1 },
	[TBUF_FLOAT] = { TBUF_LOAD_FLOAT, 4 },
	[TBUF_DOUBLE] = { TBUF_LOAD_DOUBLE, 8 },
	[TBUF_POINTER] = { TBUF_LOAD_64, 8 },
	[TBUF_STRING] = { TBUF_LOAD_TEXT, 0 },
	[TBUF_STRING_SIZED] = { TBUF_LOAD_TEXT, 0 },
	[TBUF_BINARY] = { TBUF_LOAD_TEXT, 0 },
	[TBUF_STRING_INTERNED] = { TBUF_LOAD_U32, 4 }
};

/* ------------------------------------------------------------ building */

static void
begin(struct tbuf_record_layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	layout->words = true;
}

/* Adds a piece.  Returns false if no record could hold it. */
static bool
add(struct tbuf_record_layout *layout, const struct tbuf_layout_piece *piece)
{
	struct tbuf_layout_piece *to = &layout->pieces[layout->npieces];
	size_t at = tbuf_aligned(layout->fixed_size, piece->align);

	*to = *piece;
	if (layout->nfixed == layout->npieces &&
	    piece->load != TBUF_LOAD_TEXT) {
		if (at + piece->size >= TBUF_RECORD_MAX)
			return (false);
		to->at = (uint16_t)at;
		layout->fixed_size = (uint16_t)(at + piece->size);
		layout->nfixed++;
	}
	layout->words &= piece->load == TBUF_LOAD_64;
	layout->npieces++;
	return (true);
}

/*
 * Returns the offset after pieces that begin at an offset: up to the length of
 * the next text, and with it; *piece is that text then, or the last one's end.
 */
static size_t
next_text(const struct tbuf_record_layout *layout, unsigned *piece, size_t at)
{
	const struct tbuf_layout_piece *p;

	for (; *piece < layout->npieces; ++*piece) {
		p = &layout->pieces[*piece];
		at = tbuf_aligned(at, p->align);
		if (p->load == TBUF_LOAD_TEXT)
			return (at + sizeof(uint16_t));
		at += p->size;
	}
	return (at);
}

/* Sets the gaps between texts, after all pieces were added. */
static void
set_gaps(struct tbuf_record_layout *layout)
{
	struct tbuf_layout_gap *gap = (void *)&layout->pieces[layout->npieces];
	unsigned piece = 0, after, i;
	size_t bytes;

	layout->ntexts = 0;
	layout->first = (uint16_t)next_text(layout, &piece, 0);
	for (; piece < layout->npieces; piece = after, gap++) {
		layout->ntexts++;
		for (i = 0; i < 8; i++) {
			after = piece + 1;
			bytes = next_text(layout, &after, i) - i;
			/* No record could have that many. */
			gap->bytes[i] = (uint16_t)MIN(bytes, UINT16_MAX);
		}
	}
}

/* Sets the part of a value that is the same for all records. */
static void
set_head(struct tbuf_layout_piece *piece, uint8_t type, uint32_t size)
{
	struct tbuf_value value = { .type = type, .size = size };

	memcpy(&piece->head, &value, sizeof(piece->head));
}

static void
set_type(struct tbuf_layout_piece *piece, uint8_t type)
{
	memset(piece, 0, sizeof(*piece));
	set_head(piece, type, 0);
	piece->load = kinds[type].load;
	piece->size = kinds[type].size;
	piece->align = piece->size != 0 ? piece->size : sizeof(uint16_t);
}

void
tbuf_layout_arguments(struct tbuf_record_layout *layout,
    const struct tbuf_probe_info *probe)
{
	struct tbuf_layout_piece piece;
	unsigned i;

	begin(layout);
	for (i = 0; i < probe->nargs; i++) {
		set_type(&piece, probe->types[i]);
		layout->interned |= probe->types[i] == TBUF_STRING_INTERNED;
		(void)add(layout, &piece);
	}
	set_gaps(layout);
}

/*
 * Sets a piece that is an argument of the probe, named by the clause or by its
 * number: as wide as a register, but with the argument's type.  Returns false
 * if the binding is invalid.
 */
static bool
set_bound(struct tbuf_layout_piece *piece, unsigned name, uint64_t binding,
    const struct tbuf_probe_info *probe)
{
	unsigned argument = name - TBUF_NAMES_MAX;
	uint8_t type;

	if (name < TBUF_NAMES_MAX)
		argument = binding >> 4 * name & 15;
	if (argument >= probe->nargs &&
	    (name < TBUF_NAMES_MAX || argument >= TBUF_NARGS))
		return (false);
	/*
	 * An argument that the probe does not have is the number 0.  A clause
	 * records an interned text as a string.
	 */
	type = argument < probe->nargs ? probe->types[argument] : TBUF_INT64;
	set_type(piece, type == TBUF_STRING_INTERNED ? TBUF_STRING : type);
	if (piece->load == TBUF_LOAD_TEXT)
		return (true);
	/* A float is in the low bytes, which come first. */
	if (piece->load != TBUF_LOAD_FLOAT && piece->load != TBUF_LOAD_DOUBLE)
		piece->load = TBUF_LOAD_64;
	piece->size = piece->align = sizeof(uint64_t);
	return (true);
}

static bool
set_array(struct tbuf_layout_piece *piece, unsigned count)
{
	if (piece->load == TBUF_LOAD_TEXT ||
	    piece->size * count >= TBUF_RECORD_MAX)
		return (false);
	piece->load = TBUF_LOAD_ARRAY;
	piece->size = (uint16_t)(piece->size * count);
	set_head(piece, TBUF_BINARY, piece->size);
	return (true);
}

bool
tbuf_layout_pieces(struct tbuf_record_layout *layout,
    const struct tbuf_piece *pieces, unsigned npieces, uint64_t binding,
    const struct tbuf_probe_info *probe)
{
	struct tbuf_layout_piece piece;
	unsigned i;

	begin(layout);
	for (i = 0; i < npieces; i++, pieces++) {
		if (pieces->type > TBUF_BINARY)
			return (false);
		if (pieces->type != TBUF_NONE)
			set_type(&piece, pieces->type);
		else if (!set_bound(&piece, pieces->name, binding, probe))
			return (false);
		if (pieces->count != 0 && !set_array(&piece, pieces->count))
			return (false);
		if (!add(layout, &piece))
			return (false);
	}
	set_gaps(layout);
	return (true);
}

/* ------------------------------------------------------------ reading */

static size_t
text_piece(const char *data, size_t at, struct tbuf_value *v)
{
	uint16_t word;

	at = (at + 1) & ~(size_t)1;
	memcpy(&word, data + at, sizeof(word));
	v->type = TBUF_STRING;
	v->null = word == TBUF_TEXT_NULL;
	v->cut = word > TBUF_TEXT_NULL;
	v->size = word & ~(unsigned)TBUF_TEXT_CUT;
	v->data = data + at + sizeof(word);
	return (at + sizeof(word) + v->size);
}

/* Reads a stack of known frames: the image and frames after the first word. */
static size_t
stack_piece(const char *data, size_t at, const struct tbuf_d_piece *piece,
    struct tbuf_value *v)
{
	size_t end = text_piece(data, at, v);

	v->type = TBUF_BINARY;
	v->data += sizeof(uint64_t);
	v->size -= (uint32_t)sizeof(uint64_t);
	v->size = MIN(v->size, piece->bytes);
	return (end);
}

void
tbuf_pieces_read(const struct tbuf_d_piece *piece, uint32_t npieces,
    const void *from, struct tbuf_value *v)
{
	const struct tbuf_d_piece *end = piece + npieces;
	const char *data = from;
	size_t at = 0;

	for (; piece < end; piece++, v++) {
		memset(v, 0, sizeof(*v));
		switch (piece->kind) {
		case TBUF_PIECE_TEXT:
			at = text_piece(data, at, v);
			break;
		case TBUF_PIECE_STACK:
			at = stack_piece(data, at, piece, v);
			break;
		case TBUF_PIECE_BYTES:
			v->type = TBUF_BINARY;
			v->size = piece->bytes;
			v->data = data + at;
			at += piece->bytes;
			break;
		default:
			at = (at + 7) & ~(size_t)7;
			v->type = piece->shape != NULL &&
			    !piece->shape->is_signed ? TBUF_UINT64 :
			    TBUF_INT64;
			memcpy(&v->u, data + at, sizeof(v->u));
			at += sizeof(v->u);
		}
	}
}

/* ------------------------------------------------------------ addresses */

#define ADDRESS(named, does)						\
	{ { .kind = TBUF_KIND_VOID, .name = named }, does }

static const struct {
	struct tbuf_d_shape shape;
	enum tbuf_d_action_kind action;
} addresses[TBUF_ADDRESS_END] = {
	[TBUF_ADDRESS_NONE] = ADDRESS(NULL, TBUF_ACTION_TRACE),
	[TBUF_ADDRESS_USTACK] = ADDRESS("ustack", TBUF_ACTION_USTACK),
	[TBUF_ADDRESS_USYM] = ADDRESS("usym", TBUF_ACTION_USYM),
	[TBUF_ADDRESS_UMOD] = ADDRESS("umod", TBUF_ACTION_UMOD),
	[TBUF_ADDRESS_UFUNC] = ADDRESS("ufunc", TBUF_ACTION_UFUNC),
	[TBUF_ADDRESS_UADDR] = ADDRESS("uaddr", TBUF_ACTION_UADDR),
	[TBUF_ADDRESS_RAW] = ADDRESS("ustack", TBUF_ACTION_USTACK)
};

uint32_t
tbuf_address_of(const struct tbuf_d_shape *shape)
{
	uint32_t i;

	for (i = TBUF_ADDRESS_USTACK; i < TBUF_ADDRESS_RAW; i++)
		if (shape != NULL && shape->name != NULL &&
		    strcmp(shape->name, addresses[i].shape.name) == 0)
			return (i);
	return (TBUF_ADDRESS_NONE);
}

const struct tbuf_d_shape *
tbuf_address_shape(uint32_t kind)
{
	return (kind > TBUF_ADDRESS_NONE && kind < TBUF_ADDRESS_END ?
	    &addresses[kind].shape : NULL);
}

enum tbuf_d_action_kind
tbuf_address_action(uint32_t kind)
{
	return (addresses[kind < TBUF_ADDRESS_END ? kind :
	    TBUF_ADDRESS_NONE].action);
}
