/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <tbuf_consumer.h>

#include "description_field.h"
#include "messages.h"
#include "string_list.h"
#include "suggest.h"

/* Longer words are not compared; a probe's fields are shorter. */
#define WORD_MAX	255

static unsigned
least(unsigned a, unsigned b)
{
	return (a < b ? a : b);
}

/* Returns the most slips: one for three letters, and for two at the end. */
static unsigned
bearable(size_t length)
{
	return ((length + 1) / 3);
}

unsigned
near_distance(const char *word, size_t n, const char *meant)
{
	/* now[j] is the distance of word[0 .. i) and meant[0 .. j). */
	unsigned rows[3][WORD_MAX + 1], *now, *last, *before, *other;
	size_t m = strlen(meant), i, j;

	if (n > WORD_MAX || m > WORD_MAX || n + bearable(n) < m ||
	    m + bearable(n) < n)
		return (NEAR_NEVER);
	before = rows[0], last = rows[1], now = rows[2];
	for (j = 0; j <= m; j++)
		now[j] = j;
	for (i = 1; i <= n; i++) {
		other = before, before = last, last = now, now = other;
		now[0] = i;
		for (j = 1; j <= m; j++) {
			now[j] = least(last[j], now[j - 1]) + 1;
			now[j] = least(now[j], last[j - 1] +
			    (word[i - 1] != meant[j - 1]));
			if (i > 1 && j > 1 && word[i - 1] == meant[j - 2] &&
			    word[i - 2] == meant[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return (now[m] <= bearable(n) ? now[m] : NEAR_NEVER);
}

const char *
near_name(const char *word, size_t length, const char *const *names,
    size_t count)
{
	unsigned best = NEAR_NEVER, distance;
	const char *name = NULL;
	size_t i;

	for (i = 0; i < count; i++) {
		distance = near_distance(word, length, names[i]);
		if (distance < best) {
			best = distance;
			name = names[i];
		}
	}
	return (name);
}

/* A description's fields, and the probe that is nearest to them. */
struct search {
	unsigned count;
	struct {
		char *text;
		size_t length;
		bool exact;	/* not a glob, not empty: may be a slip */
	} fields[4];
	unsigned best;
	struct tbuf_probe_info probe;	/* its `name` is NULL: none yet */
};

/* Returns NULL for a field that is not known yet, and may be any. */
static const char *
probe_field(const struct tbuf_probe_info *probe, unsigned i)
{
	const char *const fields[] = {
		probe->provider, probe->module, probe->function, probe->name
	};

	return (fields[i]);
}

static int
compare(void *arg, const struct tbuf_probe_info *probe)
{
	struct search *s = arg;
	unsigned sum = 0, distance, i;
	const char *field;

	for (i = 0; i < s->count; i++) {
		field = probe_field(probe, 4 - s->count + i);
		if (field == NULL)
			continue;
		if (s->fields[i].exact)
			distance = near_distance(s->fields[i].text,
			    s->fields[i].length, field);
		else
			distance = s->fields[i].length == 0 ||
			    fnmatch(s->fields[i].text, field, 0) == 0 ? 0 :
			    NEAR_NEVER;
		if (distance == NEAR_NEVER)
			return (0);
		sum += distance;
	}
	if (sum < s->best) {
		s->best = sum;
		s->probe = *probe;
	}
	return (0);
}

/* Splits a copy of a description into fields; false if there are too many. */
static bool
split(struct search *s, char *text)
{
	const char *end;
	char *p = text;

	for (;; p += s->fields[s->count++].length + 1) {
		end = field_end(p);
		if (s->count == 4)
			return (false);
		s->fields[s->count].text = p;
		s->fields[s->count].length = end - p;
		s->fields[s->count].exact = end > p &&
		    strcspn(p, "*?[\\") >= (size_t)(end - p);
		if (*end == '\0') {
			s->count++;
			return (true);
		}
		p[end - p] = '\0';
	}
}

/* Returns the description, with the probe's fields for the exact ones. */
static char *
compose(const struct search *s)
{
	size_t size = 1;
	char *text, *to;
	const char *field;
	unsigned i;

	for (i = 0; i < s->count; i++)
		size += s->fields[i].length + WORD_MAX + 1;
	text = to = memory_get(NULL, 1, size);
	for (i = 0; i < s->count; i++) {
		field = probe_field(&s->probe, 4 - s->count + i);
		if (!s->fields[i].exact || field == NULL)
			field = s->fields[i].text;
		if (i > 0)
			*to++ = ':';
		to = stpcpy(to, field);
	}
	return (text);
}

int
near_targets(void *consumer, int (*visit)(void *,
    const struct tbuf_probe_info *), void *arg)
{
	return (tbuf_consumer_probes(consumer, visit, arg));
}

/*
 * Words that stand in the wrong fields: FUNCTION alone, where the name is
 * expected, or PROVIDER:NAME, where the function is.
 */
struct misplaced {
	const char *provider, *word;	/* provider: NULL for a function */
	struct tbuf_probe_info probe;	/* its `name` is NULL: none yet */
};

static int
compare_misplaced(void *arg, const struct tbuf_probe_info *probe)
{
	struct misplaced *m = arg;

	if (m->provider != NULL ? strcmp(probe->provider, m->provider) == 0 &&
	    strcmp(probe->name, m->word) == 0 : probe->function != NULL &&
	    strcmp(probe->function, m->word) == 0 && (m->probe.name == NULL ||
	    strcmp(probe->name, "entry") == 0))
		m->probe = *probe;
	return (0);
}

/* Returns the description that has the words in their fields, or NULL. */
static char *
near_misplaced(const struct search *s, near_probes *probes, void *context)
{
	struct misplaced m = { .word = s->fields[s->count - 1].text };
	unsigned i = 0;

	while (i < s->count - 1 && s->fields[i].length == 0)
		i++;
	if (i + 1 < s->count)
		m.provider = s->fields[i].text;
	if (*m.word == '\0' || i + 2 < s->count ||
	    probes(context, compare_misplaced, &m) != 0 ||
	    m.probe.name == NULL)
		return (NULL);
	return (m.provider != NULL ?
	    string_format("%s:::%s", m.provider, m.word) :
	    string_format("%s::%s:%s", m.probe.provider, m.word,
	    m.probe.name));
}

/* A probe that matches is gone, so it is no suggestion. */
char *
near_description(const char *description, near_probes *probes, void *context)
{
	struct search s = { .best = NEAR_NEVER };
	char *copy = memory_string(description), *near = NULL;

	if (split(&s, copy) && probes(context, compare, &s) == 0 &&
	    s.best != 0) {
		near = near_misplaced(&s, probes, context);
		if (near == NULL && s.probe.name != NULL)
			near = compose(&s);
	}
	free(copy);
	return (near);
}
