/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Limits the memory of one consumer's buffers (shared/memory_limit.h).
 */
#include <errno.h>
#include <stdlib.h>

#include "arch/atomics.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "shared/memory_limit.h"

static uint64_t
least_room(uint64_t room, int fd)
{
	uint64_t other = tbuf_room(fd);

	return (MIN(room, other));
}

bool
tbuf_budget_file(uint64_t size)
{
	return (size <= tbuf_room_file());
}

/* Reads TBUF_MAXSIZE.  Returns 1 if it is set, 0, or -EINVAL. */
static int
read_maxsize(struct tbuf_consumer *c, uint64_t *bytes)
{
	const char *set = getenv("TBUF_MAXSIZE");

	if (set == NULL || *set == '\0')
		return (0);
	if (tbuf_parse_size(set, bytes) != 0)
		return (tbuf_consumer_fail(c, -EINVAL,
		    "invalid TBUF_MAXSIZE: %s (expected a size, such as "
		    "64m)", set));
	return (1);
}

int
tbuf_budget_own(struct tbuf_consumer *c, uint64_t *bytes)
{
	int set = read_maxsize(c, bytes);

	/* Without a file, the memory is all that counts. */
	if (set == 0)
		*bytes = tbuf_room(-1) / 2;
	return (set < 0 ? set : 0);
}

int
tbuf_budget(struct tbuf_consumer *c, uint64_t *bytes)
{
	struct tbuf_target *t;
	uint64_t room = tbuf_room_file();
	int set = read_maxsize(c, bytes);

	if (set != 0)
		return (set < 0 ? set : 0);
	TAILQ_FOREACH(t, &c->targets, link)
		if (t->fd != -1)
			room = least_room(room, t->fd);
	/* Future targets have their files in the runtime directory. */
	if (c->run != 0 && c->directory != -1)
		room = least_room(room, c->directory);
	*bytes = room / 2;
	return (0);
}

/* Returns the remaining budget: on the board, where targets take, or here. */
static uint64_t *
budget_of(struct tbuf_consumer *c)
{
	return (c->entry != NULL ? &c->entry->budget : &c->budget);
}

bool
tbuf_budget_take(struct tbuf_consumer *c, uint64_t bytes)
{
	uint64_t now;

	do {
		now = tbuf_load(budget_of(c));
		if (bytes > now)
			return (false);
	} while (!tbuf_cas(budget_of(c), now, now - bytes));
	return (true);
}

void
tbuf_budget_give(struct tbuf_consumer *c, uint64_t bytes)
{
	tbuf_add(budget_of(c), bytes);
}

/* ------------------------------------------------------------ time */

#define SHORT_PAUSES	10	/* of a holder that reserves space */

int
tbuf_consumer_lock(struct tbuf_consumer *c, int fd)
{
	unsigned before = c->lock_pauses;

	do {
		if (tbuf_file_lock(fd, 0)) {
			if (before - c->lock_pauses <= SHORT_PAUSES)
				c->lock_pauses = before;
			return (0);
		}
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return (-errno);
	} while (tbuf_pause(&c->lock_pauses));
	return (-EBUSY);
}
