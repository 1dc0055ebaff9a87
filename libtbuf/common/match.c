/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Descriptions, and how an enabling and a probe meet.
 */
#include <errno.h>
#include <string.h>

#include "atomics.h"
#include "common/match.h"

/* Work on one text is bounded: a hostile pattern cannot make this slow. */
#define GLOB_STEPS	100000

/*
 * The ] of the class at p, just behind its [, or the NUL if it has none.  As
 * in fnmatch(3), one that comes first stands for itself, and so does whatever
 * is behind a backslash.
 */
static const char *
class_end(const char *p)
{
	const char *first = p += *p == '!' || *p == '^';

	for (; *p != '\0' && (p == first || *p != ']'); p++)
		if (*p == '\\' && p[1] != '\0')
			p++;
	return (p);
}

/* A character of a class; the place behind it. */
static const char *
class_item(const char *p, unsigned char *c)
{
	p += *p == '\\';
	*c = (unsigned char)*p;
	return (p + 1);
}

/* Is c in the class between its brackets? */
static bool
class_match(const char *p, const char *close, unsigned char c)
{
	bool negate = *p == '!' || *p == '^', hit = false;
	unsigned char low, high;

	for (p += negate; p < close;) {
		p = class_item(p, &low);
		high = low;
		if (*p == '-' && p + 1 < close)
			p = class_item(p + 1, &high);
		if (low <= c && c <= high)
			hit = true;
	}
	return (hit != negate);
}

/* One pattern character, escape or class against c; the place behind it. */
static const char *
one_match(const char *p, const char *end, unsigned char c, bool *hit)
{
	const char *close;

	if (*p == '[' && (close = class_end(p + 1)) < end) {
		*hit = class_match(p + 1, close, c);
		return (close + 1);
	}
	if (*p == '?') {
		*hit = true;
		return (p + 1);
	}
	p += *p == '\\';
	*hit = p < end && (unsigned char)*p == c;
	return (p + 1);
}

bool
tbuf_glob(const char *pattern, size_t length, const char *text)
{
	const char *p = pattern, *end = pattern + length;
	const char *star = NULL, *mark = NULL, *next;
	unsigned steps;
	bool hit;

	if (length == 0)
		return (true);
	for (steps = 0; *text != '\0' && steps < GLOB_STEPS; steps++) {
		if (p < end && *p == '*') {
			star = ++p;
			mark = text;
			continue;
		}
		if (p < end) {
			next = one_match(p, end, (unsigned char)*text, &hit);
			if (hit) {
				p = next;
				text++;
				continue;
			}
		}
		if (star == NULL)
			return (false);
		p = star;
		text = ++mark;
	}
	while (p < end && *p == '*')
		p++;
	return (p == end && *text == '\0');
}

/*
 * The end of a field that begins at p: its colon or comma, or the end.  What
 * stands in a class or behind a backslash separates nothing.  *open is set if
 * a class has no end, or a backslash nothing behind it.
 */
static const char *
field_end(const char *p, bool *open)
{
	for (*open = false; *p != '\0' && *p != ':' && *p != ','; p++) {
		if (*p == '[')
			p = class_end(p + 1);
		else if (*p == '\\')
			p++;
		if (*p == '\0') {
			*open = true;
			break;
		}
	}
	return (p);
}

int
tbuf_description_check(const char *description)
{
	const char *p = description, *end;
	unsigned fields = 0;
	bool open;

	for (;; p = end + 1) {
		end = field_end(p, &open);
		if (open || ++fields > 4)
			return (-EINVAL);
		for (; p < end; p++)
			if ((unsigned char)*p <= ' ' || *p == 0x7f)
				return (-EINVAL);
		if (*end == ',')
			fields = 0;
		if (*end == '\0')
			return (0);
	}
}

/* One description: right-aligned fields.  Returns the place behind it. */
static const char *
single_match(const char *p, const struct tbuf_names *names, bool *hit)
{
	const char *start[4], *end[4];
	const char *const text[4] = {
		names->name, names->function, names->module, names->provider
	};
	unsigned n = 0, i;
	bool open;

	for (;; p++) {
		start[n] = p;
		end[n] = p = field_end(p, &open);
		n++;
		if (*p != ':' || n == 4)
			break;
	}
	*hit = *p != ':';
	for (i = 0; i < n && *hit; i++)
		*hit = tbuf_glob(start[n - 1 - i],
		    (size_t)(end[n - 1 - i] - start[n - 1 - i]), text[i]);
	while (*p != '\0' && *p != ',')
		p++;
	return (p);
}

bool
tbuf_description_match(const char *description, const struct tbuf_names *names)
{
	bool hit;

	for (;;) {
		description = single_match(description, names, &hit);
		if (hit || *description == '\0')
			return (hit);
		description++;
	}
}

struct tbuf_control *
tbuf_view_control(const struct tbuf_view *view)
{
	return ((struct tbuf_control *)(void *)view->base);
}

struct tbuf_slot *
tbuf_view_slot(const struct tbuf_view *view, unsigned slot)
{
	return ((struct tbuf_slot *)(void *)(view->base + TBUF_SLOTS +
	    slot * (size_t)TBUF_SLOT_SIZE));
}

struct tbuf_probe_entry *
tbuf_view_probe(const struct tbuf_view *view, uint32_t probe)
{
	return ((struct tbuf_probe_entry *)(void *)(view->base + TBUF_PROBES) +
	    probe);
}

uint32_t *
tbuf_view_enable(const struct tbuf_view *view, uint32_t probe)
{
	return ((uint32_t *)(void *)(view->base + TBUF_ENABLE) + probe);
}

