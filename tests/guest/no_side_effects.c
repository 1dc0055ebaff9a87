/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * inv.guest: the host is delayed and otherwise not affected.  The library
 * starts no thread, installs no signal handler, leaves no descriptor open,
 * takes no memory from the host's heap, prints nothing and does not change
 * errno.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"

#define FDS	1024
#define ODD	4711		/* an errno that no call sets */

/* State of a process that it can observe itself. */
struct snapshot {
	ino_t fds[FDS];
	struct sigaction actions[64];
	sigset_t mask;
	unsigned tasks;
	mode_t umask;
	struct rlimit limits[RLIM_NLIMITS];
	uint64_t allocations;
	char directory[512];
};

/* ------------------------------------------------------------ the heap */

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static uint64_t allocations;	/* calls by any code */
static uint64_t ours;		/* direct calls by the library */
static uintptr_t library_start, library_end;

static void
count(const void *caller)
{
	uintptr_t address = (uintptr_t)caller;

	__atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
	if (address >= library_start && address < library_end)
		__atomic_add_fetch(&ours, 1, __ATOMIC_RELAXED);
}

void *
malloc(size_t size)
{
	count(__builtin_return_address(0));
	return (__libc_malloc(size));
}

void *
calloc(size_t n, size_t size)
{
	count(__builtin_return_address(0));
	return (__libc_calloc(n, size));
}

void *
realloc(void *p, size_t size)
{
	count(__builtin_return_address(0));
	return (__libc_realloc(p, size));
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	count(__builtin_return_address(0));
	return (__libc_memalign(alignment, size));
}

int
posix_memalign(void **p, size_t alignment, size_t size)
{
	count(__builtin_return_address(0));
	*p = __libc_memalign(alignment, size);
	return (*p == NULL ? ENOMEM : 0);
}

void
free(void *p)
{
	if (p != NULL)
		count(__builtin_return_address(0));
	__libc_free(p);
}

static int
find_library(struct dl_phdr_info *info, size_t size, void *cookie)
{
	uintptr_t start, address = (uintptr_t)cookie;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (address < start ||
		    address >= start + info->dlpi_phdr[i].p_memsz)
			continue;
		library_start = start;
		library_end = start + info->dlpi_phdr[i].p_memsz;
		return (1);
	}
	return (0);
}

/* ------------------------------------------------------------ snapshots */

/* Counts the entries without opendir(3), which allocates. */
static unsigned
count_entries(const char *path)
{
	char buffer[4096];
	struct dirent64 *entry;
	ssize_t n, at;
	unsigned found = 0;
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	while ((n = getdents64(fd, buffer, sizeof(buffer))) > 0)
		for (at = 0; at < n; at += entry->d_reclen) {
			entry = (struct dirent64 *)(void *)(buffer + at);
			found += entry->d_name[0] != '.';
		}
	close(fd);
	return (found);
}

static void
take(struct snapshot *s)
{
	struct stat st;
	int i;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < FDS; i++)
		s->fds[i] = fstat(i, &st) == 0 ? st.st_ino : 0;
	for (i = 1; i < 64; i++)
		sigaction(i, NULL, &s->actions[i]);
	sigprocmask(SIG_SETMASK, NULL, &s->mask);
	s->tasks = count_entries("/proc/self/task");
	umask(s->umask = umask(0));
	for (i = 0; i < (int)RLIM_NLIMITS; i++)
		getrlimit((__rlimit_resource_t)i, &s->limits[i]);
	if (getcwd(s->directory, sizeof(s->directory)) == NULL)
		s->directory[0] = '\0';
	s->allocations = allocations;
}

