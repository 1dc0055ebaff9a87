/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Writes a report: columns, deflate (RFC 1951), base64 (RFC 4648).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/messages.h"
#include "base/replace_file.h"
#include "page/page.h"
#include "report.h"

#define VARINT_MOST	10
/* Numbers below it have differences that a double holds, with a sign. */
#define EXACT		(UINT64_C(1) << 51)
/* Browsers have no longer texts; they can inflate more than this to memory. */
#define TEXT_MOST	((size_t)512 << 20)
#define DATA_MOST	((size_t)2 << 30)
#define DEFLATE_PART	((size_t)1 << 20)

/* ------------------------------------------------------------ JSON */

static void
put_texts(struct output *out, const struct texts *texts)
{
	size_t begin = 0, size;
	uint32_t i;
	char *p;

	output_printf(out, ",\"texts\":[");
	for (i = 0; i < texts->count; i++) {
		size = texts->ends[i] - begin;
		p = output_room(out, size + 1);
		if (i > 0)
			*p++ = ',';
		output_taken(out, put_bytes(p, texts->bytes.buffer + begin,
		    size));
		begin = texts->ends[i];
	}
	output_printf(out, "]");
}

static const char *
comma(size_t i)
{
	return (i == 0 ? "" : ",");
}

static void
put_tracks(struct output *out, const struct report *report)
{
	const struct report_track *track;
	size_t i, n = 0;

	output_printf(out, ",\"tracks\":[");
	for (i = 0; i < report->ntracks; i++) {
		track = &report->tracks[i];
		if (track->nentries == 0)
			continue;
		output_printf(out, "%s{\"kind\":%d,\"pid\":%jd,\"tid\":%" PRIu32
		    ",\"name\":%" PRIu32 ",\"program\":%" PRIu32 ",\"n\":%"
		    PRIu32 "}", comma(n++), track->kind,
		    (intmax_t)track->pid, track->tid, track->name,
		    track->program, track->nentries);
	}
	output_printf(out, "]");
}

static void
put_classes(struct output *out, const struct report *report)
{
	const struct report_class *class;
	uint32_t i;

	output_printf(out, ",\"classes\":[");
	for (i = 0; i < report->nclasses; i++) {
		class = &report->classes[i];
		output_printf(out, "%s[%" PRIu32 ",%" PRIu32 ",%jd,%jd,%" PRIu32
		    ",%" PRIu32 "]", comma(i), class->name, class->category,
		    class->shape == REPORT_NONE ? -1 : (intmax_t)class->shape,
		    class->end_shape == REPORT_NONE ? -1 :
		    (intmax_t)class->end_shape, class->depth, class->flags);
	}
	output_printf(out, "]");
}

/* Numbers of 64 bits are texts, which a page reads exactly. */
static void
put_losses(struct output *out, const struct report *report)
{
	const struct report_loss *loss;
	size_t i;

	output_printf(out, ",\"losses\":[");
	for (i = 0; i < report->nlosses; i++) {
		loss = &report->losses[i];
		output_printf(out, "%s{\"name\":%" PRIu32 ",\"pid\":%jd,"
		    "\"cpu\":%d,\"count\":\"%" PRIu64 "\",\"after\":\"%" PRIu64
		    "\",\"before\":\"%" PRIu64 "\"}", comma(i), loss->name,
		    (intmax_t)loss->pid, loss->cpu, loss->count.count,
		    loss->count.after, loss->count.before);
	}
	output_printf(out, "]");
}

static void
put_sums(struct output *out, const struct report *report)
{
	size_t i;

	output_printf(out, ",\"sums\":[");
	for (i = 0; i < report->nsums; i++)
		output_printf(out, "%s[%" PRIu32 ",\"%" PRId64 "\"]", comma(i),
		    report->sums[i].name, report->sums[i].value);
	output_printf(out, "]");
}

static bool
is_floating(const struct report_column *column)
{
	return (column->type == REPORT_FLOAT || column->type == REPORT_DOUBLE);
}

/* Returns true if all values of a column are one number. */
static bool
is_constant(const struct report_shape *shape, unsigned column)
{
	uint32_t i;

	if (is_floating(&shape->columns[column]))
		return (false);
	for (i = 1; i < shape->nrows; i++)
		if (shape->values[(size_t)i * shape->ncolumns + column] !=
		    shape->values[column])
			return (false);
	return (true);
}

/* Returns true if a double cannot hold all values of a column. */
static bool
is_wide(const struct report_shape *shape, unsigned column)
{
	bool is_signed = shape->columns[column].type == REPORT_SIGNED;
	uint64_t value;
	uint32_t i;

	for (i = 0; i < shape->nrows; i++) {
		value = shape->values[(size_t)i * shape->ncolumns + column];
		if ((is_signed ? value + EXACT : value) >=
		    (is_signed ? 2 * EXACT : EXACT))
			return (true);
	}
	return (false);
}

