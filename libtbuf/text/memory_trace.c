/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The facility Memory: lines in a chunk that outlives the process
 * (layout/text_trace.h).  All functions are async-signal-safe.
 *
 * The lock's word is the id of the thread that holds it.  A thread that was
 * cancelled while it wrote a line never releases the lock: another thread that
 * finds the holder ended takes it over, and overwrites the unfinished line, as
 * `next' has not moved.
 */
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shared/control_file.h"
#include "shared/memory_limit.h"
#include "text/text.h"

#define LINE_WAIT	UINT64_C(1000000)	/* ns */
#define LEAVE_WAIT	UINT64_C(1000000000)
#define SPINS		64

static char name[TBUF_NAME_MAX];	/* name of the chunk's file */

/* ------------------------------------------------------------ the lock */

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}

static bool
gone(uint32_t tid)
{
	return (syscall(SYS_tgkill, (pid_t)tbuf_text_pid(), (pid_t)tid, 0) !=
	    0 && errno == ESRCH);
}

static void
spin(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#else
	__asm__ __volatile__("yield");
#endif
}

/*
 * Takes the lock.  Returns false if another thread holds it for too long, or
 * this one holds it already.
 */
static bool
lock(uint64_t wait)
{
	uint32_t *word = &tbuf_text_own->lock, tid = tbuf_text_tid(), holder;
	uint64_t end = 0;
	unsigned i;

	for (i = 0; !tbuf_cas(word, 0, tid); i++) {
		holder = tbuf_load(word);
		if (holder == tid)
			return (false);
		if (i < SPINS) {
			spin();
			continue;
		}
		if (end == 0)
			end = now() + wait;
		else if (now() >= end)
			return (holder != 0 && gone(holder) &&
			    tbuf_cas(word, holder, tid));
		sched_yield();
	}
	return (true);
}

static void
unlock(void)
{
	tbuf_store_release(&tbuf_text_own->lock, 0);
}

/* ------------------------------------------------------------ lines */

static char *
text_of(struct tbuf_trace *trace)
{
	return ((char *)(trace + 1));
}

/* Copies bytes to a position; from the chunk's end on to its beginning. */
static void
put(const struct tbuf_text_own *own, uint64_t position, const char *from,
    size_t n)
{
	char *text = text_of(own->trace);
	uint64_t at = position % own->size;
	size_t first = n < own->size - at ? n : own->size - at;

	memcpy(text + at, from, first);
	memcpy(text, from + first, n - first);
}

/* Returns the position of the first newline of [from, to), or `to'. */
static uint64_t
newline(const struct tbuf_text_own *own, uint64_t from, uint64_t to)
{
	const char *text = text_of(own->trace), *found;
	uint64_t at, n;

	for (; from < to; from += n) {
		at = from % own->size;
		n = to - from < own->size - at ? to - from : own->size - at;
		found = memchr(text + at, '\n', n);
		if (found != NULL)
			return (from + (uint64_t)(found - (text + at)));
	}
	return (to);
}

/*
 * Reserves the chunk up to a position: `oldest' moves past the lines that are
 * overwritten, those before `reserved' by more than the chunk's size.  Both are
 * stored in the header each time, as a thread that was cancelled here may have
 * changed them in *own only.
 */
static void
reserve(struct tbuf_text_own *own, uint64_t reserved)
{
	uint64_t least = reserved - own->size, found;

	if (reserved > own->size && own->oldest < least) {
		found = newline(own, least - 1, own->next);
		own->oldest = found < own->next ? found + 1 : found;
	}
	if (own->reserved < reserved)
		own->reserved = reserved;
	tbuf_store(&own->trace->oldest, own->oldest);
	tbuf_fence_stores();
	tbuf_store(&own->trace->reserved, own->reserved);
}

/* Returns the number of blanks before an end mark at this position. */
static size_t
fill_at(const struct tbuf_text_own *own, uint64_t position)
{
	uint64_t room = own->size - position % own->size;

	return (room < TBUF_TRACE_MARK_SIZE ? room : 0);
}

/*
 * Appends a line, in the steps of layout/text_trace.h.  A line is longer than a
 * mark, as its time alone is: the new mark is not over the old one.
 */
static void
append(struct tbuf_text_own *own, const char *line, size_t n)
{
	static const char blanks[] = "          ";
	uint64_t end = own->next + n;
	size_t fill = fill_at(own, end);

	reserve(own, end + fill + TBUF_TRACE_MARK_SIZE);
	tbuf_fence_stores();
	put(own, end + fill, TBUF_TRACE_MARK, TBUF_TRACE_MARK_SIZE);
	put(own, end, blanks, fill);
	put(own, own->next + TBUF_TRACE_MARK_SIZE, line + TBUF_TRACE_MARK_SIZE,
	    n - TBUF_TRACE_MARK_SIZE);
	put(own, own->next, line, TBUF_TRACE_MARK_SIZE);
	own->next = end + fill;
	tbuf_store(&own->trace->lost, tbuf_load(&own->lost));
	tbuf_store_release(&own->trace->next, own->next);
}

bool
tbuf_trace_write(char *line, size_t size)
{
	struct tbuf_text_own *own = tbuf_text_own;
	bool done;

	if (!lock(LINE_WAIT))
		return (false);
	if ((done = own->trace != NULL && tbuf_load(&own->closed) == 0)) {
		if (size > own->size / 2) {
			size = tbuf_text_cut(line, own->size / 2 - 1);
			line[size++] = '\n';
		}
		append(own, line, size);
	}
	unlock();
	return (done);
}

/* ------------------------------------------------------------ the chunk */

