/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hosts with unusual limits, privileges or directories.  Each host is either
 * traced with all its fires accounted for, or reports to a consumer why it is
 * not.  It prints nothing and runs on in any case.
 */
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <linux/capability.h>
#include <linux/seccomp.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"

#define FIRES		3000
#define NOBODY		65534

/* ------------------------------------------------------------ helpers */

static const char *
file(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", guest_directory(), name);
	return (path);
}

/* Redirects the target's output to a file, which must stay empty. */
static void
capture(void)
{
	int fd = open(file("output"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static void
check_silent(void)
{
	struct stat st;

	GUEST_EXPECT(stat(file("output"), &st) == 0, "no output file");
	GUEST_EXPECT(st.st_size == 0, "the host was made to print");
	unlink(file("output"));
}

/* Fires when the case lets it, after the case has grabbed it. */
static void
fire_when_told(struct guest_page *page, const char *argument)
{
	(void)argument;
	guest_next(page);
	guest_fire(page, FIRES);
	guest_next(page);
}

static void
trace(struct guest_page *page, pid_t pid, const char *policy,
    const char *bufsize)
{
	struct tbuf_consumer *c = guest_consumer(policy, bufsize);
	struct guest_tally tally = { 0 };
	uint64_t fired = page->after;

	GUEST_EXPECT(tbuf_consumer_grab(c, pid) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	guest_step(page, pid);
	guest_finish(c, &tally);
	guest_account(&tally, page->after - fired);
}

/* Starts a target, traces it, and lets it end. */
static void
is_traced(void (*prepare)(void))
{
	struct guest_page *page;
	pid_t pid = guest_start(&page, prepare, "");

	trace(page, pid, "switch", "16k");
	GUEST_EXPECT(page->after == FIRES, "%" PRIu64 " fires", page->after);
	guest_wait(page, pid);
}

static void
refused(pid_t pid, int error, const char *reason)
{
	struct tbuf_consumer *c = guest_consumer("switch", "16k");
	char expected[256];
	int result;

	snprintf(expected, sizeof(expected), "failed to grab pid %d: %s",
	    (int)pid, reason);
	result = tbuf_consumer_grab(c, pid);
	GUEST_EXPECT(result != 0, "it could be grabbed");
	GUEST_EXPECT(strcmp(tbuf_consumer_error(c), expected) == 0,
	    "expected \"%s\", but \"%s\"", expected, tbuf_consumer_error(c));
	GUEST_EXPECT(result == error, "expected %d, but %d", error, result);
	tbuf_consumer_close(c);
}

static void
is_off(void (*prepare)(void), const char *reason)
{
	struct guest_page *page;
	pid_t pid = guest_start(&page, prepare, "");
	char text[256];

	snprintf(text, sizeof(text), "tracing is off: %s", reason);
	refused(pid, -ECANCELED, text);
	guest_step(page, pid);
	GUEST_EXPECT(page->after == FIRES, "%" PRIu64 " fires", page->after);
	guest_wait(page, pid);
	check_silent();
}

/* ------------------------------------------------------------ descriptors */

static unsigned
open_descriptors(void)
{
	unsigned n = 0;
	int fd;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return (n);
}

static void
target_without_descriptors(struct guest_page *page, const char *argument)
{
	(void)argument;
	page->value[0] = open_descriptors();
	guest_next(page);
	guest_fire(page, FIRES);
	page->value[0] += open_descriptors();
	guest_next(page);
}

static void
test_host_without_standard_descriptors(void)
{
	struct guest_page *page;
	pid_t pid = guest_start(&page, guest_close_others, "");

	trace(page, pid, "switch", "16k");
	GUEST_EXPECT(page->value[0] == 0, "%" PRIu64 " descriptors are open",
	    page->value[0]);
	guest_wait(page, pid);
}

/*
 * Closes all descriptors after the start, including any that the library has
 * open.
 */
static void
target_closing_all(struct guest_page *page, const char *argument)
{
	void (*fire)(uint64_t), *object;

	closefrom(0);
	guest_next(page);
	guest_fire(page, FIRES);
	object = dlopen(argument, RTLD_NOW);
	if (object == NULL)
		_exit(5);
	fire = (void (*)(uint64_t))dlsym(object, "module_fire");
	fire(FIRES);
	page->after += FIRES;
	if (dlclose(object) != 0)
		_exit(6);
	page->value[0] = open_descriptors();
	guest_next(page);
}

static void
test_host_that_closes_every_descriptor(void)
{
	struct guest_page *page;
	pid_t pid = guest_start(&page, NULL,
	    guest_build_path(".libs/module.so"));

	trace(page, pid, "ring", "16k");
	GUEST_EXPECT(page->value[0] == 0, "%" PRIu64 " descriptors are open",
	    page->value[0]);
	GUEST_EXPECT(page->after == 2 * FIRES, "%" PRIu64 " fires",
	    page->after);
	guest_wait(page, pid);
}

/* The loader needs one free descriptor, or the program does not start. */
static void
scarce_descriptors(void)
{
	struct rlimit limit = { 4, 4 };
	int fd;

	/* Only the standard descriptors and the page's are open. */
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	capture();
	guest_close_from(STDERR_FILENO + 1);
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void
test_host_short_of_descriptors(void)
{
	is_off(scarce_descriptors, "runtime directory cannot be written");
}

/* ------------------------------------------------------------ chroot */

static void
target_in_chroot(struct guest_page *page, const char *argument)
{
	void (*fire)(uint64_t), *object;

	if (chroot(argument) != 0 || chdir("/") != 0)
		_exit(4);
	guest_next(page);
	object = dlopen("/module.so", RTLD_NOW);
	if (object == NULL)
		_exit(5);
	fire = (void (*)(uint64_t))dlsym(object, "module_fire");
	fire(FIRES);
	guest_fire(page, FIRES);
	page->after += FIRES;
	guest_next(page);
	if (dlclose(object) != 0)
		_exit(6);
}

static void
copy(const char *from, const char *to, mode_t mode)
{
	char command[1100];

	snprintf(command, sizeof(command), "cp '%s' '%s'", from, to);
	GUEST_EXPECT(system(command) == 0 && chmod(to, mode) == 0, "%s",
	    command);
}

static void
test_chroot_before_dlopen(void)
{
	char root[512], path[600];
	struct guest_page *page;
	pid_t pid;

	snprintf(root, sizeof(root), "%s", file("root"));
	snprintf(path, sizeof(path), "%s/module.so", root);
	GUEST_EXPECT(mkdir(root, 0755) == 0 || errno == EEXIST, "%s", root);
	copy(guest_build_path(".libs/module.so"), path, 0755);
	pid = guest_start(&page, NULL, root);
	trace(page, pid, "switch", "16k");
	guest_wait(page, pid);
}

/* ------------------------------------------------------------ privilege */

static void
target_secure(struct guest_page *page, const char *argument)
{
	page->value[0] = getauxval(AT_SECURE);
	fire_when_told(page, argument);
}

static void
test_setuid_program_is_not_traced(void)
{
	char program[1024], self[512];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct guest_page *page;
	bool secure;
	pid_t pid;

	self[n < 0 ? 0 : n] = '\0';
	snprintf(program, sizeof(program), "%s", guest_build_path("setuid"));
	unlink(program);
	copy(self, program, 0700);
	GUEST_EXPECT(chown(program, NOBODY, NOBODY) == 0 &&
	    chmod(program, 04755) == 0, "%s", program);
	pid = guest_start_program(&page, capture, program, "");
	unlink(program);
	secure = page->value[0] != 0;
	if (secure)
		refused(pid, -ECANCELED, "tracing is off: setuid program");
	guest_step(page, pid);
	guest_wait(page, pid);
	check_silent();
	if (!secure)
		guest_skip("setuid programs are not possible here");
}

static void
start_bare(const char *more, void (*check)(struct guest_page *, pid_t))
{
	char program[1024], module[1024];
	struct guest_page *page;
	pid_t pid;

	snprintf(program, sizeof(program), "%s", guest_build_path("bare"));
	snprintf(module, sizeof(module), "%s%s",
	    guest_build_path(".libs/module.so"), more);
	pid = guest_start_program(&page, capture, program, module);
	check(page, pid);
	guest_wait(page, pid);
	check_silent();
}

static void
check_undumpable(struct guest_page *page, pid_t pid)
{
	/* Other users may not even look. */
	if (geteuid() == 0)
		refused(pid, -ECANCELED,
		    "tracing is off: process is not dumpable");
	else
		refused(pid, -EPERM, "Operation not permitted");
	guest_step(page, pid);
}

static void
test_process_that_is_not_dumpable_is_not_traced(void)
{
	start_bare(",undumpable", check_undumpable);
}

static void
check_bare(struct guest_page *page, pid_t pid)
{
	struct tbuf_consumer *c = guest_consumer("switch", "64k");
	struct guest_tally tally = { 0 };

	GUEST_EXPECT(tbuf_consumer_grab(c, pid) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	guest_step(page, pid);
	guest_finish(c, &tally);
	guest_account(&tally, 1000);
}

static void
test_host_that_meets_the_library_by_dlopen(void)
{
	start_bare("", check_bare);
}

static void
test_fork_while_a_thread_loads_the_library(void)
{
	start_bare(",forking", check_bare);
}

static void
target_strict(struct guest_page *page, const char *argument)
{
	(void)argument;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) != 0)
		_exit(4);
	__atomic_store_n(&page->done, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&page->told, __ATOMIC_ACQUIRE) < 2)
		continue;
	guest_fire(page, FIRES);
	__atomic_store_n(&page->done, 2, __ATOMIC_RELEASE);
	while (__atomic_load_n(&page->told, __ATOMIC_ACQUIRE) < 3)
		continue;
	syscall(SYS_exit, 0);
}

static void
test_strict_seccomp_mode_is_refused(void)
{
	struct guest_page *page;
	pid_t pid;

	if (guest_filtered())
		guest_skip("from a filter no way leads to the strict mode");
	pid = guest_start(&page, capture, "");
	refused(pid, -EOPNOTSUPP, "strict seccomp mode");
	guest_step(page, pid);
	guest_wait(page, pid);
	check_silent();
}

/* ------------------------------------------------------------ limits */

static void
limit_to(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit limit = { value, value };

	capture();
	if (setrlimit(resource, &limit) != 0)
		_exit(4);
}

static void
address_space_256m(void)
{
	limit_to(RLIMIT_AS, 256 << 20);
}

static void
address_space_32m(void)
{
	limit_to(RLIMIT_AS, 32 << 20);
}

static void
address_space_12m(void)
{
	limit_to(RLIMIT_AS, 12 << 20);
}

static void
test_little_address_space(void)
{
	is_traced(address_space_256m);
	check_silent();
	is_traced(address_space_32m);
	check_silent();
	is_off(address_space_12m, "no address space for the window");
}

/* The loader has to find room for the .bss sections. */
static void
data_2m(void)
{
	limit_to(RLIMIT_DATA, 2 << 20);
}

static void
data_8m(void)
{
	limit_to(RLIMIT_DATA, 8 << 20);
}

#define FEW	16u		/* a small process's units at a time */

/* Uses most of the data limit itself, after it was traced. */
static void
allocate_when_told(struct guest_page *page, const char *argument)
{
	uint64_t units[FEW];
	void *p;
	unsigned i;

	fire_when_told(page, argument);
	p = malloc(6 << 20);
	GUEST_EXPECT(p != NULL, "malloc: %s", strerror(errno));
	memset(p, 1, 6 << 20);
	for (i = 0; i < FEW; i++) {
		units[i] = tbuf_unit_begin("known", i);
		GUEST_EXPECT(tbuf_unit_leave(units[i]) == 0, "leave");
	}
	GUEST_EXPECT(tbuf_unit_begin("unknown", FEW) == 0, "a place");
	guest_fire(page, FIRES);
	for (i = 0; i < FEW; i++)
		GUEST_EXPECT(tbuf_unit_end(units[i], 1) == 0, "end");
	free(p);
	guest_next(page);
}

static void
test_little_data(void)
{
	struct tbuf_consumer *c = guest_consumer("switch", "64k");
	struct guest_tally tally = { 0 };
	struct guest_page *page;
	pid_t pid;

	GUEST_EXPECT(tbuf_consumer_set(c, "nunits", "64") == 0 &&
	    tbuf_consumer_set(c, "unitsize", "4k") == 0, "%s",
	    tbuf_consumer_error(c));
	pid = guest_start(&page, data_8m, "");
	GUEST_EXPECT(tbuf_consumer_grab(c, pid) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	guest_step(page, pid);
	guest_step(page, pid);
	guest_finish(c, &tally);
	guest_account(&tally, 2 * FIRES);
	GUEST_EXPECT(tally.without == 1, "%" PRIu64 " units had no table",
	    tally.without);
	guest_wait(page, pid);
	check_silent();
}

static void
test_hardly_any_data(void)
{
	is_traced(data_2m);
	check_silent();
}

static void
file_size_0(void)
{
	limit_to(RLIMIT_FSIZE, 0);
}

static void
file_size_64k(void)
{
	limit_to(RLIMIT_FSIZE, 64 << 10);
}

static void
file_size_2m(void)
{
	limit_to(RLIMIT_FSIZE, 2 << 20);
}

static void
test_small_files_only(void)
{
	is_off(file_size_0, "file size limit is too low");
	is_off(file_size_64k, "file size limit is too low");
	is_traced(file_size_2m);
	check_silent();
}

static void
target_locked_memory(struct guest_page *page, const char *argument)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
		_exit(4);
	fire_when_told(page, argument);
}

/* Drops CAP_IPC_LOCK, with which root may lock any amount of memory. */
static void
without_privilege(void)
{
	prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0);
	capture();
}

static void
test_locked_memory_with_a_limit(void)
{
	const struct rlimit limit = { 64 << 20, 64 << 20 };

	if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0)
		guest_skip("so much memory cannot be locked here");
	is_traced(without_privilege);
	check_silent();
}

/* ------------------------------------------------------------ directories */

static void
disable(void)
{
	capture();
	setenv("TBUF_DISABLE", "1", 1);
}

static void
test_TBUF_DISABLE(void)
{
	is_off(disable, "TBUF_DISABLE is set");
}

static const char *bad_directory;

static void
use_bad_directory(void)
{
	capture();
	setenv("TBUF_DIR", bad_directory, 1);
}

static void
directory_is_off(const char *path, const char *reason)
{
	bad_directory = path;
	is_off(use_bad_directory, reason);
}

static void
test_runtime_directory_that_cannot_be_used(void)
{
	static char path[512], at[8000];

	directory_is_off("/nowhere/at/all", "runtime directory cannot be made");
	snprintf(path, sizeof(path), "%s", file("link"));
	(void)!symlink(guest_directory(), path);
	directory_is_off(path,
	    "runtime directory is a link, or not a directory");
	unlink(path);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	directory_is_off(path,
	    "runtime directory is a link, or not a directory");
	unlink(path);
	mkdir(path, 0700);
	chmod(path, 0777);
	directory_is_off(path, "runtime directory has the wrong owner or mode");
	chmod(path, 0770);
	directory_is_off(path, "runtime directory has the wrong owner or mode");
	rmdir(path);
	directory_is_off("here", "TBUF_DIR is not an absolute path");
	memset(at, 'a', sizeof(at) - 1);
	at[0] = '/';
	directory_is_off(at, "TBUF_DIR is too long");
}

static void
test_runtime_directory_of_somebody_else(void)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s", file("theirs"));
	mkdir(path, 0700);
	GUEST_EXPECT(chown(path, NOBODY, NOBODY) == 0, "chown");
	directory_is_off(path, "runtime directory has the wrong owner or mode");
	rmdir(path);
}

