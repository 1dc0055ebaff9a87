/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Properties that all sessions of a run share: the directory, the terms, and
 * the rules of work units.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "base/policy.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

int
tbuf_consumer_directory(struct tbuf_consumer *c, bool make)
{
	int fd;

	if (c->directory != -1)
		return (c->directory);
	if ((fd = tbuf_directory_open(make)) >= 0)
		c->directory = fd;
	return (fd);
}

void
tbuf_consumer_terms(const struct tbuf_consumer *c, struct tbuf_terms *terms)
{
	const struct tbuf_options *o = &c->options;

	memset(terms, 0, sizeof(*terms));
	terms->bufsize = o->bufsize;
	terms->flags = (o->follow ? TBUF_S_FOLLOW : 0) |
	    (tbuf_policy(o->bufpolicy)->deadline ? 0 : TBUF_S_KEEP) |
	    (tbuf_policy(o->bufpolicy)->live ? TBUF_S_GROW : 0) |
	    (o->unitpolicy != 0 ? TBUF_S_WRAP : 0) |
	    (c->names ? TBUF_S_NAMES : 0) |
	    tbuf_terms_unit_flags(o->nunits, o->unitsize);
	if (o->bufscope != 0)
		terms->flags |= TBUF_S_THREAD |
		    (o->nbuf + 1) << TBUF_S_THREAD_LANES;
	terms->run = c->run;
	terms->policy = (uint32_t)o->bufpolicy;
	terms->strsize = (uint32_t)o->strsize;
	terms->only_cpu = (int32_t)o->cpu;
	terms->owner_pid = (uint32_t)getpid();
	terms->owner_uid = geteuid();
	terms->needs = c->needs | (o->bufscope != 0 ? TBUF_F_THREAD_LANE : 0) |
	    (o->nunits != 0 ? TBUF_F_SELECTION : 0);
	tbuf_copy(terms->owner, program_invocation_short_name,
	    sizeof(terms->owner));
}

/* Returns the units that this consumer may change; NULL: there are none. */
static struct tbuf_units *
units_of(struct tbuf_target *t)
{
	return (t->units.count == 0 || t->file_only || t->truncated ? NULL :
	    tbuf_units_map(t));
}

void
tbuf_units_rule(const struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_units *head = units_of(t);
	unsigned i;

	if (head == NULL)
		return;
	for (i = 0; i < TBUF_UNIT_RULES; i++)
		tbuf_store(&head->rules[i], c->options.unitselect[i] ^
		    tbuf_unit_default(i));
}

uint64_t
tbuf_unit_slow(const struct tbuf_timeline *line, uint64_t ns)
{
	return (ns == 0 ? 0 : tbuf_timeline_ticks(line, ns) + 1);
}

void
tbuf_units_set_slow(const struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_units *head = units_of(t);

	if (head != NULL)
		tbuf_store(&head->slow, tbuf_unit_slow(&t->time,
		    c->options.unitslow));
}

void
tbuf_units_set_hung(const struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_units *head = units_of(t);

	if (head != NULL)
		tbuf_store(&head->hung, c->options.unithung);
}
