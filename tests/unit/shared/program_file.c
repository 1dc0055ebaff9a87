/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The file of a run's programs: a consumer makes it with its entry on the
 * board, targets read it with checks, and the process that removes the entry
 * removes it.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/files/files.h"
#include "lib/check_main.h"
#include "lib/scratch.h"
#include "shared/program_file.h"
#include "unit/consumer/fixture.h"

static const char clauses[] = "clauses", texts[] = "what records are like";

static char directory[64];
static int runtime_dirfd;
static struct tbuf_consumer *consumer;
static struct tbuf_programs header;

static void
begin(void)
{
	scratch_directory(directory, sizeof(directory));
	setenv("TBUF_DIR", directory, 1);
	runtime_dirfd = tbuf_directory_open(true);
	ck_assert_int_ge(runtime_dirfd, 0);
}

static void
end(void)
{
	unlinkat(runtime_dirfd, TBUF_BOARD_NAME, 0);
	close(runtime_dirfd);
	ck_assert_int_eq(rmdir(directory), 0);
}

/* Makes a consumer of all targets; its parts have 8, 0 and 22 bytes. */
static struct tbuf_consumer *
consumer_new(bool programs)
{
	const void *const parts[] = { clauses, NULL, texts };
	const size_t sizes[] = { sizeof(clauses), 0, sizeof(texts) };
	struct tbuf_consumer *c = fake_consumer("");

	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	if (programs)
		ck_assert_int_eq(tbuf_consumer_programs(c, parts, sizes), 0);
	return (c);
}

static void
go(struct tbuf_consumer *c)
{
	ck_assert_msg(tbuf_consumer_go(c) == 0, "%s",
	    tbuf_consumer_error(c));
}

static void
begin_posted(void)
{
	begin();
	consumer = consumer_new(true);
	consumer->needs = TBUF_F_MACHINE(1);
	go(consumer);
}

static void
end_posted(void)
{
	tbuf_consumer_close(consumer);
	end();
}

/* Opens the file as a target does, with no more than the entry. */
static int
open_named(void)
{
	return (tbuf_programs_open(runtime_dirfd, consumer->entry, consumer->run,
	    &header));
}

static bool
is_there(uint64_t number)
{
	char name[TBUF_PROGRAMS_NAME];

	tbuf_programs_name(name, number);
	return (faccessat(runtime_dirfd, name, F_OK, 0) == 0);
}

START_TEST(names_have_all_digits)
{
	char name[TBUF_PROGRAMS_NAME];

	tbuf_programs_name(name, UINT64_C(0x0123456789abcdef));
	ck_assert_str_eq(name, "programs.0123456789abcdef");
}
END_TEST

START_TEST(target_reads_what_a_consumer_posted)
{
	char copy[64];
	struct stat st;
	int fd;

	begin_posted();
	fd = open_named();
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_uint_eq(header.run, consumer->run);
	ck_assert_uint_eq(header.needs, TBUF_F_MACHINE(1));
	ck_assert_uint_eq(header.parts[TBUF_PART_CODES].size,
	    sizeof(clauses));
	ck_assert(tbuf_programs_read(fd, &header.parts[TBUF_PART_CODES],
	    copy));
	ck_assert_str_eq(copy, clauses);
	ck_assert_uint_eq(header.parts[TBUF_PART_PROGRAMS].size, 0);
	ck_assert(tbuf_programs_read(fd, &header.parts[TBUF_PART_TEXTS],
	    copy));
	ck_assert_str_eq(copy, texts);
	close(fd);
	end_posted();
}
END_TEST

START_TEST(entry_without_programs_names_none)
{
	begin();
	consumer = consumer_new(false);
	go(consumer);
	ck_assert_int_eq(open_named(), -ENOENT);
	end_posted();
}
END_TEST

/* ------------------------------------------------------------ hostile */

static void
put(size_t offset, uint64_t value, size_t size)
{
	char name[TBUF_PROGRAMS_NAME];
	int fd;

	tbuf_programs_name(name, consumer->entry->programs);
	fd = openat(runtime_dirfd, name, O_WRONLY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, &value, size, (off_t)offset),
	    (ssize_t)size);
	close(fd);
}