/*
 * Mounts a small file system in a mount namespace that ends with this process.
 */
static void
mount_small(const char *path, const char *options)
{
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    (mkdir(path, 0700) != 0 && errno != EEXIST) ||
	    mount("tmpfs", path, "tmpfs", 0, options) != 0)
		guest_skip("nothing can be mounted here");
	chmod(path, 0700);
}

static void
fill_up(const char *path)
{
	char name[600], bytes[4096] = { 1 };
	int fd;

	snprintf(name, sizeof(name), "%s/filler", path);
	fd = open(name, O_WRONLY | O_CREAT, 0600);
	while (write(fd, bytes, sizeof(bytes)) > 0)
		continue;
	close(fd);
}

static void
test_runtime_directory_without_space(void)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s", file("full"));
	mount_small(path, "size=16k,mode=700");
	fill_up(path);
	directory_is_off(path, "no space in the runtime directory");
	umount(path);
}

static void
target_loading(struct guest_page *page, const char *argument)
{
	void (*fire)(uint64_t), *object;

	guest_next(page);
	object = dlopen(argument, RTLD_NOW);
	if (object == NULL)
		_exit(5);
	fire = (void (*)(uint64_t))dlsym(object, "module_fire");
	fire(FIRES);
	guest_fire(page, FIRES);
	guest_next(page);
	if (dlclose(object) != 0)
		_exit(6);
}

