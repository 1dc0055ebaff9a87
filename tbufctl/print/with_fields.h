/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fields of --with that depend on the local time or on other records.
 */
#ifndef TBUFCTL_PRINT_WITH_FIELDS_H
#define TBUFCTL_PRINT_WITH_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf_consumer.h>

/* Times are those of records, in ns. */
struct with_state {
	bool started;		/* start is known */
	bool begun;		/* there was a record before */
	uint64_t start;
	uint64_t before;	/* time of the record before */
	int64_t delta;		/* of this record, from the one before */
	int64_t elapsed;	/* of this record, from the start */
	uint64_t second;	/* of the date */
	char date[32];
	size_t date_size;	/* 0: no date yet */
};

/* Begins at a time; otherwise the first record is the start. */
void	with_start(struct with_state *, uint64_t time);

/* Accounts for the record that is printed next. */
void	with_record(struct with_state *, const struct tbuf_record *);

/* Writes a time since 1970 as 2026-01-31T12:00:00.000000, local time. */
char	*with_date(struct with_state *, char *, uint64_t wall);

#endif
