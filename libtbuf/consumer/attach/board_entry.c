/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This consumer's entry on the board (shared/board.h), and the sessions that
 * targets have built for it.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"
#include "consumer/util/util.h"
#include "shared/board.h"
#include "shared/memory_limit.h"

/* ------------------------------------------------------------ entry */

/*
 * Makes the board's file unless it exists.  All of it is backed, so that a
 * reader of any entry, written or not, cannot hit a hole.
 */
static int
board_make(int dirfd)
{
	struct tbuf_board_head head;
	int fd, error;

	if (!tbuf_budget_file(sizeof(struct tbuf_board)))
		return (-ENOSPC);
	fd = openat(dirfd, TBUF_BOARD_NAME,
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd == -1)
		return (-errno);
	if ((error = tbuf_file_lock_wait(fd)) == 0 &&
	    ftruncate(fd, sizeof(struct tbuf_board)) != 0)
		error = -errno;
	if (error == 0)
		error = tbuf_back(fd, 0, sizeof(struct tbuf_board));
	if (error == 0) {
		memcpy(head.magic, TBUF_BOARD_MAGIC, sizeof(head.magic));
		head.major = TBUF_MAJOR;
		head.entry_size = sizeof(struct tbuf_board_entry);
		if (pwrite(fd, &head, offsetof(struct tbuf_board_head, used),
		    0) != (ssize_t)offsetof(struct tbuf_board_head, used))
			error = -EIO;
	}
	close(fd);
	return (error);
}

/* Returns the time until the deadline in ticks of the record clock. */
static uint64_t
patience(const struct tbuf_consumer *c)
{
	struct tbuf_timeline line;

	tbuf_timeline_start(&line, c->clock, &c->posted);
	return (tbuf_timeline_ahead(&line, TBUF_DEADLINE) -
	    tbuf_clock_read(line.clock));
}

static void
entry_write(const struct tbuf_consumer *c, struct tbuf_board *board,
    unsigned number)
{
	struct tbuf_board_entry *entry = &board->entries[number];
	const struct tbuf_options *o = &c->options;
	/* Before the run begins, an entry serves to list a command's probes. */
	bool lists = c->state == TBUF_RUN_NEW;

	tbuf_store(&entry->budget, c->budget);
	entry->deadline = c->programs != NULL ||
	    tbuf_policy(o->bufpolicy)->deadline ? patience(c) : 0;
	entry->ticks = c->spawned.ticks;
	entry->flags = (c->all ? TBUF_BOARD_ALL : 0) |
	    (o->follow || lists ? TBUF_BOARD_FOLLOW : 0) |
	    (o->bufresize == 0 ? TBUF_BOARD_AUTO : 0);
	entry->npatterns = lists ? 0 : c->npatterns;
	entry->patterns_size = (uint32_t)c->patterns_size;
	/* A consumer that only looked for a provider has no patterns. */
	if (c->npatterns != 0)
		memcpy(entry->patterns, c->patterns, c->patterns_size);
	tbuf_consumer_terms(c, &entry->terms);
	tbuf_store(&entry->others, 0);
	memset(entry->reasons, 0, sizeof(entry->reasons));
	memset(board->tellers[number], 0, sizeof(board->tellers[number]));
	tbuf_store_release(&entry->run, c->run);
}

/* Raises the number of entries in use; other consumers may do so at once. */
static void
entry_use(struct tbuf_board *board, unsigned number)
{
	uint32_t used;

	do {
		used = tbuf_load(&board->head.used);
		/* A value that is not a number of entries is replaced. */
	} while ((used <= number || used > TBUF_BOARD_ENTRIES) &&
	    !tbuf_cas(&board->head.used, used, number + 1));
}

