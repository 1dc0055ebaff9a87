/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Registration of the probes of the provider syscall.
 *
 * A followed process registers hundreds of probes before it has done anything,
 * so their rows of the probe table are made when this object is built
 * (series.awk), and copied.  If other probes were registered before, the rows
 * are registered one by one.
 */
#include "syscall.h"

#include <stddef.h>
#include <string.h>

#include "layout/probe.h"
#include "target/provider.h"

/*
 * The lines of syscall_series.h are
 *
 *	TEXT(field, string)
 *	CALL(number, function, ENTRY, RETURN, npaths, { paths })
 *	COMMON(number of shapes, hashes of the other names)
 *
 * where ENTRY and RETURN are: argument names (a field), number of arguments,
 * types, shape, hash.
 */
#define CALL(number, function, names, nargs, types, shape, hash,	\
    rnames, rnargs, rtypes, rshape, rhash, npaths, ...)
#define COMMON(nshapes, entry, leave)

/* A NUL is first: no text has offset 0 but that of no arguments. */
#define TEXT(field, text)	char field[sizeof(text)];
static const struct texts {
	char none[1];
	char provider[sizeof("syscall")];
	char module[1];
	char entry[sizeof("entry")];
	char leave[sizeof("return")];
	char result[sizeof("result\0" "errno")];
#include "syscall_series.h"
} texts = {
#undef TEXT
#define TEXT(field, text)	.field = text,
	.provider = "syscall",
	.entry = "entry",
	.leave = "return",
	.result = "result\0" "errno",
#include "syscall_series.h"
};
#undef TEXT
#define TEXT(field, text)

#define AT(field)	offsetof(struct texts, field)
#define ROW(f, which, names, n, list, number)				\
	{ .sites = 1, .provider = AT(provider), .module = AT(module),	\
	    .function = AT(f), .name = AT(which), .argnames = AT(names), \
	    .hash = (number), .nargs = (n), .types = list },
#undef CALL
#define CALL(number, function, names, nargs, types, shape, hash,	\
    rnames, rnargs, rtypes, rshape, rhash, npaths, ...)			\
	ROW(function, entry, names, nargs, types, hash)			\
	ROW(function, leave, rnames, rnargs, rtypes, rhash)
static const struct tbuf_probe_entry rows[] = {
#include "syscall_series.h"
};

/* Both probes of a call; a shape is a number for each list of types. */
#undef CALL
#define CALL(number, function, names, nargs, types, shape, hash,	\
    rnames, rnargs, rtypes, rshape, rhash, npaths, ...)			\
	{ number, { shape, rshape }, npaths, __VA_ARGS__ },
static const struct {
	uint16_t number;
	uint8_t shapes[2];
	uint8_t npaths;
	uint8_t paths[SYSCALL_PATHS];
} calls[] = {
#include "syscall_series.h"
};

#undef CALL
#define CALL(number, function, names, nargs, types, shape, hash,	\
    rnames, rnargs, rtypes, rshape, rhash, npaths, ...)
#undef COMMON
#define COMMON(nshapes, entry, leave)					\
	SHAPES = nshapes, HASH_ENTRY = (int)(entry), HASH_LEAVE = (int)(leave)
enum {
#include "syscall_series.h"
};
#undef COMMON
#define COMMON(nshapes, entry, leave)

#undef CALL
#define CALL(number, function, names, nargs, types, shape, hash,	\
    rnames, rnargs, rtypes, rshape, rhash, npaths, ...)			\
	{ hash, (uint32_t)HASH_ENTRY }, { rhash, (uint32_t)HASH_LEAVE },
static const struct tbuf_series_hash hashes[] = {
#include "syscall_series.h"
};

/* A site of each shape. */
static const struct tbuf_site *known[SHAPES];

_Static_assert(sizeof(rows) / sizeof(rows[0]) ==
    2 * sizeof(calls) / sizeof(calls[0]) && SHAPES <= UINT8_MAX + 1,
    "each call has two rows");

static const struct tbuf_series series = {
	.rows = rows,
	.hashes = hashes,
	.nrows = sizeof(rows) / sizeof(rows[0]),
	.texts = texts.none,
	.texts_size = sizeof(texts)
};

int
syscall_number(unsigned i)
{
	return (i < series.nrows / 2 ? calls[i].number : -1);
}

static const char *
text(uint32_t at)
{
	return (texts.none + at);
}

static int
add_row(struct tbuf_site *site, uint32_t index, const struct tbuf_site *like)
{
	const struct tbuf_probe_entry *row = &rows[index];
	struct tbuf_series_probe probe = {
		.provider = texts.provider, .module = texts.module,
		.function = text(row->function), .name = text(row->name),
		.argnames = text(row->argnames), .like = like
	};
	unsigned i;

	for (i = 0; i < row->nargs; i++)
		probe.argnames_size +=
		    strlen(probe.argnames + probe.argnames_size) + 1;
	return (tbuf_series_register(site, &probe));
}

/* Makes the site of a row, which has been copied or is registered now. */
static int
add(struct tbuf_site *site, uint32_t index, unsigned shape, bool copied)
{
	const struct tbuf_probe_entry *row = &rows[index];
	int error = 0;

	site->nargs = row->nargs;
	memcpy(site->types, row->types, sizeof(site->types));
	if (copied)
		tbuf_series_site(site, index, known[shape]);
	else
		error = add_row(site, index, known[shape]);
	known[shape] = site;
	return (error);
}

int
syscall_register(void)
{
	struct syscall_probes *p;
	int error = 0;
	sigset_t mask;
	bool copied;
	uint32_t i;

	tbuf_series_begin(&mask, 0);
	copied = tbuf_series_copy(&series) == 0;
	for (i = 0; i < series.nrows / 2 && error == 0; i++) {
		p = &syscall_probes[calls[i].number];
		p->npaths = calls[i].npaths;
		memcpy(p->paths, calls[i].paths, sizeof(p->paths));
		error = add(&p->entry, 2 * i, calls[i].shapes[0], copied);
		if (error == 0)
			(void)add(&p->leave, 2 * i + 1, calls[i].shapes[1],
			    copied);
	}
	tbuf_series_end(&mask);
	return (error);
}
