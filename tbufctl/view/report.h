/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A report: one page of HTML with the records in it (--report).
 *
 *	slice_event --> entries of tracks, with rows of shapes
 *	                                     |  all records are known
 *	                                     v
 *	columns --> deflate --> base64 --> between two halves of the page
 *
 * The data is a number of 4 bytes, little-endian; that many bytes of JSON; and
 * streams.  All texts of programs are in the JSON, so that nothing but base64
 * is between the tags of the page.
 *
 *	of each track:	times, classes, lengths of slices
 *	of each shape:	columns, in the order of the tracks' entries, the first
 *			record of a slice before the second one
 *
 * A number of a stream is a varint, 7 bits a byte, the lowest first.  Times are
 * differences; so are the numbers of columns, with the sign in bit 0.  A column
 * of one number alone has no stream, and one of floating-point numbers 8 bytes
 * each.  tests/formats/report.py reads all of it.
 */
#ifndef TBUFCTL_VIEW_REPORT_H
#define TBUFCTL_VIEW_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "texts.h"
#include "viewer.h"

#define REPORT_NONE	UINT32_MAX	/* no shape */

/* A column's type, as in the JSON. */
enum report_type {
	REPORT_SIGNED = 'i',
	REPORT_UNSIGNED = 'u',
	REPORT_POINTER = 'p',
	REPORT_FLOAT = 'f',
	REPORT_DOUBLE = 'd',
	REPORT_TEXT = 't'	/* a number of `texts` */
};

/* Columns that all shapes begin with. */
enum {
	REPORT_CPU,
	REPORT_TID,
	REPORT_COLUMNS
};

struct report_column {
	uint32_t name;		/* of `texts` */
	uint32_t type;
};

/* Records of one probe, or units of a kind, that have the same columns. */
struct report_shape {
	uint32_t title;		/* of `texts` */
	bool record;
	unsigned ncolumns;
	struct report_column *columns;
	uint64_t *values;	/* ncolumns for each row */
	uint32_t nrows, room;
	uint32_t *order;	/* of rows, in the file */
	uint32_t norder;
	uint32_t next;		/* shape of this title, or REPORT_NONE */
};

/* Properties that many entries have in common. */
struct report_class {
	uint32_t name, category;	/* of `texts` */
	uint32_t shape, end_shape;	/* or REPORT_NONE */
	uint32_t depth;
	uint32_t flags;
};

enum {
	REPORT_INSTANT = 1,
	REPORT_INCOMPLETE = 2,
	REPORT_BY_VALUE = 4
};

struct report_entry {
	uint64_t time, length;
	uint32_t class;
	uint32_t row, end_row;
	uint32_t serial;	/* in its track */
};

struct report_track {
	enum slice_track_kind kind;
	pid_t pid;
	uint32_t tid;
	uint32_t name, program;	/* of `texts` */
	bool unsorted;
	struct report_entry *entries;
	uint32_t nentries, room;
};

struct report_loss {
	uint32_t name;		/* of `texts` */
	pid_t pid;
	int cpu;
	struct loss_count count;
};

/* A key of an aggregation with its value, or a bucket of a histogram. */
struct report_sum {
	uint32_t name;		/* of `texts` */
	int64_t value;
};

struct report {
	struct texts texts;	/* tokens of JSON */
	struct output token;	/* the one that is looked for */
	uint32_t *titles;	/* by a probe's id: texts + 1, or 0 */
	size_t ntitles;
	uint32_t *first_shape;	/* by a title: a shape, or REPORT_NONE */
	size_t nfirst_shape;
	struct report_shape *shapes;
	uint32_t nshapes;
	struct report_class *classes;
	uint32_t nclasses;
	struct texts class_keys;	/* numbers of classes by their bytes */
	struct report_track *tracks;	/* by slice_track's number - 1 */
	size_t ntracks;
	struct report_loss *losses;
	size_t nlosses;
	struct report_sum *sums;
	size_t nsums;
	uint64_t time, wall;	/* of the first record, or 0 */
};

/* Writes the page.  Returns 0, or an exit status after a message. */
int	report_write(struct report *, const struct tbuf_totals *,
	    const char *file);

#endif