static void
compare(const struct snapshot *old, const struct snapshot *new)
{
	int i;

	for (i = 0; i < FDS; i++)
		GUEST_EXPECT(old->fds[i] == new->fds[i],
		    "descriptor %d has changed", i);
	for (i = 1; i < 64; i++)
		GUEST_EXPECT(old->actions[i].sa_handler ==
		    new->actions[i].sa_handler, "signal %d has a handler", i);
	GUEST_EXPECT(memcmp(&old->mask, &new->mask, 8) == 0, "signal mask");
	GUEST_EXPECT(old->tasks == new->tasks, "%u threads, %u before",
	    new->tasks, old->tasks);
	GUEST_EXPECT(old->umask == new->umask, "umask");
	GUEST_EXPECT(memcmp(old->limits, new->limits,
	    sizeof(old->limits)) == 0, "a limit has changed");
	GUEST_EXPECT(strcmp(old->directory, new->directory) == 0, "directory");
	GUEST_EXPECT(old->allocations == new->allocations,
	    "%" PRIu64 " calls of the heap",
	    new->allocations - old->allocations);
}

/*
 * Snapshots before all constructors, including the libraries', and after the
 * library's.
 */
static struct snapshot first, last;
static int errno_last;

static void
before_constructors(void)
{
	take(&first);
	errno = ODD;
}

__attribute__((section(".preinit_array"), used))
static void (*const preinit)(void) = before_constructors;

/* The program's constructors run after the library's; this is the first. */
__attribute__((constructor(102)))
static void
after_constructors(void)
{
	errno_last = errno;
	take(&last);
}

/* ------------------------------------------------------------ cases */

static void
test_constructor_changes_nothing(void)
{
	GUEST_EXPECT(tbuf_process_register() == 0, "this is no target");
	GUEST_EXPECT(errno_last == ODD, "errno is %d", errno_last);
	GUEST_EXPECT(first.tasks == 1, "%u threads", first.tasks);
	compare(&first, &last);
}

/*
 * Fires with each result: stored, refused, too large, overwriting, truncated.
 */
static void
fire_and_compare(const char *policy, const char *bufsize)
{
	static struct snapshot before, after;
	struct tbuf_consumer *c = guest_begin(policy, bufsize);
	struct guest_tally tally = { 0 };
	static const char large[40000];
	uint64_t number, fired = 0;
	const char *text = "a text";

	take(&before);
	errno = ODD;
	for (number = 0; number < 5000; number++, fired += 4) {
		TBUF_PROBE(guest, numbers, number, fired);
		GUEST_EXPECT(errno == ODD, "a fire set errno to %d", errno);
		TBUF_PROBE(guest, text, text, number);
		TBUF_PROBE(guest, bytes, TBUF_BYTES(large, sizeof(large)),
		    TBUF_BYTES(large, sizeof(large)));
		TBUF_PROBE(guest, none);
		GUEST_EXPECT(errno == ODD, "a fire set errno to %d", errno);
	}
	take(&after);
	compare(&before, &after);
	guest_finish(c, &tally);
	if (strcmp(policy, "fill") != 0)
		guest_account(&tally, fired);
	GUEST_EXPECT(tally.drops > 0 || strcmp(policy, "ring") == 0,
	    "nothing was dropped");
}

static void
test_fire_changes_nothing(void)
{
	fire_and_compare("switch", "1k");
	fire_and_compare("switch", "16");
	fire_and_compare("fill", "1k");
	fire_and_compare("ring", "1k");
	fire_and_compare("ring", "64");
}

static void
test_registration_changes_nothing(void)
{
	static const enum tbuf_type types[] = { TBUF_UINT64, TBUF_STRING };
	static struct tbuf_site sites[64];
	static struct snapshot before, after;
	char name[] = "run-00";
	unsigned i;

	take(&before);
	errno = ODD;
	for (i = 0; i < 64; i++) {
		name[4] = (char)('0' + i / 10);
		name[5] = (char)('0' + i % 10);
		GUEST_EXPECT(tbuf_probe_register(&sites[i], "guest", "m", "f",
		    name, 2, types, NULL) == 0, "not registered");
	}
	for (i = 0; i < 64; i++)
		tbuf_probe_unregister(&sites[i]);
	GUEST_EXPECT(errno == ODD, "errno is %d", errno);
	take(&after);
	compare(&before, &after);
}

