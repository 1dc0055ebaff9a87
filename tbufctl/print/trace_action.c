/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * trace() and tracemem(): print a value in a column as wide as its size needs,
 * a text, or a dump.
 */
#include <inttypes.h>
#include <string.h>

#include "action.h"

#define ROW	16		/* bytes on a line of a dump */

static void
put_integer(struct output *out, const struct datum *d, bool quiet)
{
	int width = d->size == 8 ? 19 + !d->is_signed : d->size == 4 ? 10 :
	    d->size == 2 ? 5 : 3;
	const char *blank = quiet ? "" : " ";

	if (quiet)
		width = 0;
	/* Unsigned 64-bit numbers have a blank before the column, too. */
	if (d->is_signed)
		output_printf(out, "%s%*" PRId64, blank, width,
		    (int64_t)d->number);
	else
		output_printf(out, "%s%*" PRIu64, blank, width, d->number);
}

static void
put_row(struct output *out, const unsigned char *bytes, size_t at,
    size_t size)
{
	size_t i;

	output_printf(out, "%10zx:", at);
	for (i = 0; i < ROW; i++)
		if (at + i < size)
			output_printf(out, " %02x", bytes[at + i]);
		else
			output_printf(out, "   ");
	output_printf(out, "  ");
	for (i = at; i < at + ROW && i < size; i++)
		output_printf(out, "%c", bytes[i] >= ' ' && bytes[i] <= '~' ?
		    bytes[i] : '.');
	output_printf(out, "\n");
}

void
trace_dump(struct output *out, const void *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	size_t at;
	int i;

	output_printf(out, "\n%11s", "");
	for (i = 0; i < ROW; i++)
		output_printf(out, "  %c", digits[i]);
	output_printf(out, "  %s\n", digits);
	for (at = 0; at < size && !out->cut; at += ROW)
		put_row(out, bytes, at, size);
}

void
trace_put(struct output *out, const struct datum *d, bool quiet)
{
	switch (d->kind) {
	case DATUM_INTEGER:
		put_integer(out, d, quiet);
		break;
	case DATUM_FLOAT:
		output_printf(out, quiet ? "%g" : " %16g", d->floating);
		break;
	case DATUM_TEXT:
		if (!quiet)
			output_printf(out, "  ");
		output_text(out, quiet ? 0 : -33, datum_text_length(d),
		    d->data);
		break;
	case DATUM_BYTES:
		trace_dump(out, d->data, d->length);
		break;
	}
}
