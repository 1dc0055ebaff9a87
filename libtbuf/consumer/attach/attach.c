/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Builds sessions in targets: a slot, space in the control file, the session's
 * words, and at last the probes' bits.  All targets get a session, or none
 * does.
 */
#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "arch/counter.h"
#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"
#include "consumer/util/util.h"
#include "shared/ecb_chain.h"
#include "shared/memory_limit.h"

/* A free slot, as read from the file. */
struct choice {
	int slot;
	uint64_t area, area_size;
};

/* Ranks a free slot's area; 0 is best. */
static unsigned
fitness(const struct choice *s, uint64_t need, uint64_t end)
{
	if (s->area_size >= need)
		return (0);
	if (s->area_size != 0 && s->area + s->area_size == end)
		return (1);
	return (s->area_size == 0 ? 2 : 3);
}

static bool
better(const struct choice *a, const struct choice *b, uint64_t need,
    uint64_t end)
{
	unsigned x = fitness(a, need, end), y = fitness(b, need, end);

	if (b->slot == -1 || x != y)
		return (b->slot == -1 || x < y);
	return (a->area_size < b->area_size);
}

/*
 * Chooses the free slot with the best area.  Slots are read from the file: a
 * page that was never backed must not be touched through the mapping.
 */
static int
choose_slot(const struct tbuf_target *t, uint64_t end, struct choice *best)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);
	struct choice one;
	struct tbuf_slot slot;
	int i;

	best->slot = -1;
	for (i = 0; i < TBUF_NSESSIONS; i++) {
		if (tbuf_load_acquire(&control->state[i]) != TBUF_FREE ||
		    pread(t->fd, &slot, offsetof(struct tbuf_slot, ecbs),
		    (off_t)(TBUF_SLOTS + i * (uint64_t)TBUF_SLOT_SIZE)) !=
		    (ssize_t)offsetof(struct tbuf_slot, ecbs))
			continue;
		one.slot = i;
		one.area = slot.area;
		one.area_size = slot.area_size;
		if (one.area < t->view.tables.areas ||
		    one.area % TBUF_PAGE != 0 || one.area > end ||
		    one.area_size > end - one.area)
			one.area = one.area_size = 0;
		if (better(&one, best, t->layout.size, end))
			*best = one;
	}
	return (best->slot == -1 ? -EUSERS : 0);
}

/* Backs an area except for its chain heads and ECBs; on failure releases it. */
static int
back_area(int fd, uint64_t area, const struct tbuf_area *layout,
    uint64_t file_size)
{
	int error = tbuf_back(fd, area, layout->heads);

	if (error == 0 && layout->holders != 0)
		error = tbuf_back(fd, area + layout->holders,
		    layout->words_end - layout->holders);
	/* Zeroes tables, variables and so on, where an earlier session was. */
	if (error == 0 && area < file_size && layout->zeroes != 0)
		error = tbuf_file_punch(fd, area + layout->zeroes,
		    layout->size - layout->zeroes);
	if (error == 0)
		error = tbuf_room_back(fd, area + layout->data,
		    layout->storage);
	/* The space after the storage is backed later. */
	if (error == 0 && area + layout->size > file_size &&
	    ftruncate(fd, (off_t)(area + layout->size)) != 0)
		error = -errno;
	if (error == 0)
		return (0);
	if (area >= file_size)
		(void)!ftruncate(fd, (off_t)file_size);
	else if (layout->size > TBUF_META_MAX)
		(void)tbuf_file_punch(fd, area + TBUF_META_MAX,
		    layout->size - TBUF_META_MAX);
	return (error == -EFBIG || error == -ENOMEM ? -ENOSPC : error);
}

/* Places the area; -ENOSPC if the target could not see all of it. */
static int
place_area(const struct tbuf_target *t, const struct choice *choice,
    uint64_t end, uint64_t *area)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);
	uint64_t reach;

	*area = fitness(choice, t->layout.size, end) < 2 ? choice->area :
	    (end + TBUF_PAGE - 1) & ~(uint64_t)(TBUF_PAGE - 1);
	reach = *area + t->layout.size;
	if (reach > TBUF_FILE_MAX || reach > tbuf_load(&control->window) ||
	    !tbuf_budget_file(reach))
		return (-ENOSPC);
	return (0);
}

