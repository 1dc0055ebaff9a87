/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Programs that cannot be traced, and cannot report it themselves.
 */
#include <sys/stat.h>
#include <sys/types.h>

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "shared/control_file.h"

/* Expects this number of processes, all for one reason. */
static void
check_missed(struct tbuf_consumer *c, uint64_t expected, const char *reason)
{
	const char *why;
	uint64_t count, sum = 0;

	while ((why = tbuf_consumer_missed(c, &count)) != NULL) {
		ck_assert_str_eq(why, reason);
		sum += count;
	}
	ck_assert_uint_eq(sum, expected);
}

/* Calls pause(2) in a loop. */
static const unsigned char forever[] = {
#if defined(__x86_64__)
	0xb8, 34, 0, 0, 0,			/* movl $34, %eax */
	0x0f, 0x05,				/* syscall */
	0xeb, 0xf7				/* back to the first */
#elif defined(__aarch64__)
	0x00, 0x00, 0x80, 0xd2,			/* mov x0, #0 */
	0x01, 0x00, 0x80, 0xd2,			/* mov x1, #0 */
	0x02, 0x00, 0x80, 0xd2,			/* mov x2, #0 */
	0x03, 0x00, 0x80, 0xd2,			/* mov x3, #0 */
	0x28, 0x09, 0x80, 0xd2,			/* mov x8, #73: ppoll */
	0x01, 0x00, 0x00, 0xd4,			/* svc #0 */
	0xfa, 0xff, 0xff, 0x17			/* back to the first */
#endif
};

/* Makes a program without a loader, with this text in it unless NULL. */
static void
make_static(const char *path, const char *text)
{
	static const struct {
		Elf64_Ehdr file;
		Elf64_Phdr load;
	} head = {
		.file = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
			    ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC,
#if defined(__x86_64__)
			.e_machine = EM_X86_64,
#else
			.e_machine = EM_AARCH64,
#endif
			.e_version = EV_CURRENT,
			.e_entry = 0x400000 + sizeof(head),
			.e_phoff = sizeof(Elf64_Ehdr),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1
		},
		.load = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_X,
			.p_vaddr = 0x400000, .p_paddr = 0x400000,
			.p_filesz = sizeof(head) + sizeof(forever),
			.p_memsz = sizeof(head) + sizeof(forever),
			.p_align = 0x10000
		}
	};
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(write(fd, &head, sizeof(head)), sizeof(head));
	ck_assert_int_eq(write(fd, forever, sizeof(forever)),
	    sizeof(forever));
	if (text != NULL)
		ck_assert_int_eq(write(fd, text, strlen(text) + 1),
		    (ssize_t)strlen(text) + 1);
	close(fd);
}

/* Works until a process is reported as not traced. */
static void
work_until_missed(struct tbuf_consumer *c, const char *reason,
    struct tally *sum)
{
	const char *why;
	uint64_t count;

	do {
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
		fake_tally(c, sum);
	} while ((why = tbuf_consumer_missed(c, &count)) == NULL);
	ck_assert_str_eq(why, reason);
	ck_assert_uint_eq(count, 1);
}

static void
work_to_the_end(struct tbuf_consumer *c, struct tally *sum)
{
	int r;

	do {
		r = tbuf_consumer_work(c);
		fake_tally(c, sum);
	} while (r > 0);
	ck_assert_int_eq(r, 0);
}

START_TEST(static_image_is_told)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=1ms");
	struct tally sum = { .many = true };
	char image[144], path[128];
	struct live_server s;

	snprintf(path, sizeof(path), "%s/image", live_directory);
	snprintf(image, sizeof(image), "NEXT_IMAGE=%s", path);
	make_static(path, NULL);
	/* A program that is a hole for the most part is not all searched. */
	if (_i == 1)
		ck_assert_int_eq(truncate(path, INT64_C(1) << 42), 0);
	live_server_start(&s, image);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	live_server_fire(&s, 3);
	live_server_exec(&s);
	if (_i == 0)
		work_until_missed(c, "statically linked", &sum);
	else
		while (TAILQ_FIRST(&c->targets)->state != TBUF_EXECED)
			ck_assert_int_eq(tbuf_consumer_work(c), 1);
	kill(s.pid, SIGKILL);
	work_to_the_end(c, &sum);
	ck_assert_uint_eq(sum.records, 3);
	ck_assert_uint_eq(sum.exits, 1);
	check_missed(c, _i == 1, "executed a program without libtbuf");
	unlink(path);
	tbuf_consumer_close(c);
}
END_TEST

/* The image may contain libtbuf and not have started it, until it ends. */
START_TEST(image_that_may_become_a_target_is_told_when_it_has_ended)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=1ms");
	struct tally sum = { .many = true };
	char image[144], path[128];
	struct live_server s;
	unsigned looks;

	snprintf(path, sizeof(path), "%s/image", live_directory);
	snprintf(image, sizeof(image), "NEXT_IMAGE=%s", path);
	make_static(path, TBUF_CONTROL_ENV);
	live_server_start(&s, image);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	live_server_exec(&s);
	while (TAILQ_FIRST(&c->targets)->state != TBUF_EXECED)
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
	for (looks = 0; looks < 20; looks++)
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
	check_missed(c, 0, "");
	if (_i == 0)
		kill(s.pid, SIGKILL);
	else
		tbuf_consumer_stop(c);
	work_to_the_end(c, &sum);
	check_missed(c, 1, "executed a program without libtbuf");
	check_missed(c, 0, "");
	kill(s.pid, SIGKILL);
	unlink(path);
	tbuf_consumer_close(c);
}
END_TEST

