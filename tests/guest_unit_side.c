/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A thread that has a lane of its own ends in a work unit, which is ended when
 * the lane has been given back: the thread does not remember it then.  This
 * program has the library's objects in it, with the hidden names.
 */
#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

#include "guest/guest.h"
#include "producer/side.h"
#include "producer/unit.h"

static pthread_key_t key;	/* a later one than the library's */
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
	    tbuf_side_is(tbuf_thread.memo.lane), "no lane of its own");
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

static const struct guest_case cases[] = {
	{ "lane_that_was_given_back_is_not_remembered",
	    test_lane_that_was_given_back_is_not_remembered, NULL, 0 },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
