/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * self-> variables of the threads of records, in a replay.  A thread's are
 * retained while one of them is set: dynvarsize bounds how many there can be.
 */
#include <stdlib.h>

#include "consumer/script/script.h"

#define BUCKETS	4096u		/* a power of two */

static struct tbuf_script_thread **
bucket(const struct tbuf_script *s, uint64_t image, uint32_t tid)
{
	uint64_t h = tbuf_keyed_hash(&s->secret, image, tid, NULL, 0);

	return (&s->threads[h & (BUCKETS - 1)]);
}

static bool
any_set(const struct tbuf_script_thread *t)
{
	uint32_t i;

	for (i = 0; i < t->cells.count; i++)
		if (t->cells.all[i].is_set)
			return (true);
	return (false);
}

/* Frees a thread's cells for another one, if no variable of it is set. */
static void
leave(struct tbuf_script *s, struct tbuf_script_thread *t)
{
	struct tbuf_script_thread **p;

	if (t == &s->own || any_set(t))
		return;
	for (p = bucket(s, t->image, t->tid); *p != t; p = &(*p)->next)
		continue;
	*p = t->next;
	t->next = s->spare;
	s->spare = t;
}

static struct tbuf_script_thread *
make(struct tbuf_script *s)
{
	struct tbuf_script_thread *t = s->spare;

	if (t != NULL) {
		s->spare = t->next;
		tbuf_cells_clear(&t->cells);
		return (t);
	}
	if ((t = calloc(1, sizeof(*t))) == NULL)
		return (NULL);
	if (tbuf_cells_make(&t->cells, s->source, TBUF_SCOPE_THREAD,
	    (uint32_t)s->terms.strsize) == 0)
		return (t);
	tbuf_cells_free(&t->cells);
	free(t);
	return (NULL);
}

bool
tbuf_script_thread(struct tbuf_script *s, uint64_t image, uint32_t tid)
{
	struct tbuf_script_thread *t, **p;

	if (s->self->image == image && s->self->tid == tid &&
	    s->self != &s->own)
		return (true);
	if (s->threads == NULL &&
	    (s->threads = calloc(BUCKETS, sizeof(*p))) == NULL)
		return (false);
	leave(s, s->self);
	s->self = &s->own;
	p = bucket(s, image, tid);
	for (t = *p; t != NULL; t = t->next)
		if (t->image == image && t->tid == tid) {
			s->self = t;
			return (true);
		}
	if ((t = make(s)) == NULL)
		return (false);
	t->image = image;
	t->tid = tid;
	t->next = *p;
	*p = t;
	s->self = t;
	return (true);
}

static void
list_free(struct tbuf_script_thread *t)
{
	struct tbuf_script_thread *next;

	for (; t != NULL; t = next) {
		next = t->next;
		tbuf_cells_free(&t->cells);
		free(t);
	}
}

void
tbuf_script_threads_free(struct tbuf_script *s)
{
	unsigned i;

	for (i = 0; s->threads != NULL && i < BUCKETS; i++)
		list_free(s->threads[i]);
	free(s->threads);
	list_free(s->spare);
	tbuf_cells_free(&s->own.cells);
}