/* An image that ended is reported although the run goes on. */
START_TEST(image_that_has_ended_is_told_at_once)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=1ms");
	struct tally sum = { .many = true };
	char image[144], path[128];
	struct live_server s, other;

	snprintf(path, sizeof(path), "%s/image", live_directory);
	snprintf(image, sizeof(image), "NEXT_IMAGE=%s", path);
	make_static(path, TBUF_CONTROL_ENV);
	live_server_start(&s, image);
	live_server_start(&other, NULL);
	live_grab(c, s.pid);
	live_grab(c, other.pid);
	live_go(c);
	live_server_exec(&s);
	while (!TAILQ_FIRST(&c->targets)->without_libtbuf)
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
	kill(s.pid, SIGKILL);
	work_until_missed(c, "executed a program without libtbuf", &sum);
	kill(other.pid, SIGKILL);
	work_to_the_end(c, &sum);
	ck_assert_uint_eq(sum.exits, 2);
	check_missed(c, 0, "");
	unlink(path);
	tbuf_consumer_close(c);
}
END_TEST

/* A new command most likely calls exec at once. */
START_TEST(new_command_is_looked_at_soon)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=1h switchrate=1h");
	struct tally sum;
	uint64_t now;
	pid_t pid = live_spawn(c, "idle", "0", NULL);

	live_go(c);
	c->next_search = UINT64_MAX;
	now = tbuf_now();
	ck_assert_uint_le(tbuf_consumer_due(c, now), now + TBUF_SECOND / 64);
	kill(pid, SIGKILL);
	ck_assert_int_eq(live_work(c, &sum), 0);
	tbuf_consumer_close(c);
}
END_TEST

/* Another user's program reports on a board that only that user reads. */
START_TEST(command_that_changes_its_user_is_told)
{
	struct tbuf_consumer *c = fake_consumer(_i == 0 ?
	    "statusrate=1h" : "statusrate=1h follow");
	struct tally sum = { .many = true };
	char *argv[] = {
		live_self, (char *)(uintptr_t)"drop", (char *)(uintptr_t)"3",
		(char *)(uintptr_t)"idle", NULL
	};
	pid_t pid;

	if (geteuid() == 0) {
		pid = tbuf_consumer_spawn(c, argv, NULL);
		ck_assert_int_gt(pid, 0);
		live_go(c);
		work_until_missed(c,
		    "runtime directory has the wrong owner or mode", &sum);
		kill(pid, SIGKILL);
		work_to_the_end(c, &sum);
		ck_assert_uint_eq(sum.records, 3);
		ck_assert_uint_eq(sum.exits, 1);
		check_missed(c, 0, "");
	}
	tbuf_consumer_close(c);
}
END_TEST

/* The image has reported on the board, and is not counted again. */
START_TEST(image_that_tells_itself_is_told_once)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=1ms");
	struct tally sum = { .many = true };
	char *argv[] = {
		live_self, (char *)(uintptr_t)"out", (char *)(uintptr_t)"3",
		(char *)(uintptr_t)"idle", NULL
	};
	unsigned looks;
	pid_t pid = tbuf_consumer_spawn(c, argv, NULL);

	ck_assert_int_gt(pid, 0);
	live_go(c);
	work_until_missed(c, "TBUF_DISABLE is set", &sum);
	for (looks = 0; looks < 20; looks++) {
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
		fake_tally(c, &sum);
	}
	kill(pid, SIGKILL);
	work_to_the_end(c, &sum);
	ck_assert_uint_eq(sum.records, 3);
	check_missed(c, 0, "");
	tbuf_consumer_close(c);
}
END_TEST

/* A control file of a later version's library, and an old one. */
static const struct {
	const char *when;
	unsigned missed;
} files[] = { { "now", 1 }, { "1 hour ago", 0 } };

START_TEST(command_of_another_version_is_told)
{
	struct tbuf_consumer *c = fake_consumer("");
	char script[1024], why[64], path[128];
	char *argv[] = {
		(char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", script, NULL
	};
	struct tally t;
	pid_t pid;

	/* The file is renamed when it is complete. */
	snprintf(script, sizeof(script), "cd %s; "
	    "{ printf 'tbuf\\nctl\\4\\3\\2\\1\\11\\0\\3\\0'; "
	    "head -c 4096 /dev/zero; } >file; touch -d '%s' file; "
	    "mv file tbuf.$$.0123456789abcdef",
	    live_directory, files[_i].when);
	pid = tbuf_consumer_spawn(c, argv, NULL);
	ck_assert_int_gt(pid, 0);
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	snprintf(why, sizeof(why), "libtbuf 9.3, tbufctl %u.%u", TBUF_MAJOR,
	    TBUF_MINOR);
	check_missed(c, files[_i].missed, why);
	tbuf_consumer_close(c);
	snprintf(path, sizeof(path), "%s/tbuf.%d.0123456789abcdef",
	    live_directory, (int)pid);
	ck_assert_int_eq(unlink(path), 0);
}
END_TEST

static Suite *
make(void)
{
	Suite *suite = suite_create("missed");
	TCase *t = live_case("missed");

	tcase_add_loop_test(t, static_image_is_told, 0, 2);
	tcase_add_loop_test(t,
	    image_that_may_become_a_target_is_told_when_it_has_ended, 0, 2);
	tcase_add_test(t, image_that_has_ended_is_told_at_once);
	tcase_add_test(t, new_command_is_looked_at_soon);
	tcase_add_loop_test(t, command_that_changes_its_user_is_told, 0, 2);
	tcase_add_test(t, image_that_tells_itself_is_told_once);
	tcase_add_loop_test(t, command_of_another_version_is_told, 0, 2);
	suite_add_tcase(suite, t);
	return (suite);
}

int
main(int argc, char *argv[])
{
	return (live_main(argc, argv, make));
}
