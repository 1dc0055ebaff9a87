/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Partly backed lanes: they grow before their limit is raised, and the limit
 * stays if they cannot.
 */
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/check_main.h"
#include "lib/interposed_call.h"
#include "shared/board.h"

#define SIZE	65536u		/* of a half */
#define SMALL	6000u		/* backed at first; no whole record */
#define RECORD	24u

static const uint8_t one_integer[] = { TBUF_INT64 };

static struct fake f;
static struct tbuf_consumer *c;
static struct tbuf_target *target;
static uint16_t epid;
static int64_t next;

static bool fails;
static unsigned calls;		/* for the first lane, and its limit then */
static uint64_t limit_at_call;
static uint64_t backed;		/* end of the backed part */

/* Replaces the C library's fallocate(), which backs parts of files. */
int
fallocate(int fd, int mode, off_t offset, off_t length)
{
	const struct tbuf_reader *r = target == NULL ? NULL :
	    &target->readers[0];

	if (r != NULL && fails) {
		errno = ENOSPC;
		return (-1);
	}
	if (r != NULL && (uint64_t)offset >= r->data &&
	    (uint64_t)offset < r->data + r->storage &&
	    (mode & FALLOC_FL_PUNCH_HOLE) == 0) {
		calls++;
		limit_at_call = fake_lane(&f, 0)->limit;
		ck_assert_uint_eq((uint64_t)offset, r->data + backed);
		backed += (uint64_t)length;
	}
	return ((int)syscall(SYS_fallocate, fd, mode, offset, length));
}
INTERPOSED(fallocate);

static unsigned opened;		/* opens of the target's file by name */

int
openat(int fd, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	if (target != NULL && strcmp(path, target->name) == 0)
		opened++;
	return ((int)syscall(SYS_openat, fd, path, flags, mode));
}
INTERPOSED(openat);

/* Leaves the lanes as a followed child leaves them to its consumer. */
static void
make_small(void)
{
	struct tbuf_lane *lanes = calloc(target->nreaders, sizeof(*lanes));
	unsigned i;

	for (i = 0; i < target->nreaders; i++) {
		lanes[i] = *fake_lane(&f, i);
		lanes[i].limit = SMALL;
		fake_lane(&f, i)->limit = SMALL;
	}
	ck_assert_int_eq(fallocate(f.fd,
	    FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
	    (off_t)(target->area + target->layout.data),
	    (off_t)target->layout.storage), 0);
	tbuf_lanes_small(target, lanes);
	free(lanes);
	backed = SMALL;
}

static void
begin(void)
{
	uint32_t probe;

	fake_begin(&f);
	probe = fake_probe(&f, "probe", 1, one_integer);
	c = fake_consumer("bufsize=64k switchrate=1d");
	target = NULL;
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	fake_map(&f);
	epid = fake_epid(&f, probe);
	target = TAILQ_FIRST(&c->targets);
	make_small();
	calls = 0;
	fails = false;
}

static void
end(void)
{
	target = NULL;
	tbuf_consumer_close(c);
	fake_end(&f);
}

/* Returns the number of records stored before the first drop. */
static unsigned
fill(void)
{
	unsigned n = 0;

	for (; fake_record(&f, 0, epid, &next, sizeof(next)); next++)
		n++;
	return (n);
}

START_TEST(what_is_written_to_grows_before_the_switch)
{
	tbuf_lanes_look(target, 1);
	ck_assert_uint_eq(calls, 0);
	ck_assert_uint_eq(fill(), SMALL / RECORD);
	tbuf_lanes_look(target, target->next_growth - 1);
	ck_assert_uint_eq(calls, 0);
	tbuf_lanes_look(target, target->next_growth);
	ck_assert_uint_eq(calls, 1);
	ck_assert_uint_eq(limit_at_call, SMALL);
	ck_assert_uint_eq(fake_lane(&f, 0)->limit, SIZE);
	ck_assert_uint_eq(fake_lane(&f, 1)->limit, SMALL);
	ck_assert_uint_eq(backed, SIZE);
	ck_assert_uint_eq(fill(), SIZE / RECORD - SMALL / RECORD);
}
END_TEST

