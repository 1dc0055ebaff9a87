/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -F: how deep in calls a record is.  As in DTrace the depth is a buffer's,
 * not a thread's, and begins at 0 whenever the buffer is read: so a return
 * that was dropped, or happened elsewhere, moves what follows only until then.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "flow_indent.h"
#include "base/messages.h"

struct flow_lane {
	int cpu;
	pid_t pid;
	unsigned depth;
	unsigned probe;		/* of the record before, or 0 */
	unsigned enabling;
};

/* "entry" and "method-entry", but not "gentry". */
static bool
ends_with(const char *name, const char *word)
{
	size_t n = strlen(name), m = strlen(word);

	return (n >= m && strcmp(name + n - m, word) == 0 &&
	    (n == m || name[n - m - 1] == '-'));
}

enum flow_kind
flow_kind(const char *name)
{

	if (ends_with(name, "entry"))
		return (FLOW_ENTRY);
	return (ends_with(name, "return") ? FLOW_RETURN : FLOW_NONE);
}

static struct flow_lane *
lane(struct flow *f, const struct tbuf_record *r)
{
	struct flow_lane *l;
	size_t i;

	for (i = 0; i < f->count; i++) {
		l = &f->lanes[(f->last + i) % f->count];
		if (l->cpu == r->cpu && l->pid == r->pid) {
			f->last = l - f->lanes;
			return (l);
		}
	}
	f->lanes = memory_get(f->lanes, f->count + 1, sizeof(*f->lanes));
	f->last = f->count++;
	l = &f->lanes[f->last];
	*l = (struct flow_lane){ .cpu = r->cpu, .pid = r->pid };
	return (l);
}

unsigned
flow_step(struct flow *f, const struct tbuf_record *r, enum flow_kind *kind)
{
	struct flow_lane *l = lane(f, r);

	/* Of several enablings of a probe the first has moved already. */
	if (l->probe == r->probe->id && l->enabling != r->enabling)
		*kind = FLOW_NONE;
	l->probe = r->probe->id;
	l->enabling = r->enabling;
	if (*kind == FLOW_RETURN && l->depth > 0)
		l->depth--;
	return (*kind == FLOW_ENTRY ? l->depth++ : l->depth);
}

void
flow_begin(struct flow *f)
{

	f->count = f->last = 0;
}

void
flow_free(struct flow *f)
{

	free(f->lanes);
}
