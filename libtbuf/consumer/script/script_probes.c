/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The consumer's own probes: dtrace:::BEGIN, END and ERROR, and
 * profile:::tick-N and profile-N for any N.
 */
#include <errno.h>
#include <string.h>

#include "base/glob.h"
#include "consumer/script/script.h"

#define PERIOD_MIN	UINT64_C(200000)	/* ns */

static const char *const fixed[] = { "BEGIN", "END", "ERROR" };

static void
set_names(struct tbuf_script_probe *p, const char *provider)
{
	p->info.provider = provider;
	p->info.module = "";
	p->info.function = "";
	p->info.name = p->name;
}

/* Parses the name tick-N or profile-N; a rate without a suffix is in hz. */
static bool
parse_timer(const char *name, struct tbuf_script_probe *p)
{
	static const char *const names[] = { "tick-", "profile-" };
	unsigned i;

	for (i = 0; i < 2; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(name, names[i], length) != 0 ||
		    tbuf_parse_rate(name + length, &p->period) != 0)
			continue;
		p->kind = TBUF_SCRIPT_TICK + i;
		return (p->period >= PERIOD_MIN);
	}
	return (false);
}

bool
tbuf_script_probe_make(const char *description, struct tbuf_script_probe *p)
{
	const char *name = strrchr(description, ':');

	memset(p, 0, sizeof(*p));
	name = name == NULL ? description : name + 1;
	if (strlen(name) >= sizeof(p->name) || !parse_timer(name, p))
		return (false);
	(void)tbuf_copy(p->name, name, sizeof(p->name));
	set_names(p, "profile");
	return (tbuf_probe_matches(&p->info, description));
}

static void
set_fixed(struct tbuf_script_probe *p, unsigned i)
{
	*p = (struct tbuf_script_probe){ .kind = i, .info.id = i + 1 };
	(void)tbuf_copy(p->name, fixed[i], sizeof(p->name));
	set_names(p, "dtrace");
}

/* Makes the three fixed probes, which have the ids 1 to 3. */
static void
make_fixed(struct tbuf_script *s)
{
	for (; s->nprobes < 3; s->nprobes++)
		set_fixed(&s->probes[s->nprobes], s->nprobes);
}

struct tbuf_script_probe *
tbuf_script_probe_find(struct tbuf_script *s, const char *description,
    unsigned *from)
{
	make_fixed(s);
	for (; *from < s->nprobes; (*from)++)
		if (tbuf_probe_matches(&s->probes[*from].info, description))
			return (&s->probes[(*from)++]);
	return (NULL);
}

int
tbuf_consumer_own(const char *description)
{
	struct tbuf_script_probe p;
	unsigned i;

	if (tbuf_description_check(description) != 0)
		return (-EINVAL);
	for (i = 0; i < 3; i++) {
		set_fixed(&p, i);
		if (tbuf_probe_matches(&p.info, description))
			return (1);
	}
	return (tbuf_script_probe_make(description, &p));
}

/*
 * A description that names the consumer's own probe, or its provider, cannot
 * match probes of targets.
 */
bool
tbuf_clauses_theirs(const char *description)
{
	const char *name = strrchr(description, ':');

	name = name == NULL ? description : name + 1;
	return (tbuf_consumer_own(description) != 1 ||
	    ((*name == '\0' || strpbrk(name, "*?[") != NULL) &&
	    strncmp(description, "dtrace:", strlen("dtrace:")) != 0));
}