static void
put_column(struct output *out, const struct report_shape *shape, unsigned i)
{
	const struct report_column *column = &shape->columns[i];

	output_printf(out, "%s{\"name\":%" PRIu32 ",\"type\":\"%c\"", comma(i),
	    column->name, (int)column->type);
	if (is_constant(shape, i))
		output_printf(out, column->type == REPORT_SIGNED ?
		    ",\"same\":\"%" PRId64 "\"" : ",\"same\":\"%" PRIu64 "\"",
		    shape->values[i]);
	else if (!is_floating(column) && is_wide(shape, i))
		output_printf(out, ",\"wide\":true");
	output_printf(out, "}");
}

static void
put_shapes(struct output *out, const struct report *report)
{
	const struct report_shape *shape;
	uint32_t i;
	unsigned j;

	output_printf(out, ",\"shapes\":[");
	for (i = 0; i < report->nshapes; i++) {
		shape = &report->shapes[i];
		output_printf(out, "%s{\"title\":%" PRIu32 ",\"record\":%s,"
		    "\"rows\":%" PRIu32 ",\"columns\":[", comma(i),
		    shape->title, shape->record ? "true" : "false",
		    shape->nrows);
		for (j = 0; j < shape->ncolumns; j++)
			put_column(out, shape, j);
		output_printf(out, "]}");
	}
	output_printf(out, "]");
}

static void
put_json(struct output *out, const struct report *report,
    const struct tbuf_totals *totals, uint64_t base)
{
	output_printf(out, "{\"version\":1,\"tbuf\":\"%s\",\"base\":\"%" PRIu64
	    "\",\"wall\":\"%" PRIu64 "\",\"records\":\"%" PRIu64
	    "\",\"overwritten\":\"%" PRIu64 "\",\"drops\":\"%" PRIu64
	    "\",\"discarded\":\"%" PRIu64 "\"", tbuf_version(), base,
	    report->wall - (report->time - base), totals->records,
	    totals->overwritten, totals->drops, totals->discarded);
	put_tracks(out, report);
	put_classes(out, report);
	put_shapes(out, report);
	put_losses(out, report);
	put_sums(out, report);
	put_texts(out, &report->texts);
	output_printf(out, "}");
}

/* ------------------------------------------------------------ streams */

static char *
put_varint(char *p, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*p++ = (char)(n | 0x80);
	*p++ = (char)n;
	return (p);
}

/* Moves the sign to bit 0, so that small differences are short. */
static uint64_t
zigzag(uint64_t difference)
{
	return (difference << 1 ^ (0 - (difference >> 63)));
}

static void
put_track(struct output *out, const struct report *report,
    const struct report_track *track, uint64_t base)
{
	const struct report_entry *entries = track->entries;
	uint64_t last = base;
	char *p = output_room(out, (size_t)track->nentries * 3 * VARINT_MOST);
	uint32_t i;

	for (i = 0; i < track->nentries; i++) {
		p = put_varint(p, entries[i].time - last);
		last = entries[i].time;
	}
	for (i = 0; i < track->nentries; i++)
		p = put_varint(p, entries[i].class);
	for (i = 0; i < track->nentries; i++)
		if ((report->classes[entries[i].class].flags &
		    REPORT_INSTANT) == 0)
			p = put_varint(p, entries[i].length);
	output_taken(out, p);
}

static void
put_stream(struct output *out, const struct report_shape *shape,
    unsigned column)
{
	bool floating = is_floating(&shape->columns[column]);
	char *p = output_room(out, (size_t)shape->nrows * VARINT_MOST);
	uint64_t last = 0, value;
	uint32_t i;
	unsigned j;

	for (i = 0; i < shape->norder; i++) {
		value = shape->values[(size_t)shape->order[i] *
		    shape->ncolumns + column];
		if (!floating)
			p = put_varint(p, zigzag(value - last));
		else
			for (j = 0; j < 64; j += 8)
				*p++ = (char)(value >> j);
		last = value;
	}
	output_taken(out, p);
}

static int
compare_entries(const void *a, const void *b)
{
	const struct report_entry *one = a, *other = b;

	if (one->time != other->time)
		return (one->time < other->time ? -1 : 1);
	return (one->serial < other->serial ? -1 :
	    one->serial > other->serial);
}

static void
add_order(struct report *report, uint32_t number, uint32_t row)
{
	struct report_shape *shape;

	if (number == REPORT_NONE)
		return;
	shape = &report->shapes[number];
	shape->order[shape->norder++] = row;
}

