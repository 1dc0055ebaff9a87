/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A file in memory for the stubs of one patching.  Its pages are mapped where
 * the stubs are to be, and written through the file, so that no page becomes a
 * private copy.  fork(2) then duplicates only a mapping: no page tables and no
 * pages for stubs that are far from each other.
 *
 * Without such a file, stubs are written as text is.
 */
#include "patch.h"

#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "arch/syscall.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL	8u
#endif

#define SIZE		(16u << 20)
#define PARTS_MAX	1024u

static struct {
	int number;		/* -1: there is none */
	bool tried;		/* to make it */
	size_t used;
	unsigned nparts;
	struct {
		uintptr_t at;
		size_t size, offset;
	} parts[PARTS_MAX];
} file = { .number = -1, .tried = true };

/* Returns false if a limit or a filter of system calls might kill for it. */
static bool
may_open(void)
{
	struct rlimit limit;

	return (getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	    limit.rlim_cur >= SIZE && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0);
}

/* Programs may count on low numbers being theirs. */
int
patch_number(int number)
{
	int other = fcntl(number, F_DUPFD_CLOEXEC, 100);

	if (other == -1)
		return (number);
	close(number);
	return (other);
}

void
patch_file_begin(void)
{
	file.used = file.nparts = 0;
	file.tried = false;
}

/* Makes the file at its first use: most programs have no stubs far away. */
static void
make(void)
{
	int number;

	file.tried = true;
	if (!may_open())
		return;
	/* It is mapped, not executed: kernels with the flag ask for it. */
	number = memfd_create("tbuf-stubs", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
	if (number == -1)
		number = memfd_create("tbuf-stubs", MFD_CLOEXEC |
		    MFD_ALLOW_SEALING);
	if (number == -1)
		return;
	file.number = patch_number(number);
	if (ftruncate(file.number, SIZE) != 0)
		patch_file_end();
}

/* Seals the file, so that it cannot be written from now on, and closes it. */
void
patch_file_end(void)
{
	file.tried = true;
	if (file.number == -1)
		return;
	(void)raw_call(SYS_fcntl, file.number, F_ADD_SEALS, F_SEAL_SEAL |
	    F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE, 0, 0);
	(void)raw_call(SYS_close, file.number, 0, 0, 0, 0);
	file.number = -1;
	file.nparts = 0;
}

void *
patch_file_map(uintptr_t at, size_t size)
{
	void *p;

	if (!file.tried)
		make();
	if (file.number == -1 || file.nparts == PARTS_MAX ||
	    SIZE - file.used < size) {
		errno = EBADF;
		return (MAP_FAILED);
	}
	p = mmap((void *)at, size, PROT_READ | PROT_EXEC, MAP_PRIVATE |
	    MAP_FIXED_NOREPLACE, file.number, (off_t)file.used);
	if ((uintptr_t)p != at)
		return (p);
	file.parts[file.nparts].at = at;
	file.parts[file.nparts].size = size;
	file.parts[file.nparts++].offset = file.used;
	file.used += size;
	return (p);
}

int
patch_file_find(uintptr_t at, uintptr_t *offset)
{
	unsigned i;

	for (i = 0; i < file.nparts; i++)
		if (at - file.parts[i].at < file.parts[i].size) {
			*offset = file.parts[i].offset + at -
			    file.parts[i].at;
			return (file.number);
		}
	return (-1);
}
