/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Beginning and ending a session, and writing code.
 *
 * The system calls that are made while code changes, and after, are
 * instructions of this object: those of the C library may just be replaced, and
 * would fire as the program's.
 */
#include "probe.h"

#include <sys/stat.h>
#include <sys/syscall.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "arch/syscall.h"

/* Returns true if there are other threads, or if that cannot be found out. */
static bool
has_threads(void)
{
	struct dirent *entry;
	DIR *directory;
	struct stat st;
	unsigned n = 0;

	/* The kernel counts a link for each thread, beside `.' and `..'. */
	if (stat("/proc/self/task", &st) == 0 && st.st_nlink == 3)
		return (false);
	if ((directory = opendir("/proc/self/task")) == NULL)
		return (true);
	while ((entry = readdir(directory)) != NULL)
		n += entry->d_name[0] != '.';
	closedir(directory);
	return (n != 1);
}

/*
 * SIGSYS stays unblocked: a handler that dispatches system calls by it would
 * miss them otherwise.
 */
void
patch_block(sigset_t *old)
{
	sigset_t most;

	sigfillset(&most);
	sigdelset(&most, SIGSYS);
	(void)raw_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&most, (long)old,
	    _NSIG / 8, 0);
}

void
patch_unblock(const sigset_t *old)
{
	(void)raw_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)old, 0,
	    _NSIG / 8, 0);
}

const char *
patch_begin_loading(struct patch *p)
{
	p->memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (p->memory == -1)
		return ("/proc/self/mem cannot be written");
	p->memory = patch_number(p->memory);
	patch_file_begin();
	patch_block(&p->mask);
	return (NULL);
}

const char *
patch_begin(struct patch *p)
{
	const char *problem = patch_begin_loading(p);

	if (problem != NULL || !has_threads())
		return (problem);
	patch_end(p);
	return ("threads are running already");
}

void
patch_end(struct patch *p)
{
	patch_file_end();
	(void)raw_call(SYS_close, p->memory, 0, 0, 0, 0);
	patch_unblock(&p->mask);
}

/*
 * Writes a part of the bytes: a stub's page through the file that it is mapped
 * from, one page at a time; text as a whole, so that no jump is ever half
 * written.  Returns the number of bytes written, or a negative errno.
 */
static long
write_some(const struct patch *p, uintptr_t to, const uint8_t *bytes,
    size_t size)
{
	uintptr_t at = to;
	size_t page = PATCH_PAGE - to % PATCH_PAGE;
	int file = patch_file_find(to, &at);

	if (file == -1)
		file = p->memory;
	else if (size > page)
		size = page;
	return (raw_call(SYS_pwrite64, file, (long)bytes, (long)size, (long)at,
	    0));
}

int
patch_write(const struct patch *p, uintptr_t to, const void *bytes,
    size_t size)
{
	const uint8_t *from = bytes;
	char *start = (char *)to;
	long n;

	for (; size > 0; size -= (size_t)n, from += n, to += (size_t)n) {
		n = write_some(p, to, from, size);
		if (n <= 0)
			return (n < 0 ? (int)n : -EIO);
	}
	/*
	 * The kernel flushes instruction caches where text is written, but not
	 * where a mapped file is.  On x86-64 this is no code.
	 */
	__builtin___clear_cache(start, (char *)to);
	return (0);
}

const char *
patch_redirect(const struct patch *p, uintptr_t at, const void *stub,
    size_t size, uintptr_t place, size_t taken)
{
	uint8_t jump[PATCH_JUMP];

	if (!patch_jump(jump, place, at))
		return ("its stub is out of reach");
	if (patch_write(p, at, stub, size) != 0 ||
	    patch_write(p, place, jump, taken) != 0)
		return ("the kernel does not permit writing to text");
	return (NULL);
}

const char *
patch_replace(const struct patch *p, const struct patch_text *text,
    uintptr_t function, void (*other)(void))
{
	uintptr_t place = patch_replaceable(text, function), at;
	uint8_t stub[PATCH_FAR];

	if (place == 0)
		return ("the function is not known");
	if ((at = patch_map_near(text, sizeof(stub))) == 0)
		return ("there is no room for a stub within reach");
	patch_far_encode(stub, (uintptr_t)other);
	return (patch_redirect(p, at, stub, sizeof(stub), place, PATCH_JUMP));
}
