/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tasks that the C library's threads and fork(3) do not know: a clone that
 * shares memory and thread area, a child of a raw system call, and a child that
 * lives for a moment.
 */
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/syscall.h"
#include "guest/support/guest.h"

#define FIRES	20000

static uint32_t begun;		/* set when the clone fires, too */

static void *
stack_new(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	GUEST_EXPECT(p != MAP_FAILED, "no stack");
	return ((char *)p + size);
}

static int
clone_main(void *page)
{
	__atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
	guest_fire(page, FIRES);
	/* Such a task must not use the C library's exit. */
	syscall(SYS_exit, 0);
	return (0);
}

static void
child_wait(pid_t pid)
{
	int status;

	GUEST_EXPECT(waitpid(pid, &status, __WALL) == pid, "waitpid: %s",
	    strerror(errno));
	GUEST_EXPECT(status == 0, "the child ended with %#x", status);
}

static void
run_clone(const char *policy, const char *bufsize, int flags)
{
	struct guest_page parent = { 0 }, child = { 0 };
	struct tbuf_consumer *c = guest_begin(policy, bufsize);
	struct guest_tally tally = { 0 };
	pid_t pid;

	guest_fire(&parent, 10);
	begun = 0;
	pid = clone(clone_main, stack_new(256 << 10), flags, &child);
	GUEST_EXPECT(pid > 0, "clone: %s", strerror(errno));
	while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) == 0)
		sched_yield();
	guest_fire(&parent, FIRES);
	child_wait(pid);
	guest_fire(&parent, 10);
	guest_finish(c, &tally);
	GUEST_EXPECT(child.after == FIRES, "%" PRIu64 " fires of the child",
	    child.after);
	guest_account(&tally, parent.after + child.after);
}

static void
test_clone_that_shares_memory_is_accounted_for(void)
{
	run_clone("switch", "64k", CLONE_VM | SIGCHLD);
	run_clone("ring", "1k", CLONE_VM | SIGCHLD);
	run_clone("switch", "64k", CLONE_VM | CLONE_VFORK | SIGCHLD);
	run_clone("switch", "64k", CLONE_VM | CLONE_FS | CLONE_FILES |
	    SIGCHLD);
}

static void
test_clone_that_shares_nothing_is_another_process(void)
{
	struct guest_page parent = { 0 };
	struct tbuf_consumer *c = guest_begin("switch", "64k");
	struct guest_tally tally = { 0 };
	struct guest_page child = { 0 };
	pid_t pid;

	guest_fire(&parent, 10);
	pid = clone(clone_main, stack_new(256 << 10), SIGCHLD, &child);
	GUEST_EXPECT(pid > 0, "clone: %s", strerror(errno));
	guest_fire(&parent, FIRES);
	child_wait(pid);
	guest_finish(c, &tally);
	guest_account(&tally, parent.after);
}

/*
 * A thread area filled with zeros, such as a sandbox passes to a child that
 * does one thing and exits.  In the second round the memory around it is a copy
 * of this thread's.
 */
#define AREA_AROUND	2048
#define AREA_HEAD	64

static unsigned char area[2 * AREA_AROUND] __attribute__((aligned(64)));
static unsigned char area_before[sizeof(area)];

static void *
area_run(void *c)
{
	static struct guest_page child;
	const unsigned char *mine = __builtin_thread_pointer();
	struct guest_page parent = { 0 };
	struct guest_tally tally = { 0 };
	unsigned i;
	pid_t pid;

	guest_fire(&parent, 10);
	for (i = 0; i < 2; i++) {
		if (i == 1)
			memcpy(area, mine - AREA_AROUND, sizeof(area));
		memset(area + AREA_AROUND, 0, AREA_HEAD);
		memcpy(area_before, area, sizeof(area));
		child = (struct guest_page){ 0 };
		pid = clone(clone_main, stack_new(256 << 10), CLONE_VM |
		    CLONE_VFORK | CLONE_SETTLS | SIGCHLD, &child, NULL,
		    area + AREA_AROUND, NULL);
		GUEST_EXPECT(pid > 0, "clone: %s", strerror(errno));
		child_wait(pid);
		GUEST_EXPECT(child.after == FIRES, "%" PRIu64 " fires",
		    child.after);
		GUEST_EXPECT(memcmp(area, area_before, sizeof(area)) == 0,
		    "something was stored in area %u", i);
		guest_fire(&parent, 10);
	}
	guest_finish(c, &tally);
	GUEST_EXPECT(tally.records == 30 && tally.drops == 0, "%" PRIu64
	    " records, %" PRIu64 " drops", tally.records, tally.drops);
	return (NULL);
}