static void
test_dlopen_and_dlclose_change_nothing(void)
{
	const char *path = guest_build_path(".libs/module.so");
	static struct snapshot before, after;
	void (*fire)(uint64_t), *object;
	struct guest_tally tally = { 0 };
	struct tbuf_consumer *c;
	unsigned i;

	dl_iterate_phdr(find_library,
	    (void *)(uintptr_t)dlsym(RTLD_DEFAULT, "tbuf_sites_register"));
	GUEST_EXPECT(library_end != 0, "the library is not to be found");
	c = guest_begin("switch", "64k");
	ours = 0;
	take(&before);
	for (i = 0; i < 20; i++) {
		object = dlopen(path, RTLD_NOW);
		GUEST_EXPECT(object != NULL, "%s", dlerror());
		fire = (void (*)(uint64_t))dlsym(object, "module_fire");
		errno = ODD;
		fire(10);
		GUEST_EXPECT(errno == ODD, "errno is %d", errno);
		GUEST_EXPECT(dlclose(object) == 0, "%s", dlerror());
	}
	GUEST_EXPECT(ours == 0, "%" PRIu64 " calls of the heap", ours);
	take(&after);
	/* The loader's own calls do not count. */
	after.allocations = before.allocations;
	compare(&before, &after);
	guest_finish(c, &tally);
	guest_account(&tally, 200);
}

/* Forks a child and compares its state with that of its parent. */
static void
fork_and_compare(void)
{
	static struct snapshot before, after;
	int status;
	pid_t pid;

	take(&before);
	errno = ODD;
	pid = fork();
	if (pid == 0) {
		GUEST_EXPECT(errno == ODD, "errno is %d", errno);
		take(&after);
		compare(&before, &after);
		errno = ODD;
		guest_fire(&(struct guest_page){ 0 }, 100);
		tbuf_process_register();
		guest_fire(&(struct guest_page){ 0 }, 100);
		GUEST_EXPECT(errno == ODD, "errno is %d", errno);
		take(&after);
		compare(&before, &after);
		_exit(0);
	}
	GUEST_EXPECT(errno == ODD, "errno is %d", errno);
	take(&after);
	compare(&before, &after);
	GUEST_EXPECT(waitpid(pid, &status, 0) == pid && status == 0,
	    "the child ended with %#x", status);
}

static void
test_fork_changes_nothing(void)
{
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	struct tbuf_consumer *c;

	fork_and_compare();
	c = guest_begin("switch", "64k");
	fork_and_compare();
	guest_fire(&page, 100);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

/*
 * Children of a traced target with -x follow make a control file as they begin.
 */
static void
test_traced_children_change_nothing(void)
{
	struct tbuf_consumer *c = guest_consumer("switch", "64k");
	struct guest_tally tally = { 0 };

	GUEST_EXPECT(tbuf_consumer_set(c, "follow", NULL) == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	fork_and_compare();
	guest_finish(c, &tally);
}

static const struct guest_case cases[] = {
	{ "constructor_changes_nothing", test_constructor_changes_nothing,
	    NULL, GUEST_PLAIN },
	{ "fire_changes_nothing", test_fire_changes_nothing, NULL,
	    GUEST_PLAIN },
	{ "registration_changes_nothing", test_registration_changes_nothing,
	    NULL, GUEST_PLAIN },
	{ "dlopen_and_dlclose_change_nothing",
	    test_dlopen_and_dlclose_change_nothing, NULL, GUEST_PLAIN },
	{ "fork_changes_nothing", test_fork_changes_nothing, NULL,
	    GUEST_PLAIN },
	{ "traced_children_change_nothing",
	    test_traced_children_change_nothing, NULL, GUEST_PLAIN },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
