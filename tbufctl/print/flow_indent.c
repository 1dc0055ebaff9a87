/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -F: the depth of calls at which a record is shown.  Each thread has a stack
 * of entries.  A return ends the last entry of its function and all entries
 * after it, whose returns were not recorded; a return without an entry changes
 * nothing.  So the depth is right again at the return of an outer function,
 * whatever is missing within.
 */
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "flow_indent.h"

/*
 * Both are bounds on memory: a target writes thread ids and entries as it
 * likes.  More entries of a thread push its outermost ones out; more threads
 * make all be forgotten.
 */
#define FLOW_DEPTH	256
#define FLOW_THREADS	16384

struct flow_entry {
	const struct tbuf_probe_info *probe;
	uint64_t time;
};

struct flow_thread {
	bool taken;		/* else the slot is free */
	pid_t pid;
	uint32_t tid;
	unsigned probe;		/* id of the last record's probe, or 0 */
	unsigned enabling;
	unsigned depth;
	unsigned size;		/* room for entries */
	struct flow_entry *entries;
};

/*
 * Returns the length of the name before "entry" or "return", with its hyphen,
 * or -1: "method-entry" ends with the word, "gentry" does not.
 */
static int
prefix_of(const char *name, const char *word)
{
	size_t n = strlen(name), m = strlen(word);

	if (n < m || strcmp(name + n - m, word) != 0 ||
	    (n > m && name[n - m - 1] != '-'))
		return (-1);
	return ((int)(n - m));
}

enum flow_kind
flow_kind(const char *name)
{
	if (prefix_of(name, "entry") >= 0)
		return (FLOW_ENTRY);
	return (prefix_of(name, "return") >= 0 ? FLOW_RETURN : FLOW_NONE);
}

/*
 * Returns true if a return belongs to an entry.  request-return may be in
 * another function than request-entry.
 */
static bool
is_pair(const struct tbuf_probe_info *entry, const struct tbuf_probe_info *end)
{
	int prefix = prefix_of(end->name, "return");

	return (prefix == prefix_of(entry->name, "entry") &&
	    memcmp(entry->name, end->name, (size_t)prefix) == 0 &&
	    strcmp(entry->provider, end->provider) == 0 && (prefix > 0 ||
	    (strcmp(entry->module, end->module) == 0 &&
	    strcmp(entry->function, end->function) == 0)));
}

/* Returns a thread's slot, or the free one where it belongs. */
static struct flow_thread *
slot(const struct flow *f, pid_t pid, uint32_t tid)
{
	uint64_t hash = ((uint64_t)pid << 32 | tid) *
	    UINT64_C(0x9e3779b97f4a7c15);
	size_t i = hash >> 32 & (f->nslots - 1);

	while (f->slots[i].taken &&
	    (f->slots[i].pid != pid || f->slots[i].tid != tid))
		i = (i + 1) & (f->nslots - 1);
	return (&f->slots[i]);
}

/*
 * Makes a table with room for more threads.  It leaves out those of a process,
 * and those at depth 0, which need no slot.
 */
static void
rebuild(struct flow *f, const pid_t *except)
{
	struct flow old = *f;
	struct flow_thread *t;
	size_t i, kept = 0;

	for (i = 0; i < old.nslots; i++)
		kept += old.slots[i].depth > 0;
	*f = (struct flow){ .nslots = 64 };
	while (f->nslots < 4 * kept)
		f->nslots *= 2;
	f->slots = memory_get(NULL, f->nslots, sizeof(*f->slots));
	memset(f->slots, 0, f->nslots * sizeof(*f->slots));
	for (i = 0; i < old.nslots; i++) {
		t = &old.slots[i];
		if (t->depth > 0 &&
		    (except == NULL || t->pid != *except)) {
			*slot(f, t->pid, t->tid) = *t;
			f->used++;
		} else
			free(t->entries);
	}
	free(old.slots);
}

static struct flow_thread *
thread(struct flow *f, const struct tbuf_record *r)
{
	struct flow_thread *t;

	if (2 * f->used >= f->nslots) {
		rebuild(f, NULL);
		if (f->used > FLOW_THREADS) {
			flow_forget_all(f);
			rebuild(f, NULL);
		}
	}
	t = slot(f, r->pid, r->tid);
	f->used += !t->taken;
	t->taken = true;
	t->pid = r->pid;
	t->tid = r->tid;
	return (t);
}

static void
push(struct flow_thread *t, const struct tbuf_record *r)
{
	if (t->depth == FLOW_DEPTH) {
		t->depth--;
		memmove(t->entries, t->entries + 1,
		    t->depth * sizeof(*t->entries));
	}
	if (t->depth == t->size) {
		t->size = t->size == 0 ? 8 : 2 * t->size;
		t->entries = memory_get(t->entries, t->size,
		    sizeof(*t->entries));
	}
	t->entries[t->depth++] = (struct flow_entry){ r->probe, r->time };
}

/* Ends the last entry that a return belongs to, if there is one. */
static void
pop(struct flow_thread *t, const struct tbuf_record *r,
    struct flow_place *place)
{
	unsigned i = t->depth;

	while (i > 0 && !is_pair(t->entries[i - 1].probe, r->probe))
		i--;
	if (i == 0)
		return;
	t->depth = i - 1;
	place->timed = true;
	place->took = r->time - t->entries[t->depth].time;
}

/*
 * Returns true if a record is of the same fire as the one before: a fire goes
 * through the enablings of a probe in their order.
 */
static bool
same_fire(const struct flow_thread *t, const struct tbuf_record *r)
{
	return (t->probe == r->probe->id && r->enabling > t->enabling);
}

struct flow_place
flow_step(struct flow *f, const struct tbuf_record *r, enum flow_kind kind)
{
	struct flow_thread *t = thread(f, r);
	struct flow_place place = { .kind = kind };

	/* Speculations and work units bring older records. */
	while (t->depth > 0 && t->entries[t->depth - 1].time > r->time)
		t->depth--;
	if (same_fire(t, r))
		place.kind = FLOW_NONE;
	t->probe = r->probe->id;
	t->enabling = r->enabling;
	if (place.kind == FLOW_RETURN)
		pop(t, r, &place);
	place.depth = t->depth;
	if (place.kind == FLOW_ENTRY)
		push(t, r);
	return (place);
}

void
flow_forget(struct flow *f, pid_t pid)
{
	if (f->nslots > 0)
		rebuild(f, &pid);
}

void
flow_forget_all(struct flow *f)
{
	size_t i;

	for (i = 0; i < f->nslots; i++)
		free(f->slots[i].entries);
	free(f->slots);
	*f = (struct flow){ .nslots = 0 };
}