/* The test runs in a thread: its area has memory on both sides. */
static void
test_child_without_a_thread_area_is_not_recorded(void)
{
	pthread_t thread;

	GUEST_EXPECT(pthread_create(&thread, NULL, area_run,
	    guest_begin("switch", "64k")) == 0, "no thread");
	pthread_join(thread, NULL);
}

/*
 * A child of a raw fork has run no fork handler; the kernel has wiped the words
 * that say where it may write (MADV_WIPEONFORK).
 */
static void
test_child_of_a_raw_fork_does_not_touch_its_parents_lanes(void)
{
	struct guest_page parent = { 0 }, child = { 0 };
	struct tbuf_consumer *c = guest_begin("switch", "64k");
	struct guest_tally tally = { 0 };
	unsigned i;
	pid_t pid;

	for (i = 0; i < 20; i++) {
		guest_fire(&parent, 10);
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (pid == 0) {
			guest_fire(&child, FIRES / 20);
			_exit(child.after == FIRES / 20 ? 0 : 1);
		}
		GUEST_EXPECT(pid > 0, "clone: %s", strerror(errno));
		guest_fire(&parent, FIRES / 20);
		child_wait(pid);
	}
	guest_finish(c, &tally);
	guest_account(&tally, parent.after);
}

/*
 * Counts the bytes of the control file that are mapped, and that a store would
 * reach once mprotect(2) has been called.
 */
static uint64_t
mapped_bytes(void)
{
	uint64_t from, to, offset, bytes = 0;
	char line[512], *path;
	struct stat st;
	FILE *f = fopen("/proc/self/maps", "r");

	if (f == NULL)
		_exit(2);
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (path == NULL || strncmp(basename(path), "tbuf.", 5) != 0 ||
		    sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64,
		    &from, &to, &offset) != 3 || stat(path, &st) != 0)
			continue;
		if (offset < (uint64_t)st.st_size &&
		    mprotect((void *)(uintptr_t)from, to - from,
		    PROT_READ | PROT_WRITE) == 0)
			bytes += MIN(to - from, (uint64_t)st.st_size - offset);
	}
	fclose(f);
	return (bytes);
}