/* Most children end before they write more than this. */
START_TEST(a_little_is_no_reason_to_grow)
{
	unsigned i;

	for (i = 0; i < SMALL / 8 / RECORD; i++)
		ck_assert(fake_record(&f, 0, epid, &next, sizeof(next)));
	tbuf_lanes_look(target, 1);
	ck_assert_uint_eq(calls, 0);
	ck_assert_uint_eq(fake_lane(&f, 0)->limit, SMALL);
	ck_assert(fake_record(&f, 0, epid, &next, sizeof(next)));
	tbuf_lanes_look(target, target->next_growth);
	ck_assert_uint_eq(fake_lane(&f, 0)->limit, SIZE);
}
END_TEST

/* For a lane with a fast writer, the next check may be too late. */
START_TEST(a_little_is_a_reason_after_a_while)
{
	uint64_t now = 1;

	ck_assert(fake_record(&f, 0, epid, &next, sizeof(next)));
	/* A short program may take this long on a busy machine. */
	for (; now < 15000000; now = target->next_growth) {
		tbuf_lanes_look(target, now);
		ck_assert_uint_eq(fake_lane(&f, 0)->limit, SMALL);
		ck_assert_uint_le(target->next_growth, now + 1000000);
	}
	tbuf_lanes_look(target, now);
	now = target->next_growth;
	ck_assert_uint_lt(now, 20000000);
	/* A program that starts with more is not expected to end soon. */
	target->readers[1].size = 2 * TBUF_USAGE_OTHERS;
	target->readers[1].storage = 4 * TBUF_USAGE_OTHERS;
	tbuf_lanes_look(target, now);
	ck_assert_uint_eq(fake_lane(&f, 0)->limit, SIZE);
	ck_assert_uint_eq(fake_lane(&f, 1)->limit, TBUF_USAGE_OTHERS);
}
END_TEST

/* Checks end when each lane has a whole half, used or not. */
START_TEST(all_grow_in_the_end)
{
	uint64_t now = 1;
	unsigned i;

	while (target->growth != 0) {
		tbuf_lanes_look(target, now);
		now = target->next_growth;
	}
	ck_assert_uint_lt(now, TBUF_SECOND);
	for (i = 0; i < target->nreaders; i++)
		ck_assert_uint_eq(fake_lane(&f, i)->limit,
		    target->readers[i].size);
}
END_TEST

START_TEST(second_half_is_backed_before_it_is_allowed)
{
	struct tally t;

	tbuf_lanes_look(target, 1);
	fill();
	tbuf_lanes_look(target, target->next_growth);
	fill();
	ck_assert_uint_eq(backed, SIZE);
	fake_drain(c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, SIZE / RECORD);
	ck_assert_uint_eq(limit_at_call, SIZE);
	ck_assert_uint_ge(backed, fake_lane(&f, 0)->limit);
	ck_assert_uint_eq(fake_lane(&f, 0)->limit,
	    SIZE / RECORD * RECORD + SIZE);
	ck_assert_uint_eq(fill(), SIZE / RECORD);
	fake_drain(c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, SIZE / RECORD);
	ck_assert_uint_eq(t.damage, 0);
}
END_TEST