/* Reserves slot and area.  The caller holds the lock on byte 0. */
static int
reserve_locked(struct tbuf_target *t)
{
	struct tbuf_control *control = tbuf_view_control(&t->view);
	uint64_t end = tbuf_load(&control->end), area, size;
	struct choice choice;
	struct tbuf_slot *slot;
	struct stat st;
	int error;

	if (end < t->view.tables.areas || end > TBUF_FILE_MAX ||
	    fstat(t->fd, &st) != 0)
		return (-EINVAL);
	if ((error = choose_slot(t, end, &choice)) != 0 ||
	    (error = place_area(t, &choice, end, &area)) != 0 ||
	    (error = tbuf_back(t->fd, TBUF_SLOTS + (unsigned)choice.slot *
	    (uint64_t)TBUF_SLOT_SIZE, TBUF_SLOT_SIZE)) != 0)
		return (error);
	size = t->layout.size;
	error = back_area(t->fd, area, &t->layout, (uint64_t)st.st_size);
	if (error != 0)
		return (error);
	if (!tbuf_file_lock(t->fd, 1 + (uint64_t)choice.slot))
		return (-EBUSY);
	slot = tbuf_view_slot(&t->view, (unsigned)choice.slot);
	/* Killed here, this consumer leaves space that belongs to no slot. */
	if (area + size > end)
		tbuf_store_release(&control->end, area + size);
	if (area != choice.area || size > choice.area_size) {
		tbuf_store_release(&slot->area_size, 0);
		tbuf_store_release(&slot->area, area);
		tbuf_store_release(&slot->area_size, size);
	}
	t->slot = choice.slot;
	t->area = area;
	t->area_end = area + size;
	t->generation = tbuf_add(&control->generation, 1) + 1;
	tbuf_store_release(&control->state[choice.slot], TBUF_SETUP);
	return (0);
}

/*
 * Returns true if -x cpu is not set, or fires can find out their CPU, which one
 * in a lock lane may not (target/lane/lock_lane.c).
 */
static bool
cpu_is_known(const struct tbuf_target *t)
{
	return (t->order.terms.only_cpu < 0 || t->order.rseq ||
	    (tbuf_cpu_readable() && tbuf_load(&tbuf_view_control(&t->view)->
	    clock) == TBUF_CLOCK_COUNTER));
}

static int
reserve(struct tbuf_consumer *c, struct tbuf_target *t)
{
	int error;

	if (!cpu_is_known(t))
		return (-ENOTSUP);
	if ((error = tbuf_consumer_lock(c, t->fd)) != 0)
		return (error);
	tbuf_quiesce_orphans(&t->view, t->fd,
	    tbuf_consumer_directory(c, false));
	error = reserve_locked(t);
	tbuf_file_unlock(t->fd, 0);
	return (error);
}

static void
make_order(const struct tbuf_consumer *c, struct tbuf_target *t,
    uint64_t bufsize)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);
	struct tbuf_order *order = &t->order;

	tbuf_consumer_terms(c, &order->terms);
	order->terms.bufsize = bufsize;
	/* The owner of another user's file looks at another board. */
	if (tbuf_load(&control->uid) != geteuid())
		order->terms.run = 0;
	/* A waiting file is taken to have rseq: see tbuf_target_refresh(). */
	order->rseq = !t->live ||
	    (tbuf_load(&control->flags) & TBUF_F_RSEQ) != 0;
	tbuf_target_cpus(t->pid, &order->cpus);
	order->entries = t->view.tables.entries;
	order->patterns = c->patterns;
	order->patterns_size = (uint32_t)c->patterns_size;
	order->npatterns = c->npatterns;
	if (c->programs != NULL)
		tbuf_programs_order(c->programs, order);
}

