/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints aggregations in columns, as wide as DTrace's.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action.h"
#include "address.h"
#include "columns.h"
#include "typed_value.h"

#define TEXT_WIDTH	50
#define PACKED_WIDTH	16	/* of a text before a histogram */

/* ------------------------------------------------------------ keys */

/* Prints an integer as wide as its size needs; 1 and 2 bytes are unsigned. */
static void
put_integer(struct output *out, uint64_t number, unsigned size)
{
	switch (size) {
	case 1:
		output_printf(out, " %3u", (unsigned)(uint8_t)number);
		break;
	case 2:
		output_printf(out, " %5u", (unsigned)(uint16_t)number);
		break;
	case 4:
		output_printf(out, " %8" PRId32, (int32_t)(uint32_t)number);
		break;
	default:
		output_printf(out, " %16" PRId64, (int64_t)number);
	}
}

static void
put_text(struct output *out, const char *text, size_t length, bool packed)
{
	output_printf(out, packed ? " " : "  ");
	output_text(out, packed ? PACKED_WIDTH : -TEXT_WIDTH, length, text);
}

/*
 * Returns true for at least one character that a terminal shows, followed by
 * NULs only; *length is the number of characters.
 */
bool
columns_is_text(const struct datum *d, size_t *length)
{
	size_t i;

	for (i = 0; i < d->length; i++)
		if (!isprint((unsigned char)d->data[i]) &&
		    !isspace((unsigned char)d->data[i]) &&
		    d->data[i] != '\b' && d->data[i] != '\a')
			break;
	*length = i;
	for (; i < d->length; i++)
		if (d->data[i] != '\0')
			return (false);
	return (*length > 0);
}

bool
columns_is_number(size_t size)
{
	return (size == 1 || size == 2 || size == 4 || size == 8);
}

static void
put_symbol(struct output *out, const struct datum *d, bool packed)
{
	struct output text;

	output_memory(&text);
	address_put_symbol(&text, d);
	put_text(out, text.buffer, text.used, packed);
	free(text.buffer);
}

static void
put_bytes_key(struct output *out, const struct datum *d, bool packed)
{
	size_t length;

	if (address_is_stack(d))
		address_put_stack(out, d);
	else if (columns_is_number(d->length))
		put_integer(out, datum_load(d->data, (unsigned)d->length,
		    false), (unsigned)d->length);
	else if (columns_is_text(d, &length))
		put_text(out, d->data, length, packed);
	else
		trace_dump(out, d->data, d->length);
}

static void
put_key(struct output *out, const struct tbuf_d_piece *piece,
    const struct tbuf_value *value, bool packed)
{
	struct datum d;

	datum_get(&d, piece, value);
	if (address_is_symbol(&d)) {
		put_symbol(out, &d, packed);
		return;
	}
	switch (d.kind) {
	case DATUM_INTEGER:
		put_integer(out, d.number, d.size);
		break;
	case DATUM_TEXT:
		put_text(out, d.data, datum_text_length(&d), packed);
		break;
	case DATUM_BYTES:
		put_bytes_key(out, &d, packed);
		break;
	case DATUM_FLOAT:
		output_printf(out, " %16g", d.floating);
	}
}

static void
put_keys(struct output *out, const struct tbuf_tuple *tuple, bool packed)
{
	unsigned i;

	for (i = 0; i < tuple->nkeys; i++)
		put_key(out, &tuple->values[0].aggregation->keys[i],
		    &tuple->keys[i], packed);
}

/* Returns the columns that the keys take before a histogram. */
static unsigned
key_width(const struct tbuf_tuple *tuple)
{
	static const unsigned widths[] = {
		[1] = 3, [2] = 5, [4] = 8, [8] = 16
	};
	const struct tbuf_d_aggregation *a = tuple->values[0].aggregation;
	unsigned width = 0, i;
	struct datum d;
	size_t size;

	for (i = 0; i < tuple->nkeys; i++) {
		datum_get(&d, &a->keys[i], &tuple->keys[i]);
		size = d.kind == DATUM_INTEGER ? d.size : d.length;
		width += (d.kind != DATUM_TEXT && columns_is_number(size) ?
		    widths[size] : PACKED_WIDTH) + 1;
	}
	return (width);
}

/* ------------------------------------------------------------ values */

static void
put_value(struct output *out, const struct tbuf_gathered *g,
    struct bars style)
{
	switch (g->aggregation->function) {
	case FUNCTION_QUANTIZE:
	case FUNCTION_LQUANTIZE:
	case FUNCTION_LLQUANTIZE:
		histogram_put(out, g, style);
		break;
	case FUNCTION_STDDEV:
		output_printf(out, " %16" PRIu64, (uint64_t)g->value);
		break;
	default:
		output_printf(out, " %16" PRId64, g->value);
	}
}

/* Prints a value, and with aggpercpu that of each CPU on a line of its own. */
static void
put_values(struct output *out, const struct tbuf_gathered *g,
    struct bars style)
{
	unsigned cpu;

	put_value(out, g, style);
	for (cpu = 0; cpu < g->ncpus; cpu++) {
		output_printf(out, "\n    [CPU %u]", cpu);
		put_value(out, &g->cpus[cpu], style);
	}
}

/*
 * Returns true if agghist shows the tuple as a bar: a single count, sum,
 * average or standard deviation.
 */
static bool
is_hist(const struct columns *columns, const struct tbuf_tuple *tuple)
{
	if (!columns->hist || tuple->nvalues != 1)
		return (false);
	switch (tuple->values[0].aggregation->function) {
	case FUNCTION_COUNT:
	case FUNCTION_SUM:
	case FUNCTION_AVG:
	case FUNCTION_STDDEV:
		return (true);
	default:
		return (false);
	}
}

static bool
is_packed(const struct columns *columns, const struct tbuf_tuple *tuple)
{
	uint32_t function = tuple->values[0].aggregation->function;

	return (columns->pack && tuple->nvalues == 1 &&
	    (function == FUNCTION_QUANTIZE || function == FUNCTION_LQUANTIZE));
}

void
columns_see(struct columns *columns, const struct tbuf_tuple *tuple)
{
	if (is_hist(columns, tuple))
		bars_add(&columns->bars, tuple->values[0].whole);
	else if (is_packed(columns, tuple))
		packed_add(&columns->packed, &tuple->values[0]);
}

static void
put_hist(struct output *out, struct columns *columns,
    const struct tbuf_tuple *tuple)
{
	const struct tbuf_gathered *g = &tuple->values[0];

	if (!columns->begun)
		histogram_head(out, key_width(tuple));
	put_keys(out, tuple, true);
	output_printf(out, " ");
	bars_put(out, &columns->bars, g->whole, g->value);
}

static void
put_packed(struct output *out, struct columns *columns,
    const struct tbuf_tuple *tuple)
{
	const struct tbuf_gathered *g = &tuple->values[0];

	if (!columns->begun)
		packed_head(out, &columns->packed, g, key_width(tuple));
	put_keys(out, tuple, true);
	packed_put(out, &columns->packed, g);
}

void
columns_put(struct output *out, struct columns *columns,
    const struct tbuf_tuple *tuple)
{
	unsigned i;

	if (is_hist(columns, tuple))
		put_hist(out, columns, tuple);
	else if (is_packed(columns, tuple))
		put_packed(out, columns, tuple);
	else {
		put_keys(out, tuple, false);
		for (i = 0; i < tuple->nvalues; i++)
			put_values(out, &tuple->values[i], columns->style);
		output_printf(out, "\n");
	}
	columns->begun = true;
}
