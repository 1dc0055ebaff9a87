/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The mapping of the control file: mapped once, with its window.  create.c
 * fills a new file, adopt.c takes one that a consumer has made.
 *
 * Proof of life [inv.alive]: the flock belongs to the open file description
 * that `sign' maps.  The window is a mapping of a second description, opened by
 * name, because a forked child inherits the window but not `sign'.
 */
#include "base/optimize_size.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "shared/memory_limit.h"
#include "target/file/file.h"
#include "target/self/self.h"

#define WINDOW_MIN	(UINT64_C(4) << 20)
#define ROOM		(UINT64_C(2) << 30)	/* reach of a jump
						 * instruction */

struct tbuf_file tbuf_file TBUF_FORKED;

/*
 * O_NONBLOCK: another process may hold a lease, which must not block this open.
 */
int
tbuf_file_open(int dirfd, const char *name)
{
	return (openat(dirfd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC));
}

/*
 * Reserves address space away from the kernel's default place, directly below
 * the libraries: stubs of their code must be within reach of a jump.  If there
 * is no room that far below this code, takes any place.
 */
static void *
reserve(uint64_t size)
{
	uintptr_t code = (uintptr_t)reserve & ~(uintptr_t)(TBUF_PAGE - 1);
	uintptr_t hint = code > ROOM + size ? code - ROOM - size : 0;

	return (mmap((void *)hint, size, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

/* Halves the window until the kernel accepts it. */
bool
tbuf_file_reserve(void)
{
	uint64_t size;
	void *p;

	for (size = tbuf_window_size(); size >= WINDOW_MIN;
	    size = size / 2 & ~(uint64_t)(TBUF_PAGE - 1)) {
		p = reserve(size);
		if (p != MAP_FAILED) {
			tbuf_file.base = p;
			tbuf_file.mapped = false;
			tbuf_self.window = size;
			tbuf_tables_make(size, tbuf_self.file_limit,
			    &tbuf_self.tables);
			return (true);
		}
	}
	return (false);
}

/* Maps the words of a file, or zeroes, where stubs read them (words.c). */
static bool
map_words(int fd, int flags)
{
	const struct tbuf_tables *t = &tbuf_self.tables;
	void **at = tbuf_file.words;

	for (; *at != NULL; at++)
		if (mmap(*at, t->probes - t->enable, PROT_READ, MAP_FIXED |
		    flags, fd, fd == -1 ? 0 : t->enable) == MAP_FAILED)
			return (false);
	return (true);
}

bool
tbuf_file_map(int fd)
{
	if (mmap(tbuf_file.base, tbuf_self.window, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0) == MAP_FAILED ||
	    !map_words(fd, MAP_SHARED))
		return (false);
	madvise(tbuf_file.base, tbuf_self.window, MADV_DONTDUMP);
	tbuf_file.dumped = 0;
	tbuf_file.mapped = true;
	return (true);
}

void
tbuf_file_unmap(void)
{
	mmap(tbuf_file.base, tbuf_self.window, PROT_NONE, MAP_PRIVATE |
	    MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	(void)map_words(-1, MAP_PRIVATE | MAP_ANONYMOUS);
	tbuf_file.mapped = false;
}

void
tbuf_file_map_table(int dirfd)
{
	const struct tbuf_tables *t = &tbuf_self.tables;
	size_t size = t->areas - t->probes;
	int fd = openat(dirfd, tbuf_file.name, O_RDONLY | O_NOFOLLOW |
	    O_NONBLOCK | O_CLOEXEC);
	void *old = tbuf_file.table, *p = MAP_FAILED;

	/* In a child it takes the place of the parent's, which is as large. */
	if (fd != -1) {
		p = mmap(old, size, PROT_READ, MAP_SHARED | MAP_NORESERVE |
		    (old != NULL ? MAP_FIXED : 0), fd, t->probes);
		close(fd);
	}
	if (p == MAP_FAILED && old != NULL)
		munmap(old, size);
	tbuf_file.table = p == MAP_FAILED ? NULL : p;
}

bool
tbuf_session_any(const struct tbuf_view *view, uint64_t flags)
{
	const struct tbuf_control *control = tbuf_view_control(view);
	unsigned i;

	for (i = 0; i < TBUF_NSESSIONS; i++)
		if (tbuf_load_acquire(&control->state[i]) == TBUF_ACTIVE &&
		    (flags & ~tbuf_load(&tbuf_view_slot(view,
		    i)->terms.flags)) == 0)
			return (true);
	return (false);
}

static void
dump(uint64_t end)
{
	if (end > tbuf_file.dumped && end <= tbuf_self.window &&
	    madvise(tbuf_file.base, end, MADV_DODUMP) == 0)
		tbuf_file.dumped = end;
}

void
tbuf_file_dump(int fd)
{
	struct tbuf_view view = tbuf_file_view();
	struct stat st;

	if (tbuf_session_any(&view, TBUF_S_KEEP) && fstat(fd, &st) == 0)
		dump((uint64_t)st.st_size);
}

void
tbuf_file_fatal(int number)
{
	struct tbuf_view view = tbuf_target_view();

	if (view.base == NULL)
		return;
	/* A child of vfork(2) ends alone: the parent goes on. */
	if (number != 0 &&
	    tbuf_view_control(&view)->pid == (uint32_t)getpid())
		tbuf_store(&tbuf_view_control(&view)->fatal, (uint32_t)number);
	if (tbuf_session_any(&view, TBUF_S_KEEP))
		dump(tbuf_load(&tbuf_view_control(&view)->end));
}

bool
tbuf_file_sign(int fd)
{
	void *p = mmap(NULL, TBUF_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);

	if (p == MAP_FAILED)
		return (false);
	if (madvise(p, TBUF_PAGE, MADV_DONTFORK) != 0) {
		munmap(p, TBUF_PAGE);
		return (false);
	}
	tbuf_file.sign = p;
	return (true);
}

/*
 * Maps zeroes at these addresses.  A fire that a handler interrupted to fork
 * continues here in the child: it must find memory without a session.
 *
 * The mapping is shared, because RLIMIT_DATA counts private writable ones.  So
 * stores of such a fire are visible in this process's children, too, and in no
 * other process.  That is harmless: while `tbuf_local->base' is 0 no fire
 * begins, one that continues has checked its positions already, and a process
 * that becomes a target maps its own file over all of it.
 *
 * If the kernel refuses so much memory (vm.overcommit_memory 2), the mapping is
 * read-only.
 */
static void
blank(uint64_t end)
{
	const int flags = MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;

	if (mmap(tbuf_file.base, end, PROT_READ | PROT_WRITE,
	    MAP_SHARED | flags, -1, 0) == MAP_FAILED)
		mmap(tbuf_file.base, end, PROT_READ, MAP_PRIVATE | flags, -1,
		    0);
	madvise(tbuf_file.base, end, MADV_DONTDUMP);
}

/*
 * Replaces the parent's file at these addresses: enable words read as zero, so
 * that sites need not be changed.  The parent's probe table remains readable in
 * tbuf_file.table, in case this child becomes a target of its own.  No fire has
 * gone past the end of the parent's file: after it nothing is mapped that
 * mlockall(2) would fill.
 */
bool
tbuf_file_blank(void)
{
	blank(tbuf_file.parent_end);
	(void)map_words(-1, MAP_PRIVATE | MAP_ANONYMOUS);
	return (tbuf_file.table != NULL);
}

/*
 * Returns the bytes of the window from the areas up to its last page, which a
 * child keeps: consumers recognize forked children by it.  A file does not
 * reach so far.
 */
static uint64_t
areas_size(void)
{
	return (tbuf_self.window - tbuf_self.tables.areas - TBUF_PAGE);
}

void
tbuf_file_withhold(void)
{
	madvise(tbuf_file.base + tbuf_self.tables.areas, areas_size(),
	    MADV_DONTFORK);
}

/*
 * Reserves the addresses of the parent's areas.  Returns false if the child has
 * mapped something else there first.
 */
static bool
reserve_areas(bool withheld)
{
	unsigned char *areas = tbuf_file.base + tbuf_self.tables.areas, *p;
	size_t size = areas_size();

	p = mmap(areas, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
	    MAP_NORESERVE | (withheld ? MAP_FIXED_NOREPLACE : MAP_FIXED), -1,
	    0);
	/* Kernels before 4.17 take the address for a hint. */
	if (p != MAP_FAILED && p != areas)
		munmap(p, size);
	return (p == areas);
}

/*
 * In a forked child, which has not inherited the mapping of `sign'.
 * Generations continue from the parent's: one that a fire has read in the
 * parent must not match here.
 */
bool
tbuf_file_forked(bool withheld)
{
	const struct tbuf_control *control = (const void *)tbuf_file.base;
	uint64_t areas = tbuf_self.tables.areas, end =
	    (tbuf_file_end((uintptr_t)tbuf_file.base) + TBUF_PAGE - 1) &
	    ~(uint64_t)(TBUF_PAGE - 1);

	tbuf_file.sign = NULL;
	tbuf_file.mapped = false;
	tbuf_file.generation = tbuf_load(&control->generation);
	tbuf_file.parent_end = end < areas ? areas : end;
	if (reserve_areas(withheld))
		return (true);
	/* The areas are other memory: the child is blanked up to them. */
	tbuf_file.parent_end = areas;
	return (false);
}

void
tbuf_file_unlink(void)
{
	int dirfd = tbuf_directory_open_kept(false);

	if (dirfd < 0)
		return;
	unlinkat(dirfd, tbuf_file.name, 0);
	close(dirfd);
}

int
tbuf_file_open_own(void)
{
	int dirfd = tbuf_directory_open_kept(false), fd;

	if (dirfd < 0)
		return (dirfd);
	fd = tbuf_file_open(dirfd, tbuf_file.name);
	if (fd == -1)
		fd = -errno;
	close(dirfd);
	return (fd);
}

int
tbuf_file_back(uint64_t offset, uint64_t length)
{
	int fd, error;

#ifdef MADV_POPULATE_WRITE
	/* Allocates as a store would, but fails instead of raising SIGBUS. */
	if (madvise(tbuf_file.base + offset, length, MADV_POPULATE_WRITE) == 0)
		return (0);
	if (errno != EINVAL)
		return (-ENOSPC);
#endif
	if ((fd = tbuf_file_open_own()) < 0)
		return (fd);
	error = tbuf_back(fd, offset, length);
	close(fd);
	return (error);
}
