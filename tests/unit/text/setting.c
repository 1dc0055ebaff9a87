/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The text trace: its settings, its facilities, and assertions.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/interposed_call.h"

/* ------------------------------------------------------------ settings */

START_TEST(settings_are_taken_or_refused_in_words)
{
	static const struct {
		const char *setting, *wrong;
	} cases[] = {
		{ "traceFacility=Memory", NULL },
		{ "traceFacility=mEMORY", NULL },
		{ "TRACEFACILITY=file", NULL },
		{ "traceFacility=LOG;traceLevel=debug;", NULL },
		{ "traceLevel=0", NULL },
		{ "traceLevel=5", NULL },
		{ "traceComponents=", NULL },
		{ "traceComponents=a,b*:flow,ALL:0", NULL },
		{ "traceFilePath=", NULL },
		{ "traceFilePath=/a/b", NULL },
		{ "traceMemoryBufferKbytes=16", NULL },
		{ "traceMemoryBufferKbytes=1048576", NULL },
		{ "", "no property" },
		{ NULL, "no property" },
		{ ";", "no property" },
		{ "traceFacility", "value" },
		{ "traceFacility=", "traceFacility" },
		{ "traceFacility=Fil", "traceFacility" },
		{ "traceFacility=Files", "traceFacility" },
		{ "facility=File", "property" },
		{ "traceLevel=6", "traceLevel" },
		{ "traceLevel=-1", "traceLevel" },
		{ "traceLevel=", "traceLevel" },
		{ "traceLevel=44", "traceLevel" },
		{ "traceComponents=a,,b", "empty" },
		{ "traceComponents=a,", "empty" },
		{ "traceComponents=:5", "empty" },
		{ "traceComponents=a b", "blank" },
		{ "traceComponents=a:", "level" },
		{ "traceComponents=a:loud", "level" },
		{ "traceFilePath=a", "absolute" },
		{ "traceFilePath=/a/", "directory" },
		{ "traceMemoryBufferKbytes=0", "16" },
		{ "traceMemoryBufferKbytes=15", "16" },
		{ "traceMemoryBufferKbytes=1048577", "16" },
		{ "traceMemoryBufferKbytes=18446744073709551632", "16" },
		{ "traceMemoryBufferKbytes=1k", "number" },
		{ "traceMemoryBufferKbytes=-16", "number" },
		{ "traceMemoryBufferKbytes=", "16" }
	};
	const char *wrong;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(tbuf_text_check(cases[i].setting, &wrong),
		    cases[i].wrong == NULL ? 0 : -EINVAL);
		ck_assert_msg((wrong == NULL) == (cases[i].wrong == NULL) &&
		    (wrong == NULL || strstr(wrong, cases[i].wrong) != NULL),
		    "%s: %s", cases[i].setting, wrong);
	}
	ck_assert_int_eq(tbuf_text_set("traceLevel=6"), -EINVAL);
	ck_assert_int_eq(tbuf_text_set("traceFacility=File"), -ENOENT);
}
END_TEST

START_TEST(what_is_too_long_in_a_setting_is_refused)
{
	char setting[2 * TBUF_TEXT_SETTING_MAX];
	const char *wrong;

	memset(setting, 'x', sizeof(setting) - 1);
	setting[sizeof(setting) - 1] = '\0';
	ck_assert_int_eq(tbuf_text_check(setting, &wrong), -EINVAL);
	memcpy(setting, "traceFilePath=/", 15);
	setting[14 + TBUF_TEXT_PATH_MAX] = '\0';
	ck_assert_int_eq(tbuf_text_check(setting, &wrong), -EINVAL);
	setting[14 + TBUF_TEXT_PATH_MAX - 1] = '\0';
	ck_assert_int_eq(tbuf_text_check(setting, &wrong), 0);
	memcpy(setting, "traceComponents=", 16);
	memset(setting + 14 + TBUF_TEXT_PATH_MAX - 1, 'x', 8);
	setting[16 + TBUF_TEXT_LIST_MAX] = '\0';
	ck_assert_int_eq(tbuf_text_check(setting, &wrong), -EINVAL);
	setting[16 + TBUF_TEXT_LIST_MAX - 1] = '\0';
	ck_assert_int_eq(tbuf_text_check(setting, &wrong), 0);
}
END_TEST