/* Builds the readers from the layout: the target can write to its lanes. */
static int
make_readers(struct tbuf_target *t)
{
	struct tbuf_lane *lanes = calloc(t->layout.nlanes, sizeof(*lanes));
	int error;

	if (lanes == NULL)
		return (-ENOMEM);
	tbuf_lanes_make(lanes, t->area, &t->order, &t->layout);
	error = tbuf_readers_make(t, lanes);
	free(lanes);
	return (error);
}

/*
 * Zeroes chain heads and ECBs of an earlier session.  Pages that were never
 * backed are not touched.
 */
static int
zero(int fd, const struct tbuf_view *view, uint64_t at, uint64_t end)
{
	off_t data = (off_t)at, hole;

	while ((data = lseek(fd, data, SEEK_DATA)) != -1 &&
	    (uint64_t)data < end) {
		if ((hole = lseek(fd, data, SEEK_HOLE)) == -1)
			return (-errno);
		hole = MIN(hole, (off_t)end);
		memset(view->base + data, 0, (size_t)(hole - data));
		data = hole;
	}
	return (data == -1 && errno != ENXIO ? -errno : 0);
}

/* Copies the script's parts into the file, before the session exists. */
static void
build_parts(const struct tbuf_consumer *c, struct tbuf_target *t)
{
	unsigned char *area = t->view.base + t->area;
	const struct tbuf_programs *p = c->programs;
	struct tbuf_moment base;
	unsigned i;

	if (t->order.parts[TBUF_PART_CODES] == 0)
		return;
	for (i = 0; i < TBUF_PARTS; i++)
		memcpy(area + t->layout.parts[i],
		    (const char *)p + p->parts[i].at, p->parts[i].size);
	tbuf_moment_take(tbuf_clock_choose(false), &base);
	memcpy(area + t->layout.parts[TBUF_PART_CODES] +
	    offsetof(struct tbuf_codes, base), &base, sizeof(base));
	t->clauses = t->area + t->layout.clauses;
	t->globals.at = t->area + t->layout.globals;
	t->globals.size = t->order.globals;
	if (t->layout.blocks != 0)
		t->blocks.part = (struct tbuf_part){
		    t->area + t->layout.blocks, t->order.blocks };
	if (t->layout.dynamic != 0)
		t->elements.part = (struct tbuf_part){
		    t->area + t->layout.dynamic, t->order.dynamic };
	t->texts.at = t->area + t->layout.parts[TBUF_PART_TEXTS];
	t->texts.size = t->order.parts[TBUF_PART_TEXTS];
	if (t->order.nspec == 0)
		return;
	t->spec.count = t->order.nspec;
	t->spec.bytes = t->layout.speculated;
	t->spec.at = t->area + t->layout.speculations;
}

/* Maps the file up to the session's storage, and writes the session. */
static int
build(const struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_part units = { .at = 0 };
	struct tbuf_view view;
	int error;

	error = tbuf_view_map(t->fd, t->area + t->layout.data, &view);
	if (error != 0)
		return (error);
	tbuf_view_unmap(&t->view);
	t->view = view;
	error = zero(t->fd, &t->view, t->area + t->layout.heads,
	    t->area + t->layout.data);
	if (error != 0)
		return (error);
	build_parts(c, t);
	error = tbuf_session_build(&t->view, (unsigned)t->slot, t->area,
	    t->generation, &t->order, &t->layout);
	if (error != 0)
		return (error);
	if (tbuf_part_map(t, &t->elements.part, &t->elements.base))
		tbuf_session_elements(&t->view, t->area, &t->order, &t->layout,
		    t->elements.base);
	t->necbs_max = t->layout.ecb_max;
	t->epids = tbuf_zeroed_new(t->necbs_max, sizeof(*t->epids));
	if (t->epids == NULL)
		return (-ENOMEM);
	if ((error = make_readers(t)) != 0)
		return (error);
	/* From the layout: the target may have changed the slot by now. */
	if (t->layout.units_size != 0) {
		units.at = t->area + t->layout.units;
		units.size = t->layout.units_size;
	}
	error = tbuf_units_adopt(t, &units, &t->order.terms);
	if (error == 0)
		tbuf_units_rule(c, t);
	return (error);
}