static void
fill_header(struct tbuf_trace *trace, uint64_t size)
{
	memcpy(trace->eye, TBUF_TRACE_EYE, sizeof(trace->eye));
	trace->version = TBUF_TRACE_VERSION;
	trace->head = sizeof(*trace);
	trace->size = size;
	trace->next = 0;
	trace->reserved = TBUF_TRACE_MARK_SIZE;
	trace->pid = tbuf_text_pid();
	memcpy(trace->comm, program_invocation_short_name,
	    strnlen(program_invocation_short_name, sizeof(trace->comm) - 1));
	memcpy(text_of(trace), TBUF_TRACE_MARK, TBUF_TRACE_MARK_SIZE);
}

/*
 * Maps the chunk's file, with all its pages backed.  The lock of the file's
 * description is held as long as the mapping exists; a child has neither.
 */
static int
map(int fd, uint64_t bytes, struct tbuf_trace **trace)
{
	int error;
	void *p;

	if (bytes > tbuf_room_file())
		return (-EFBIG);
	if (ftruncate(fd, (off_t)bytes) != 0)
		return (-errno);
	if ((error = tbuf_room_back(fd, 0, bytes)) != 0)
		return (error);
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return (-errno);
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return (-errno);
	if (madvise(p, bytes, MADV_DONTFORK) != 0) {
		error = -errno;
		munmap(p, bytes);
		return (error);
	}
	*trace = p;
	return (0);
}

static int
make_in(int dirfd, uint64_t bytes, struct tbuf_trace **trace)
{
	char hidden[TBUF_NAME_MAX + 1];
	int fd, error;

	tbuf_control_name(name, (pid_t)tbuf_text_pid(), tbuf_random());
	memcpy(name, TBUF_TRACE_NAME, sizeof(TBUF_TRACE_NAME) - 1);
	if ((fd = tbuf_control_create(dirfd, name, hidden)) < 0)
		return (fd);
	if ((error = map(fd, bytes, trace)) == 0) {
		fill_header(*trace, bytes - sizeof(**trace));
		error = tbuf_control_link(dirfd, fd, name, hidden);
		if (error != 0)
			munmap(*trace, bytes);
	}
	if (error != 0 && *hidden != '\0')
		unlinkat(dirfd, hidden, 0);
	close(fd);
	return (error);
}

int
tbuf_trace_make(uint32_t kbytes)
{
	struct tbuf_text_own *own = tbuf_text_own;
	uint64_t bytes = kbytes * UINT64_C(1024);
	struct tbuf_trace *trace = NULL;
	int dirfd, error;

	if ((dirfd = tbuf_directory_open_kept(true)) < 0)
		return (dirfd);
	tbuf_trace_reap(dirfd);
	error = make_in(dirfd, bytes, &trace);
	close(dirfd);
	if (error != 0)
		return (error);
	own->size = bytes - sizeof(*trace);
	own->oldest = own->next = own->flushed = 0;
	own->reserved = TBUF_TRACE_MARK_SIZE;
	tbuf_store(&own->closed, 0);
	tbuf_store_release(&own->trace, trace);
	return (0);
}

/* ------------------------------------------------------------ flush, end */

/*
 * Writes [*from, own->next) to the file, in order and by one call: other
 * processes append to the file, too, and a line that is split at the chunk's
 * end has to be whole there.  *from becomes the first line that is not
 * completely in the file.
 */
static int
write_out(const struct tbuf_text_own *own, int fd, uint64_t *from)
{
	char *text = text_of(own->trace);
	uint64_t at = *from % own->size, n = own->next - *from, to;
	uint64_t first = n < own->size - at ? n : own->size - at;
	uint64_t fill = at + first == own->size ?
	    tbuf_trace_fill(text + at, first) : 0;
	struct iovec parts[2] = {
		{ text + at, first - fill }, { text, n - first }
	};
	size_t left;
	int error = tbuf_textfile_write(fd, parts, &left);

	to = own->next - left - (left > n - first ? fill : 0);
	while (left != 0 && to > *from && text[(to - 1) % own->size] != '\n')
		to--;
	*from = to;
	return (error);
}

/*
 * A handler that has interrupted its thread while it wrote a line flushes all
 * lines but that one.
 */
int
tbuf_trace_flush(const char *path)
{
	struct tbuf_text_own *own = tbuf_text_own;
	bool locked = lock(LEAVE_WAIT);
	int error = 0, fd;
	uint64_t from;

	if (!locked && tbuf_load(&own->lock) != tbuf_text_tid())
		return (-EBUSY);
	if (own->trace != NULL && *path != '\0' &&
	    (fd = error = tbuf_textfile_open(path)) >= 0) {
		from = own->flushed > own->oldest ? own->flushed : own->oldest;
		error = write_out(own, fd, &from);
		close(fd);
		own->flushed = from;
		own->trace->flushed = from;
	}
	if (locked)
		unlock();
	return (error);
}

/* A flush takes the lock after this; a line of an earlier holder is flushed. */
void
tbuf_trace_close(uint32_t closed)
{
	tbuf_store(&tbuf_text_own->closed, closed);
}

int
tbuf_trace_leave(void)
{
	struct tbuf_text_own *own = tbuf_text_own;
	struct tbuf_trace *trace;
	int dirfd;

	if (!lock(LEAVE_WAIT))
		return (-EBUSY);
	trace = own->trace;
	own->trace = NULL;
	unlock();
	if (trace == NULL)
		return (0);
	munmap(trace, own->size + sizeof(*trace));
	if ((dirfd = tbuf_directory_open_kept(false)) >= 0) {
		unlinkat(dirfd, name, 0);
		close(dirfd);
	}
	return (0);
}
