/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The text trace in memory: the lines of its chunk, at any interruption.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/single_step.h"

/* ------------------------------------------------------------ the chunk */

/* The chunk has the last lines, and has no room for another one. */
static void
expect_last(uint32_t count)
{
	const struct tbuf_text_own *own = tbuf_text_own;
	uint32_t first = 0, last = 0;

	text_hold();
	ck_assert_uint_gt(text_lines_good(&first, &last), 0);
	ck_assert_uint_eq(last, count - 1);
	ck_assert_msg(text_mark_stands(), "line %u, next %ju", count,
	    (uintmax_t)own->next);
	ck_assert_uint_eq(own->trace->next, own->next);
	ck_assert(first == 0 || own->reserved > own->size);
}

START_TEST(the_last_lines_are_held_in_order)
{
	unsigned seed = text_seed();
	uint32_t i;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	ck_assert(text_mark_stands());
	for (i = 0; i < 4000; i++) {
		text_print(i,
		    (unsigned)rand_r(&seed) % (i % 64 == 0 ? 8000 : 200));
		expect_last(i + 1);
	}
	ck_assert_uint_eq(tbuf_text_lost(), 0);
	ck_assert_uint_eq(tbuf_text_own->trace->size, 16384 - 128);
}
END_TEST

/*
 * Returns the bytes of a line besides its LENGTH, for this number.  A line that
 * wraps has blanks, too, so the next one is measured then.
 */
static unsigned
overhead(uint32_t *number)
{
	const uint64_t size = tbuf_text_own->size;
	uint64_t before;

	do {
		before = tbuf_text_own->next;
		text_print((*number)++, 100);
	} while (before / size != tbuf_text_own->next / size);
	return ((unsigned)(tbuf_text_own->next - before) - 100);
}

/*
 * A line ends at every place near the chunk's end.  Either the mark follows it,
 * or blanks do and the mark is at the beginning; no line is dropped too early.
 */
START_TEST(the_mark_is_never_split)
{
	uint32_t n = 100000, first, last;
	unsigned over, room, left, i;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	for (room = 0; room <= 2 * TBUF_TRACE_MARK_SIZE; room++) {
		over = overhead(&n);
		for (;;) {
			left = (unsigned)(tbuf_text_own->size -
			    tbuf_text_own->next % tbuf_text_own->size);
			/* The length must have three digits, as below. */
			if (left < 600 && left >= over + room + 100)
				break;
			text_print(n++, 300 - over);
		}
		text_print(n++, left - over - room);
		left = (unsigned)(tbuf_text_own->next % tbuf_text_own->size);
		ck_assert_uint_eq(left, room < TBUF_TRACE_MARK_SIZE ? 0 :
		    tbuf_text_own->size - room);
		ck_assert(text_mark_stands());
		for (i = 0; i < 200; i++) {
			text_hold();
			text_lines_good(&first, &last);
			ck_assert_uint_eq(last, n - 1);
			text_print(n++, i);
		}
	}
}
END_TEST

/* A line remains whole if the mark ends where the line begins. */
START_TEST(a_line_that_the_mark_just_meets_stays)
{
	uint32_t n = 100000, i, first, last;
	unsigned over, lines;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	over = overhead(&n);
	/* 16256 bytes take lines of 254 bytes, and the mark. */
	tbuf_text_own->next = tbuf_text_own->oldest = 0;
	lines = (unsigned)tbuf_text_own->size / 254;
	ck_assert_uint_eq(lines * 254, tbuf_text_own->size);
	for (i = 0; i < 2 * lines; i++)
		text_print(100000 + i, 254 - over);
	text_print(100000 + i++, 254 - over - TBUF_TRACE_MARK_SIZE);
	text_hold();
	ck_assert_uint_eq(text_lines_good(&first, &last), lines);
	ck_assert_uint_eq(last, 100000 + i - 1);
}
END_TEST

