/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The text trace: how it is set, its facilities, and what Memory keeps however
 * a line is interrupted.  This process is the target.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "common/control.h"
#include "scratch.h"
#include "steps.h"
#include "tbuf_consumer.h"
#include "text/text.h"

static struct tbuf_component store = { .name = "store" };
static char directory[256];	/* the runtime directory */

/* ------------------------------------------------------------ the log */

static char logged[8][1200];
static int priorities[8];
static unsigned nlogged;

/* In front of the C library's. */
void
syslog(int priority, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (nlogged < 8) {
		priorities[nlogged] = priority;
		vsnprintf(logged[nlogged++], sizeof(logged[0]), format,
		    arguments);
	}
	va_end(arguments);
}

/* ------------------------------------------------------------ helpers */

/* A test's process is a forked child, and becomes a target by itself. */
static void
set_up(void)
{
	scratch_directory(directory, sizeof(directory));
	ck_assert_int_eq(setenv("TBUF_DIR", directory, 1), 0);
	unsetenv("TBUF_TEXT");
	ck_assert_int_eq(tbuf_component_register(&store), 0);
}

static void
tear_down(void)
{
	scratch_remove(directory);
}

static void
set(const char *setting)
{
	ck_assert_msg(tbuf_text_set(setting) == 0, "%s", setting);
}

static const char *
file_path(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return (path);
}

static void
set_file(const char *name)
{
	char setting[600];

	snprintf(setting, sizeof(setting), "traceFilePath=%s", file_path(name));
	set(setting);
}

/* A file's bytes, with a NUL behind them; "" without one. */
static const char *
file_text(const char *name)
{
	static char text[4 << 20];
	int fd = open(file_path(name), O_RDONLY);
	ssize_t n = fd == -1 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd != -1)
		close(fd);
	text[n] = '\0';
	return (text);
}

/* Traces in memory in the runtime directory. */
static unsigned
chunks(void)
{
	DIR *d = opendir(directory);
	const struct dirent *entry;
	unsigned n = 0;

	while ((entry = readdir(d)) != NULL)
		n += strncmp(entry->d_name, "text.", 5) == 0;
	closedir(d);
	return (n);
}

/* What the trace has, by its header alone, in order. */
static char held[2 << 20];
static size_t held_size;

static void
hold(void)
{
	const struct tbuf_trace *t = tbuf_text_own->trace;
	const char *text = (const char *)(t + 1);
	uint64_t at, n, from;

	held_size = 0;
	ck_assert_uint_le(t->oldest, t->next);
	ck_assert_uint_le(t->next, t->reserved);
	for (from = t->oldest; from < t->next; from += n) {
		at = from % t->size;
		n = t->next - from < t->size - at ? t->next - from :
		    t->size - at;
		if (held_size + n > sizeof(held))
			ck_abort_msg("more than a chunk");
		memcpy(held + held_size, text + at, n);
		held_size += n - (at + n == t->size ?
		    tbuf_trace_fill(text + at, n) : 0);
	}
}

/*
 * Lines whose bytes follow from their number: "NUMBER LENGTH ccc...".  The
 * expected ones are all that were written last.
 */
static void
message(uint32_t number, unsigned length, char *text)
{
	int n = sprintf(text, "%u %u ", number, length);

	memset(text + n, 'a' + (int)(number % 26), length);
	text[n + (int)length] = '\0';
}

/* Each line is one of these; their numbers rise by 1, `first' to `last'. */
static unsigned
lines_good(uint32_t *first, uint32_t *last)
{
	char expected[9000], *p = held, *end, *body;
	unsigned count = 0, number, length;

	for (; p < held + held_size; p = end + 1, count++) {
		end = memchr(p, '\n', (size_t)(held + held_size - p));
		if (end == NULL)
			ck_abort_msg("no line's end: %.100s", p);
		*end = '\0';
		body = strstr(p, ": ");
		/* An assertion is a system call, even one that holds. */
		if (body == NULL || strncmp(p, "20", 2) != 0 ||
		    sscanf(body + 2, "%u %u ", &number, &length) != 2 ||
		    length >= 8500)
			ck_abort_msg("torn: %.100s", p);
		message(number, length, expected);
		if (strcmp(body + 2, expected) != 0)
			ck_abort_msg("not as written: %.100s", p);
		if (count == 0)
			*first = number;
		else if (number != *last + 1)
			ck_abort_msg("%u after %u", number, *last);
		*last = number;
	}
	return (count);
}