/* Puts something else, or nothing, in the place of the file. */
static void
replace(int how)
{
	char name[TBUF_PROGRAMS_NAME];

	tbuf_programs_name(name, consumer->entry->programs);
	ck_assert_int_eq(renameat(runtime_dirfd, name, runtime_dirfd, "other"), 0);
	switch (how) {
	case 0:
		ck_assert_int_eq(symlinkat("other", runtime_dirfd, name), 0);
		break;
	case 1:
		ck_assert_int_eq(mkfifoat(runtime_dirfd, name, 0600), 0);
		break;
	case 2:		/* the name does not exist */
		break;
	}
}

START_TEST(what_is_no_file_of_programs)
{
	static const int errors[] = { -ELOOP, -EINVAL, -ENOENT };

	begin_posted();
	replace(_i);
	ck_assert_int_eq(open_named(), errors[_i]);
	unlinkat(runtime_dirfd, "other", 0);
	end_posted();
}
END_TEST

#define HEADER(field)	offsetof(struct tbuf_programs, field), 8

START_TEST(header_that_makes_no_sense)
{
	static const struct {
		size_t offset, size;
		uint64_t value;
	} words[] = {
		{ HEADER(magic), 0 },
		{ offsetof(struct tbuf_programs, major), 4, TBUF_MAJOR + 1 },
		{ HEADER(run), 7 },
		{ HEADER(size), 128 },
		{ HEADER(parts[0].at), 0 },
		{ HEADER(parts[0].at), 120 },
		{ HEADER(parts[1].at), 129 },
		{ HEADER(parts[1].at), UINT64_MAX - 7 },
		{ HEADER(parts[2].at), 160 },
		{ HEADER(parts[0].size), 33 },
		{ HEADER(parts[1].size), UINT64_MAX },
		{ HEADER(parts[2].size), UINT64_C(1) << 63 },
	};

	begin_posted();
	ck_assert_uint_lt((unsigned)_i, sizeof(words) / sizeof(words[0]));
	put(words[_i].offset, words[_i].value, words[_i].size);
	ck_assert_int_eq(open_named(), -EINVAL);
	end_posted();
}
END_TEST

/* The file's size is not that of its entry, or greater than any may be. */
START_TEST(sizes_that_do_not_fit)
{
	char name[TBUF_PROGRAMS_NAME];
	static const uint64_t sizes[] = {
		0, 127, 161, TBUF_PROGRAMS_MAX + 8
	};
	int fd;

	begin_posted();
	tbuf_programs_name(name, consumer->entry->programs);
	if (_i % 2 == 0)
		put(offsetof(struct tbuf_programs, size), sizes[_i / 2], 8);
	fd = openat(runtime_dirfd, name, O_WRONLY);
	ck_assert_int_eq(ftruncate(fd, (off_t)sizes[_i / 2]), 0);
	close(fd);
	if (_i / 2 == 3)
		consumer->entry->programs_size = (uint32_t)sizes[3];
	ck_assert_int_eq(open_named(), -EINVAL);
	end_posted();
}
END_TEST

/* The file shrinks between two reads. */
START_TEST(part_that_is_gone_is_not_read)
{
	char name[TBUF_PROGRAMS_NAME], copy[64];
	int fd, again;

	begin_posted();
	fd = open_named();
	ck_assert_int_ge(fd, 0);
	tbuf_programs_name(name, consumer->entry->programs);
	again = openat(runtime_dirfd, name, O_WRONLY);
	ck_assert_int_eq(ftruncate(again, 150), 0);
	ck_assert(tbuf_programs_read(fd, &header.parts[TBUF_PART_CODES],
	    copy));
	ck_assert(!tbuf_programs_read(fd, &header.parts[TBUF_PART_TEXTS],
	    copy));
	close(again);
	close(fd);
	end_posted();
}
END_TEST

/* ------------------------------------------------------------ its life */