/* Records are dropped, until there is space again. */
START_TEST(limit_stays_where_there_is_no_space)
{
	struct tally t;

	fails = true;
	ck_assert_uint_eq(fill(), SMALL / RECORD);
	tbuf_lanes_look(target, 1);
	ck_assert_uint_eq(fake_lane(&f, 0)->limit, SMALL);
	fake_drain(c, TBUF_DRAIN_SWITCH | TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.records, SMALL / RECORD);
	ck_assert_uint_eq(t.drops[TBUF_CAUSE_FULL], 1);
	ck_assert_uint_le(fake_lane(&f, 0)->limit, SMALL);
	ck_assert_uint_eq(fill(), 0);
	fails = false;
	fake_drain(c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_ge(backed, fake_lane(&f, 0)->limit);
	ck_assert_uint_eq(fill(), SIZE / RECORD);
	fake_drain(c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, SIZE / RECORD);
	ck_assert_uint_eq(t.damage, 0);
}
END_TEST

START_TEST(nobody_backs_what_a_dead_process_had)
{
	struct tally t;
	unsigned n = fill();

	fake_kill(&f);
	tbuf_target_die(target);
	fake_drain(c, TBUF_DRAIN_ENDED, &t);
	ck_assert_uint_eq(t.records, n);
	ck_assert_uint_eq(calls, 0);
}
END_TEST

/* The next process of the program begins with this size, and no more. */
START_TEST(what_a_program_has_used_is_noted)
{
	static struct tbuf_board board;
	struct tally t;
	unsigned i;

	c->board = &board;
	c->entry = &board.entries[0];
	c->run = 5;
	strcpy(tbuf_view_control(&target->view)->comm, "short");
	target->order.terms.flags |= TBUF_S_GROW;
	for (i = 1; i < TBUF_USAGE_LIVES; i++)
		tbuf_usage_note(board.usage, 5, "short", 1);
	ck_assert_uint_eq(fill(), SMALL / RECORD);
	fake_kill(&f);
	tbuf_target_die(target);
	fake_drain(c, TBUF_DRAIN_ENDED, &t);
	ck_assert_uint_eq(tbuf_usage_look(board.usage, 5, "short").first,
	    16384);
	target = NULL;
	tbuf_drain_end(c);
	c->entry = NULL;
	c->run = 0;
	ck_assert_uint_eq(tbuf_usage_look(board.usage, 5, "short").first,
	    8192 * TBUF_USAGE_TIMES);
}
END_TEST

/* A target found before is not opened again, as there may be many. */
START_TEST(a_target_is_not_opened_again)
{
	ck_assert_str_ne(target->name, "");
	opened = 0;
	ck_assert_int_eq(tbuf_consumer_scan(c), 0);
	ck_assert_uint_eq(opened, 0);
}
END_TEST

/* A limit beyond the lane is the target's claim, and must not be used. */
START_TEST(limit_beyond_the_lane_is_not_believed)
{
	struct tbuf_lane *lanes = calloc(target->nreaders, sizeof(*lanes));
	unsigned i;

	for (i = 0; i < target->nreaders; i++) {
		lanes[i] = *fake_lane(&f, i);
		lanes[i].limit = UINT64_MAX;
		target->readers[i].limit = target->readers[i].size;
	}
	tbuf_lanes_small(target, lanes);
	free(lanes);
	ck_assert_uint_eq(target->readers[0].limit, SIZE);
	ck_assert_uint_eq(target->readers[0].backed, SIZE);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("grow");
	TCase *tcase = tcase_create("grow");

	tcase_add_checked_fixture(tcase, begin, end);
	tcase_add_test(tcase, what_is_written_to_grows_before_the_switch);
	tcase_add_test(tcase, a_little_is_no_reason_to_grow);
	tcase_add_test(tcase, a_little_is_a_reason_after_a_while);
	tcase_add_test(tcase, all_grow_in_the_end);
	tcase_add_test(tcase, second_half_is_backed_before_it_is_allowed);
	tcase_add_test(tcase, limit_stays_where_there_is_no_space);
	tcase_add_test(tcase, nobody_backs_what_a_dead_process_had);
	tcase_add_test(tcase, what_a_program_has_used_is_noted);
	tcase_add_test(tcase, a_target_is_not_opened_again);
	tcase_add_test(tcase, limit_beyond_the_lane_is_not_believed);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