/* Takes an entry: one with a free lock has no owner. */
static int
entry_take(struct tbuf_consumer *c, struct tbuf_board *board, int fd,
    int dirfd)
{
	unsigned i;
	int error;

	for (i = 0; i < TBUF_BOARD_ENTRIES; i++) {
		if (!tbuf_file_lock(fd, 1 + i))
			continue;
		tbuf_store(&board->entries[i].run, 0);
		/* Pairs with the load fence before a target's second look. */
		tbuf_fence_stores();
		error = tbuf_programs_post(c, dirfd, &board->entries[i]);
		if (error != 0)
			return (error);
		c->board = board;
		c->board_fd = fd;
		c->entry = &board->entries[i];
		entry_use(board, i);
		entry_write(c, board, i);
		return (0);
	}
	return (-EUSERS);
}

int
tbuf_board_post(struct tbuf_consumer *c)
{
	struct tbuf_board *board;
	int dirfd = tbuf_consumer_directory(c, true), fd, error;

	if (dirfd < 0)
		return (dirfd);
	if (c->patterns_size > TBUF_BOARD_PATTERNS)
		return (-E2BIG);
	if ((board = tbuf_board_open(dirfd, &fd)) == NULL) {
		if ((error = board_make(dirfd)) != 0)
			return (error);
		if ((board = tbuf_board_open(dirfd, &fd)) == NULL)
			return (-EINVAL);
	}
	tbuf_programs_reap(dirfd, board, fd);
	tbuf_spares_remove(dirfd, board);
	c->clock = tbuf_clock_choose(false);
	tbuf_moment_take(c->clock, &c->posted);
	if ((error = entry_take(c, board, fd, dirfd)) != 0)
		tbuf_board_close(board, fd);
	return (error);
}

void
tbuf_board_untraceable(struct tbuf_consumer *c)
{
	const struct tbuf_board_reason *reason;
	unsigned i;

	for (i = 0; c->entry != NULL && i < TBUF_BOARD_REASONS; i++) {
		reason = &c->entry->reasons[i];
		if (tbuf_load_acquire(&reason->place) == TBUF_BOARD_WRITTEN)
			tbuf_untraceable_set(&c->untraceable[i], reason->text,
			    tbuf_load(&reason->count));
	}
	if (c->entry != NULL)
		tbuf_untraceable_set(&c->untraceable[TBUF_UNTRACEABLE_OTHER],
		    "other reasons", tbuf_load(&c->entry->others));
}

void
tbuf_board_withdraw(struct tbuf_consumer *c)
{
	if (c->entry == NULL)
		return;
	tbuf_board_untraceable(c);
	c->budget = tbuf_load(&c->entry->budget);
	tbuf_store_release(&c->entry->run, 0);
	tbuf_programs_remove(c->directory, c->entry);
	tbuf_spares_remove(c->directory, c->board);
	c->entry = NULL;
	tbuf_board_close(c->board, c->board_fd);
}

/* ------------------------------------------------------------ sessions */

/*
 * Returns the pid in our namespace of a process that has ended: that of an
 * earlier exec image, or else the pid in the file.
 */
static pid_t
last_pid(const struct tbuf_consumer *c, const struct tbuf_target *t,
    const struct tbuf_control *control)
{
	const struct tbuf_target *o;

	TAILQ_FOREACH(o, &c->targets, link)
		if (o != t && tbuf_target_same(o, t))
			return (o->pid);
	return ((pid_t)control->pid);
}

/*
 * Finds the process of a file and sets its state: it may have ended by now, or
 * have executed another program.
 */
static int
find_process(struct tbuf_consumer *c, struct tbuf_target *t,
    const struct tbuf_control *control, bool alive)
{
	pid_t pid;

	if (c->pid_namespace == 0)
		c->pid_namespace = tbuf_pid_namespace(getpid());
	pid = tbuf_directory_pid_of(c->pid_namespace, t->fd, control, alive);
	if (tbuf_error_exhausted(pid))
		return (pid);
	t->pid = pid > 0 ? pid : last_pid(c, t, control);
	if (pid > 0)
		t->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pid > 0 && t->pidfd == -1 && tbuf_error_exhausted(-errno))
		return (-errno);
	if (t->pidfd == -1)
		tbuf_target_die(t);
	else if (!alive)
		tbuf_target_leave(t);
	return (0);
}