static int
back_page(void *argument, uint64_t offset, uint64_t length)
{
	return (tbuf_back(*(const int *)argument, offset, length));
}

/*
 * Enables the probes that are registered.  Fence B of [inv.attach] is before
 * this: a probe that registers now either sees the session, or is seen here.
 */
static void
match_probes(struct tbuf_target *t)
{
	uint32_t n = tbuf_probes_count(&t->view), i;
	struct tbuf_backing backing = { .back = back_page, .argument = &t->fd };
	struct tbuf_names_copy copy = { .offsets = { 0 } };

	for (i = 0; i < n; i++)
		if (tbuf_load_acquire(&tbuf_view_probe(&t->view, i)->ready) ==
		    1)
			tbuf_match_next(&t->view, (unsigned)t->slot, i, &copy,
			    t->order.patterns, t->order.patterns_size,
			    t->order.npatterns, &backing);
}

/* Activates the session: from here on the target records. */
static void
activate(const struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_control *control = tbuf_view_control(&t->view);
	struct tbuf_session *session = (struct tbuf_session *)(void *)
	    (t->view.base + t->area);
	enum tbuf_clock clock = (enum tbuf_clock)tbuf_load(&control->clock);
	struct tbuf_moment go;

	if (!t->live || clock > TBUF_CLOCK_COARSE)
		clock = tbuf_clock_choose(false);
	tbuf_moment_take(clock, &go);
	session->go = go;
	tbuf_timeline_start(&t->time, clock, &go);
	session->now = t->time.latest;
	tbuf_units_set_slow(c, t);
	tbuf_units_set_hung(c, t);
	tbuf_target_deadline(t);
	tbuf_session_begin(t);
	tbuf_store_release(&control->state[t->slot], TBUF_ACTIVE);
	tbuf_fence();
	match_probes(t);
	tbuf_semaphores_settle(t);
}

/* Undoes a session that never began: no thread has been inside. */
static void
undo(struct tbuf_consumer *c, struct tbuf_target *t)
{
	if (t->slot == -1)
		return;
	tbuf_store(&tbuf_target_slot(t)->generation,
	    0);
	tbuf_readers_free(t);
	tbuf_epids_free(t);
	tbuf_target_detach(c, t, -1);
}

/* Returns true if the target can have a session; `only` selects one target. */
static bool
attachable(const struct tbuf_target *t, const struct tbuf_target *only)
{
	return ((only == NULL || t == only) && t->fd != -1 &&
	    !tbuf_session_holds(t) && t->state == TBUF_ALIVE && !t->file_only);
}

static bool
wanted(const struct tbuf_target *t, const struct tbuf_target *only)
{
	return (attachable(t, only) && t->slot == -1);
}

/* Lays out the selected sessions; takes their storage off the budget. */
static int
layout_all(struct tbuf_consumer *c, const struct tbuf_target *only,
    uint64_t bufsize)
{
	struct tbuf_target *t;
	int error;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (!wanted(t, only))
			continue;
		make_order(c, t, bufsize);
		error = tbuf_area_make(&t->order, &t->layout);
		if (error != 0)
			return (error);
		if (!tbuf_budget_take(c, t->layout.storage))
			return (-ENOSPC);
		t->charged = t->layout.storage;
	}
	return (0);
}

