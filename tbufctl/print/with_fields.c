/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fields of --with that depend on the local time or on other records.
 */
#include <time.h>

#include "base/output.h"
#include "with_fields.h"

void
with_start(struct with_state *w, uint64_t time)
{
	w->started = true;
	w->start = time;
}

void
with_record(struct with_state *w, const struct tbuf_record *r)
{
	if (!w->started)
		with_start(w, r->time);
	w->delta = w->begun ? (int64_t)(r->time - w->before) : 0;
	w->elapsed = (int64_t)(r->time - w->start);
	w->before = r->time;
	w->begun = true;
}

/* The text up to the second is kept for the records of that second. */
char *
with_date(struct with_state *w, char *p, uint64_t wall)
{
	uint64_t second = wall / 1000000000, us = wall / 1000 % 1000000;
	time_t t = (time_t)second;
	struct tm tm;
	int i;

	if (second != w->second || w->date_size == 0) {
		w->second = second;
		w->date_size = localtime_r(&t, &tm) == NULL ? 0 :
		    strftime(w->date, sizeof(w->date), "%Y-%m-%dT%H:%M:%S.",
		    &tm);
	}
	p = put_bytes(p, w->date, w->date_size);
	for (i = 5; i >= 0; i--, us /= 10)
		p[i] = (char)('0' + us % 10);
	return (p + 6);
}