static unsigned evaluated;

static int
evaluate(void)
{
	return ((int)++evaluated);
}

/* A message that is not wanted is not evaluated; the last match counts. */
START_TEST(a_message_is_wanted_by_component_and_level)
{
	static const struct {
		const char *setting;
		int level;
	} cases[] = {
		{ "traceFacility=Log", TBUF_INFO },
		{ "traceLevel=off", 0 },
		{ "traceLevel=5", TBUF_FLOW },
		{ "traceComponents=other", 0 },
		{ "traceComponents=s*", TBUF_FLOW },
		{ "traceComponents=all:1,store:debug", TBUF_DEBUG },
		{ "traceComponents=store:debug,all:1", TBUF_SEVERE },
		{ "traceComponents=", 0 },
		{ "traceComponents=store;traceLevel=2", TBUF_WARNING },
		{ "traceFacility=off", 0 }
	};
	size_t i;
	int level;

	tbuf_text(&text_store, TBUF_SEVERE, "%d", evaluate());
	ck_assert_uint_eq(evaluated, 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text_set(cases[i].setting);
		for (level = -9; level <= 9; level++) {
			text_nlogged = evaluated = 0;
			tbuf_text(&text_store, level, "%d", evaluate());
			ck_assert_msg(text_nlogged ==
			    (level >= 1 && level <= cases[i].level) &&
			    text_nlogged <= evaluated,
			    "%s, level %d", cases[i].setting, level);
			if (level >= 0 && level < TBUF_LEVELS)
				ck_assert_uint_eq(text_nlogged, evaluated);
		}
	}
}
END_TEST

/* ------------------------------------------------------------ facilities */