static int
take_failed(struct tbuf_consumer *c, struct tbuf_target *t, int error)
{
	uint64_t excess = t != NULL && error == -E2BIG ?
	    tbuf_target_excess(c, t) : 0;
	const struct tbuf_control *control;
	const char *lacks;

	if (excess != 0)
		return (tbuf_consumer_fail(c, error, "could not enable "
		    "tracing: pid %d has %" PRIu64 " probes to enable, a "
		    "session holds %" PRIu32, (int)t->pid, excess,
		    t->layout.ecb_max - 1));
	if (error == -ESRCH)
		return (tbuf_consumer_fail(c, error, "failed to grab "
		    "pid %d: %s", (int)t->pid, strerror(ESRCH)));
	if (t != NULL && error == -EPROTO) {
		control = tbuf_view_control(&t->view);
		lacks = tbuf_target_lacks(t);
		return (tbuf_consumer_fail(c, error, "failed to grab "
		    "pid %d: libtbuf %u.%u%s%s, tbufctl %u.%u", (int)t->pid,
		    control->major, control->minor,
		    lacks == NULL ? "" : " without ",
		    lacks == NULL ? "" : lacks, TBUF_MAJOR, TBUF_MINOR));
	}
	if (error == -EUSERS)
		return (tbuf_consumer_fail(c, error, "could not "
		    "enable tracing: too many sessions on pid %d",
		    (int)t->pid));
	return (tbuf_consumer_refuse(c, error));
}

/*
 * Reserves and builds the sessions.  A target that was only found, and not
 * grabbed by pid, is skipped if it cannot be traced.
 */
static int
take_all(struct tbuf_consumer *c, const struct tbuf_target *only)
{
	struct tbuf_target *t, *next;
	int error;

	TAILQ_FOREACH_SAFE(t, &c->targets, link, next) {
		if (!wanted(t, only))
			continue;
		error = t->pidfd != -1 && tbuf_process_ended(t->pidfd) ?
		    -ESRCH :
		    tbuf_target_lacks(t) != NULL ? -EPROTO :
		    tbuf_target_excess(c, t) != 0 ? -E2BIG : reserve(c, t);
		if (error == 0)
			error = build(c, t);
		if (error == 0)
			continue;
		if (t->named_by_user || only != NULL || error == -ENOSPC)
			return (take_failed(c, t, error));
		tbuf_consumer_skip(c, error);
		undo(c, t);
		tbuf_target_free(c, t);
	}
	return (0);
}

static void
undo_all(struct tbuf_consumer *c, const struct tbuf_target *only)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link) {
		if (!attachable(t, only))
			continue;
		undo(c, t);
		tbuf_budget_give(c, t->charged);
		t->charged = 0;
	}
}

/* Reserves and builds with this bufsize; -ENOSPC: a smaller one may fit. */
static int
try_all(struct tbuf_consumer *c, const struct tbuf_target *only,
    uint64_t bufsize)
{
	int error = layout_all(c, only, bufsize);

	if (error == -EINVAL)
		tbuf_consumer_fail(c, error, "could not enable tracing: "
		    "Enabling exceeds size of buffer");
	else if (error != 0)
		take_failed(c, NULL, error);
	else
		error = take_all(c, only);
	if (error != 0)
		undo_all(c, only);
	return (error);
}

/*
 * Halves the sizes that take most of the space.  Returns false if none can be
 * any smaller.
 */
static bool
lower(struct tbuf_consumer *c, uint64_t *bufsize)
{
	struct tbuf_programs none = { .nspec = 0 };
	struct tbuf_programs *p = c->programs != NULL ? c->programs : &none;
	uint64_t ncpus = tbuf_cpus_number();
	struct tbuf_share shares[] = {
		{ bufsize, ncpus, TBUF_BUFSIZE_MIN },
		{ &p->aggsize, ncpus, TBUF_TABLE_MIN },
		{ &p->specsize, ncpus * p->nspec, TBUF_RECORD_LEAST },
		{ &p->blocks, 1, c->block },
		{ &p->dynamic, 1, c->element_set },
		{ &c->options.unitsize, c->options.nunits, TBUF_UNITSIZE_MIN }
	};

	return (tbuf_share_halve(shares, sizeof(shares) / sizeof(shares[0])));
}

/* Attaches to targets; under `auto` sizes are halved until all fits. */
static int
attach(struct tbuf_consumer *c, const struct tbuf_target *only,
    uint64_t *bufsize)
{
	struct tbuf_target *t;
	int error;

	/* Mappings are read before targets fire: one may end at once. */
	tbuf_images_look(c, false);
	while ((error = try_all(c, only, *bufsize)) == -ENOSPC &&
	    c->options.bufresize == 0 && lower(c, bufsize))
		continue;
	if (error != 0)
		return (error);
	TAILQ_FOREACH(t, &c->targets, link)
		if (attachable(t, only) && t->slot != -1) {
			tbuf_images_leave(c, t);
			activate(c, t);
		}
	c->drain.stale = true;
	return (0);
}