/* Sorts the entries of tracks, and orders the rows of shapes as they are. */
static void
sort(struct report *report)
{
	const struct report_class *class;
	struct report_track *track;
	uint32_t i, j;

	for (i = 0; i < report->nshapes; i++)
		report->shapes[i].order = memory_get(NULL,
		    report->shapes[i].nrows, sizeof(uint32_t));
	for (i = 0; i < report->ntracks; i++) {
		track = &report->tracks[i];
		if (track->unsorted)
			qsort(track->entries, track->nentries,
			    sizeof(*track->entries), compare_entries);
		for (j = 0; j < track->nentries; j++) {
			class = &report->classes[track->entries[j].class];
			add_order(report, class->shape, track->entries[j].row);
			add_order(report, class->end_shape,
			    track->entries[j].end_row);
		}
	}
}

/* Returns the time of the first entry, or 0 if there is none. */
static uint64_t
base_of(const struct report *report)
{
	uint64_t base = UINT64_MAX;
	size_t i;

	for (i = 0; i < report->ntracks; i++)
		if (report->tracks[i].nentries > 0 &&
		    report->tracks[i].entries[0].time < base)
			base = report->tracks[i].entries[0].time;
	return (base == UINT64_MAX ? 0 : base);
}

static void
put_data(struct output *out, struct report *report,
    const struct tbuf_totals *totals)
{
	uint64_t base;
	uint32_t i, size;
	unsigned j;

	sort(report);
	base = base_of(report);
	output_taken(out, put_literal(output_room(out, 4), "\0\0\0\0"));
	put_json(out, report, totals, base);
	size = (uint32_t)out->used - 4;
	for (i = 0; i < 4; i++)
		out->buffer[i] = (char)(size >> 8 * i);
	for (i = 0; i < report->ntracks; i++)
		put_track(out, report, &report->tracks[i], base);
	for (i = 0; i < report->nshapes; i++)
		for (j = 0; j < report->shapes[i].ncolumns; j++)
			if (!is_constant(&report->shapes[i], j))
				put_stream(out, &report->shapes[i], j);
}

/* ------------------------------------------------------------ the page */

/* Appends deflated bytes.  Returns 0 or -errno. */
static int
deflate_bytes(struct output *out, const struct output *from)
{
	z_stream z = { .zalloc = NULL };
	size_t left = from->used;
	int error = deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
	    -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);

	if (error != Z_OK)
		return (-ENOMEM);
	z.next_in = (unsigned char *)from->buffer;
	while (error == Z_OK) {
		if (z.avail_in == 0) {
			z.avail_in = (uInt)(left < DEFLATE_PART ? left :
			    DEFLATE_PART);
			left -= z.avail_in;
		}
		z.next_out = (unsigned char *)output_room(out, DEFLATE_PART);
		z.avail_out = (uInt)DEFLATE_PART;
		error = deflate(&z, left == 0 ? Z_FINISH : Z_NO_FLUSH);
		output_taken(out, (char *)z.next_out);
	}
	(void)deflateEnd(&z);
	return (error == Z_STREAM_END ? 0 : -EIO);
}

/* Appends the page.  Returns 0 or -errno; -EOVERFLOW: it would be too large. */
static int
put_page(struct output *out, struct report *report,
    const struct tbuf_totals *totals)
{
	struct output data, packed;
	int error = -EOVERFLOW;
	char *p;

	output_memory(&data);
	output_memory(&packed);
	put_data(&data, report, totals);
	if (data.used <= DATA_MOST)
		error = deflate_bytes(&packed, &data);
	free(data.buffer);
	if (error == 0 && packed.used > TEXT_MOST / 4 * 3)
		error = -EOVERFLOW;
	if (error == 0) {
		p = output_room(out, page_head_size + page_tail_size +
		    packed.used / 3 * 4 + 4);
		p = put_bytes(p, page_head, page_head_size);
		p = put_base64(p, packed.buffer, packed.used);
		output_taken(out, put_bytes(p, page_tail, page_tail_size));
	}
	free(packed.buffer);
	return (error);
}

int
report_write(struct report *report, const struct tbuf_totals *totals,
    const char *file)
{
	struct output page;
	int error;

	output_memory(&page);
	error = put_page(&page, report, totals);
	if (error == 0)
		error = replace_file(file, page.buffer, page.used);
	free(page.buffer);
	if (error == -EOVERFLOW)
		return (fail(MSG_REPORT_LARGE, file));
	return (error == 0 ? 0 : fail(MSG_WRITE, file, strerror(-error)));
}