/* The loaded object's probes may be registered or not, but nothing faults. */
static void
test_runtime_directory_fills_up_before_dlopen(void)
{
	static char path[512];
	struct guest_page *page;
	struct tbuf_consumer *c;
	pid_t pid;

	snprintf(path, sizeof(path), "%s", file("filling"));
	mount_small(path, "size=256k,mode=700");
	bad_directory = path;
	pid = guest_start(&page, use_bad_directory,
	    guest_build_path(".libs/module.so"));
	fill_up(path);
	c = guest_consumer("switch", "16k");
	GUEST_EXPECT(tbuf_consumer_grab(c, pid) == 0, "%s",
	    tbuf_consumer_error(c));
	GUEST_EXPECT(tbuf_consumer_go(c) == -ENOSPC &&
	    strcmp(tbuf_consumer_error(c),
	    "could not enable tracing: Not enough space") == 0, "%s",
	    tbuf_consumer_error(c));
	tbuf_consumer_close(c);
	guest_step(page, pid);
	GUEST_EXPECT(page->after == FIRES, "%" PRIu64 " fires", page->after);
	guest_wait(page, pid);
	check_silent();
}

static const struct guest_case cases[] = {
	{ "host_without_standard_descriptors",
	    test_host_without_standard_descriptors,
	    target_without_descriptors, GUEST_PLAIN },
	{ "host_that_closes_every_descriptor",
	    test_host_that_closes_every_descriptor, target_closing_all,
	    GUEST_PLAIN },
	{ "host_short_of_descriptors", test_host_short_of_descriptors,
	    fire_when_told, GUEST_ONCE | GUEST_PLAIN },
	{ "chroot_before_dlopen", test_chroot_before_dlopen, target_in_chroot,
	    GUEST_ROOT | GUEST_ONCE | GUEST_PLAIN },
	{ "setuid_program_is_not_traced", test_setuid_program_is_not_traced,
	    target_secure, GUEST_ROOT | GUEST_ONCE | GUEST_PLAIN },
	{ "process_that_is_not_dumpable_is_not_traced",
	    test_process_that_is_not_dumpable_is_not_traced, NULL,
	    GUEST_ONCE | GUEST_PLAIN },
	{ "host_that_meets_the_library_by_dlopen",
	    test_host_that_meets_the_library_by_dlopen, NULL, GUEST_PLAIN },
	{ "fork_while_a_thread_loads_the_library",
	    test_fork_while_a_thread_loads_the_library, NULL,
	    GUEST_ONCE | GUEST_PLAIN },
	{ "strict_seccomp_mode_is_refused",
	    test_strict_seccomp_mode_is_refused, target_strict,
	    GUEST_ONCE | GUEST_PLAIN },
	{ "little_address_space", test_little_address_space, fire_when_told,
	    GUEST_ONCE | GUEST_PLAIN },
	{ "little_data", test_little_data, allocate_when_told,
	    GUEST_ONCE | GUEST_PLAIN },
	{ "hardly_any_data", test_hardly_any_data, fire_when_told,
	    GUEST_ONCE | GUEST_PLAIN },
	{ "small_files_only", test_small_files_only, fire_when_told,
	    GUEST_ONCE },
	{ "locked_memory_with_a_limit", test_locked_memory_with_a_limit,
	    target_locked_memory, GUEST_ONCE | GUEST_PLAIN },
	{ "TBUF_DISABLE", test_TBUF_DISABLE, fire_when_told, GUEST_ONCE },
	{ "runtime_directory_that_cannot_be_used",
	    test_runtime_directory_that_cannot_be_used, fire_when_told,
	    GUEST_ONCE },
	{ "runtime_directory_of_somebody_else",
	    test_runtime_directory_of_somebody_else, fire_when_told,
	    GUEST_ONCE | GUEST_ROOT },
	{ "runtime_directory_without_space",
	    test_runtime_directory_without_space, fire_when_told,
	    GUEST_ONCE | GUEST_ROOT },
	{ "runtime_directory_fills_up_before_dlopen",
	    test_runtime_directory_fills_up_before_dlopen, target_loading,
	    GUEST_ONCE | GUEST_ROOT },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
