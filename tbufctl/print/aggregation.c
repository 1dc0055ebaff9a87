/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * printa(), and, at the end, the aggregations that it has never printed.  The
 * library has sorted the tuples.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aggregation.h"
#include "base/messages.h"
#include "base/signals.h"
#include "columns.h"
#include "folded.h"
#include "format.h"
#include "printf.h"
#include "terminal.h"

/* Values of the option encoding. */
enum encoding {
	ENCODING_DEFAULT,
	ENCODING_ASCII,
	ENCODING_UTF8
};

/* State of a walk over tuples that prints them. */
struct printing {
	struct format *format;
	struct output *out;
	const char *text;	/* format of printa() */
	unsigned remaining;	/* tuples still to be printed */
	struct columns columns;
};

/* ------------------------------------------------------------ printed ones */

static bool
is_printed(const struct format *f, uint32_t id)
{
	return (id < f->naggregations && f->printed[id]);
}

static void
set_printed(struct format *f, uint32_t id)
{
	if (id >= f->naggregations) {
		f->printed = memory_get(f->printed, id + 1u, sizeof(bool));
		memset(f->printed + f->naggregations, 0,
		    (id + 1u - f->naggregations) * sizeof(bool));
		f->naggregations = id + 1;
	}
	f->printed[id] = true;
}

/* Marks aggregations that are not to be printed again at the end. */
static void
mark(struct format *f, const struct tbuf_tuple *tuple)
{
	unsigned i;

	for (i = 0; i < tuple->nvalues; i++)
		set_printed(f, tuple->values[i].aggregation->id);
}

/* ------------------------------------------------------------ options */

static int64_t
option(const struct format *f, const char *name)
{
	int64_t value = 0;

	(void)tbuf_consumer_get(f->consumer, name, &value);
	return (value);
}

/*
 * Returns true if aggpack draws blocks: with encoding=utf8, and by default
 * unless the terminal is dumb.
 */
static bool
shows_blocks(int64_t encoding)
{
	const char *term = getenv("TERM");

	if (encoding != ENCODING_DEFAULT)
		return (encoding == ENCODING_UTF8);
	return (term == NULL || strcmp(term, "dumb") != 0);
}

static void
begin(struct printing *p)
{
	const struct format *f = p->format;
	int64_t encoding = option(f, "encoding");
	bool zoom = option(f, "aggzoom") != 0;

	p->columns = (struct columns){
		.hist = option(f, "agghist") != 0,
		.pack = option(f, "aggpack") != 0,
		.style = {
			.zoom = zoom, .blocks = encoding == ENCODING_UTF8
		},
		.packed = { .zoom = zoom, .utf8 = shows_blocks(encoding) }
	};
	p->columns.bars = p->columns.style;
}

/* ------------------------------------------------------------ late */

/* Counts a tuple that a signal has left out.  Returns a visit's result. */
static int
count_late(struct format *f)
{
	f->late.keys++;
	f->late.more |= signals_over();
	return (f->late.more);
}

/* ------------------------------------------------------------ columns */

static int
see(void *arg, const struct tbuf_tuple *tuple)
{
	struct printing *p = arg;

	columns_see(&p->columns, tuple);
	return (signals_late());
}

static int
put(void *arg, const struct tbuf_tuple *tuple)
{
	struct printing *p = arg;

	if (signals_late())
		return (count_late(p->format));
	columns_put(p->out, &p->columns, tuple);
	return (0);
}

static int
put_and_mark(void *arg, const struct tbuf_tuple *tuple)
{
	struct printing *p = arg;

	mark(p->format, tuple);
	return (put(p, tuple));
}

/*
 * Prints tuples in columns.  The scale of bars depends on all tuples, so a
 * first walk collects it.
 */
static void
put_columns(struct printing *p, const uint32_t *ids, unsigned nids,
    int (*visit)(void *, const struct tbuf_tuple *))
{
	struct tbuf_consumer *c = p->format->consumer;

	begin(p);
	if (p->columns.hist || p->columns.pack)
		(void)tbuf_consumer_aggregates(c, ids, nids, see, p);
	if (tbuf_consumer_aggregates(c, ids, nids, visit, p) == -ENOMEM)
		message(MSG_ABORTED, strerror(ENOMEM));
}

/* ------------------------------------------------------------ formats */

/* The tuple that a format is filled with. */
struct filling {
	struct printing *printing;
	const struct tbuf_tuple *tuple;
	unsigned next;		/* its next value; the last one repeats */
};

/* Prints %@: a histogram, or a value by the conversion. */
static void
convert(void *arg, struct output *out, const struct conversion *c)
{
	struct filling *filling = arg;
	const struct tbuf_gathered *g = &filling->tuple->values[filling->next];
	struct datum d = {
		.kind = DATUM_INTEGER, .is_signed = true, .size = 8,
		.number = (uint64_t)g->value, .data = ""
	};

	if (filling->next < filling->tuple->nvalues - 1)
		filling->next++;
	if (g->nbuckets != 0)
		histogram_put(out, g, filling->printing->columns.style);
	else
		printf_convert(out, c, &d);
}

static size_t
tuple_size(const struct tbuf_tuple *tuple)
{
	size_t size = 0;
	unsigned i;

	for (i = 0; i < tuple->nvalues; i++)
		size += sizeof(uint64_t) + tuple->values[i].nbuckets *
		    sizeof(struct tbuf_bucket);
	for (i = 0; i < tuple->nkeys; i++)
		size += sizeof(uint64_t) + tuple->keys[i].size;
	return (size);
}

