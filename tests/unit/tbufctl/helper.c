/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Helper processes read files, and can do little else.  The cache of the
 * dynamic linker is one of these files.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper_process.h"
#include "elf/needed_libraries.h"
#include "lib/check_main.h"

/* Exits with the line of a check that failed. */
#define CHECK(condition) do {						\
	if (!(condition))						\
		_exit(__LINE__ % 256);					\
} while (0)

/* Returns true if a result of a system call is that the call was refused. */
static bool
refused(long result)
{
	return (result == -1 && errno == EPERM);
}

static bool
status_has(const char *line)
{
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	CHECK(n > 0);
	(void)close(fd);
	text[n] = '\0';
	return (strstr(text, line) != NULL);
}

/* Runs a check in a confined helper process. */
static void
confined(void (*check)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		reader_confine(0);
		check();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "status %#x, line %d", status,
	    WEXITSTATUS(status));
}

static void
read_only(void)
{
	char byte;
	int fd;

	CHECK((fd = open("/proc/self/exe", O_RDONLY)) != -1);
	CHECK(read(fd, &byte, 1) == 1);
	CHECK(mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
	CHECK(refused((long)mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE,
	    fd, 0)));
	(void)close(fd);
	free(malloc(1 << 24));
	CHECK(status_has("NoNewPrivs:\t1"));
	CHECK(status_has("Seccomp:\t2"));
}

static void
nothing_else(void)
{
	static char *const arguments[] = { (char *)(uintptr_t)"true", NULL };

	CHECK(refused(open("/dev/null", O_WRONLY)));
	CHECK(refused(openat(AT_FDCWD, "/dev/null", O_RDWR)));
	CHECK(refused(open("/tmp", O_TMPFILE | O_RDWR, 0600)));
	CHECK(refused(socket(AF_UNIX, SOCK_STREAM, 0)));
	CHECK(refused(kill(getppid(), 0)));
	CHECK(refused(syscall(SYS_tgkill, getppid(), getppid(), 0)));
	CHECK(syscall(SYS_tgkill, getpid(), gettid(), 0) == 0);
	CHECK(refused(execv("/bin/true", arguments)));
	CHECK(refused(fork()));
	CHECK(refused(unlink("/nowhere")));
	CHECK(refused(chmod("/nowhere", 0)));
	CHECK(refused(syscall(SYS_ptrace, 0, 0, 0, 0)));
	CHECK(refused(syscall(SYS_process_vm_writev, getpid(), 0, 0, 0, 0,
	    0)));
	CHECK(refused(setuid(0)));
}

static bool
is_filtered(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return (false);
#else
	const char *sanitizer = getenv("SANITIZER");

	return (sanitizer == NULL || *sanitizer == '\0');
#endif
}

START_TEST(a_helper_reads_files)
{
	if (is_filtered())
		confined(read_only);
}
END_TEST

START_TEST(a_helper_does_nothing_else)
{
	if (is_filtered())
		confined(nothing_else);
}
END_TEST

#define USER	12345

/* Root reads a user's files as that user. */
START_TEST(a_helper_of_root_becomes_the_user)
{
	int ends[2], status;
	pid_t user, helper;
	char byte = 0;

	if (geteuid() != 0)
		return;
	ck_assert_int_eq(pipe(ends), 0);
	if ((user = fork()) == 0) {
		if (setresgid(USER, USER, USER) != 0 ||
		    setresuid(USER, USER, USER) != 0 ||
		    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0 ||
		    write(ends[1], &byte, 1) != 1)
			_exit(1);
		(void)pause();
	}
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	if ((helper = fork()) == 0) {
		reader_become(user);
		CHECK(status_has("Uid:\t12345\t12345\t12345\t12345"));
		CHECK(status_has("Gid:\t12345\t12345\t12345\t12345"));
		CHECK(status_has("CapPrm:\t0000000000000000"));
		_exit(0);
	}
	ck_assert_int_eq(waitpid(helper, &status, 0), helper);
	ck_assert_msg(status == 0, "status %#x, line %d", status,
	    WEXITSTATUS(status));
	ck_assert_int_eq(kill(user, SIGKILL), 0);
	ck_assert_int_eq(waitpid(user, &status, 0), user);
}
END_TEST

/* Returns true if this process has no rights but to read. */
static bool
is_lowered(void)
{
	return (status_has("Uid:\t65534\t65534\t65534\t65534") &&
	    status_has("Gid:\t65534\t65534\t65534\t65534") &&
	    status_has("CapPrm:\t0000000000080004") &&
	    status_has("CapEff:\t0000000000080004") &&
	    status_has("CapInh:\t0000000000000000"));
}