/* Sets an option to the size that there was space for. */
static void
lowered(struct tbuf_consumer *c, uint64_t *option, uint64_t size)
{
	c->lowered |= size != *option;
	*option = size;
}

int
tbuf_attach_all(struct tbuf_consumer *c)
{
	const struct tbuf_programs *p = c->programs;
	uint64_t bufsize = c->options.bufsize;
	uint64_t unitsize = c->options.unitsize;
	uint64_t dynamic = p == NULL ? 0 : p->blocks + p->dynamic;
	int error;

	if ((error = tbuf_budget(c, &c->budget)) != 0)
		return (error);
	if ((error = attach(c, NULL, &bufsize)) != 0)
		return (error);
	c->lowered |= c->options.unitsize != unitsize;
	lowered(c, &c->options.bufsize, bufsize);
	if (p == NULL)
		return (0);
	if (p->aggsize != 0)
		lowered(c, &c->options.aggsize, p->aggsize);
	if (p->nspec != 0)
		lowered(c, &c->options.specsize, p->specsize);
	if (p->blocks + p->dynamic != dynamic)
		lowered(c, &c->options.dynvarsize, p->blocks + p->dynamic);
	return (0);
}

void
tbuf_attach_new(struct tbuf_consumer *c)
{
	struct tbuf_target *t, *next;
	uint64_t bufsize;
	int error;

	if (c->state != TBUF_RUN_ACTIVE)
		return;
	TAILQ_FOREACH_SAFE(t, &c->targets, link, next) {
		if (!wanted(t, NULL))
			continue;
		bufsize = c->options.bufsize;
		if ((error = attach(c, t, &bufsize)) == 0)
			continue;
		tbuf_consumer_skip(c, error);
		tbuf_target_free(c, t);
	}
}

/* Adopts the session that an image has built for this run, or is building. */
static bool
adopt_image(struct tbuf_consumer *c, const struct tbuf_found *found)
{
	struct tbuf_control control;

	return (pread(found->fd, &control, sizeof(control), 0) ==
	    sizeof(control) && tbuf_board_adopt(c, found->fd, found->name,
	    &control, true) != 0);
}

/*
 * Returns true if a file that the process has mapped is not that of its image.
 * While it starts, an image maps the file that TBUF_CONTROL names, which may be
 * that of an earlier image: that file's lock is free.
 */
static bool
is_of_earlier_image(const struct tbuf_found *found)
{
	return (!tbuf_control_alive(found->fd));
}

void
tbuf_consumer_regrab(struct tbuf_consumer *c, struct tbuf_target *old)
{
	struct tbuf_found found;
	struct tbuf_target *t;
	int error;

	if ((error = tbuf_find_pid(old->pid, &found)) != 0) {
		c->unsettled |= error == -ENOEXEC || error == -ECANCELED;
		tbuf_untraceable_image(c, old, error, &found);
		return;
	}
	t = tbuf_target_named(c, found.name);
	if (t != old && is_of_earlier_image(&found)) {
		c->unsettled = true;
		close(found.fd);
		close(found.pidfd);
		return;
	}
	if (t != NULL || adopt_image(c, &found)) {
		close(found.fd);
		close(found.pidfd);
		/* Found through another libtbuf in the old image. */
		if (t != NULL && t != old && !tbuf_target_same_image(t, old))
			tbuf_target_replace(old);
		return;
	}
	if (tbuf_target_add(c, &found) != 0)
		return;
	tbuf_attach_new(c);
	t = TAILQ_LAST(&c->targets, tbuf_target_list);
	if (t != old && t->pid == old->pid && tbuf_session_holds(t)) {
		t->child = old->child;
		old->child = false;
		tbuf_target_replace(old);
	}
}