static int
put_format(void *arg, const struct tbuf_tuple *tuple)
{
	struct printing *p = arg;
	struct filling filling = { .printing = p, .tuple = tuple };
	const struct printf_values values = {
		.pieces = tuple->values[0].aggregation->keys,
		.values = tuple->keys, .count = tuple->nkeys,
		.aggregation = convert, .arg = &filling
	};

	mark(p->format, tuple);
	if (signals_late())
		return (count_late(p->format));
	format_bound(p->format, p->out, tuple_size(tuple));
	printf_put(p->out, p->text, &values);
	format_unbound(p->format, p->out);
	return (0);
}

void
aggregation_printa(struct format *f, struct output *out, const uint32_t *ids,
    unsigned nids, const char *text)
{
	struct printing p = { .format = f, .out = out, .text = text };

	if (f->consumer == NULL)
		return;
	if (text == NULL) {
		output_printf(out, "\n");
		put_columns(&p, ids, nids, put_and_mark);
		return;
	}
	begin(&p);
	if (tbuf_consumer_aggregates(f->consumer, ids, nids, put_format,
	    &p) == -ENOMEM)
		message(MSG_ABORTED, strerror(ENOMEM));
}

/* ------------------------------------------------------------ the end */

static int
stop(void *arg, const struct tbuf_tuple *tuple)
{
	(void)arg;
	(void)tuple;
	return (1);
}

static int
put_object(void *arg, const struct tbuf_tuple *tuple)
{
	struct printing *p = arg;

	if (signals_late())
		return (count_late(p->format));
	p->format->ops->tuple(p->format, tuple);
	return (0);
}

static int
put_folded(void *arg, const struct tbuf_tuple *tuple)
{
	struct printing *p = arg;

	if (signals_late())
		return (count_late(p->format));
	folded_put(p->out, tuple);
	return (0);
}

static void
put_rest(struct format *f, uint32_t id)
{
	struct printing p = { .format = f, .out = f->out };

	if (is_printed(f, id))
		return;
	if (f->ops->tuple != NULL)
		(void)tbuf_consumer_aggregates(f->consumer, &id, 1,
		    put_object, &p);
	else if (f->options->folded)
		(void)tbuf_consumer_aggregates(f->consumer, &id, 1,
		    put_folded, &p);
	else
		put_columns(&p, &id, 1, put);
}

/*
 * Returns the number of aggregations.  Their ids are in the order of the
 * source, without gaps.
 */
static uint32_t
count_ids(const struct format *f)
{
	uint32_t n = 0;

	while (tbuf_consumer_aggregates(f->consumer, &n, 1, stop, NULL) >= 0)
		n++;
	return (n);
}

void
aggregation_rest(struct format *f)
{
	uint32_t n, i;
	bool reversed;

	if (f->consumer == NULL)
		return;
	reversed = option(f, "aggsortrev") != 0;
	n = count_ids(f);
	for (i = 0; i < n; i++)
		put_rest(f, reversed ? n - 1 - i : i);
}

/* ------------------------------------------------------------ aggtop */

#define LINES_DEFAULT	24u	/* of a terminal of unknown size */
#define CLEAR		"\033[H\033[J"

/* Returns the number of aggregations that printa() has not printed. */
static unsigned
count_rest(const struct format *f)
{
	uint32_t n = count_ids(f), i;
	unsigned count = 0;

	for (i = 0; i < n; i++)
		count += !is_printed(f, i);
	return (count);
}

static int
put_some(void *arg, const struct tbuf_tuple *tuple)
{
	struct printing *p = arg;

	if (p->remaining == 0 || signals_late())
		return (1);
	p->remaining--;
	return (put(p, tuple));
}

/* Sets aggsortrev, which reverses the library's order of tuples. */
static void
set_reversed(const struct format *f, bool reversed)
{
	(void)tbuf_consumer_set(f->consumer, "aggsortrev",
	    reversed ? "on" : "off");
}

/*
 * Prints the `most` largest keys of each aggregation that printa() has not
 * printed.
 */
static void
put_largest(struct format *f, unsigned most)
{
	bool reversed = option(f, "aggsortrev") != 0;
	uint32_t n = count_ids(f), i;

	set_reversed(f, !reversed);
	for (i = 0; i < n; i++) {
		struct printing p = {
			.format = f, .out = f->out, .remaining = most
		};

		if (is_printed(f, i))
			continue;
		output_printf(f->out, "\n");
		put_columns(&p, &i, 1, put_some);
	}
	set_reversed(f, reversed);
}

const char *
top_problem(const struct format *f)
{
	if (f->options->d.top == 0)
		return (NULL);
	if (f->objects)
		return (MSG_TOP_FORMAT);
	return (isatty(f->out->fd) ? NULL : MSG_TOP_TERMINAL);
}

/*
 * Returns the number of lines for each aggregation.  An empty line is above
 * each, and the last line stays empty, or the screen would scroll.
 */
static unsigned
room(const struct format *f, unsigned lines, unsigned count)
{
	unsigned each;

	if (lines == 0)
		lines = LINES_DEFAULT;
	each = count == 0 || lines / count < 3 ? 1 : (lines - 1) / count - 1;
	return (each < f->options->d.top ? each : f->options->d.top);
}

void
top_draw(struct format *f)
{
	struct screen screen;

	if (f->options->d.top == 0 || f->consumer == NULL)
		return;
	screen_begin(&screen, f);
	output_printf(f->out, CLEAR);
	put_largest(f, room(f, screen.rows, count_rest(f)));
	screen_end(&screen, f);
	output_flush(f->out);
}

void
top_end(struct format *f)
{
	if (f->options->d.top != 0)
		output_printf(f->out, CLEAR);
}
