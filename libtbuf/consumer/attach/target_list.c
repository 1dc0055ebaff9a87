/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The list of a run's targets.
 */
#include <sys/resource.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/attach/target_clauses.h"
#include "consumer/decode/probe_ids.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"
#include "shared/board.h"

#define DESCRIPTORS_KEPT	16

struct tbuf_target *
tbuf_target_new(struct tbuf_consumer *c, pid_t pid)
{
	struct tbuf_target *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return (NULL);
	t->pid = pid;
	t->pidfd = t->fd = -1;
	t->slot = -1;
	t->exit_status = -1;
	TAILQ_INSERT_TAIL(&c->targets, t, link);
	c->drain.stale = true;
	return (t);
}

/* Makes a spare of the file of a short process.  Returns true if it did. */
static bool
hand_on(const struct tbuf_consumer *c, struct tbuf_target *t, int dirfd)
{
	int number = -1;

	if (c->entry != NULL && c->options.follow && t->state == TBUF_REPORTED)
		number = tbuf_spare_make(dirfd, c->board, t->name, t->fd);
	t->spare = (unsigned)(number + 1);
	return (number != -1);
}

bool
tbuf_target_reap(const struct tbuf_consumer *c, struct tbuf_target *t,
    int dirfd)
{
	struct tbuf_control control;

	if (*t->name == '\0' || t->fd == -1 || dirfd < 0 ||
	    pread(t->fd, &control, sizeof(control), 0) != sizeof(control) ||
	    !tbuf_control_useless(dirfd, t->fd, &control) ||
	    (!hand_on(c, t, dirfd) && unlinkat(dirfd, t->name, 0) != 0))
		return (false);
	*t->name = '\0';
	return (true);
}

/* Notes the target's usage: the next one with its program backs no more. */
static void
note_usage(const struct tbuf_consumer *c, const struct tbuf_target *t)
{
	const struct tbuf_copied_table *copy;
	uint64_t most = 0, table = 0;
	unsigned i;

	if (c->entry == NULL || t->state != TBUF_REPORTED || t->slot == -1 ||
	    t->view.base == NULL ||
	    (t->order.terms.flags & TBUF_S_GROW) == 0)
		return;
	for (i = 0; i < t->nreaders; i++) {
		most = MAX(most, t->readers[i].position);
		for (copy = t->readers[i].tables;
		    copy < t->readers[i].tables + 2; copy++)
			table = MAX(table, copy->entries_size +
			    copy->values_size);
	}
	tbuf_usage_note(c->board->usage, c->run,
	    tbuf_view_control(&t->view)->comm, most);
	if (tbuf_target_aggregates(t))
		tbuf_usage_note(c->board->usage, TBUF_USAGE_TABLES(c->run),
		    tbuf_view_control(&t->view)->comm, table);
}

void
tbuf_target_free(struct tbuf_consumer *c, struct tbuf_target *t)
{
	int dirfd = *t->name == '\0' || t->fd == -1 ? -1 :
	    tbuf_consumer_directory(c, false);

	tbuf_globals_keep(c, t);
	note_usage(c, t);
	tbuf_target_detach(c, t, dirfd);
	tbuf_budget_give(c, t->charged);
	tbuf_readers_free(t);
	tbuf_target_reap(c, t, dirfd);
	tbuf_view_unmap(&t->view);
	if (t->spare != 0)
		tbuf_spare_publish(c->board, t->fd, t->spare - 1);
	if (t->fd != -1)
		close(t->fd);
	if (t->pidfd != -1)
		close(t->pidfd);
	TAILQ_REMOVE(&c->targets, t, link);
	c->drain.stale = true;
	c->drain.fast.reader = NULL;
	tbuf_epids_free(t);
	tbuf_zeroed_free(t->probes);
	free(t);
}

struct tbuf_target *
tbuf_target_find(struct tbuf_consumer *c, pid_t pid)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (t->pid == pid && tbuf_target_runs(t) &&
		    (t->fd != -1 || t->sampled_only))
			return (t);
	return (NULL);
}

struct tbuf_target *
tbuf_target_named(struct tbuf_consumer *c, const char *name)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (strcmp(t->name, name) == 0)
			return (t);
	return (NULL);
}

bool
tbuf_target_same_image(const struct tbuf_target *a, const struct tbuf_target *b)
{
	uint64_t image = tbuf_load(&tbuf_view_control(&a->view)->image);

	return (image != 0 &&
	    image == tbuf_load(&tbuf_view_control(&b->view)->image));
}

bool
tbuf_target_same(const struct tbuf_target *a, const struct tbuf_target *b)
{
	const struct tbuf_control *x = tbuf_view_control(&a->view);
	const struct tbuf_control *y = tbuf_view_control(&b->view);

	if (x == NULL || y == NULL || a->file_only || b->file_only)
		return (false);
	return (x->pid == y->pid && x->start == y->start &&
	    x->pid_namespace == y->pid_namespace);
}

bool
tbuf_descriptor_spare(int fd)
{
	struct rlimit limit;

	return (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    (rlim_t)fd + DESCRIPTORS_KEPT < limit.rlim_cur);
}

int
tbuf_target_add(struct tbuf_consumer *c, const struct tbuf_found *found)
{
	struct tbuf_target *t = tbuf_target_new(c, found->pid);
	int error = -ENOMEM;

	if (t != NULL && !tbuf_descriptor_spare(found->fd))
		error = -EMFILE;
	else if (t != NULL)
		error = tbuf_view_map(found->fd, 0, &t->view);
	if (error != 0) {
		close(found->fd);
		close(found->pidfd);
		if (t != NULL)
			tbuf_target_free(c, t);
		return (error);
	}
	t->fd = found->fd;
	t->pidfd = found->pidfd;
	tbuf_copy(t->name, found->name, sizeof(t->name));
	t->live = true;
	t->start_time = tbuf_load(&tbuf_view_control(&t->view)->birth.mono);
	return (0);
}

void
tbuf_target_probes(struct tbuf_consumer *c, struct tbuf_target *t)
{
	const struct tbuf_probe_info *info;
	uint32_t n = tbuf_probes_count(&t->view), i;

	tbuf_consumer_sign(c);
	if (t->probes == NULL) {
		t->probes = tbuf_zeroed_new(t->view.tables.entries,
		    sizeof(*t->probes));
		if (t->probes != NULL)
			tbuf_probes_read_all(&c->probes, &t->view, t->probes);
	}
	for (i = 0; t->probes != NULL && i < n; i++)
		if (t->probes[i] == NULL &&
		    tbuf_probes_read(&c->probes, &t->view, i, &info) == 1)
			t->probes[i] = info;
}

unsigned
tbuf_consumer_alive(const struct tbuf_consumer *c)
{
	const struct tbuf_target *t;
	unsigned n = 0;

	TAILQ_FOREACH(t, &c->targets, link)
		if (t->state < TBUF_REPLACED && !t->file_only)
			n++;
	return (n);
}
