/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The board as both sides look at it.
 */
#include "cold.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "atomics.h"
#include "common/board.h"
#include "common/control.h"

static bool
board_good(const struct tbuf_board *board)
{
	return (memcmp(board->magic, TBUF_BOARD_MAGIC,
	    sizeof(board->magic)) == 0 && board->major == TBUF_MAJOR &&
	    board->entry_size == sizeof(struct tbuf_board_entry));
}

struct tbuf_board *
tbuf_board_open(int dirfd, int *fd)
{
	struct stat st;
	void *p = MAP_FAILED;

	*fd = openat(dirfd, TBUF_BOARD_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	if (*fd == -1)
		return (NULL);
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() &&
	    st.st_size == sizeof(struct tbuf_board))
		p = mmap(NULL, sizeof(struct tbuf_board),
		    PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (p != MAP_FAILED) {
		if (board_good(p))
			return (p);
		munmap(p, sizeof(struct tbuf_board));
	}
	close(*fd);
	return (NULL);
}

void
tbuf_board_close(struct tbuf_board *board, int fd)
{
	munmap(board, sizeof(*board));
	close(fd);
}

/* The consumer behind an entry holds a lock. */
bool
tbuf_board_alive(int fd, unsigned entry)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET,
		.l_start = 1 + (off_t)entry, .l_len = 1
	};

	return (fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK);
}

/* Is this where the reason is counted?  A vacant place becomes its own. */
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

/* Where nothing tells when it began it may be another one. */
static bool
has_told(uint64_t *tellers)
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

	if (has_told(board->tellers[number]))
		return;
	for (i = 0; i < TBUF_BOARD_REASONS; i++)
		if (reason_is(&entry->reasons[i], why, size)) {
			tbuf_add(&entry->reasons[i].count, 1);
			return;
		}
	tbuf_add(&entry->others, 1);
}

/* An entry that was never written is a hole: only its run is looked at. */
static bool
run_posted(const struct tbuf_board *board, int fd, uint64_t run)
{
	unsigned i;

	for (i = 0; i < TBUF_BOARD_ENTRIES; i++)
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

	if (control->state[slot] != TBUF_ACTIVE ||
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
	struct tbuf_board *board = NULL;
	bool claimed = false;
	int board_fd = -1;
	uint64_t run;
	unsigned i;

	for (i = 0; i < TBUF_NSESSIONS && !claimed; i++) {
		if ((run = tbuf_board_run(fd, control, i, 0)) == 0)
			continue;
		if (board == NULL &&
		    (board = tbuf_board_open(dirfd, &board_fd)) == NULL)
			return (false);
		claimed = run_posted(board, board_fd, run);
	}
	if (board != NULL)
		tbuf_board_close(board, board_fd);
	return (claimed);
}

bool
tbuf_board_posted(int dirfd, uint64_t run)
{
	struct tbuf_board *board;
	bool posted;
	int fd;

	if (run == 0 || (board = tbuf_board_open(dirfd, &fd)) == NULL)
		return (false);
	posted = run_posted(board, fd, run);
	tbuf_board_close(board, fd);
	return (posted);
}
