/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The enablings of a run, as probe descriptions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

#define PATTERNS_MAX	(128u * 1024)

int
tbuf_consumer_enable(struct tbuf_consumer *c, const char *description)
{
	size_t size = strlen(description) + 1;
	const struct tbuf_d_clause **clauses;
	char *patterns;

	if (c->state != TBUF_RUN_NEW)
		return (tbuf_consumer_fail(c, -EBUSY, "tracing is active"));
	if (tbuf_description_check(description) != 0)
		return (tbuf_consumer_fail(c, -EINVAL,
		    "invalid probe specifier %s: not "
		    "[[[provider:]module:]function:]name", description));
	if (size > PATTERNS_MAX - c->patterns_size ||
	    c->npatterns == UINT16_MAX)
		return (tbuf_consumer_fail(c, -E2BIG,
		    "invalid probe specifier %s: too many specifiers",
		    description));
	patterns = realloc(c->patterns, c->patterns_size + size);
	if (patterns == NULL)
		return (tbuf_consumer_fail(c, -ENOMEM, "%s",
		    strerror(ENOMEM)));
	c->patterns = patterns;
	clauses = reallocarray(c->clauses, c->npatterns + 1u,
	    sizeof(*clauses));
	if (clauses == NULL)
		return (tbuf_consumer_fail(c, -ENOMEM, "%s",
		    strerror(ENOMEM)));
	clauses[c->npatterns] = NULL;
	c->clauses = clauses;
	memcpy(patterns + c->patterns_size, description, size);
	c->patterns_size += size;
	return ((int)c->npatterns++);
}

const char *
tbuf_consumer_pattern(const struct tbuf_consumer *c, unsigned enabling)
{
	const char *p = c->patterns;

	while (enabling-- > 0)
		p += strlen(p) + 1;
	return (p);
}

bool
tbuf_consumer_waiting(struct tbuf_consumer *c, pid_t *pid, uint64_t *count)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link) {
		if ((*count = t->waiting) == 0)
			continue;
		*pid = t->pid;
		t->waiting = 0;
		return (true);
	}
	return (false);
}