/* Calls no function of the C library, so that no fork handler runs. */
static pid_t
raw_fork(void)
{
	return ((pid_t)raw_call(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

#define AREA	(UINT64_C(4) << 20)	/* least bytes of a session's area */

/*
 * A child that gives up its privileges must keep no way to its parent.  One
 * without a fork handler has the tables; it has no lanes and no programs.
 */
static void
target_children(struct guest_page *page, const char *argument)
{
	bool raw = strcmp(argument, "raw") == 0;
	struct guest_page child = { 0 };
	uint64_t most;
	pid_t pid;

	guest_fire(page, 10);
	most = mapped_bytes();
	GUEST_EXPECT(most > AREA, "the file is not mapped");
	most = raw ? most - AREA : 0;
	if ((pid = raw ? raw_fork() : fork()) == 0) {
		guest_fire(&child, 10);
		_exit(mapped_bytes() <= most ? 0 : 1);
	}
	child_wait(pid);
	guest_fire(page, 10);
}

static void
child_keeps_little(const char *argument)
{
	struct guest_tally tally = { 0 };
	struct guest_page *page = guest_command("switch", "4m", argument,
	    &tally);

	GUEST_EXPECT(tally.exited && tally.status == 0,
	    "the target exited with %d", tally.status);
	guest_account(&tally, page->after);
}

static void
test_child_keeps_nothing_of_its_parents_file(void)
{
	child_keeps_little("fork");
}

static void
test_child_of_a_raw_fork_has_no_areas(void)
{
	child_keeps_little("raw");
}

/* Returns the end of the control file's mapping that a raw child keeps. */
static void *
areas_of_parent(void)
{
	uint64_t from, to, offset = 1;
	char line[512], *path;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		path = strchr(line, '/');
		if (path != NULL && strncmp(basename(path), "tbuf.", 5) == 0 &&
		    sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &from,
		    &to, &offset) == 3 && offset == 0 && to - from > 4096)
			break;
	}
	if (f != NULL)
		fclose(f);
	return (offset == 0 ? (void *)(uintptr_t)to : NULL);
}

/* Children of a raw fork get addresses of the areas from mmap(2), too. */
static void
map_areas_first(void)
{
	struct guest_page page = { 0 };
	char *areas = areas_of_parent();

	if (areas == NULL || mmap(areas, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != areas)
		_exit(2);
	*areas = 7;
	if (tbuf_process_register() != -ECANCELED)
		_exit(3);
	guest_fire(&page, 10);
	_exit(*areas == 7 ? 0 : 4);
}

/* A limit on address space leaves none for the areas of a child's own. */
static void
limit_space_first(void)
{
	struct guest_page page = { 0 };
	FILE *f = fopen("/proc/self/statm", "r");
	struct rlimit limit;
	uint64_t pages;

	if (f == NULL || fscanf(f, "%" SCNu64, &pages) != 1)
		_exit(2);
	fclose(f);
	limit.rlim_cur = limit.rlim_max = pages *
	    (uint64_t)sysconf(_SC_PAGESIZE) + (64 << 20);
	if (setrlimit(RLIMIT_AS, &limit) != 0)
		_exit(2);
	if (tbuf_process_register() != -ECANCELED)
		_exit(3);
	guest_fire(&page, 10);
	_exit(0);
}

static void
child_without_areas(void (*child)(void), const char *reason)
{
	struct tbuf_consumer *c = guest_consumer("switch", "64k");
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	const char *why;
	uint64_t count = 0;
	pid_t pid;

	GUEST_EXPECT(tbuf_consumer_set(c, "follow", NULL) == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	guest_fire(&page, 10);
	if ((pid = raw_fork()) == 0)
		child();
	child_wait(pid);
	guest_take(c, &tally);
	why = tbuf_consumer_missed(c, &count);
	GUEST_EXPECT(why != NULL && count == 1 && strcmp(why, reason) == 0,
	    "%" PRIu64 ": %s", count, why == NULL ? "none" : why);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

static void
test_child_that_has_mapped_its_parents_addresses_is_reported(void)
{
	child_without_areas(map_areas_first,
	    "its parent's addresses are in use");
}

static void
test_child_without_address_space_is_reported(void)
{
	child_without_areas(limit_space_first, "no memory");
}

/* fires of fork_in_handler(), which calls fork(3) while it interrupts fires */
static struct guest_page handled;

static void
fork_in_handler(int number)
{
	struct guest_page child = { 0 };
	pid_t pid = fork();

	(void)number;
	if (pid == 0) {
		guest_fire(&child, 100);
		_exit(0);
	}
	guest_fire(&handled, 10);
}

static void
test_fork_out_of_a_handler_that_fires(void)
{
	struct guest_page parent = { 0 };
	struct tbuf_consumer *c = guest_begin("switch", "64k");
	struct sigaction action = { .sa_handler = fork_in_handler };
	struct guest_tally tally = { 0 };
	unsigned i;

	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < 50; i++) {
		guest_fire(&parent, 100);
		raise(SIGUSR1);
	}
	while (wait(NULL) > 0)
		continue;
	guest_finish(c, &tally);
	guest_account(&tally, parent.after + handled.after);
}

/* The child ends before its consumer has seen its control file. */
static void
test_short_life_of_a_followed_child_is_recorded(void)
{
	struct tbuf_consumer *c = guest_consumer("switch", "64k");
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	pid_t pid;

	GUEST_EXPECT(tbuf_consumer_set(c, "follow", NULL) == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	if ((pid = fork()) == 0) {
		guest_fire(&page, 100);
		_exit(0);
	}
	child_wait(pid);
	guest_fire(&page, 100);
	guest_finish(c, &tally);
	guest_account(&tally, 200);
}

/*
 * is_child is set in a child, which continues the fire that its parent's
 * handler interrupted.
 */
static volatile sig_atomic_t is_child, forked;

static void
fork_and_return(int number)
{
	int status, saved = errno;
	pid_t pid = fork();

	(void)number;
	if (pid == 0)
		is_child = 1;
	else if (pid > 0) {
		while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
			continue;
		if (status != 0)
			_exit(2);
		forked++;
	}
	errno = saved;
}

static void
test_child_goes_on_in_an_interrupted_fire(void)
{
	const struct itimerval once = { { 0, 0 }, { 0, 50 } };
	struct sigaction action = { .sa_handler = fork_and_return };
	struct tbuf_consumer *c = guest_begin("switch", "64");
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	int seen;

	sigaction(SIGALRM, &action, NULL);
	/* The lane is full, so each fire takes the slow path. */
	while ((seen = forked) < 300) {
		setitimer(ITIMER_REAL, &once, NULL);
		while (forked == seen) {
			guest_fire(&page, 1);
			if (is_child)
				_exit(0);
		}
	}
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

/*
 * A fork checks the limits again: writing a file beyond RLIMIT_FSIZE would
 * raise SIGXFSZ.
 */
static void
test_file_limit_that_was_lowered_does_not_kill_a_child(void)
{
	const struct rlimit none = { 0, 0 };
	struct guest_page page = { 0 };
	pid_t pid;

	guest_fire(&page, 1);
	if ((pid = fork()) == 0) {
		if (setrlimit(RLIMIT_FSIZE, &none) != 0 || setsid() == -1)
			_exit(1);
		guest_fire(&page, 1);
		_exit(0);
	}
	child_wait(pid);
}

/* A setsid() in a vfork child must not make its parent a target. */
static void
worker(void)
{
	struct tbuf_consumer *c;
	pid_t pid = vfork();

	if (pid == 0)
		_exit(setsid() == -1);
	child_wait(pid);
	c = tbuf_consumer_new();
	GUEST_EXPECT(c != NULL && tbuf_consumer_grab(c, getpid()) < 0,
	    "setsid under vfork made a target of the parent");
	GUEST_EXPECT(tbuf_process_register() == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	tbuf_consumer_close(c);
	_exit(0);
}

static void
test_setsid_under_vfork_leaves_the_parent_alone(void)
{
	struct guest_page page = { 0 };
	pid_t pid;

	guest_fire(&page, 1);
	if ((pid = fork()) == 0)
		worker();
	child_wait(pid);
}

/*
 * Children of vfork, one after the other, as a shell runs its commands.  They
 * fire under rseq like their parent, so that they use all of its lanes.
 */
#define VFORKS		1500
#define FIRES_EACH	7

static void
vfork_and_fire(struct guest_page *page)
{
	pid_t pid = vfork();

	if (pid == 0) {
		guest_fire(page, FIRES_EACH);
		_exit(0);
	}
	child_wait(pid);
}

/*
 * Returns 1 if the thread has an rseq registration, -1 if it has none, 0 if
 * that is unknown.  A second registration of the area fails with EBUSY.
 */
static int
registered(void)
{
#if defined(__x86_64__)
	unsigned signature = 0x53053053;
#else
	unsigned signature = 0xd428bc00;
#endif
	const ptrdiff_t *offset = dlsym(RTLD_DEFAULT, "__rseq_offset");
	unsigned char *area;

	if (offset == NULL)
		return (0);
	area = (unsigned char *)__builtin_thread_pointer() + *offset;
	if (syscall(SYS_rseq, area, 32, 0, signature) == 0) {
		syscall(SYS_rseq, area, 32, 1, signature);
		return (-1);
	}
	return (errno == EBUSY ? 1 : 0);
}

static void
many_vforks(const char *policy)
{
	struct tbuf_consumer *c = guest_begin(policy, "4m");
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	int before = registered();
	unsigned i;

	for (i = 0; i < VFORKS; i++) {
		vfork_and_fire(&page);
		GUEST_EXPECT(registered() == before, "vfork %u: registered "
		    "for rseq: %d, before %d", i, registered(), before);
	}
	guest_finish(c, &tally);
	GUEST_EXPECT(tally.records == VFORKS * FIRES_EACH,
	    "%" PRIu64 " records of %d", tally.records, VFORKS * FIRES_EACH);
}

static void
test_children_of_vfork_have_the_whole_buffer(void)
{
	if (guest_filtered())
		guest_skip("under a filter they register no rseq area");
	many_vforks("switch");
	many_vforks("fill");
}

/* Moves the child to the n-th CPU, and its parent with it. */
static void
move(unsigned n)
{
	cpu_set_t all, one;
	unsigned cpu;

	if (sched_getaffinity(getpid(), sizeof(all), &all) != 0)
		return;
	for (n %= (unsigned)CPU_COUNT(&all), cpu = 0;
	    !CPU_ISSET(cpu, &all) || n-- > 0; cpu++)
		continue;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void
vfork_and_move(struct guest_page *page, unsigned n)
{
	pid_t pid = vfork();

	if (pid == 0) {
		move(n);
		guest_fire(page, 100);
		_exit(0);
	}
	guest_fire(page, 100);
	child_wait(pid);
}

static void
test_child_of_vfork_that_moves_is_accounted_for(void)
{
	struct tbuf_consumer *c = guest_begin("ring", "4k");
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	unsigned i;

	for (i = 0; i < 400; i++)
		vfork_and_move(&page, i);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

/* The child is killed after a fire; its parent must go on firing. */
static void
vfork_and_kill(struct guest_page *page)
{
	int status;
	pid_t pid;

	if ((pid = vfork()) == 0) {
		guest_fire(page, 1);
		kill(getpid(), SIGKILL);
	}
	GUEST_EXPECT(waitpid(pid, &status, 0) == pid &&
	    WIFSIGNALED(status), "the child ended with %#x", status);
	guest_fire(page, 1);
}

/* The child calls vfork, too, which POSIX does not allow. */
static void
vfork_twice(struct guest_page *page)
{
	int status;
	pid_t pid;

	if ((pid = vfork()) == 0) {
		guest_fire(page, 1);
		if ((pid = vfork()) == 0) {
			guest_fire(page, 1);
			_exit(0);
		}
		guest_fire(page, 1);
		_exit(waitpid(pid, &status, 0) != pid || status != 0);
	}
	child_wait(pid);
	guest_fire(page, 1);
}

static void
test_vfork_in_vfork_and_killed_children(void)
{
	struct tbuf_consumer *c = guest_begin("switch", "4m");
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	int before = registered();
	unsigned i;

	for (i = 0; i < 100; i++) {
		vfork_and_kill(&page);
		vfork_twice(&page);
	}
	GUEST_EXPECT(registered() == before, "registered for rseq: %d",
	    registered());
	GUEST_EXPECT(tbuf_process_register() == 0, "a mark has stayed");
	guest_finish(c, &tally);
	GUEST_EXPECT(page.after == 600, "%" PRIu64 " fires", page.after);
	GUEST_EXPECT(tally.records == page.after, "%" PRIu64
	    " records of %" PRIu64, tally.records, page.after);
}

/*
 * Kills the process if it unregisters its rseq area.  The library must not try
 * it in a process that began under a filter, nor while it is not traced.
 */
static void
filter_unregister(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rseq, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, args[2])),
		/* The C library's own registrations (flags 0) are allowed. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		_exit(3);
}

static void
filtered_target(struct guest_page *page, const char *argument)
{
	unsigned i;

	if (strcmp(argument, "late") == 0)
		filter_unregister();
	for (i = 0; i < 20; i++)
		vfork_and_fire(page);
	guest_next(page);
	if (strcmp(argument, "late") == 0)
		return;
	for (i = 0; i < 20; i++)
		vfork_and_fire(page);
	guest_next(page);
}

static void
test_vfork_under_a_filter(void)
{
	struct guest_tally tally = { 0 };
	struct guest_page *page;
	struct tbuf_consumer *c;
	uint64_t before;
	pid_t pid;

	pid = guest_start(&page, NULL, "late");
	guest_wait(page, pid);
	pid = guest_start(&page, filter_unregister, "early");
	c = guest_consumer("switch", "64k");
	GUEST_EXPECT(tbuf_consumer_grab(c, pid) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	before = page->after;
	guest_step(page, pid);
	guest_finish(c, &tally);
	guest_account(&tally, page->after - before);
	guest_wait(page, pid);
}

/* a probe that a child registers, by which it becomes a target */
static struct tbuf_site late;

static void
register_late(void)
{
	static const enum tbuf_type types[] = { TBUF_UINT64 };

	GUEST_EXPECT(tbuf_probe_register(&late, "guest", "m", "f", "late", 1,
	    types, NULL) == 0, "not registered");
}

static void
trace_child(void (*function)(uint64_t))
{
	struct tbuf_consumer *c = guest_begin("switch", "64k");
	struct guest_tally tally = { 0 };
	struct guest_page page = { 0 };
	uint64_t n;

	function(50);
	guest_fire(&page, 100);
	for (n = 0; n < 50; n++)
		tbuf_probe_fire(&late, &n);
	guest_finish(c, &tally);
	guest_account(&tally, 200);
	GUEST_EXPECT(tally.by_tid[0] == 200, "%" PRIu64
	    " records of this thread", tally.by_tid[0]);
	_exit(0);
}

static void
register_in_child(pid_t (*create)(void))
{
	const char *path = guest_build_path(".libs/module.so");
	struct guest_page page = { 0 };
	struct tbuf_consumer *c = guest_begin("switch", "64k");
	struct guest_tally tally = { 0 };
	void *object;
	pid_t pid;

	guest_fire(&page, 100);
	if ((pid = create()) == 0) {
		register_late();
		object = dlopen(path, RTLD_NOW);
		GUEST_EXPECT(object != NULL, "%s", dlerror());
		trace_child((void (*)(uint64_t))dlsym(object, "module_fire"));
	}
	GUEST_EXPECT(pid > 0, "fork: %s", strerror(errno));
	child_wait(pid);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

static void
test_child_that_registers_a_probe_is_a_target(void)
{
	register_in_child(fork);
	register_in_child(_Fork);
	register_in_child(raw_fork);
}

/*
 * Returns 0 if the vfork mark is set.  It tests that the library's functions
 * are called by objects that were not linked with it, too.
 */
static int
marked(void *cookie)
{
	(void)cookie;
	return (tbuf_process_register() == -ECANCELED ? 0 : 1);
}

static void
session_leader(pid_t (*function)(void))
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	pid_t pid = getpid();

	GUEST_EXPECT(tbuf_consumer_grab(c, pid) != 0, "a target before");
	tbuf_consumer_close(c);
	GUEST_EXPECT(function() == pid, "setsid: %s", strerror(errno));
	c = tbuf_consumer_new();
	GUEST_EXPECT(tbuf_consumer_grab(c, pid) == 0, "%s",
	    tbuf_consumer_error(c));
	tbuf_consumer_close(c);
	_exit(0);
}

static void
test_objects_linked_without_the_library_meet_it(void)
{
	void *object = dlopen(guest_build_path(".libs/stranger.so"),
	    RTLD_NOW);
	pid_t (*by_vfork)(int (*)(void *));
	pid_t (*by_clone)(int (*)(void *), void *);
	pid_t (*by_setsid)(void);
	pid_t pid;

	GUEST_EXPECT(object != NULL, "%s", dlerror());
	by_vfork = (pid_t (*)(int (*)(void *)))dlsym(object,
	    "stranger_vfork");
	by_clone = (pid_t (*)(int (*)(void *), void *))dlsym(object,
	    "stranger_clone");
	by_setsid = (pid_t (*)(void))dlsym(object, "stranger_setsid");
	child_wait(by_vfork(marked));
	GUEST_EXPECT(marked(NULL) == 1, "the mark has stayed");
	if ((pid = fork()) == 0)
		session_leader(by_setsid);
	child_wait(pid);
	child_wait(by_clone(marked, stack_new(256 << 10)));
}

static const struct guest_case cases[] = {
	{ "clone_that_shares_memory_is_accounted_for",
	    test_clone_that_shares_memory_is_accounted_for, NULL,
	    GUEST_PLAIN },
	{ "child_keeps_nothing_of_its_parents_file",
	    test_child_keeps_nothing_of_its_parents_file, target_children,
	    0 },
	{ "child_of_a_raw_fork_has_no_areas",
	    test_child_of_a_raw_fork_has_no_areas, target_children, 0 },
	{ "child_that_has_mapped_its_parents_addresses_is_reported",
	    test_child_that_has_mapped_its_parents_addresses_is_reported, NULL,
	    0 },
	{ "child_without_address_space_is_reported",
	    test_child_without_address_space_is_reported, NULL,
	    0 },
	{ "clone_that_shares_nothing_is_another_process",
	    test_clone_that_shares_nothing_is_another_process, NULL,
	    GUEST_PLAIN },
	{ "child_without_a_thread_area_is_not_recorded",
	    test_child_without_a_thread_area_is_not_recorded, NULL,
	    GUEST_PLAIN },
	{ "child_of_a_raw_fork_does_not_touch_its_parents_lanes",
	    test_child_of_a_raw_fork_does_not_touch_its_parents_lanes, NULL,
	    GUEST_PLAIN },
	{ "fork_out_of_a_handler_that_fires",
	    test_fork_out_of_a_handler_that_fires, NULL, 0 },
	{ "short_life_of_a_followed_child_is_recorded",
	    test_short_life_of_a_followed_child_is_recorded, NULL, 0 },
	{ "child_goes_on_in_an_interrupted_fire",
	    test_child_goes_on_in_an_interrupted_fire, NULL, 0 },
	{ "file_limit_that_was_lowered_does_not_kill_a_child",
	    test_file_limit_that_was_lowered_does_not_kill_a_child, NULL, 0 },
	{ "setsid_under_vfork_leaves_the_parent_alone",
	    test_setsid_under_vfork_leaves_the_parent_alone, NULL,
	    GUEST_PLAIN },
	{ "child_that_registers_a_probe_is_a_target",
	    test_child_that_registers_a_probe_is_a_target, NULL,
	    GUEST_PLAIN },
	{ "children_of_vfork_have_the_whole_buffer",
	    test_children_of_vfork_have_the_whole_buffer, NULL,
	    GUEST_PLAIN },
	{ "child_of_vfork_that_moves_is_accounted_for",
	    test_child_of_vfork_that_moves_is_accounted_for, NULL,
	    GUEST_PLAIN },
	{ "vfork_in_vfork_and_killed_children",
	    test_vfork_in_vfork_and_killed_children, NULL, GUEST_PLAIN },
	{ "vfork_under_a_filter", test_vfork_under_a_filter, filtered_target,
	    GUEST_PLAIN },
	{ "objects_linked_without_the_library_meet_it",
	    test_objects_linked_without_the_library_meet_it, NULL,
	    GUEST_PLAIN },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
