/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The address space that a target takes: less where the host may lock little
 * memory, because mlockall(2) counts all of it, and none where the host is not
 * traced.  A forked child that is not a target is charged nothing for it.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"
#include "lib/interposed_call.h"

#define LOCKED		"GUEST_LOCKED"	/* RLIMIT_MEMLOCK to be shown */
#define LARGE		(UINT64_C(1) << 30)

/*
 * Replaces getrlimit(3): a limit above this process's own cannot be set for the
 * target, so the library is shown one.
 */
INTERPOSED(getrlimit);

int
getrlimit(__rlimit_resource_t what, struct rlimit *limit)
{
	const char *locked = getenv(LOCKED);

	if (what != RLIMIT_MEMLOCK || locked == NULL)
		return (prlimit(0, what, NULL, limit));
	limit->rlim_cur = limit->rlim_max = strtoull(locked, NULL, 0);
	return (0);
}

/*
 * Returns the size of the largest range of mappings with `part` in their lines;
 * without a part, of the largest mapping.
 */
static uint64_t
largest(pid_t pid, const char *part)
{
	uint64_t from, to, begin = 0, end = 0, most = 0;
	char path[64], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	GUEST_EXPECT(f != NULL, "%s", path);
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2 &&
		    strstr(line, part) != NULL) {
			if (from != end || *part == '\0')
				begin = from;
			end = to;
			if (end - begin > most)
				most = end - begin;
		}
	fclose(f);
	return (most);
}

static void
target(struct guest_page *page, const char *argument)
{
	(void)argument;
	guest_next(page);
}

static const char *variable, *value;

static void
prepare(void)
{
	setenv(variable, value, 1);
}

static uint64_t
window(const char *name, const char *setting)
{
	struct guest_page *page;
	uint64_t size, all;
	pid_t pid;

	variable = name;
	value = setting;
	pid = guest_start(&page, prepare, "");
	size = largest(pid, "/tbuf.");
	all = largest(pid, "");
	GUEST_EXPECT(size != 0 || all < LARGE, "%" PRIu64
	    " bytes are taken for nothing", all);
	guest_wait(page, pid);
	return (size);
}

static void
expect(const char *name, const char *setting, uint64_t expected)
{
	uint64_t size = window(name, setting);

	GUEST_EXPECT(size == expected, "%s=%s: a window of %" PRIu64
	    " bytes, not %" PRIu64, name, setting, size, expected);
}

static void
test_window_is_a_quarter_of_what_may_be_locked(void)
{
	expect(LOCKED, "0x4000000", 16 << 20);
	expect(LOCKED, "0x10000000", 64 << 20);
	/*
	 * 8 MiB is the kernel's default, so the process most likely locks no
	 * memory.
	 */
	GUEST_EXPECT(window(LOCKED, "0x800000") >= LARGE, "a small window");
	GUEST_EXPECT(window(LOCKED, "0xffffffffffffffff") >= LARGE,
	    "a small window");
}

static void
test_window_is_what_the_user_says(void)
{
	expect("TBUF_WINDOW", "64m", 64 << 20);
	expect("TBUF_WINDOW", "8192k", 8 << 20);
	expect("TBUF_WINDOW", "5000000", 4997120);
	/* An invalid size is ignored. */
	GUEST_EXPECT(window("TBUF_WINDOW", "8x") >= LARGE, "a small window");
}

/*
 * Memcheck searches all mapped memory for leaks, so the window is small.  The
 * preloaded object does not exist; the dynamic linker warns of it.
 */
static void
test_window_is_small_under_memcheck(void)
{
	expect("LD_PRELOAD", "/nowhere/vgpreload_memcheck-amd64-linux.so",
	    4 << 20);
}

static void
test_no_window_where_there_is_no_tracing(void)
{
	expect("TBUF_DISABLE", "1", 0);
	expect("TBUF_WINDOW", "1m", 0);
	expect("TBUF_DIR", "/proc/self/task", 0);
}

/* Returns the kilobytes that count against RLIMIT_DATA. */
static uint64_t
charged(void)
{
	char line[128];
	uint64_t size = 0;
	FILE *f = fopen("/proc/self/status", "r");

	GUEST_EXPECT(f != NULL, "/proc/self/status");
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "VmData: %" SCNu64, &size) == 1)
			break;
	fclose(f);
	return (size);
}

#define ROOM	(UINT64_C(64) << 20)

static void
child_allocates(uint64_t before)
{
	struct rlimit limit;
	uint64_t now = charged();
	void *p;

	GUEST_EXPECT(now < before + 1024, "%" PRIu64 " kB are charged, %"
	    PRIu64 " to the parent", now, before);
	GUEST_EXPECT(largest(getpid(), " r") < LARGE,
	    "memory that mlockall would fill");
	limit.rlim_cur = limit.rlim_max = before * 1024 + ROOM;
	GUEST_EXPECT(setrlimit(RLIMIT_DATA, &limit) == 0, "setrlimit");
	p = mmap(NULL, ROOM / 2, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	GUEST_EXPECT(p != MAP_FAILED, "mmap: %s", strerror(errno));
	p = malloc(ROOM / 8);
	GUEST_EXPECT(p != NULL, "malloc: %s", strerror(errno));
	memset(p, 1, ROOM / 8);
	guest_fire(&(struct guest_page){ 0 }, 10);
	_exit(0);
}

static void
fork_child_that_allocates(void)
{
	uint64_t before = charged();
	pid_t pid = fork();
	int status;

	if (pid == 0)
		child_allocates(before);
	GUEST_EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid, "%s",
	    strerror(errno));
	GUEST_EXPECT(status == 0, "the child ended with %#x", status);
}

static void
test_child_is_charged_nothing_for_the_window(void)
{
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	struct tbuf_consumer *c;

	fork_child_that_allocates();
	c = guest_begin("switch", "64k");
	fork_child_that_allocates();
	guest_fire(&page, 100);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

static const struct guest_case cases[] = {
	{ "child_is_charged_nothing_for_the_window",
	    test_child_is_charged_nothing_for_the_window, NULL, GUEST_PLAIN },
	{ "window_is_a_quarter_of_what_may_be_locked",
	    test_window_is_a_quarter_of_what_may_be_locked, target,
	    GUEST_PLAIN | GUEST_ONCE },
	{ "window_is_what_the_user_says", test_window_is_what_the_user_says,
	    target, GUEST_PLAIN | GUEST_ONCE },
	{ "window_is_small_under_memcheck",
	    test_window_is_small_under_memcheck, target,
	    GUEST_PLAIN | GUEST_ONCE },
	{ "no_window_where_there_is_no_tracing",
	    test_no_window_where_there_is_no_tracing, target,
	    GUEST_PLAIN | GUEST_ONCE },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
