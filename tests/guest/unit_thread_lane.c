/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A thread with a lane of its own gives it back as it ends, and then still ends
 * its work unit, or fires while another thread has the lane.  It no longer
 * remembers the lane then.  A thread that looks for a place for a unit does not
 * hinder one that enters another unit.  This program contains the library's
 * objects, to use hidden names.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

#include "guest/support/guest.h"
#include "target/lane/thread_lane.h"
#include "target/unit/unit.h"

static pthread_key_t key;	/* created after the library's key */
static uint64_t unit, remembered;

static void
end_late(void *value)
{
	(void)value;
	GUEST_EXPECT(tbuf_unit_end(unit, 0) == 0, "it has ended");
	remembered = tbuf_load(&tbuf_thread.memo.bits);
}

static void *
work(void *page)
{
	pthread_setspecific(key, page);
	guest_fire(page, 10);
	GUEST_EXPECT(!tbuf_self.rseq ||
	    tbuf_thread_lane_is(tbuf_thread.memo.lane), "no lane of its own");
	unit = tbuf_unit_begin("unit", 1);
	GUEST_EXPECT(unit != 0, "no unit");
	return (NULL);
}

static void
test_lane_that_was_given_back_is_not_remembered(void)
{
	struct tbuf_consumer *c = guest_consumer("switch", "64k");
	struct guest_page page = { 0 };
	struct guest_tally tally = { 0 };
	pthread_t thread;

	GUEST_EXPECT(tbuf_consumer_set(c, "bufscope", "thread") == 0 &&
	    tbuf_consumer_set(c, "nunits", "4") == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	GUEST_EXPECT(pthread_key_create(&key, end_late) == 0 &&
	    pthread_create(&thread, NULL, work, &page) == 0, "no thread");
	pthread_join(thread, NULL);
	GUEST_EXPECT(remembered == TBUF_MEMO_NONE, "bits %#" PRIx64,
	    remembered);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

#define FIRES	500u

static pthread_barrier_t meeting;
static const struct tbuf_lane *lanes[2];

static uint64_t
head_now(void)
{
	return (tbuf_self.rseq ? tbuf_load(&lanes[1]->head) : 0);
}

/*
 * Fires after the lane was released and taken by the other thread, which waits
 * and then fires, too.
 */
static void
fire_late(void *value)
{
	uint64_t head;

	pthread_barrier_wait(&meeting);
	pthread_barrier_wait(&meeting);
	head = head_now();
	guest_fire(value, 10);
	GUEST_EXPECT(head_now() == head, "%" PRIu64 " bytes in another's lane",
	    head_now() - head);
	pthread_barrier_wait(&meeting);
	guest_fire(value, FIRES);
}

static void *
give_back(void *page)
{
	pthread_setspecific(key, page);
	guest_fire(page, 10);
	lanes[0] = tbuf_thread.memo.lane;
	return (NULL);
}

static void *
take_over(void *page)
{
	pthread_barrier_wait(&meeting);
	guest_fire(page, 10);
	lanes[1] = tbuf_thread.memo.lane;
	pthread_barrier_wait(&meeting);
	pthread_barrier_wait(&meeting);
	guest_fire(page, FIRES);
	return (NULL);
}

static void
test_lane_that_was_given_back_is_anothers(void)
{
	struct tbuf_consumer *c = guest_consumer("switch", "256k");
	struct guest_page page[2] = { 0 };
	struct guest_tally tally = { 0 };
	pthread_t threads[2];

	pthread_barrier_init(&meeting, NULL, 2);
	GUEST_EXPECT(tbuf_consumer_set(c, "bufscope", "thread") == 0 &&
	    tbuf_consumer_set(c, "nbuf", "1") == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	GUEST_EXPECT(pthread_key_create(&key, fire_late) == 0 &&
	    pthread_create(&threads[0], NULL, give_back, &page[0]) == 0 &&
	    pthread_create(&threads[1], NULL, take_over, &page[1]) == 0,
	    "no thread");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	GUEST_EXPECT(!tbuf_self.rseq || (tbuf_thread_lane_is(lanes[0]) &&
	    lanes[0] == lanes[1]), "lanes %p and %p", (const void *)lanes[0],
	    (const void *)lanes[1]);
	guest_finish(c, &tally);
	guest_account(&tally, page[0].after + page[1].after);
}

/* A thread owns a place for a moment to look at it. */
static void
test_place_of_a_unit_that_was_left_is_not_claimed(void)
{
	struct tbuf_consumer *c = guest_consumer("switch", "64k");
	struct guest_tally tally = { 0 };
	struct tbuf_unit *u;

	GUEST_EXPECT(tbuf_consumer_set(c, "nunits", "4") == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	unit = tbuf_unit_begin("unit", 1);
	u = tbuf_unit_find(unit);
	GUEST_EXPECT(u != NULL && tbuf_unit_leave(unit) == 0, "not left");
	GUEST_EXPECT(!tbuf_unit_try(u), "claimed");
	GUEST_EXPECT(tbuf_unit_enter(unit) == 0 &&
	    tbuf_unit_enter(unit) == -EBUSY && tbuf_unit_leave(unit) == 0 &&
	    tbuf_unit_end(unit, 0) == 0, "not entered");
	GUEST_EXPECT(tbuf_unit_enter(unit) == -ENOENT, "entered");
	GUEST_EXPECT(tbuf_unit_try(u), "not free");
	tbuf_unit_disown(u);
	guest_finish(c, &tally);
}

static const struct guest_case cases[] = {
	{ "lane_that_was_given_back_is_anothers",
	    test_lane_that_was_given_back_is_anothers, NULL, 0 },
	{ "lane_that_was_given_back_is_not_remembered",
	    test_lane_that_was_given_back_is_not_remembered, NULL, 0 },
	{ "place_of_a_unit_that_was_left_is_not_claimed",
	    test_place_of_a_unit_that_was_left_is_not_claimed, NULL,
	    GUEST_PLAIN },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
