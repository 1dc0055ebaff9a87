/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Why something failed, in words, and what was left out.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "consumer/attach.h"
#include "consumer/run.h"
#include "consumer/tools.h"

const char *
tbuf_consumer_error(const struct tbuf_consumer *c)
{
	return (c->error);
}

int
tbuf_consumer_fail(struct tbuf_consumer *c, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(c->error, sizeof(c->error), format, ap);
	va_end(ap);
	return (error);
}

int
tbuf_consumer_refuse(struct tbuf_consumer *c, int error)
{
	const char *why = strerror(-error);

	if (error == -ENOSPC)
		why = "Not enough space";
	else if (error == -E2BIG)
		why = "the descriptions or clauses are too long";
	else if (error == -EUSERS)
		why = "too many consumers";
	else if (error == -EAGAIN)
		why = "there is a lease on a file";
	else if (error == -ENOENT)
		why = TBUF_NO_FILES;
	return (tbuf_consumer_fail(c, error, "could not enable tracing: %s",
	    why));
}

void
tbuf_missed_set(struct tbuf_missed *missed, const char *why, uint64_t count)
{
	tbuf_copy(missed->why, why, sizeof(missed->why));
	missed->count = count;
}

void
tbuf_consumer_miss(struct tbuf_consumer *c, unsigned which, const char *why)
{
	/* Other users' reasons vary: the last place is for what is left. */
	while (which >= TBUF_MISSED_USER && which < TBUF_MISSED_LAST &&
	    c->missed[which].count != 0 &&
	    strncmp(c->missed[which].why, why, TBUF_BOARD_REASON - 1) != 0)
		which++;
	tbuf_missed_set(&c->missed[which], why, c->missed[which].count + 1);
}

const char *
tbuf_consumer_missed(struct tbuf_consumer *c, uint64_t *count)
{
	struct tbuf_missed *m;
	struct tbuf_target *t;

	tbuf_board_missed(c);
	TAILQ_FOREACH(t, &c->targets, link)
		tbuf_miss_children(c, t);
	tbuf_miss_strangers(c);
	for (m = c->missed; m < c->missed + TBUF_MISSED; m++) {
		if (m->count <= m->told)
			continue;
		*count = m->count - m->told;
		m->told = m->count;
		return (m->why);
	}
	return (NULL);
}

void
tbuf_consumer_skip(struct tbuf_consumer *c, int error)
{
	/* One that has ended meanwhile was not to be had by anybody. */
	if (c->skipped == 0 && error != -ESRCH)
		c->skipped = error;
}