uint16_t *
tbuf_view_head(const struct tbuf_view *view, unsigned slot, uint32_t probe)
{
	return ((uint16_t *)(void *)(view->base + TBUF_HEADS +
	    slot * (size_t)TBUF_HEADS_SIZE) + probe);
}

const char *
tbuf_view_string(const struct tbuf_view *view, uint32_t offset)
{
	const char *heap = (const char *)view->base + TBUF_STRINGS;
	uint32_t used = tbuf_load(&tbuf_view_control(view)->strings);

	if (used > TBUF_STRINGS_SIZE)
		used = TBUF_STRINGS_SIZE;
	if (offset >= used ||
	    memchr(heap + offset, '\0', used - offset) == NULL)
		return ("");
	return (heap + offset);
}

void
tbuf_view_names(const struct tbuf_view *view, uint32_t probe,
    struct tbuf_names *names)
{
	const struct tbuf_probe_entry *entry = tbuf_view_probe(view, probe);

	names->provider = tbuf_view_string(view, tbuf_load(&entry->provider));
	names->module = tbuf_view_string(view, tbuf_load(&entry->module));
	names->function = tbuf_view_string(view, tbuf_load(&entry->function));
	names->name = tbuf_view_string(view, tbuf_load(&entry->name));
}

/* The slot's ECB table, if it lies in the view. */
static struct tbuf_ecb *
ecb_table(const struct tbuf_view *view, const struct tbuf_slot *slot,
    uint32_t *max)
{
	uint64_t at = tbuf_load(&slot->ecbs);

	*max = tbuf_load(&slot->ecb_max);
	if (*max > TBUF_ECBS_MAX || at < TBUF_AREAS || at % sizeof(struct tbuf_ecb) ||
	    at > view->size || *max * sizeof(struct tbuf_ecb) > view->size - at)
		return (NULL);
	return ((struct tbuf_ecb *)(void *)(view->base + at));
}

/*
 * An ECB for the probe that nobody sees yet; 0 if the table is full.
 */
static uint16_t
ecb_new(struct tbuf_slot *slot, struct tbuf_ecb *ecbs, uint32_t max,
    uint32_t probe, uint16_t enabling)
{
	uint32_t epid = tbuf_load(&slot->necbs);

	if (epid == 0 || epid >= max)
		return (0);
	epid = tbuf_add(&slot->necbs, 1);
	if (epid == 0 || epid >= max)
		return (0);
	tbuf_store(&ecbs[epid].probe, probe);
	tbuf_store(&ecbs[epid].enabling, enabling);
	return ((uint16_t)epid);
}

/*
 * Insert an ECB for (enabling, probe) into the probe's chain, which rises by
 * enabling; entries never leave it in a session, so one compare-and-swap of
 * the link in front is enough, and whoever loses the race looks again and
 * finds the other's.  False if the table is full or damaged.
 */
static bool
ecb_insert(const struct tbuf_view *view, unsigned number, uint32_t probe,
    uint16_t enabling)
{
	struct tbuf_slot *slot = tbuf_view_slot(view, number);
	uint16_t *head = tbuf_view_head(view, number, probe), *link = head;
	struct tbuf_ecb *ecbs;
	uint16_t seen, next, mine = 0;
	uint32_t max, steps;

	if ((ecbs = ecb_table(view, slot, &max)) == NULL)
		return (false);
	for (steps = 0; steps < 2 * TBUF_ECBS_MAX; steps++) {
		seen = tbuf_load_acquire(link);
		next = seen & TBUF_HEAD_EPID;
		if (next >= max)
			return (false);
		if (next != 0 && tbuf_load(&ecbs[next].enabling) < enabling) {
			link = &ecbs[next].next;
			continue;
		}
		if (next != 0 && tbuf_load(&ecbs[next].enabling) == enabling)
			return (true);
		if (mine == 0 && (mine = ecb_new(slot, ecbs, max, probe,
		    enabling)) == 0)
			return (false);
		if (link != head)
			tbuf_or(head, (uint16_t)TBUF_HEAD_MORE);
		tbuf_store(&ecbs[mine].next, next);
		if (tbuf_cas(link, seen, (uint16_t)(mine |
		    (link == head && next != 0 ? TBUF_HEAD_MORE : 0))))
			return (true);
		link = head;
	}
	return (false);
}

unsigned
tbuf_meet(const struct tbuf_view *view, unsigned slot, uint32_t probe,
    const char *patterns, size_t patterns_size, unsigned npatterns)
{
	struct tbuf_names names;
	const char *end = patterns + patterns_size, *nul;
	unsigned matched = 0, i;

	tbuf_view_names(view, probe, &names);
	for (i = 0; i < npatterns && i <= UINT16_MAX; i++) {
		nul = memchr(patterns, '\0', (size_t)(end - patterns));
		if (nul == NULL)
			break;
		if (tbuf_description_match(patterns, &names) &&
		    ecb_insert(view, slot, probe, (uint16_t)i))
			matched++;
		patterns = nul + 1;
	}
	if (matched != 0)
		tbuf_or(tbuf_view_enable(view, probe), 1u << slot);
	return (matched);
}

void
tbuf_disable_all(const struct tbuf_view *view, unsigned slot)
{
	uint32_t n = tbuf_load(&tbuf_view_control(view)->nprobes), i;

	if (n > TBUF_NPROBES)
		n = TBUF_NPROBES;
	for (i = 0; i < n; i++)
		tbuf_and(tbuf_view_enable(view, i), ~(1u << slot));
}
