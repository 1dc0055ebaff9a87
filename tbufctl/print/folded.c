/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --format=folded: prints a key on one line.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "address.h"
#include "base/clean_text.h"
#include "columns.h"
#include "folded.h"
#include "typed_value.h"

/*
 * Prints a part of the line.  Semicolons and control characters in it are
 * replaced, as they separate parts and lines.
 */
static void
put_part(struct output *out, const char *text, size_t length, bool *first)
{
	char *p = output_room(out, length + 1), *part;
	size_t i;

	if (!*first)
		*p++ = ';';
	part = p;
	for (i = 0; i < length; i++)
		*p++ = text[i] == ';' ? ':' : text[i] == '\0' ? ' ' : text[i];
	text_clean(part, length, ' ', "");
	output_taken(out, p);
	*first = false;
}

static void
put_stack(struct output *out, const struct datum *d, bool *first)
{
	struct output frame;
	unsigned n = 0;

	output_memory(&frame);
	while (address_put_frame(&frame, d, n, false))
		n++;
	while (n-- > 0) {
		frame.used = 0;
		(void)address_put_frame(&frame, d, n, false);
		put_part(out, frame.buffer, frame.used, first);
	}
	free(frame.buffer);
}

/* Prints bytes that are no address, such as a structure, as a text. */
static void
put_plain_bytes(struct output *text, const struct datum *d)
{
	size_t length, i;

	if (columns_is_number(d->length))
		output_printf(text, "%" PRIu64, datum_load(d->data,
		    (unsigned)d->length, false));
	else if (columns_is_text(d, &length))
		output_printf(text, "%.*s", (int)length, d->data);
	else
		for (i = 0; i < d->length; i++)
			output_printf(text, "%02x", (unsigned char)d->data[i]);
}

static void
put_key(struct output *out, const struct datum *d, bool *first)
{
	struct output text;

	output_memory(&text);
	if (address_is_stack(d))
		put_stack(out, d, first);
	else if (d->kind == DATUM_TEXT)
		put_part(out, d->data, datum_text_length(d), first);
	else {
		if (address_is_symbol(d))
			address_put_symbol(&text, d);
		else if (d->kind == DATUM_FLOAT)
			output_printf(&text, "%g", d->floating);
		else if (d->kind == DATUM_BYTES)
			put_plain_bytes(&text, d);
		else
			output_printf(&text, "%" PRId64, (int64_t)d->number);
		put_part(out, text.buffer, text.used, first);
	}
	free(text.buffer);
}

/*
 * Returns the value of an aggregation; for a distribution the number of its
 * values.
 */
static int64_t
value_of(const struct tbuf_gathered *g)
{
	int64_t count = 0;
	unsigned i;

	for (i = 0; i < g->nbuckets; i++)
		count += g->buckets[i].count;
	return (g->nbuckets != 0 ? count : g->value);
}

void
folded_put(struct output *out, const struct tbuf_tuple *tuple)
{
	const struct tbuf_gathered *g = &tuple->values[0];
	bool first = true;
	struct datum d;
	unsigned i;

	for (i = 0; i < tuple->nkeys; i++) {
		datum_get(&d, &g->aggregation->keys[i], &tuple->keys[i]);
		put_key(out, &d, &first);
	}
	output_printf(out, "%s%" PRId64 "\n", first ? "" : " ", value_of(g));
}