/* The mark is where the next line begins, whole. */
static bool
mark_stands(void)
{
	const struct tbuf_text_own *own = tbuf_text_own;
	uint64_t at = own->next % own->size;

	return (own->size - at >= TBUF_TRACE_MARK_SIZE &&
	    memcmp((const char *)(own->trace + 1) + at, TBUF_TRACE_MARK,
	    TBUF_TRACE_MARK_SIZE) == 0);
}

static char line_text[9000];

static void
print(uint32_t number, unsigned length)
{
	message(number, length, line_text);
	tbuf_text(&store, TBUF_INFO, "%s", line_text);
}

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
		{ "", "nothing" },
		{ ";", "nothing" },
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

/* Nothing is evaluated for nobody; the last element that fits counts. */
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

	tbuf_text(&store, TBUF_SEVERE, "%d", evaluate());
	ck_assert_uint_eq(evaluated, 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set(cases[i].setting);
		for (level = -9; level <= 9; level++) {
			nlogged = evaluated = 0;
			tbuf_text(&store, level, "%d", evaluate());
			ck_assert_msg(nlogged == (level >= 1 &&
			    level <= cases[i].level) && nlogged <= evaluated,
			    "%s, level %d", cases[i].setting, level);
			if (level >= 0 && level < TBUF_LEVELS)
				ck_assert_uint_eq(nlogged, evaluated);
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
	set("traceFacility=Log;traceLevel=flow");
	tbuf_text(&store, TBUF_SEVERE, "%d\n\a two\n\n", 1);
	ck_assert_str_eq(logged[0], "store severe: 1   two");
	ck_assert_int_eq(priorities[0], LOG_ERR);
	nlogged = 0;
	tbuf_text(&store, TBUF_FLOW, "%s", text);
	ck_assert_uint_eq(nlogged, 3);
	ck_assert_int_eq(priorities[2], LOG_DEBUG);
	ck_assert_int_eq(strncmp(logged[1], "store flow (2/3): xxx", 21), 0);
	ck_assert_uint_eq(strlen(logged[0]) + strlen(logged[1]) +
	    strlen(logged[2]), 3 * 18 + sizeof(text) - 1);
	ck_assert_uint_eq(tbuf_text_lost(), 0);
}
END_TEST

START_TEST(the_file_gets_whole_lines)
{
	char prefix[128];
	const char *text;

	set_file("trace");
	set("traceFacility=FILE");
	errno = ENOENT;
	tbuf_text(&store, TBUF_WARNING, "%m %s", "b");
	ck_assert_int_eq(errno, ENOENT);
	text = file_text("trace");
	snprintf(prefix, sizeof(prefix), " %d:%d store warning: "
	    "No such file or directory b\n", getpid(), gettid());
	ck_assert_uint_eq(strlen(text), 27 + strlen(prefix));
	ck_assert_str_eq(text + 27, prefix);
	/* Lines that find no file are lost. */
	ck_assert_int_eq(chmod(file_path("trace"), 0666), 0);
	tbuf_text(&store, TBUF_WARNING, "b");
	tbuf_text_string(&store, TBUF_WARNING, "b");
	ck_assert_uint_eq(tbuf_text_lost(), 2);
}
END_TEST

static void
expect_refused(const char *name, int error)
{
	char setting[600];

	snprintf(setting, sizeof(setting), "traceFacility=File;"
	    "traceFilePath=%s", file_path(name));
	ck_assert_int_eq(tbuf_text_set(setting), error);
}

/* A file that others have made, or can change, gets no byte. */
START_TEST(a_file_that_others_can_change_is_refused)
{
	char target[600];

	strcpy(target, file_path("real"));
	close(open(target, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(symlink(target, file_path("symlink")), 0);
	expect_refused("symlink", -ELOOP);
	ck_assert_int_eq(mkfifo(file_path("fifo"), 0600), 0);
	expect_refused("fifo", -EINVAL);
	ck_assert_int_eq(link(target, file_path("link")), 0);
	expect_refused("link", -EPERM);
	unlink(file_path("link"));
	ck_assert_int_eq(chmod(target, 0620), 0);
	expect_refused("real", -EPERM);
	ck_assert_int_eq(chmod(target, 0644), 0);
	expect_refused("nowhere/real", -ENOENT);
	ck_assert_int_eq(mkdir(file_path("open"), 0700), 0);
	ck_assert_int_eq(chmod(file_path("open"), 0777), 0);
	expect_refused("open/real", -EPERM);
	ck_assert_int_eq(chmod(file_path("open"), 01777), 0);
	expect_refused("open/real", 0);
	expect_refused("open", -EISDIR);
	expect_refused("real", 0);
	ck_assert_str_eq(file_text("real"), "");
}
END_TEST

START_TEST(a_file_of_another_user_is_refused)
{
	if (geteuid() != 0)
		return;
	close(open(file_path("theirs"), O_CREAT | O_WRONLY, 0644));
	ck_assert_int_eq(chown(file_path("theirs"), 12345, 12345), 0);
	expect_refused("theirs", -EPERM);
}
END_TEST

/* Leaving Memory flushes it and frees it; a flush never writes a line twice. */
START_TEST(leaving_memory_flushes_and_frees_it)
{
	const char *text;
	uint32_t i;

	set("traceFacility=Memory;traceMemoryBufferKbytes=64");
	ck_assert_uint_eq(chunks(), 1);
	for (i = 0; i < 3; i++)
		print(i, 5);
	ck_assert_int_eq(tbuf_text_flush(), 0);		/* there is no file */
	set_file("trace");
	ck_assert_int_eq(tbuf_text_flush(), 0);
	print(3, 5);
	ck_assert_int_eq(tbuf_text_flush(), 0);
	ck_assert_int_eq(tbuf_text_flush(), 0);
	ck_assert_int_eq(tbuf_text_set("traceMemoryBufferKbytes=32"), -EBUSY);
	print(4, 5);
	set("traceFacility=fIlE");
	ck_assert_uint_eq(chunks(), 0);
	ck_assert_ptr_null(tbuf_text_own->trace);
	print(5, 5);
	text = file_text("trace");
	for (i = 0; i < 6; i++) {
		message(i, 5, line_text);
		text = strstr(text, line_text);
		ck_assert_ptr_nonnull(text);
		text = strchr(text, '\n') + 1;
	}
	ck_assert_str_eq(text, "");
	ck_assert_uint_eq(tbuf_text_lost(), 0);
}
END_TEST

/* What cannot be flushed is kept. */
START_TEST(what_cannot_be_flushed_is_kept)
{
	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	print(1, 5);
	ck_assert_int_eq(mkdir(file_path("a"), 0700), 0);
	set_file("a");
	ck_assert_int_eq(tbuf_text_set("traceFacility=Log"), -EISDIR);
	print(2, 5);
	ck_assert_uint_eq(nlogged, 0);
	ck_assert_uint_eq(chunks(), 1);
	set("traceFilePath=");
	set("traceFacility=Log");
	ck_assert_uint_eq(chunks(), 0);
}
END_TEST

static unsigned flushes;

static int
count_flush(void)
{
	/* It may have a message, and may not change a setting. */
	tbuf_text(&store, TBUF_INFO, "flush");
	ck_assert_int_eq(tbuf_text_set("traceLevel=1"), -EBUSY);
	flushes++;
	return (0);
}

START_TEST(the_flush_can_be_exchanged)
{
	tbuf_text_flush_set(count_flush);
	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	ck_assert_uint_eq(flushes, 0);
	set("traceFacility=Off");
	ck_assert_uint_eq(flushes, 1);
	tbuf_text_flush_set(NULL);
	set("traceFacility=Memory");
	set("traceFacility=Off");
	ck_assert_uint_eq(flushes, 1);
}
END_TEST

/* No memory: this process's text is off, and the log has it. */
START_TEST(without_memory_text_is_off_and_the_log_says_so)
{
	const struct rlimit limit = { 1 << 20, 1 << 20 };

	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(tbuf_text_set("traceFacility=Memory"), -ENOMEM);
	ck_assert_uint_eq(nlogged, 1);
	ck_assert_ptr_nonnull(strstr(logged[0], "off"));
	ck_assert_uint_eq(chunks(), 0);
	ck_assert_int_eq(tbuf_text_wanted(&store, TBUF_SEVERE), 0);
	set("traceMemoryBufferKbytes=512;traceFacility=Memory");
	ck_assert_int_ne(tbuf_text_wanted(&store, TBUF_SEVERE), 0);
}
END_TEST

/* ------------------------------------------------------------ assertions */

static void
assert_flush(void)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(null, STDERR_FILENO);
	set_file("trace");
	set("traceFacility=Memory");
	print(1, 3);
	TBUF_ASSERT(flushes == 0);
	TBUF_ASSERT(flushes != 0);
}

START_TEST(an_assertion_tells_flushes_and_aborts)
{
	const char *text;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		assert_flush();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	text = strstr(file_text("trace"), " store info: 1 3 bbb\n");
	ck_assert_ptr_nonnull(text);
	text = strstr(text, " assert severe: ");
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(strstr(text,
	    "assert_flush: assertion failed: flushes != 0\n"));
}
END_TEST

/* ------------------------------------------------------------ the chunk */

/* The lines that are held are the last ones, and no more could be. */
static void
expect_last(uint32_t count)
{
	const struct tbuf_text_own *own = tbuf_text_own;
	uint32_t first = 0, last = 0;

	hold();
	ck_assert_uint_gt(lines_good(&first, &last), 0);
	ck_assert_uint_eq(last, count - 1);
	ck_assert_msg(mark_stands(), "line %u, next %ju", count,
	    (uintmax_t)own->next);
	ck_assert_uint_eq(own->trace->next, own->next);
	ck_assert(first == 0 || own->reserved > own->size);
}

START_TEST(the_last_lines_are_held_in_order)
{
	unsigned seed = (unsigned)getpid();
	uint32_t i;

	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	ck_assert(mark_stands());
	for (i = 0; i < 4000; i++) {
		print(i, (unsigned)rand_r(&seed) % (i % 64 == 0 ? 8000 : 200));
		expect_last(i + 1);
	}
	ck_assert_uint_eq(tbuf_text_lost(), 0);
	ck_assert_uint_eq(tbuf_text_own->trace->size, 16384 - 128);
}
END_TEST

/*
 * Bytes that a line has beside its LENGTH, when it is of this number.  Where
 * one wraps there are blanks besides: then the next one tells.
 */
static unsigned
overhead(uint32_t *number)
{
	const uint64_t size = tbuf_text_own->size;
	uint64_t before;

	do {
		before = tbuf_text_own->next;
		print((*number)++, 100);
	} while (before / size != tbuf_text_own->next / size);
	return ((unsigned)(tbuf_text_own->next - before) - 100);
}

/*
 * A line ends at every place near the chunk's end: the mark is behind it, or
 * blanks are and the mark is at the begin; and no line is given up too early.
 */
START_TEST(the_mark_is_never_split)
{
	uint32_t n = 100000, first, last;
	unsigned over, room, left, i;

	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	for (room = 0; room <= 2 * TBUF_TRACE_MARK_SIZE; room++) {
		over = overhead(&n);
		for (;;) {
			left = (unsigned)(tbuf_text_own->size -
			    tbuf_text_own->next % tbuf_text_own->size);
			/* Its length has three digits, as elsewhere. */
			if (left < 600 && left >= over + room + 100)
				break;
			print(n++, 300 - over);
		}
		print(n++, left - over - room);
		left = (unsigned)(tbuf_text_own->next % tbuf_text_own->size);
		ck_assert_uint_eq(left, room < TBUF_TRACE_MARK_SIZE ? 0 :
		    tbuf_text_own->size - room);
		ck_assert(mark_stands());
		for (i = 0; i < 200; i++) {
			hold();
			lines_good(&first, &last);
			ck_assert_uint_eq(last, n - 1);
			print(n++, i);
		}
	}
}
END_TEST

/* A line whose begin the mark's end meets exactly is whole, and stays. */
START_TEST(a_line_that_the_mark_just_meets_stays)
{
	uint32_t n = 100000, i, first, last;
	unsigned over, lines;

	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	over = overhead(&n);
	/* 16256 bytes: lines of 254, which leave place for the mark. */
	tbuf_text_own->next = tbuf_text_own->oldest = 0;
	lines = (unsigned)tbuf_text_own->size / 254;
	ck_assert_uint_eq(lines * 254, tbuf_text_own->size);
	for (i = 0; i < 2 * lines; i++)
		print(100000 + i, 254 - over);
	print(100000 + i++, 254 - over - TBUF_TRACE_MARK_SIZE);
	hold();
	ck_assert_uint_eq(lines_good(&first, &last), lines);
	ck_assert_uint_eq(last, 100000 + i - 1);
}
END_TEST

/* A line that is too long for the chunk is cut, one that is not is whole. */
START_TEST(a_line_too_long_for_the_chunk_is_cut)
{
	static char text[40000];
	const char *line;

	memset(text, 'y', sizeof(text) - 1);
	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	print(0, 5000);
	expect_last(1);
	tbuf_text(&store, TBUF_INFO, "%s", text);
	hold();
	held[held_size] = '\0';
	line = strchr(held, '\n') + 1;
	ck_assert_uint_eq(strlen(line), tbuf_text_own->size / 2);
	ck_assert_str_eq(line + strlen(line) - 3, "yy\n");
	ck_assert(mark_stands());
}
END_TEST

/* ------------------------------------------------------------ interrupted */

static uint32_t stepped;	/* the number of the line being written */
static char step_line[256];

/* A line that is formatted already. */
static void
step_write(void)
{
	tbuf_trace_write(step_line, strlen(step_line));
}

static void
step_prepare(void)
{
	memcpy(step_line, "20: ", 4);
	message(stepped, 60, step_line + 4);
	strcat(step_line, "\n");
}

static void
step_next(void)
{
	step_prepare();
	step_write();
	stepped++;
}

/* Lines until the next would begin at this place of the chunk or behind it. */
static void
step_to(uint64_t place)
{
	while (tbuf_text_own->next % tbuf_text_own->size >= place)
		step_next();
	while (tbuf_text_own->next % tbuf_text_own->size < place)
		step_next();
}

/* What another process would find now, were this one killed. */
static void
step_look(void)
{
	uint32_t first, last = 0;

	hold();
	ck_assert_uint_gt(lines_good(&first, &last), 0);
	ck_assert(last == stepped || last == stepped - 1);
}

/* A sanitizer's calls are too many to be stepped through. */
static bool
steppable(void)
{
	const char *sanitizer = getenv("SANITIZER");

	return (STEPS_POSSIBLE && (sanitizer == NULL || *sanitizer == '\0'));
}

START_TEST(a_line_is_whole_or_not_there_at_each_instruction)
{
	unsigned i;

	if (!steppable())
		return;
	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	step_next();
	step_to(16000);
	/* Over the chunk's end, and over older lines. */
	for (i = 0; i < 10; i++, stepped++) {
		step_prepare();
		steps_run(step_write, STEPS_EACH, step_look);
	}
}
END_TEST

static sigjmp_buf out;

static void
step_leave(void)
{
	siglongjmp(out, 1);
}

/* A thread ends at any instruction of a line: others go on. */
START_TEST(a_thread_that_ends_amid_a_line_holds_nobody_up)
{
	volatile unsigned long at = 0;
	volatile bool more = true;
	volatile unsigned gone = 0;
	volatile uint64_t next;

	if (!steppable())
		return;
	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	step_next();
	step_to(15000);
	for (; more; at++) {
		step_prepare();
		next = tbuf_text_own->next;
		if (sigsetjmp(out, 1) == 0)
			more = steps_run(step_write, at, step_leave);
		/* No thread has this id. */
		if (tbuf_text_own->lock != 0) {
			tbuf_text_own->lock = 0x7ffffff0;
			gone++;
		}
		/* What only the header does not say yet is there. */
		if (tbuf_text_own->next != next)
			stepped++;
		step_next();
		expect_last(stepped);
	}
	ck_assert_uint_gt(gone, 10);
	ck_assert_uint_eq(tbuf_text_lost(), 0);
}
END_TEST

static unsigned handled;

static void
step_print(void)
{
	print(stepped, 60);
}

static void
step_string(void)
{
	handled++;
	tbuf_text_string(&store, TBUF_INFO, "from a handler");
}

/* A handler amid a line: its own is whole, or counted as lost. */
START_TEST(a_handlers_line_is_whole_or_lost)
{
	unsigned found = 0;
	unsigned long at;
	const char *p;

	if (!steppable())
		return;
	set("traceFacility=Memory;traceMemoryBufferKbytes=1024");
	for (at = 0; steps_run(step_print, at, step_string); at += 37)
		stepped++;
	hold();
	held[held_size] = '\0';
	for (p = held; (p = strstr(p, "from a handler\n")) != NULL; p++)
		found++;
	ck_assert_uint_gt(found, 0);
	ck_assert_uint_gt(tbuf_text_lost(), 0);
	ck_assert_uint_eq(found + tbuf_text_lost(), handled);
	for (found = 0, p = held; (p = strchr(p, '\n')) != NULL; p++)
		found++;
	ck_assert_uint_eq(found + tbuf_text_lost(), handled + stepped + 1);
}
END_TEST

/* ------------------------------------------------------------ threads */

#define THREADS	8
#define LINES	2000

static void *
thread(void *number)
{
	unsigned i;

	for (i = 0; i < LINES; i++)
		tbuf_text(&store, TBUF_INFO, "%u %u end",
		    *(unsigned *)number, i);
	return (NULL);
}

/* Each line is there once, in its thread's order, or counted as lost. */
START_TEST(lines_of_threads_never_interleave)
{
	unsigned numbers[THREADS], next[THREADS] = { 0 }, i, n, count = 0;
	pthread_t threads[THREADS];
	char *p, *body, *end;

	set("traceFacility=Memory;traceMemoryBufferKbytes=2048");
	for (i = 0; i < THREADS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, thread, &numbers[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	hold();
	for (p = held; p < held + held_size; p = end + 1, count++) {
		end = memchr(p, '\n', (size_t)(held + held_size - p));
		ck_assert_ptr_nonnull(end);
		*end = '\0';
		body = strstr(p, " store info: ");
		ck_assert(body != NULL && strcmp(end - 4, " end") == 0 &&
		    sscanf(body, " store info: %u %u end", &n, &i) == 2);
		ck_assert(n < THREADS && i >= next[n]);
		next[n] = i + 1;
	}
	ck_assert_uint_eq(count + tbuf_text_lost(), THREADS * LINES);
}
END_TEST

static volatile bool switching;

static void *
switcher(void *unused)
{
	(void)unused;
	while (switching)
		tbuf_text(&store, TBUF_INFO, "switched");
	return (NULL);
}

/* The chunk is unmapped under threads that have messages. */
START_TEST(memory_is_left_under_threads_with_messages)
{
	pthread_t threads[4];
	unsigned i;

	switching = true;
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, switcher, NULL);
	for (i = 0; i < 200; i++) {
		set("traceFacility=Memory;traceMemoryBufferKbytes=16");
		sched_yield();
		set("traceFacility=Off");
	}
	switching = false;
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(chunks(), 0);
}
END_TEST

/* ------------------------------------------------------------ children */

static void
expect_child(pid_t pid)
{
	int status;

	if (pid == 0) {
		ck_assert_ptr_null(tbuf_text_own->trace);
		print(1, 7);
		ck_assert_uint_eq(tbuf_text_own->size, 64 * 1024 - 128);
		ck_assert_uint_eq(tbuf_text_own->trace->pid, getpid());
		hold();
		held[held_size] = '\0';
		ck_assert_ptr_nonnull(strstr(held, "1 7 bbbbbbb\n"));
		_exit(9);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 9);
}

/* A child has a chunk of its own, of the 16th part, and at least 16 KiB. */
START_TEST(a_child_has_a_16th_of_its_own)
{
	uint32_t first, last;

	set("traceFacility=Memory;traceMemoryBufferKbytes=1024");
	print(0, 7);
	expect_child(fork());
#if __GLIBC_PREREQ(2, 34)
	expect_child(_Fork());
#endif
	hold();
	ck_assert_uint_eq(lines_good(&first, &last), 1);
	ck_assert_uint_eq(chunks(), 2 + __GLIBC_PREREQ(2, 34));
	set("traceFacility=Off");
	set("traceFacility=Memory;traceMemoryBufferKbytes=17");
	if (fork() == 0) {
		print(1, 7);
		_exit(tbuf_text_own->size == 16 * 1024 - 128 ? 9 : 1);
	}
	wait((int *)&first);
	ck_assert_uint_eq(WEXITSTATUS(first), 9);
}
END_TEST

/* Killed amid its lines; the file has whole ones. */
START_TEST(a_killed_process_leaves_whole_lines)
{
	char path[600];
	const struct dirent *entry;
	uint32_t first, last;
	int ready[2];
	pid_t pid;
	DIR *d;
	char c;

	ck_assert_int_eq(pipe(ready), 0);
	if ((pid = fork()) == 0) {
		set("traceFacility=Memory;traceMemoryBufferKbytes=16");
		for (stepped = 0;; stepped++) {
			print(stepped, stepped % 100);
			if (stepped == 300)
				ck_assert_int_eq(write(ready[1], "", 1), 1);
		}
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	d = opendir(directory);
	while ((entry = readdir(d)) != NULL)
		if (strncmp(entry->d_name, "text.", 5) == 0)
			strcpy(path, file_path(entry->d_name));
	closedir(d);
	tbuf_text_own->trace = mmap(NULL, 16384, PROT_READ, MAP_PRIVATE,
	    open(path, O_RDONLY), 0);
	ck_assert_ptr_ne(tbuf_text_own->trace, MAP_FAILED);
	hold();
	ck_assert_uint_gt(lines_good(&first, &last), 50);
	ck_assert_uint_ge(last, 300);
	tbuf_text_own->trace = NULL;
}
END_TEST

/* ------------------------------------------------------------ read */

static unsigned traces;

/* As hold() has it, by the library's reader. */
static int
take_unwrapped(void *unused, const struct tbuf_unwrapped *u)
{
	(void)unused;
	ck_assert_int_eq(u->pid, getpid());
	ck_assert_str_eq(u->comm, program_invocation_short_name);
	ck_assert_uint_le(u->size, sizeof(held));
	memcpy(held, u->text, u->size);
	held_size = u->size;
	traces++;
	return (0);
}

/* The reader gives what is there, over all places where the chunk ends. */
START_TEST(a_trace_is_put_in_order)
{
	static char expected[sizeof(held)];
	unsigned seed = (unsigned)getpid();
	size_t size;
	uint32_t i;

	ck_assert_int_eq(tbuf_unwrap_pid(getpid(), take_unwrapped, NULL),
	    -ESRCH);
	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	ck_assert_int_eq(tbuf_unwrap_pid(getpid(), take_unwrapped, NULL), 0);
	ck_assert_uint_eq(held_size, 0);
	for (i = 0; i < 1000; i++) {
		print(i, (unsigned)rand_r(&seed) % 300);
		hold();
		memcpy(expected, held, held_size);
		size = held_size;
		ck_assert_int_eq(tbuf_unwrap_pid(getpid(), take_unwrapped,
		    NULL), 0);
		ck_assert_uint_eq(held_size, size);
		ck_assert_int_eq(memcmp(held, expected, size), 0);
	}
	ck_assert_uint_eq(traces, 1001);
}
END_TEST

static void *
writer(void *unused)
{
	uint32_t i;

	(void)unused;
	for (i = 0; switching; i++) {
		char text[200];

		message(i, i % 100, text);
		tbuf_text(&store, TBUF_INFO, "%s", text);
	}
	return (NULL);
}

/* While it is written: whole lines in order, and no gap between them. */
START_TEST(a_trace_is_read_while_it_is_written)
{
	uint32_t first, last, before = 0;
	pthread_t other;
	unsigned i;
	int error;

	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	switching = true;
	pthread_create(&other, NULL, writer, NULL);
	for (i = 0; i < 2000; i++) {
		error = tbuf_unwrap_pid(getpid(), take_unwrapped, NULL);
		/* All of it may be overwritten each time. */
		ck_assert(error == 0 || error == -EINVAL);
		if (error == 0 && held_size > 0) {
			lines_good(&first, &last);
			ck_assert_uint_ge(last, before);
			before = last;
		}
	}
	switching = false;
	pthread_join(other, NULL);
	ck_assert_uint_gt(traces, 0);
}
END_TEST

/* A copy that ends early, as a core does: whole lines of what is there. */
START_TEST(a_trace_that_is_cut_has_whole_lines)
{
	char path[600], copy[600];
	static char bytes[16384];
	const struct dirent *entry;
	uint32_t first, last, i;
	ssize_t n;
	DIR *d;
	int fd;

	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	for (i = 0; i < 300; i++)
		print(i, 50);
	d = opendir(directory);
	while ((entry = readdir(d)) != NULL)
		if (strncmp(entry->d_name, "text.", 5) == 0)
			strcpy(path, file_path(entry->d_name));
	closedir(d);
	fd = open(path, O_RDONLY);
	ck_assert_int_eq(read(fd, bytes, sizeof(bytes)), sizeof(bytes));
	close(fd);
	strcpy(copy, file_path("copy"));
	for (n = sizeof(bytes); n >= 128; n -= 97) {
		fd = open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		ck_assert_int_eq(write(fd, bytes, (size_t)n), n);
		close(fd);
		held_size = 0;
		ck_assert_int_eq(tbuf_unwrap_file(copy, take_unwrapped, NULL),
		    0);
		for (i = 0; i < held_size; i++)
			ck_assert(i > 0 && held[i - 1] != '\n' ? true :
			    strncmp(held + i, "20", 2) == 0);
		ck_assert(held_size == 0 || held[held_size - 1] == '\n');
	}
	ck_assert_int_eq(tbuf_unwrap_file(path, take_unwrapped, NULL), 0);
	ck_assert_uint_gt(lines_good(&first, &last), 100);
	ck_assert_uint_eq(last, 299);
}
END_TEST

/* What another process asks for is taken with the next message, all of it. */
START_TEST(others_set_it_with_the_next_message)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	char setting[600];

	ck_assert_ptr_nonnull(c);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(), "traceLevel=6"),
	    -EINVAL);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(),
	    "traceMemoryBufferKbytes=16"), -EINVAL);
	snprintf(setting, sizeof(setting), "traceFilePath=%s",
	    file_path("trace"));
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(), setting), 0);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(),
	    "traceFacility=file"), 0);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(),
	    "traceLevel=severe"), 0);
	ck_assert(tbuf_text_wanted(&store, TBUF_FLOW));
	tbuf_text(&store, TBUF_FLOW, "not wanted after all");
	ck_assert(!tbuf_text_wanted(&store, TBUF_FLOW));
	tbuf_text(&store, TBUF_WARNING, "nor this");
	tbuf_text(&store, TBUF_SEVERE, "but this");
	ck_assert_str_eq(strchr(file_text("trace"), 's'),
	    "store severe: but this\n");
	/* One that cannot be done is told to the log. */
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(),
	    "traceFilePath=/nowhere/trace"), 0);
	tbuf_text(&store, TBUF_SEVERE, "as before");
	ck_assert_uint_eq(nlogged, 1);
	ck_assert_ptr_nonnull(strstr(file_text("trace"), "as before\n"));
	/* Too much at a time. */
	memset(setting, ';', sizeof(setting));
	setting[590] = '\0';
	memcpy(setting, "traceLevel=5", 12);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(), setting), 0);
	ck_assert_int_eq(tbuf_consumer_text(c, getpid(), setting), -E2BIG);
	tbuf_consumer_close(c);
}
END_TEST