START_TEST(the_log_gets_long_messages_in_pieces)
{
	char text[2000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	text_set("traceFacility=Log;traceLevel=flow");
	tbuf_text(&text_store, TBUF_SEVERE, "%d\n\a two\n\n", 1);
	ck_assert_str_eq(text_logged[0], "store severe: 1   two");
	ck_assert_int_eq(text_priorities[0], LOG_ERR);
	text_nlogged = 0;
	tbuf_text(&text_store, TBUF_FLOW, "%s", text);
	ck_assert_uint_eq(text_nlogged, 3);
	ck_assert_int_eq(text_priorities[2], LOG_DEBUG);
	ck_assert_int_eq(strncmp(text_logged[1], "store flow (2/3): xxx", 21),
	    0);
	ck_assert_uint_eq(strlen(text_logged[0]) + strlen(text_logged[1]) +
	    strlen(text_logged[2]), 3 * 18 + sizeof(text) - 1);
	ck_assert_uint_eq(tbuf_text_lost(), 0);
}
END_TEST

START_TEST(the_file_gets_whole_lines)
{
	char prefix[128];
	const char *text;

	text_set_file("trace");
	text_set("traceFacility=FILE");
	errno = ENOENT;
	tbuf_text(&text_store, TBUF_WARNING, "%m %s", "b");
	ck_assert_int_eq(errno, ENOENT);
	text = text_file_text("trace");
	snprintf(prefix, sizeof(prefix), " %d:%d store warning: "
	    "No such file or directory b\n", getpid(), gettid());
	ck_assert_uint_eq(strlen(text), 27 + strlen(prefix));
	ck_assert_str_eq(text + 27, prefix);
	/* Lines are lost if the file cannot be opened. */
	ck_assert_int_eq(chmod(text_file_path("trace"), 0666), 0);
	tbuf_text(&text_store, TBUF_WARNING, "b");
	tbuf_text_string(&text_store, TBUF_WARNING, "b");
	ck_assert_uint_eq(tbuf_text_lost(), 2);
}
END_TEST

static void
expect_refused(const char *name, int error)
{
	char setting[600];

	snprintf(setting, sizeof(setting), "traceFacility=File;"
	    "traceFilePath=%s", text_file_path(name));
	ck_assert_int_eq(tbuf_text_set(setting), error);
}

/* A file that others made or can change gets no byte. */
START_TEST(a_file_that_others_can_change_is_refused)
{
	char target[600];

	strcpy(target, text_file_path("real"));
	close(open(target, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(symlink(target, text_file_path("symlink")), 0);
	expect_refused("symlink", -ELOOP);
	ck_assert_int_eq(mkfifo(text_file_path("fifo"), 0600), 0);
	expect_refused("fifo", -EINVAL);
	ck_assert_int_eq(link(target, text_file_path("link")), 0);
	expect_refused("link", -EPERM);
	unlink(text_file_path("link"));
	ck_assert_int_eq(chmod(target, 0620), 0);
	expect_refused("real", -EPERM);
	ck_assert_int_eq(chmod(target, 0644), 0);
	expect_refused("nowhere/real", -ENOENT);
	ck_assert_int_eq(mkdir(text_file_path("open"), 0700), 0);
	ck_assert_int_eq(chmod(text_file_path("open"), 0777), 0);
	expect_refused("open/real", -EPERM);
	ck_assert_int_eq(chmod(text_file_path("open"), 01777), 0);
	expect_refused("open/real", 0);
	expect_refused("open", -EINVAL);
	expect_refused("real", 0);
	ck_assert_str_eq(text_file_text("real"), "");
}
END_TEST

START_TEST(a_file_of_another_user_is_refused)
{
	if (geteuid() != 0)
		return;
	close(open(text_file_path("theirs"), O_CREAT | O_WRONLY, 0644));
	ck_assert_int_eq(chown(text_file_path("theirs"), 12345, 12345), 0);
	expect_refused("theirs", -EPERM);
}
END_TEST

/* A directory of the path, followed by a name that is good. */
START_TEST(each_directory_of_the_path_counts)
{
	char inner[600], link[600];

	ck_assert_int_eq(mkdir(text_file_path("outer"), 0755), 0);
	strcpy(inner, text_file_path("outer/inner"));
	strcpy(link, text_file_path("outer/link"));
	ck_assert_int_eq(mkdir(inner, 0700), 0);
	expect_refused("outer/inner/trace", 0);
	expect_refused("outer/./inner/../inner//trace", 0);
	ck_assert_int_eq(chmod(text_file_path("outer"), 0777), 0);
	expect_refused("outer/inner/trace", -EPERM);
	ck_assert_int_eq(chmod(text_file_path("outer"), 0775), 0);
	expect_refused("outer/inner/trace", -EPERM);
	expect_refused("outer/trace", -EPERM);
	ck_assert_int_eq(chmod(text_file_path("outer"), 01775), 0);
	expect_refused("outer/inner/trace", 0);
	expect_refused("outer/trace", 0);
	/* Links are followed, and the path that they name counts. */
	ck_assert_int_eq(symlink("inner", link), 0);
	expect_refused("outer/link/trace", 0);
	ck_assert_int_eq(unlink(link), 0);
	ck_assert_int_eq(symlink(inner, link), 0);
	expect_refused("outer/link/trace", 0);
	ck_assert_int_eq(symlink(link, text_file_path("good")), 0);
	expect_refused("good/trace", 0);
	ck_assert_int_eq(chmod(text_file_path("outer"), 0775), 0);
	expect_refused("good/trace", -EPERM);
	ck_assert_int_eq(chmod(text_file_path("outer"), 0755), 0);
	expect_refused("good/trace", 0);
	expect_refused("outer/nowhere/trace", -ENOENT);
	expect_refused("outer/inner/trace/x", -ENOTDIR);
	ck_assert_int_eq(symlink("loop", text_file_path("loop")), 0);
	expect_refused("loop/trace", -ELOOP);
}
END_TEST

/*
 * The owner of a directory can rename each file in it, at any depth, and also
 * with a sticky bit.  Directories of root are good for every user.
 */
START_TEST(directories_of_another_user_are_refused)
{
	char theirs[600];
	unsigned i;

	if (geteuid() != 0)
		return;
	strcpy(theirs, text_file_path("theirs"));
	ck_assert_int_eq(mkdir(theirs, 0755), 0);
	ck_assert_int_eq(mkdir(text_file_path("theirs/mine"), 0700), 0);
	ck_assert_int_eq(symlink("theirs/mine", text_file_path("by")), 0);
	expect_refused("theirs/mine/trace", 0);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(chown(theirs, 12345, 12345), 0);
		ck_assert_int_eq(chmod(theirs, i == 0 ? 0755 : 01755), 0);
		expect_refused("theirs/trace", -EPERM);
		expect_refused("theirs/mine/trace", -EPERM);
		expect_refused("by/trace", -EPERM);
		expect_refused("theirs/../real", -EPERM);
		ck_assert_int_eq(chown(theirs, 0, 12345), 0);
		expect_refused("theirs/mine/trace", 0);
	}
	/* This process as that user. */
	ck_assert_int_eq(chmod(text_directory, 0755), 0);
	ck_assert_int_eq(chown(theirs, 12345, 12345), 0);
	ck_assert_int_eq(seteuid(12345), 0);
	expect_refused("theirs/trace", 0);
	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(chown(theirs, 23456, 12345), 0);
	ck_assert_int_eq(chmod(theirs, 0755), 0);
	ck_assert_int_eq(seteuid(12345), 0);
	expect_refused("theirs/trace", -EPERM);
	ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

/* Another user's link, whether its folder is theirs, or has a sticky bit. */
START_TEST(links_of_another_user_are_refused)
{
	char target[600];

	if (geteuid() != 0)
		return;
	strcpy(target, text_file_path("good"));
	ck_assert_int_eq(mkdir(target, 0755), 0);
	ck_assert_int_eq(mkdir(text_file_path("theirs"), 0755), 0);
	ck_assert_int_eq(symlink(target, text_file_path("theirs/dl")), 0);
	expect_refused("theirs/dl/trace", 0);
	ck_assert_int_eq(lchown(text_file_path("theirs/dl"), 12345, 12345), 0);
	expect_refused("theirs/dl/trace", -EPERM);
	ck_assert_int_eq(chmod(text_file_path("theirs"), 01777), 0);
	expect_refused("theirs/dl/trace", -EPERM);
	ck_assert_int_eq(chown(text_file_path("theirs"), 12345, 12345), 0);
	expect_refused("theirs/dl/trace", -EPERM);
	ck_assert_int_eq(chown(text_file_path("theirs"), 0, 0), 0);
	/* The kernel may have errors of its own for these in a sticky folder. */
	close(open(text_file_path("theirs/file"), O_CREAT | O_WRONLY, 0666));
	ck_assert_int_eq(chown(text_file_path("theirs/file"), 12345, 12345),
	    0);
	expect_refused("theirs/file", -EPERM);
	ck_assert_int_eq(mkfifo(text_file_path("theirs/fifo"), 0666), 0);
	expect_refused("theirs/fifo", -EINVAL);
	ck_assert_int_eq(symlink(target, text_file_path("theirs/last")), 0);
	expect_refused("theirs/last", -ELOOP);
}
END_TEST

/* Memory is flushed and freed at its end; no line is written twice. */
START_TEST(leaving_memory_flushes_and_frees_it)
{
	const char *text;
	uint32_t i;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=64");
	ck_assert_uint_eq(text_chunks(), 1);
	for (i = 0; i < 3; i++)
		text_print(i, 5);
	ck_assert_int_eq(tbuf_text_flush(), 0);		/* there is no file */
	text_set_file("trace");
	ck_assert_int_eq(tbuf_text_flush(), 0);
	text_print(3, 5);
	ck_assert_int_eq(tbuf_text_flush(), 0);
	ck_assert_int_eq(tbuf_text_flush(), 0);
	ck_assert_int_eq(tbuf_text_set("traceMemoryBufferKbytes=32"), -EBUSY);
	text_print(4, 5);
	text_set("traceFacility=fIlE");
	ck_assert_uint_eq(text_chunks(), 0);
	ck_assert_ptr_null(tbuf_text_own->trace);
	text_print(5, 5);
	text = text_file_text("trace");
	for (i = 0; i < 6; i++) {
		text_message(i, 5, text_line);
		text = strstr(text, text_line);
		ck_assert_ptr_nonnull(text);
		text = strchr(text, '\n') + 1;
	}
	ck_assert_str_eq(text, "");
	ck_assert_uint_eq(tbuf_text_lost(), 0);
}
END_TEST

static bool watched;
static unsigned calls, calls_amid;	/* calls that end within a line */

static void
watch(int fd, const void *bytes, size_t n)
{
	struct stat st;

	if (!watched || n == 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	calls++;
	calls_amid += ((const char *)bytes)[n - 1] != '\n';
}

/* Replaces the C library's write(). */
ssize_t
write(int fd, const void *bytes, size_t n)
{
	watch(fd, bytes, n);
	return (syscall(SYS_write, fd, bytes, n));
}

ssize_t
writev(int fd, const struct iovec *parts, int n)
{
	watch(fd, parts[n - 1].iov_base, parts[n - 1].iov_len);
	return (syscall(SYS_writev, fd, parts, n));
}

/* Lines that other threads or processes append do not split a flush. */
START_TEST(a_flush_is_one_call_of_whole_lines)
{
	uint32_t i;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	text_set_file("trace");
	for (i = 0; i < 500; i++) {
		text_print(i, 90 + i % 7);
		if (i % 50 != 49)
			continue;
		watched = true;
		calls = 0;
		ck_assert_int_eq(tbuf_text_flush(), 0);
		watched = false;
		ck_assert_uint_eq(calls, 1);
	}
	ck_assert_uint_eq(calls_amid, 0);
}
END_TEST

/* Flushes with a limit on file sizes, under which Check could not report. */
static int
flush_within(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };
	int limited = setrlimit(RLIMIT_FSIZE, &limit);
	int error = tbuf_text_flush();

	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	ck_assert_int_eq(limited, 0);
	return (error);
}

#define LETTERS	20

/* A flush goes on with the first line that is not complete in the file. */
START_TEST(a_flush_that_finds_no_room_goes_on_later)
{
	const char *line, *text, *end;
	ptrdiff_t begin = 0;
	uint32_t i, n = 0, parts = 0;

	signal(SIGXFSZ, SIG_IGN);
	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	text_set_file("trace");
	for (i = 0; i < 150; i++) {
		text_print(i, LETTERS);
		/* The limit cuts lines anywhere, and where the chunk ends. */
		if (flush_within(70 * (rlim_t)i) == -EFBIG)
			n++;
	}
	ck_assert_int_eq(tbuf_text_flush(), 0);
	ck_assert_uint_gt(n, 100);
	for (i = 0, line = text_file_text("trace"); *line != '\0';
	    line = end + 1) {
		end = strchr(line, '\n');
		text_message(i, LETTERS, text_line);
		text = strstr(line, text_line);
		if (text == NULL || text > end) {
			/* This is a part of the next line alone. */
			ck_assert_int_ge(end - line, 5);
			ck_assert_int_eq(strncmp(end - 5, "[cut]", 5), 0);
			end -= 5;
			ck_assert(end - line < LETTERS ||
			    strspn(end - LETTERS, (char []){ end[-1], 0 }) !=
			    LETTERS);
			end += 5;
			parts++;
			continue;
		}
		ck_assert_ptr_eq(text + strlen(text_line), end);
		ck_assert(i == 0 || text - line == begin);
		begin = text - line;
		i++;
	}
	ck_assert_uint_eq(i, 150);
	ck_assert_uint_gt(parts, 0);
	ck_assert_uint_le(parts, n);
}
END_TEST

/* Lines that cannot be flushed stay in memory. */
START_TEST(what_cannot_be_flushed_is_kept)
{
	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	text_print(1, 5);
	ck_assert_int_eq(mkdir(text_file_path("a"), 0700), 0);
	text_set_file("a");
	ck_assert_int_eq(tbuf_text_set("traceFacility=Log"), -EINVAL);
	text_print(2, 5);
	ck_assert_uint_eq(text_nlogged, 0);
	ck_assert_uint_eq(tbuf_text_lost(), 0);
	ck_assert_uint_eq(text_chunks(), 1);
	text_set("traceFilePath=");
	text_set("traceFacility=Log");
	ck_assert_uint_eq(text_chunks(), 0);
}
END_TEST

static unsigned flushes;

static int
count_flush(void)
{
	/* The function may print a message, but not change a setting. */
	tbuf_text(&text_store, TBUF_INFO, "flush");
	ck_assert_int_eq(tbuf_text_set("traceLevel=1"), -EBUSY);
	flushes++;
	return (0);
}

START_TEST(the_flush_can_be_exchanged)
{
	tbuf_text_flush_set(count_flush);
	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	ck_assert_uint_eq(flushes, 0);
	text_set("traceFacility=Off");
	ck_assert_uint_eq(flushes, 1);
	tbuf_text_flush_set(NULL);
	text_set("traceFacility=Memory");
	text_set("traceFacility=Off");
	ck_assert_uint_eq(flushes, 1);
}
END_TEST

static const char *flushed_at;	/* the trace that the function was given */
static size_t flushed_size;

/* Looks at the trace, and appends it to the trace file as well. */
static int
look_and_flush(void)
{
	flushes++;
	flushed_at = tbuf_text_memory(&flushed_size);
	return (flushes == 3 ? -EXDEV : tbuf_text_flush());
}

/* The program's own flush calls the function, which finds the trace. */
START_TEST(a_flush_calls_the_function_that_finds_the_trace)
{
	size_t size = 1;

	ck_assert_ptr_null(tbuf_text_memory(&size));
	ck_assert_uint_eq(size, 0);
	tbuf_text_flush_set(look_and_flush);
	text_set_file("trace");
	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	text_print(1, 5);
	ck_assert_int_eq(tbuf_text_flush(), 0);
	ck_assert_uint_eq(flushes, 1);
	ck_assert_uint_eq(flushed_size, 16384);
	ck_assert_int_eq(memcmp(flushed_at, TBUF_TRACE_EYE, 16), 0);
	ck_assert_ptr_nonnull(memmem(flushed_at, flushed_size, text_line,
	    strlen(text_line)));
	ck_assert_ptr_nonnull(strstr(text_file_text("trace"), text_line));
	ck_assert_int_eq(tbuf_text_flush(), 0);
	ck_assert_int_eq(tbuf_text_flush(), -EXDEV);
	text_set("traceFacility=Off");
	ck_assert_uint_eq(flushes, 4);
	ck_assert_uint_eq(flushed_size, 16384);
	ck_assert_ptr_null(tbuf_text_memory(&size));
	ck_assert_int_eq(tbuf_text_flush(), 0);
	ck_assert_uint_eq(flushes, 5);
	ck_assert_ptr_null(flushed_at);
	tbuf_text_flush_set(tbuf_text_flush);
	ck_assert_int_eq(tbuf_text_flush(), 0);
	ck_assert_uint_eq(flushes, 5);
}
END_TEST

/* A complete message that is too long ends in a sign, any other is whole. */
START_TEST(a_message_that_is_cut_ends_in_a_sign)
{
	char text[1100];

	text_set_file("trace");
	text_set("traceFacility=File");
	memset(text, 'y', sizeof(text));
	strcpy(text + 1023, "\n\n");
	tbuf_text_string(&text_store, TBUF_INFO, text);
	ck_assert_ptr_nonnull(strstr(text_file_text("trace"), "yyyyyyy\n"));
	strcpy(text + 1023, "\nz");
	memcpy(text + 1016, "\xe2\x82\xac", 3);
	tbuf_text_string(&text_store, TBUF_INFO, text);
	ck_assert_ptr_nonnull(strstr(text_file_text("trace"), "yyy[cut]\n"));
	tbuf_text_string(&text_store, TBUF_INFO, NULL);
	ck_assert_ptr_nonnull(strstr(text_file_text("trace"), "(null)\n"));
}
END_TEST

static bool waited;

/* Replaces the C library's: the facility changes while a line waits. */
int
clock_gettime(clockid_t clock, struct timespec *t)
{
	if (waited && clock == CLOCK_MONOTONIC) {
		waited = false;
		tbuf_text_own->lock = 0;
		text_set("traceFacility=File");
	}
	return ((int)syscall(SYS_clock_gettime, clock, t));
}
INTERPOSED(clock_gettime);

/* Flushes, then writes a line as a thread that waited for this flush. */
static int
flush_before_a_line(void)
{
	char line[] = "late\n";
	int error = tbuf_text_flush();

	ck_assert(!tbuf_trace_write(line, strlen(line)));
	return (error);
}

/* A line is not stored in a chunk after its last flush. */
START_TEST(a_line_that_comes_while_memory_is_left_goes_to_the_next)
{
	text_set_file("trace");
	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	tbuf_text_flush_set(flush_before_a_line);
	tbuf_text_own->lock = 1;	/* another thread has it */
	waited = true;
	text_print(0, 5);
	ck_assert(!waited);
	ck_assert_ptr_nonnull(strstr(text_file_text("trace"), text_line));
	ck_assert_uint_eq(tbuf_text_lost(), 0);
	tbuf_text_flush_set(NULL);
	text_set("traceFacility=Memory");
	text_print(1, 5);
	text_set("traceFacility=Off");
	ck_assert_ptr_nonnull(strstr(text_file_text("trace"), text_line));
	ck_assert_uint_eq(tbuf_text_lost(), 0);
}
END_TEST

/* Without memory the text trace is off, and the log says so. */
START_TEST(without_memory_text_is_off_and_the_log_says_so)
{
	const struct rlimit limit = { 1 << 20, 1 << 20 };

	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(tbuf_text_set("traceFacility=Memory"), -ENOMEM);
	ck_assert_uint_eq(text_nlogged, 1);
	ck_assert_ptr_nonnull(strstr(text_logged[0], "off"));
	ck_assert_uint_eq(text_chunks(), 0);
	ck_assert_int_eq(tbuf_text_wanted(&text_store, TBUF_SEVERE), 0);
	text_set("traceMemoryBufferKbytes=512;traceFacility=Memory");
	ck_assert_int_ne(tbuf_text_wanted(&text_store, TBUF_SEVERE), 0);
}
END_TEST

/* ------------------------------------------------------------ assertions */

static void
assert_flush(bool long_expression)
{
	char text[1000] = "";
	int null = open("/dev/null", O_WRONLY);

	dup2(null, STDERR_FILENO);
	memset(text, 'e', sizeof(text) - 1);
	text_set_file("trace");
	text_set("traceFacility=Memory");
	text_print(1, 3);
	TBUF_ASSERT(flushes == 0);
	if (long_expression)
		tbuf_assert_failed(text, "f.c", 1, "f");
	TBUF_ASSERT(flushes != 0);
}

/* Fails an assertion in a child, which aborts. */
static void
assert_in_child(bool long_expression)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		assert_flush(long_expression);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

START_TEST(an_assertion_tells_flushes_and_aborts)
{
	const char *text;

	assert_in_child(false);
	text = strstr(text_file_text("trace"), " store info: 1 3 bbb\n");
	ck_assert_ptr_nonnull(text);
	text = strstr(text, " assert severe: ");
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(strstr(text,
	    "assert_flush: assertion failed: flushes != 0\n"));
	assert_in_child(true);
	ck_assert_ptr_nonnull(strstr(text_file_text("trace"), "eeee[cut]\n"));
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {
		settings_are_taken_or_refused_in_words,
		what_is_too_long_in_a_setting_is_refused,
		a_message_is_wanted_by_component_and_level,
		the_log_gets_long_messages_in_pieces,
		a_file_that_others_can_change_is_refused,
		a_file_of_another_user_is_refused,
		each_directory_of_the_path_counts,
		directories_of_another_user_are_refused,
		links_of_another_user_are_refused,
		the_file_gets_whole_lines,
		what_cannot_be_flushed_is_kept,
		leaving_memory_flushes_and_frees_it,
		a_flush_is_one_call_of_whole_lines,
		a_flush_that_finds_no_room_goes_on_later,
		the_flush_can_be_exchanged,
		a_flush_calls_the_function_that_finds_the_trace,
		a_message_that_is_cut_ends_in_a_sign,
		a_line_that_comes_while_memory_is_left_goes_to_the_next,
		without_memory_text_is_off_and_the_log_says_so,
		an_assertion_tells_flushes_and_aborts
	};

	return (text_main(tests, sizeof(tests) / sizeof(tests[0])));
}