START_TEST(file_goes_with_its_entry)
{
	uint64_t number;

	begin_posted();
	number = consumer->entry->programs;
	ck_assert(is_there(number));
	if (_i == 0)
		tbuf_consumer_stop(consumer);
	while (_i == 0 && tbuf_consumer_work(consumer) > 0)
		continue;
	if (_i == 1)
		tbuf_board_withdraw(consumer);
	ck_assert(!is_there(number));
	end_posted();
}
END_TEST

/* The next consumer removes the file of a killed one. */
START_TEST(file_of_a_killed_consumer_is_reaped)
{
	struct tbuf_consumer *other = NULL;
	uint64_t number;
	int pipes[2];
	pid_t pid;

	begin();
	if (_i == 1) {
		/* The killed consumer's entry is then not the first. */
		other = consumer_new(false);
		go(other);
	}
	ck_assert_int_eq(pipe(pipes), 0);
	if ((pid = fork()) == 0) {
		consumer = consumer_new(true);
		go(consumer);
		number = consumer->entry->programs;
		(void)!write(pipes[1], &number, sizeof(number));
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(pipes[0], &number, sizeof(number)),
	    sizeof(number));
	tbuf_consumer_close(other);
	consumer = consumer_new(false);
	if (_i == 2) {
		/* A consumer that is alive keeps its file. */
		go(consumer);
		ck_assert(is_there(number));
		tbuf_consumer_close(consumer);
		consumer = consumer_new(false);
	}
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert(is_there(number));
	go(consumer);
	ck_assert(!is_there(number));
	close(pipes[0]);
	close(pipes[1]);
	end_posted();
}
END_TEST

START_TEST(programs_that_are_too_large)
{
	const void *const parts[] = { clauses, clauses, clauses };
	const size_t sizes[][3] = {
		{ TBUF_PROGRAMS_MAX + 1, 0, 0 }, { 0, 0, SIZE_MAX },
		{ TBUF_PROGRAMS_MAX / 2, TBUF_PROGRAMS_MAX / 2, 0 }
	};

	begin();
	consumer = consumer_new(false);
	ck_assert_int_eq(tbuf_consumer_programs(consumer, parts, sizes[_i]),
	    -E2BIG);
	ck_assert_ptr_null(consumer->programs);
	end_posted();
}
END_TEST

/* A file that cannot be made is an error, and no part of it remains. */
START_TEST(without_room_there_is_no_run)
{
	const size_t sizes[] = { TBUF_PROGRAMS_MAX / 2, 0, 0 };
	const struct rlimit limit = { TBUF_PROGRAMS_MAX / 2,
	    TBUF_PROGRAMS_MAX / 2 };
	const void *parts[3] = { calloc(1, sizes[0]) };

	begin();
	consumer = consumer_new(false);
	ck_assert_ptr_nonnull(parts[0]);
	ck_assert_int_eq(tbuf_consumer_programs(consumer, parts, sizes), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(tbuf_consumer_go(consumer), -ENOSPC);
	ck_assert_str_eq(tbuf_consumer_error(consumer),
	    "could not enable tracing: Not enough space");
	free((void *)(uintptr_t)parts[0]);
	end_posted();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("programs");
	TCase *t = tcase_create("programs");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, names_have_all_digits);
	tcase_add_test(t, target_reads_what_a_consumer_posted);
	tcase_add_test(t, entry_without_programs_names_none);
	tcase_add_loop_test(t, what_is_no_file_of_programs, 0, 3);
	tcase_add_loop_test(t, header_that_makes_no_sense, 0, 12);
	tcase_add_loop_test(t, sizes_that_do_not_fit, 0, 8);
	tcase_add_test(t, part_that_is_gone_is_not_read);
	tcase_add_loop_test(t, file_goes_with_its_entry, 0, 2);
	tcase_add_loop_test(t, file_of_a_killed_consumer_is_reaped, 0, 3);
	tcase_add_loop_test(t, programs_that_are_too_large, 0, 3);
	tcase_add_test(t, without_room_there_is_no_run);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