/* So no line's end mark is over the mark before it. */
START_TEST(the_shortest_line_is_longer_than_the_mark)
{
	struct tbuf_component c = { .name = "a" };
	uint64_t before;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	ck_assert_int_eq(tbuf_component_register(&c), 0);
	before = tbuf_text_own->next;
	tbuf_text(&c, TBUF_INFO, "%s", "");
	ck_assert_uint_gt(tbuf_text_own->next - before, TBUF_TRACE_MARK_SIZE);
	ck_assert(text_mark_stands());
	tbuf_component_unregister(&c);
}
END_TEST

/* A line longer than the chunk is cut and says so, any other one is whole. */
START_TEST(a_line_too_long_for_the_chunk_is_cut)
{
	static char text[40000];
	const char *line;

	memset(text, 'y', sizeof(text) - 1);
	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	text_print(0, 5000);
	expect_last(1);
	tbuf_text(&text_store, TBUF_INFO, "%s", text);
	text_hold();
	text_held[text_held_size] = '\0';
	line = strchr(text_held, '\n') + 1;
	ck_assert_uint_eq(strlen(line), tbuf_text_own->size / 2);
	ck_assert_str_eq(line + strlen(line) - 7, "y[cut]\n");
	ck_assert(text_mark_stands());
}
END_TEST

/* ------------------------------------------------------------ interrupted */

static uint32_t stepped;	/* number of the line that is being written */
static char step_line[256];

/* Writes a line that is formatted already. */
static void
step_write(void)
{
	tbuf_trace_write(step_line, strlen(step_line));
}

static void
step_prepare(void)
{
	memcpy(step_line, "20: ", 4);
	text_message(stepped, 60, step_line + 4);
	strcat(step_line, "\n");
}

static void
step_next(void)
{
	step_prepare();
	step_write();
	stepped++;
}

/* Writes lines until the next would begin at `place` of the chunk or later. */
static void
step_to(uint64_t place)
{
	while (tbuf_text_own->next % tbuf_text_own->size >= place)
		step_next();
	while (tbuf_text_own->next % tbuf_text_own->size < place)
		step_next();
}

/* Checks the trace as another process would find it after a kill now. */
static void
step_look(void)
{
	uint32_t first, last = 0;

	text_hold();
	ck_assert_uint_gt(text_lines_good(&first, &last), 0);
	ck_assert(last == stepped || last == stepped - 1);
}

/* A sanitizer's calls are too many for single steps. */
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
	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
	step_next();
	step_to(16000);
	/* The lines pass the chunk's end, and overwrite older ones. */
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

/* A thread that ends at any instruction of a line does not block others. */
START_TEST(a_thread_that_ends_amid_a_line_holds_nobody_up)
{
	volatile unsigned long at = 0;
	volatile bool more = true;
	volatile unsigned gone = 0;
	volatile uint64_t next;

	if (!steppable())
		return;
	text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
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
		/* The line is complete before the header counts it. */
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
	text_print(stepped, 60);
}

static void
step_string(void)
{
	handled++;
	tbuf_text_string(&text_store, TBUF_INFO, "from a handler");
}

/* A handler's line during another one is whole, or counted as lost. */
START_TEST(a_handlers_line_is_whole_or_lost)
{
	unsigned found = 0;
	unsigned long at;
	const char *p;

	if (!steppable())
		return;
	text_set("traceFacility=Memory;traceMemoryBufferKbytes=1024");
	for (at = 0; steps_run(step_print, at, step_string); at += 37)
		stepped++;
	text_hold();
	text_held[text_held_size] = '\0';
	for (p = text_held; (p = strstr(p, "from a handler\n")) != NULL; p++)
		found++;
	ck_assert_uint_gt(found, 0);
	ck_assert_uint_gt(tbuf_text_lost(), 0);
	ck_assert_uint_eq(found + tbuf_text_lost(), handled);
	for (found = 0, p = text_held; (p = strchr(p, '\n')) != NULL; p++)
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
		tbuf_text(&text_store, TBUF_INFO, "%u %u end",
		    *(unsigned *)number, i);
	return (NULL);
}

