/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Access of both sides to the board (board.h).
 */
#include "base/optimize_size.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "base/clock.h"
#include "shared/board.h"
#include "shared/control_file.h"

/* Seconds for which the kernel's answer about the counter is valid. */
#define COUNTER_SECONDS	10

static bool
head_good(const struct tbuf_board_head *head)
{
	return (memcmp(head->magic, TBUF_BOARD_MAGIC,
	    sizeof(head->magic)) == 0 && head->major == TBUF_MAJOR &&
	    head->entry_size == sizeof(struct tbuf_board_entry));
}

static bool
head_read(int fd, struct tbuf_board_head *head)
{
	return (pread(fd, head, sizeof(*head), 0) == sizeof(*head) &&
	    head_good(head));
}

/* O_NONBLOCK: another process may hold a lease on the file. */
int
tbuf_board_file(int dirfd)
{
	return (openat(dirfd, TBUF_BOARD_NAME, O_RDWR | O_NOFOLLOW |
	    O_NONBLOCK | O_CLOEXEC));
}

struct tbuf_board *
tbuf_board_map(int fd)
{
	struct stat st;
	void *p = MAP_FAILED;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() &&
	    st.st_size == sizeof(struct tbuf_board))
		p = mmap(NULL, sizeof(struct tbuf_board),
		    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return (NULL);
	if (head_good(p))
		return (p);
	munmap(p, sizeof(struct tbuf_board));
	return (NULL);
}

void
tbuf_board_unmap(struct tbuf_board *board)
{
	munmap(board, sizeof(*board));
}

struct tbuf_board *
tbuf_board_open(int dirfd, int *fd)
{
	struct tbuf_board *board;

	if ((*fd = tbuf_board_file(dirfd)) == -1)
		return (NULL);
	if ((board = tbuf_board_map(*fd)) == NULL)
		close(*fd);
	return (board);
}

static bool
has_run(int fd)
{
	struct tbuf_board_head head;
	uint64_t run = 0;
	unsigned i;

	if (!head_read(fd, &head))
		return (false);
	for (i = 0; i < head.used && i < TBUF_BOARD_ENTRIES && run == 0; i++)
		if (pread(fd, &run, sizeof(run), (off_t)(offsetof(
		    struct tbuf_board, entries) + i * sizeof(
		    struct tbuf_board_entry))) != sizeof(run))
			return (false);
	return (run != 0);
}

struct tbuf_board *
tbuf_board_look(int fd)
{
	return (fd != -1 && has_run(fd) ? tbuf_board_map(fd) : NULL);
}

void
tbuf_board_close(struct tbuf_board *board, int fd)
{
	tbuf_board_unmap(board);
	close(fd);
}

/*
 * Returns the clock of this process.  The board's header has the second in
 * which a program found the counter fit.  One that this process demands may be
 * unfit for other programs, so the header does not get it.
 */
enum tbuf_clock
tbuf_board_clock(int fd)
{
	struct tbuf_board_head head;
	enum tbuf_clock clock;
	struct timespec t;
	uint64_t now;

	if (fd == -1 || tbuf_clock_demanded() || !head_read(fd, &head) ||
	    clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return (tbuf_clock_choose(false));
	/* A second from before a reboot is most often later than `now`. */
	now = (uint64_t)t.tv_sec;
	if (head.counter != 0 && head.counter <= now &&
	    now - head.counter < COUNTER_SECONDS)
		return (tbuf_clock_choose(true));
	clock = tbuf_clock_choose(false);
	head.counter = clock == TBUF_CLOCK_COUNTER ? now : 0;
	(void)!pwrite(fd, &head.counter, sizeof(head.counter),
	    offsetof(struct tbuf_board_head, counter));
	return (clock);
}

/* An entry's consumer holds the OFD lock on byte 1 + entry. */
bool
tbuf_board_alive(int fd, unsigned entry)
{
	int type = tbuf_file_lock_call(fd, F_OFD_GETLK, F_WRLCK,
	    UINT64_C(1) + entry, 1);

	return (type != -1 && type != F_UNLCK);
}

/*
 * Returns true if the reason is counted at this place; a vacant place is
 * claimed for it.
 */
static bool
reason_is(struct tbuf_board_reason *reason, const char *why, size_t size)
{
	if (tbuf_load(&reason->place) == TBUF_BOARD_VACANT &&
	    tbuf_cas(&reason->place, TBUF_BOARD_VACANT, TBUF_BOARD_CLAIMED)) {
		memset(reason->text, 0, sizeof(reason->text));
		memcpy(reason->text, why, size);
		tbuf_store_release(&reason->place, TBUF_BOARD_WRITTEN);
		return (true);
	}
	return (tbuf_load_acquire(&reason->place) == TBUF_BOARD_WRITTEN &&
	    strncmp(reason->text, why, size) == 0 &&
	    reason->text[size] == '\0');
}

/*
 * Returns true if this process is counted already, and notes it.  Without its
 * start time it cannot be distinguished from one that had the pid before.
 */
static bool
has_reported(uint64_t *tellers)
{
	uint64_t pid = (uint64_t)getpid(), start = tbuf_start_time(0);
	uint64_t *teller = &tellers[pid % TBUF_BOARD_TELLERS];

	if (start == 0)
		return (false);
	if (tbuf_load(teller) == (start << 22 | pid))
		return (true);
	tbuf_store(teller, start << 22 | pid);
	return (false);
}

void
tbuf_board_tell(struct tbuf_board *board, unsigned number, const char *why)
{
	struct tbuf_board_entry *entry = &board->entries[number];
	size_t size = strnlen(why, TBUF_BOARD_REASON - 1);
	unsigned i;

	if (has_reported(board->tellers[number]))
		return;
	for (i = 0; i < TBUF_BOARD_REASONS; i++)
		if (reason_is(&entry->reasons[i], why, size)) {
			tbuf_add(&entry->reasons[i].count, 1);
			return;
		}
	tbuf_add(&entry->others, 1);
}

static bool
run_posted(const struct tbuf_board *board, int fd, uint64_t run)
{
	unsigned i, n = tbuf_board_used(board);

	for (i = 0; i < n; i++)
		if (tbuf_load_acquire(&board->entries[i].run) == run &&
		    tbuf_board_alive(fd, i))
			return (true);
	return (false);
}

uint64_t
tbuf_board_run(int fd, const struct tbuf_control *control, unsigned slot,
    uint64_t flags)
{
	struct tbuf_terms terms;

	if (!tbuf_state_built(control->state[slot]) ||
	    pread(fd, &terms, sizeof(terms), (off_t)(TBUF_SLOTS +
	    slot * (uint64_t)TBUF_SLOT_SIZE +
	    offsetof(struct tbuf_slot, terms))) != sizeof(terms) ||
	    (terms.flags & flags) != flags)
		return (0);
	return (terms.run);
}

bool
tbuf_board_claims(int dirfd, int fd, const struct tbuf_control *control)
{
	bool claimed = false;
	uint64_t run;
	unsigned i;

	for (i = 0; i < TBUF_NSESSIONS && !claimed; i++) {
		run = tbuf_board_run(fd, control, i, 0);
		claimed = tbuf_board_posted(dirfd, run);
	}
	return (claimed);
}

bool
tbuf_board_posted(int dirfd, uint64_t run)
{
	int fd = run == 0 ? -1 : tbuf_board_file(dirfd);
	struct tbuf_board *board = tbuf_board_look(fd);
	bool posted = false;

	if (board != NULL) {
		posted = run_posted(board, fd, run);
		tbuf_board_unmap(board);
	}
	if (fd != -1)
		close(fd);
	return (posted);
}
