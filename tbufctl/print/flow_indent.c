/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -F: the depth of calls at which a record is shown.  As in DTrace the depth
 * belongs to a buffer, not to a thread, and begins at 0 at each drain: so a
 * return that was dropped, or recorded in another buffer, shifts records only
 * until then.
 */
#include <stdbool.h>
#include <string.h>

#include "base/messages.h"
#include "flow_indent.h"

struct flow_lane {
	int cpu;
	pid_t pid;
	unsigned depth;
	unsigned probe;		/* id of the last record's probe, or 0 */
	unsigned enabling;
};

/* Returns true for "entry" and "method-entry", but not for "gentry". */
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

	/* If a probe has several enablings, the first has changed the depth. */
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