static void
become_user_of_root(void)
{
	char path[64];
	FILE *f;

	reader_become(getppid());
	CHECK(is_lowered());
	/* It still reads root's processes, and their files. */
	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)getppid());
	CHECK((f = fopen(path, "r")) != NULL && fgetc(f) != EOF);
	(void)fclose(f);
	CHECK(open("/etc/shadow", O_RDONLY) != -1 || errno == ENOENT);
	CHECK(open("/etc/passwd", O_WRONLY) == -1 && errno == EACCES);
	CHECK(kill(getppid(), 0) == -1);
	CHECK(setresuid(0, 0, 0) == -1);
}

static void
become_owner(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	reader_become_owner(fd);
	CHECK(is_lowered());
}

static void
become_other_owner(void)
{
	int fd = memfd_create("file", 0);

	CHECK(fchown(fd, USER, USER) == 0);
	reader_become_owner(fd);
	CHECK(status_has("Uid:\t12345\t12345\t12345\t12345"));
	CHECK(status_has("CapPrm:\t0000000000000000"));
}

static void
become_none(void)
{
	reader_become_owner(-1);
	CHECK(is_lowered());
}

/* No helper process has uid 0, whoever owns the file. */
START_TEST(a_helper_of_root_is_never_root)
{
	static void (*const checks[])(void) = {
		become_user_of_root, become_owner, become_other_owner,
		become_none
	};
	struct stat st;
	int status;
	pid_t helper;
	size_t i;

	if (geteuid() != 0 || stat("/proc/self/exe", &st) != 0 ||
	    st.st_uid != 0)
		return;
	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if ((helper = fork()) == 0) {
			checks[i]();
			_exit(0);
		}
		ck_assert_int_eq(waitpid(helper, &status, 0), helper);
		ck_assert_msg(status == 0, "status %#x, line %d", status,
		    WEXITSTATUS(status));
	}
}
END_TEST

/* A cache of ldconfig(8), as it is in the file. */
struct cache {
	char magic[20];
	uint32_t count, unused[6];
	struct {
		int32_t flags;
		uint32_t name, path, system;
		uint64_t ability;
	} entries[4];
	char text[64];
};
#define TEXT(offset)	(offsetof(struct cache, text) + (offset))

static const struct cache cache = {
	.magic = "glibc-ld.so.cache1.1", .count = 4,
	.entries = {
		{ 3, TEXT(5), TEXT(0), 0, 0 }, { 3, TEXT(5), TEXT(8), 0, 0 },
		{ 3, TEXT(5), TEXT(16), 0, 0 }, { 3, TEXT(5), TEXT(24), 0, 1 }
	},
	.text = "/one/l1\0/two/l2\0/one/l3\0/cpu/l4\0nofolder"
};

static void
expect_folders(const struct cache *c, size_t size, const char *first,
    const char *second)
{
	char bytes[sizeof(*c) + 1] = "";
	struct words folders = { NULL, 0 };
	size_t count = first == NULL ? 0 : second == NULL ? 1 : 2;

	memcpy(bytes, c, size);
	needed_cache(bytes, size, &folders);
	ck_assert_uint_eq(folders.count, count);
	if (count > 0)
		ck_assert_str_eq(folders.all[0], first);
	if (count > 1)
		ck_assert_str_eq(folders.all[1], second);
	words_free(&folders);
}

/* Libraries for some processors are not in all folders that a loader uses. */
START_TEST(a_cache_has_folders)
{
	struct cache c = cache;
	size_t size;

	expect_folders(&c, sizeof(c), "/one", "/two");
	for (size = 0; size < offsetof(struct cache, text); size++)
		expect_folders(&c, size, NULL, NULL);
	c.count = UINT32_MAX;
	expect_folders(&c, sizeof(c), NULL, NULL);
	c.count = 2;
	c.entries[0].path = UINT32_MAX;
	expect_folders(&c, sizeof(c), "/two", NULL);
	c.entries[0].path = TEXT(32);
	c.entries[1].path = sizeof(c);
	expect_folders(&c, sizeof(c), NULL, NULL);
	c.magic[0] = 'G';
	c.entries[0].path = TEXT(0);
	expect_folders(&c, sizeof(c), NULL, NULL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("helper");
	TCase *tc = tcase_create("helper");

	tcase_add_test(tc, a_helper_reads_files);
	tcase_add_test(tc, a_helper_does_nothing_else);
	tcase_add_test(tc, a_helper_of_root_becomes_the_user);
	tcase_add_test(tc, a_helper_of_root_is_never_root);
	tcase_add_test(tc, a_cache_has_folders);
	suite_add_tcase(s, tc);
	return (run_suite(s));
}
