/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A record as a line of text, with only write(2) of the C library, and without
 * floating point, which the target side does not use: 0x1.8p+0 is exact.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "target/crash/last_records.h"
#include "target/file/file.h"
#include "target/lane/lane.h"
#include "target/self/self.h"

void
tbuf_lines_flush(struct tbuf_lines *l)
{
	size_t done = 0;
	ssize_t n;

	while (done < l->used && l->error == 0) {
		n = write(l->fd, l->bytes + done, l->used - done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			l->error = -errno;
	}
	l->used = 0;
}

void
tbuf_lines_put(struct tbuf_lines *l, const char *text, size_t size)
{
	size_t some;

	for (; size > 0; size -= some, text += some) {
		if (l->used == sizeof(l->bytes))
			tbuf_lines_flush(l);
		some = sizeof(l->bytes) - l->used;
		some = size < some ? size : some;
		memcpy(l->bytes + l->used, text, some);
		l->used += some;
	}
}

void
tbuf_lines_text(struct tbuf_lines *l, const char *text)
{
	tbuf_lines_put(l, text, strlen(text));
}

void
tbuf_lines_number(struct tbuf_lines *l, uint64_t value, unsigned base,
    unsigned digits)
{
	char text[24], *p = text + sizeof(text);

	for (; value != 0 || digits > 0; digits -= digits > 0) {
		*--p = "0123456789abcdef"[value % base];
		value /= base;
	}
	tbuf_lines_put(l, p, (size_t)(text + sizeof(text) - p));
}

/* Returns ticks in nanoseconds, by the clock's rate since the birth. */
static uint64_t
nanoseconds(const struct tbuf_view *view, const struct tbuf_moment *now,
    uint64_t ticks)
{
	const struct tbuf_moment *birth = &tbuf_view_control(view)->birth;
	uint64_t mono = now->mono - birth->mono;
	uint64_t all = now->ticks - birth->ticks;

	if (tbuf_self.clock != TBUF_CLOCK_COUNTER)
		return (ticks);
	for (; mono >> 31 != 0; mono >>= 1)
		all >>= 1;
	return (all == 0 ? 0 :
	    (uint64_t)((unsigned __int128)ticks * ((mono << 32) / all) >> 32));
}

void
tbuf_lines_age(struct tbuf_lines *l, const struct tbuf_view *view,
    const struct tbuf_moment *now, uint64_t time)
{
	uint64_t age = time < now->ticks ?
	    nanoseconds(view, now, now->ticks - time) : 0;

	tbuf_lines_number(l, age / 1000000000, 10, 1);
	tbuf_lines_text(l, ".");
	tbuf_lines_number(l, age % 1000000000, 10, 9);
}

/* The size of each type in a record, and its format. */
enum look { UNKNOWN, SIGNED, UNSIGNED, BOOLEAN, FLOATING, ADDRESS, TEXT,
	BYTES, INTERNED };
static const struct {
	uint8_t look;
	uint8_t size;		/* 0: a text */
} kinds[] = {
	[TBUF_INT8] = { SIGNED, 1 },
	[TBUF_INT16] = { SIGNED, 2 },
	[TBUF_INT32] = { SIGNED, 4 },
	[TBUF_INT64] = { SIGNED, 8 },
	[TBUF_UINT8] = { UNSIGNED, 1 },
	[TBUF_UINT16] = { UNSIGNED, 2 },
	[TBUF_UINT32] = { UNSIGNED, 4 },
	[TBUF_UINT64] = { UNSIGNED, 8 },
	[TBUF_CHAR] = { (char)-1 < 0 ? SIGNED : UNSIGNED, 1 },
	[TBUF_BOOL] = { BOOLEAN, 1 },
	[TBUF_FLOAT] = { FLOATING, 4 },
	[TBUF_DOUBLE] = { FLOATING, 8 },
	[TBUF_POINTER] = { ADDRESS, 8 },
	[TBUF_STRING] = { TEXT, 0 },
	[TBUF_STRING_SIZED] = { TEXT, 0 },
	[TBUF_BINARY] = { BYTES, 0 },
	[TBUF_STRING_INTERNED] = { INTERNED, 4 }
};
#define NKINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* A record's data, the offset of the next value, and the file. */
struct data {
	const unsigned char *bytes;
	size_t at, size;
	const struct tbuf_view *view;
};

static bool
take(struct data *d, size_t align, size_t size, const unsigned char **bytes)
{
	size_t at = (d->at + align - 1) & ~(align - 1);

	if (at > d->size || size > d->size - at)
		return (false);
	*bytes = d->bytes + at;
	d->at = at + size;
	return (true);
}

/* 2^52 is a double's leading bit; a float becomes a double. */
static void
put_floating(struct tbuf_lines *l, uint64_t bits, size_t size)
{
	unsigned width = size == 4 ? 23 : 52, top = size == 4 ? 8 : 11;
	uint64_t fraction = bits & ((UINT64_C(1) << width) - 1);
	int exponent = (int)(bits >> width & ((1u << top) - 1));
	int bias = (1 << (top - 1)) - 1;

	if ((bits >> (width + top) & 1) != 0)
		tbuf_lines_text(l, "-");
	if (exponent == 2 * bias + 1) {
		tbuf_lines_text(l, fraction != 0 ? "nan" : "inf");
		return;
	}
	tbuf_lines_text(l, exponent == 0 ? "0x0." : "0x1.");
	tbuf_lines_number(l, fraction << (52 - width), 16, 13);
	exponent = exponent == 0 ? 1 - bias : exponent - bias;
	exponent = fraction == 0 && bits << 1 == 0 ? 0 : exponent;
	tbuf_lines_text(l, exponent < 0 ? "p-" : "p+");
	tbuf_lines_number(l, (uint64_t)(exponent < 0 ? -exponent : exponent),
	    10, 1);
}

static void
put_fixed(struct tbuf_lines *l, enum look look, uint64_t value, size_t size)
{
	unsigned shift = 64 - 8 * (unsigned)size;

	if (look == SIGNED && (int64_t)(value << shift) < 0) {
		tbuf_lines_text(l, "-");
		value = 0 - (uint64_t)((int64_t)(value << shift) >> shift);
	}
	if (look == BOOLEAN)
		tbuf_lines_text(l, value != 0 ? "true" : "false");
	else if (look == FLOATING)
		put_floating(l, value, size);
	else if (look == ADDRESS) {
		tbuf_lines_text(l, "0x");
		tbuf_lines_number(l, value, 16, 1);
	} else
		tbuf_lines_number(l, value, 10, 1);
}

static void
put_quoted(struct tbuf_lines *l, const unsigned char *bytes, size_t size)
{
	size_t i;

	tbuf_lines_text(l, "\"");
	for (i = 0; i < size; i++) {
		if (bytes[i] == '"' || bytes[i] == '\\')
			tbuf_lines_text(l, "\\");
		if (bytes[i] >= ' ' && bytes[i] != 0x7f)
			tbuf_lines_put(l, (const char *)&bytes[i], 1);
		else {
			tbuf_lines_text(l, "\\x");
			tbuf_lines_number(l, bytes[i], 16, 2);
		}
	}
	tbuf_lines_text(l, "\"");
}

static void
put_bytes(struct tbuf_lines *l, const unsigned char *bytes, size_t size)
{
	tbuf_lines_text(l, "hex:");
	for (; size > 0; size--)
		tbuf_lines_number(l, *bytes++, 16, 2);
}

static bool
put_long(struct tbuf_lines *l, enum look look, struct data *d)
{
	const unsigned char *bytes;
	uint16_t word;

	if (!take(d, sizeof(word), sizeof(word), &bytes))
		return (false);
	memcpy(&word, bytes, sizeof(word));
	if (!take(d, 1, word & ~TBUF_TEXT_CUT, &bytes))
		return (false);
	if (word == TBUF_TEXT_NULL)
		tbuf_lines_text(l, "NULL");
	else if (look == TEXT)
		put_quoted(l, bytes, word & ~TBUF_TEXT_CUT);
	else
		put_bytes(l, bytes, word & ~TBUF_TEXT_CUT);
	if (word > TBUF_TEXT_NULL)
		tbuf_lines_text(l, "...");
	return (true);
}

static void
put_interned(struct tbuf_lines *l, const struct tbuf_view *view,
    uint32_t number)
{
	static char text[TBUF_FIELD_SIZE];	/* protected by busy in
						 * last_records.c */
	size_t n = tbuf_view_text(view, number, text, sizeof(text));

	if (number == 0 || n == 0)
		tbuf_lines_text(l, "NULL");
	else
		put_quoted(l, (const unsigned char *)text, n - 1);
}

/*
 * Prints a value; one bound to a clause's name is as wide as a register, and a
 * string if it was an interned text.
 */
static bool
put_value(struct tbuf_lines *l, struct data *d, unsigned type, bool bound)
{
	const unsigned char *bytes;
	uint64_t value = 0;
	size_t size, room;

	if (type == TBUF_STRING_INTERNED && bound)
		type = TBUF_STRING;
	if (type >= NKINDS || kinds[type].look == UNKNOWN)
		return (false);
	if ((size = kinds[type].size) == 0)
		return (put_long(l, kinds[type].look, d));
	room = bound ? sizeof(value) : size;
	if (!take(d, room, room, &bytes))
		return (false);
	memcpy(&value, bytes, size);
	if (kinds[type].look == INTERNED)
		put_interned(l, d->view, (uint32_t)value);
	else
		put_fixed(l, kinds[type].look, value, size);
	return (true);
}

/* Prints an array as bytes; it has the alignment of an element. */
static bool
put_array(struct tbuf_lines *l, struct data *d, const struct tbuf_piece *piece)
{
	const unsigned char *bytes;
	size_t size;

	if (piece->type >= NKINDS || (size = kinds[piece->type].size) == 0 ||
	    !take(d, size, size * piece->count, &bytes))
		return (false);
	put_bytes(l, bytes, size * piece->count);
	return (true);
}

static bool
put_piece(struct tbuf_lines *l, struct data *d,
    const struct tbuf_probe_entry *probe, const struct tbuf_piece *piece,
    uint64_t binding)
{
	unsigned argument;

	if (piece->type != TBUF_NONE)
		return (piece->count != 0 ? put_array(l, d, piece) :
		    put_value(l, d, piece->type, false));
	argument = binding >> 4 * piece->name & 15;
	return (put_value(l, d, argument < probe->nargs &&
	    argument < TBUF_NARGS ? probe->types[argument] : TBUF_INT64, true));
}

/* Prints the arguments of a probe with their names, as put_value() does. */
static void
put_arguments(struct tbuf_lines *l, const struct tbuf_view *view,
    const struct tbuf_probe_entry *probe, struct data *d, bool bound)
{
	static char name[TBUF_FIELD_SIZE];	/* protected by busy in
						 * last_records.c */
	uint32_t at = tbuf_load(&probe->argnames);
	unsigned i;
	size_t n;

	for (i = 0; i < probe->nargs && i < TBUF_NARGS; i++, at += n) {
		n = tbuf_view_text(view, at, name, sizeof(name));
		tbuf_lines_text(l, " ");
		tbuf_lines_put(l, name, n == 0 ? 0 : n - 1);
		tbuf_lines_text(l, "=");
		if (!put_value(l, d, probe->types[i], bound))
			return;
	}
}

/*
 * Prints the values that a clause recorded by their types: the file has no
 * formats.  Only record() records arguments by their numbers: all that a probe
 * can have, with a 0 for each that it lacks.  A site's own record has those of
 * the probe.
 */
static void
put_pieces(struct tbuf_lines *l, const struct tbuf_view *view,
    const struct tbuf_slot *slot, const struct tbuf_clause *clause,
    const struct tbuf_probe_entry *probe, struct data *d)
{
	uint64_t end = tbuf_file_end((uintptr_t)view->base);
	uint64_t at = tbuf_load(&slot->texts.at) + clause->text * UINT64_C(8);
	bool bound = clause->text != 0;
	struct tbuf_text_record text = { .npieces = 1 };
	struct tbuf_piece piece = { .name = TBUF_NAMES_MAX };
	const unsigned char *none;
	unsigned i;

	if (bound && (end < sizeof(text) || at > end - sizeof(text)))
		return;
	if (bound)
		memcpy(&text, view->base + at, sizeof(text));
	for (i = 0; i < text.npieces && i < TBUF_PIECES_MAX; i++) {
		at += sizeof(piece);
		if (bound && end - at < sizeof(piece))
			return;
		if (bound)
			memcpy(&piece, view->base + at, sizeof(piece));
		if (piece.type == TBUF_NONE && piece.name >= TBUF_NAMES_MAX) {
			if (piece.name != TBUF_NAMES_MAX)
				continue;
			put_arguments(l, view, probe, d, bound);
			(void)take(d, sizeof(uint64_t), sizeof(uint64_t) *
			    (TBUF_NARGS - (size_t)probe->nargs), &none);
			continue;
		}
		tbuf_lines_text(l, " ");
		if (!put_piece(l, d, probe, &piece, clause->binding))
			return;
	}
}

_Static_assert(sizeof(struct tbuf_text_record) == sizeof(struct tbuf_piece),
    "one step for both");

/* Returns a session's clauses, indexed as its ECBs; NULL if it has none. */
static const struct tbuf_clause *
clauses_of(const struct tbuf_view *view, const struct tbuf_slot *slot,
    uint64_t max)
{
	uint64_t at = tbuf_load(&slot->clauses);
	uint64_t end = tbuf_file_end((uintptr_t)view->base);

	if (at == 0 || at % 8 != 0 || at > end ||
	    max > (end - at) / sizeof(struct tbuf_clause))
		return (NULL);
	return ((const struct tbuf_clause *)(const void *)(view->base + at));
}

static void
put_probe(struct tbuf_lines *l, const struct tbuf_view *view, uint32_t index)
{
	static struct tbuf_names_copy copy;	/* protected by busy in
						 * last_records.c */
	unsigned i;

	if (!tbuf_view_names(view, index, &copy)) {
		tbuf_lines_text(l, "?");
		return;
	}
	for (i = 0; i < 4; i++) {
		tbuf_lines_text(l, i == 0 ? "" : ":");
		tbuf_lines_text(l, copy.text[i]);
	}
}

/* Prints an envelope or a commit record of a work unit. */
static void
put_unit(struct tbuf_lines *l, const unsigned char *data, size_t size)
{
	struct tbuf_unit_record record;

	tbuf_lines_text(l, "a work unit");
	if (size < sizeof(record))
		return;
	memcpy(&record, data, sizeof(record));
	tbuf_lines_text(l, ": id=");
	tbuf_lines_number(l, record.id, 10, 1);
	tbuf_lines_text(l, " outcome=");
	put_fixed(l, SIGNED, (uint32_t)record.outcome, sizeof(record.outcome));
	tbuf_lines_text(l, " records=");
	tbuf_lines_number(l, record.count, 10, 1);
}

void
tbuf_lines_record(struct tbuf_lines *l, const struct tbuf_view *view,
    const struct tbuf_slot *slot, uint32_t epid, const unsigned char *data,
    size_t size)
{
	struct data d = { data, 0, size, view };
	struct tbuf_probe_entry probe;
	struct tbuf_clause clause;
	const struct tbuf_clause *clauses;
	const struct tbuf_ecb *ecbs;
	uint32_t index = UINT32_MAX;
	uint64_t max;

	ecbs = tbuf_fire_ecbs((uintptr_t)view->base, slot, &max);
	clauses = clauses_of(view, slot, max);
	if (clauses != NULL && epid == TBUF_EPID_FAULT)
		tbuf_lines_text(l, "a clause failed");
	else if (epid == TBUF_EPID_ENVELOPE || epid == TBUF_EPID_UNIT)
		put_unit(l, data, size);
	else if (epid < max)
		index = tbuf_load(&ecbs[epid].probe);
	if (index < view->tables.entries) {
		put_probe(l, view, index);
		memcpy(&probe, tbuf_view_probe(view, index), sizeof(probe));
		memset(&clause, 0, sizeof(clause));
		if (clauses != NULL)
			memcpy(&clause, &clauses[epid], sizeof(clause));
		put_pieces(l, view, slot, &clause, &probe, &d);
	}
	tbuf_lines_text(l, "\n");
}