/*
 * Marks all images of a process as replaced but the youngest.  Images are found
 * in any order.
 */
static void
replace_old(struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_target *o, *old, *new;

	TAILQ_FOREACH(o, &c->targets, link) {
		if (o == t || o->pid != t->pid || o->state >= TBUF_REPLACED ||
		    t->state >= TBUF_REPLACED ||
		    tbuf_target_same_image(o, t))
			continue;
		old = o->start_time < t->start_time ? o : t;
		new = old == o ? t : o;
		tbuf_target_replace(old);
		new->child |= old->child;
		old->child = false;
	}
}

/*
 * Starts the target's timeline at its birth.  If that was just now, the clock's
 * rate would be unknown for a while: then this consumer's earlier moment of the
 * same counter is used.
 */
static void
begin_time(const struct tbuf_consumer *c, struct tbuf_target *t,
    const struct tbuf_control *control, const struct tbuf_moment *birth)
{
	enum tbuf_clock clock = (enum tbuf_clock)tbuf_load(&control->clock);

	tbuf_timeline_start(&t->time, clock, clock == TBUF_CLOCK_COUNTER &&
	    clock == c->clock && c->posted.ticks < birth->ticks ?
	    &c->posted : birth);
}

static void
begin(struct tbuf_consumer *c, struct tbuf_target *t, unsigned slot)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);
	struct tbuf_session *session = (struct tbuf_session *)(void *)
	    (t->view.base + t->area);
	struct tbuf_moment birth = control->birth;

	tbuf_variables_adopt(c, t);
	t->slot = (int)slot;
	t->start_time = birth.mono;
	t->order.patterns = c->patterns;
	t->order.npatterns = c->npatterns;
	t->charged = t->backed;
	t->live = true;
	tbuf_units_rule(c, t);
	tbuf_session_begin(t);
	begin_time(c, t, control, &birth);
	session->go = birth;
	session->now = t->time.latest;
	tbuf_units_set_slow(c, t);
	tbuf_units_set_hung(c, t);
	tbuf_target_deadline(t);
	tbuf_lanes_look(t, tbuf_now());
	replace_old(c, t);
}

/* Adopts a session.  The caller holds the slot's lock. */
static int
adopt_locked(struct tbuf_consumer *c, struct tbuf_target *t, int fd,
    const struct tbuf_control *control, unsigned slot, bool alive)
{
	struct tbuf_session session;
	int error;

	t->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (t->fd == -1)
		return (-errno);
	if (!tbuf_descriptor_spare(t->fd))
		return (-EMFILE);
	error = tbuf_session_adopt(t, slot, MAP_SHARED, &session);
	if (error != 0 || (error = find_process(c, t, control, alive)) != 0)
		return (error);
	begin(c, t, slot);
	return (0);
}

static int
adopt(struct tbuf_consumer *c, int fd, const char *name,
    const struct tbuf_control *control, unsigned slot, bool alive)
{
	struct tbuf_target *t;
	int error;

	if (!tbuf_file_lock(fd, 1 + (uint64_t)slot))
		return (0);
	if ((t = tbuf_target_new(c, (pid_t)control->pid)) == NULL)
		error = -ENOMEM;
	else if ((error = adopt_locked(c, t, fd, control, slot, alive)) == 0) {
		tbuf_copy(t->name, name, sizeof(t->name));
		return (0);
	} else
		tbuf_target_free(c, t);
	tbuf_file_unlock(fd, 1 + (uint64_t)slot);
	return (tbuf_error_exhausted(error) ? error : 0);
}

int
tbuf_board_adopt(struct tbuf_consumer *c, int fd, const char *name,
    const struct tbuf_control *control, bool alive)
{
	unsigned slot;
	int error;

	for (slot = 0; c->run != 0 && slot < TBUF_NSESSIONS; slot++)
		if (tbuf_board_run(fd, control, slot, 0) == c->run) {
			error = adopt(c, fd, name, control, slot, alive);
			return (error != 0 ? error : 1);
		}
	return (0);
}