/* Of the dead the youngest are kept, and of those that exited none. */
START_TEST(of_the_dead_the_youngest_chunks_are_kept)
{
	unsigned i;

	for (i = 0; i < TBUF_TRACES_KEPT + 5; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			set("traceFacility=Memory;traceMemoryBufferKbytes=16");
			if (i % 2 == 0)
				exit(0);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	for (i = 0; i < TBUF_TRACES_KEPT + 5; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			set("traceFacility=Memory;traceMemoryBufferKbytes=16");
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	ck_assert_uint_eq(chunks(), TBUF_TRACES_KEPT + 1);
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
		the_file_gets_whole_lines,
		what_cannot_be_flushed_is_kept,
		memory_is_left_under_threads_with_messages,
		leaving_memory_flushes_and_frees_it,
		the_flush_can_be_exchanged,
		without_memory_text_is_off_and_the_log_says_so,
		an_assertion_tells_flushes_and_aborts,
		the_mark_is_never_split,
		the_last_lines_are_held_in_order,
		a_line_that_the_mark_just_meets_stays,
		a_line_too_long_for_the_chunk_is_cut,
		a_line_is_whole_or_not_there_at_each_instruction,
		a_thread_that_ends_amid_a_line_holds_nobody_up,
		a_handlers_line_is_whole_or_lost,
		lines_of_threads_never_interleave,
		a_child_has_a_16th_of_its_own,
		a_killed_process_leaves_whole_lines,
		of_the_dead_the_youngest_chunks_are_kept,
		a_trace_is_put_in_order,
		a_trace_is_read_while_it_is_written,
		a_trace_that_is_cut_has_whole_lines,
		others_set_it_with_the_next_message
	};
	Suite *suite = suite_create("text");
	TCase *tcase = tcase_create("text");
	SRunner *runner;
	size_t i;
	int failed;

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return (failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
