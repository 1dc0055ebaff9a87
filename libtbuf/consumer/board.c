/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This consumer's entry on the board (common/board.h), and the sessions that
 * targets have built because of it.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "atomics.h"
#include "common/board.h"
#include "consumer/internal.h"

/* ------------------------------------------------------------ the entry */

/*
 * The board's file, made if it is not there.  All of it is backed, so that
 * whoever reads an entry, written or not, cannot hit a hole.
 */
static int
board_make(int dirfd)
{
	struct tbuf_board header;
	int fd, error;

	if (!tbuf_budget_file(sizeof(struct tbuf_board)))
		return (-ENOSPC);
	fd = openat(dirfd, TBUF_BOARD_NAME,
	    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd == -1)
		return (-errno);
	if ((error = tbuf_file_lock_wait(fd)) == 0 &&
	    ftruncate(fd, sizeof(struct tbuf_board)) != 0)
		error = -errno;
	if (error == 0)
		error = tbuf_back(fd, 0, sizeof(struct tbuf_board));
	if (error == 0) {
		memcpy(header.magic, TBUF_BOARD_MAGIC, sizeof(header.magic));
		header.major = TBUF_MAJOR;
		header.entry_size = sizeof(struct tbuf_board_entry);
		if (pwrite(fd, &header, offsetof(struct tbuf_board, reserved),
		    0) != (ssize_t)offsetof(struct tbuf_board, reserved))
			error = -EIO;
	}
	close(fd);
	return (error);
}

/* The deadman's time in ticks of the record clock. */
static uint64_t
patience(void)
{
	enum tbuf_clock clock = tbuf_clock_choose();
	struct tbuf_timeline line;
	struct tbuf_moment now;

	tbuf_moment_take(clock, &now);
	tbuf_timeline_start(&line, clock, &now);
	return (tbuf_timeline_ahead(&line, TBUF_DEADLINE) -
	    tbuf_clock_read(clock));
}

static void
entry_write(const struct tbuf_consumer *c, struct tbuf_board_entry *entry)
{
	const struct tbuf_options *o = &c->options;

	tbuf_store(&entry->budget, c->left);
	entry->bufsize = o->bufsize;
	entry->deadline = o->bufpolicy == TBUF_RING ? 0 : patience();
	entry->flags = (c->all ? TBUF_BOARD_ALL : 0) |
	    (o->follow ? TBUF_BOARD_FOLLOW : 0) |
	    (o->bufresize == 0 ? TBUF_BOARD_AUTO : 0);
	entry->policy = (uint32_t)o->bufpolicy;
	entry->strsize = (uint32_t)o->strsize;
	entry->only_cpu = (int32_t)o->cpu;
	entry->npatterns = c->npatterns;
	entry->patterns_size = (uint32_t)c->patterns_size;
	memcpy(entry->patterns, c->patterns, c->patterns_size);
	entry->owner_pid = (uint32_t)getpid();
	entry->owner_uid = geteuid();
	tbuf_copy(entry->owner, program_invocation_short_name,
	    sizeof(entry->owner));
	entry->session_flags = tbuf_session_flags(c);
	tbuf_store(&entry->missed, 0);
	tbuf_store_release(&entry->run, c->run);
}

/* An entry whose lock can be had is nobody's. */
static int
entry_take(struct tbuf_consumer *c, struct tbuf_board *board, int fd)
{
	unsigned i;

	for (i = 0; i < TBUF_BOARD_ENTRIES; i++) {
		if (!tbuf_file_lock(fd, 1 + i))
			continue;
		tbuf_store(&board->entries[i].run, 0);
		/* Pairs with the load fence before a target's second look. */
		tbuf_fence_stores();
		c->board = board;
		c->board_fd = fd;
		c->entry = &board->entries[i];
		entry_write(c, c->entry);
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
	if ((error = entry_take(c, board, fd)) != 0)
		tbuf_board_close(board, fd);
	return (error);
}

bool
tbuf_board_missed(const struct tbuf_consumer *c)
{
	return (c->entry != NULL && tbuf_load(&c->entry->missed) != 0);
}

void
tbuf_board_withdraw(struct tbuf_consumer *c)
{
	if (c->entry == NULL)
		return;
	if (tbuf_board_missed(c))
		tbuf_consumer_skip(c, -ENOSPC);
	c->left = tbuf_load(&c->entry->budget);
	tbuf_store_release(&c->entry->run, 0);
	c->entry = NULL;
	tbuf_board_close(c->board, c->board_fd);
}

/* ------------------------------------------------------------ the sessions */

/*
 * The process of a file whose pid is of our own namespace, or the one that
 * has it mapped.  Sets what is known of it: it may have ended by now, or have
 * gone on to another program.
 */
static int
find_process(struct tbuf_target *t, const struct tbuf_control *control,
    bool alive)
{
	pid_t pid = alive ? tbuf_directory_pid(t->fd, control) :
	    (pid_t)control->pid;

	if (tbuf_error_exhausted(pid))
		return (pid);
	t->pid = pid > 0 ? pid : (pid_t)control->pid;
	if (pid > 0)
		t->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pid > 0 && t->pidfd == -1 && tbuf_error_exhausted(-errno))
		return (-errno);
	if (t->pidfd != -1 && !alive &&
	    tbuf_start_time(pid) != control->start) {
		close(t->pidfd);
		t->pidfd = -1;
	}
	if (t->pidfd == -1)
		t->life = TBUF_DEAD;
	else
		t->left = !alive;
	return (0);
}

/*
 * A process that has called exec has one image, the youngest.  They are met in
 * any order.
 */
static void
replace_old(struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_target *o, *old, *new;

	TAILQ_FOREACH(o, &c->targets, link) {
		if (o == t || o->pid != t->pid || o->replaced ||
		    o->life != TBUF_ALIVE || t->life != TBUF_ALIVE)
			continue;
		old = o->born < t->born ? o : t;
		new = old == o ? t : o;
		old->left = old->replaced = true;
		new->child |= old->child;
		old->child = false;
	}
}

static void
begin(struct tbuf_consumer *c, struct tbuf_target *t, unsigned slot)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);
	struct tbuf_session *session = (struct tbuf_session *)(void *)
	    (t->view.base + t->area);
	struct tbuf_moment birth = control->birth;

	t->slot = (int)slot;
	t->born = birth.mono;
	t->order.patterns = c->patterns;
	t->order.npatterns = c->npatterns;
	t->charged = t->plan.storage;
	t->active = t->live = true;
	tbuf_timeline_start(&t->time, (enum tbuf_clock)control->clock, &birth);
	session->go = birth;
	session->now = t->time.latest;
	tbuf_target_deadline(t);
	replace_old(c, t);
}

/* With the lock of the slot. */
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
	if (error != 0 || (error = find_process(t, control, alive)) != 0)
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