/* Each line is there once and in its thread's order, or counted as lost. */
START_TEST(lines_of_threads_never_interleave)
{
	unsigned numbers[THREADS], next[THREADS] = { 0 }, i, n, count = 0;
	pthread_t threads[THREADS];
	char *p, *body, *end;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=2048");
	for (i = 0; i < THREADS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, thread, &numbers[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	text_hold();
	for (p = text_held; p < text_held + text_held_size;
	    p = end + 1, count++) {
		end = memchr(p, '\n', (size_t)(text_held + text_held_size - p));
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
		tbuf_text(&text_store, TBUF_INFO, "switched");
	return (NULL);
}

/* The chunk is unmapped while threads write messages. */
START_TEST(memory_is_left_under_threads_with_messages)
{
	pthread_t threads[4];
	unsigned i;

	switching = true;
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, switcher, NULL);
	for (i = 0; i < 200; i++) {
		text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
		sched_yield();
		text_set("traceFacility=Off");
	}
	switching = false;
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(text_chunks(), 0);
}
END_TEST

/* ------------------------------------------------------------ children */

static void
expect_child(pid_t pid)
{
	int status;

	if (pid == 0) {
		ck_assert_ptr_null(tbuf_text_own->trace);
		text_print(1, 7);
		ck_assert_uint_eq(tbuf_text_own->size, 64 * 1024 - 128);
		ck_assert_uint_eq(tbuf_text_own->trace->pid, getpid());
		text_hold();
		text_held[text_held_size] = '\0';
		ck_assert_ptr_nonnull(strstr(text_held, "1 7 bbbbbbb\n"));
		_exit(9);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 9);
}

/* A child has a chunk of a sixteenth of the size, at least 16 KiB. */
START_TEST(a_child_has_a_16th_of_its_own)
{
	uint32_t first, last;

	text_set("traceFacility=Memory;traceMemoryBufferKbytes=1024");
	text_print(0, 7);
	expect_child(fork());
#if __GLIBC_PREREQ(2, 34)
	expect_child(_Fork());
#endif
	text_hold();
	ck_assert_uint_eq(text_lines_good(&first, &last), 1);
	ck_assert_uint_eq(text_chunks(), 2 + __GLIBC_PREREQ(2, 34));
	text_set("traceFacility=Off");
	text_set("traceFacility=Memory;traceMemoryBufferKbytes=17");
	if (fork() == 0) {
		text_print(1, 7);
		_exit(tbuf_text_own->size == 16 * 1024 - 128 ? 9 : 1);
	}
	wait((int *)&first);
	ck_assert_uint_eq(WEXITSTATUS(first), 9);
}
END_TEST

/* A process was killed while it wrote; its file has whole lines. */
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
		text_set("traceFacility=Memory;traceMemoryBufferKbytes=16");
		for (stepped = 0;; stepped++) {
			text_print(stepped, stepped % 100);
			if (stepped == 300)
				ck_assert_int_eq(write(ready[1], "", 1), 1);
		}
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	d = opendir(text_directory);
	while ((entry = readdir(d)) != NULL)
		if (strncmp(entry->d_name, "text.", 5) == 0)
			strcpy(path, text_file_path(entry->d_name));
	closedir(d);
	tbuf_text_own->trace = mmap(NULL, 16384, PROT_READ, MAP_PRIVATE,
	    open(path, O_RDONLY), 0);
	ck_assert_ptr_ne(tbuf_text_own->trace, MAP_FAILED);
	text_hold();
	ck_assert_uint_gt(text_lines_good(&first, &last), 50);
	ck_assert_uint_ge(last, 300);
	tbuf_text_own->trace = NULL;
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {
		the_mark_is_never_split,
		the_last_lines_are_held_in_order,
		a_line_that_the_mark_just_meets_stays,
		the_shortest_line_is_longer_than_the_mark,
		a_line_too_long_for_the_chunk_is_cut,
		a_line_is_whole_or_not_there_at_each_instruction,
		a_thread_that_ends_amid_a_line_holds_nobody_up,
		a_handlers_line_is_whole_or_lost,
		lines_of_threads_never_interleave,
		memory_is_left_under_threads_with_messages,
		a_child_has_a_16th_of_its_own,
		a_killed_process_leaves_whole_lines
	};

	return (text_main(tests, sizeof(tests) / sizeof(tests[0])));
}
