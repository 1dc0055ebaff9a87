/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A host that replaces a function of the C library's, and registers a probe
 * when that is called.  The library calls it, too, as it begins.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <threads.h>

#include "guest/support/guest.h"

static struct tbuf_site early;
static int first = 1;		/* result of the first attempt */

static int
probe_register(void)
{
	static const enum tbuf_type types[] = { TBUF_UINT64 };

	return (tbuf_probe_register(&early, "guest", "m", "f", "early", 1,
	    types, NULL));
}

int
tss_create(tss_t *key, tss_dtor_t end)
{
	if (first == 1)
		first = probe_register();
	return (pthread_key_create(key, end) == 0 ? thrd_success :
	    thrd_error);
}

static void
target(struct guest_page *page, const char *argument)
{
	uint64_t value = 7;

	(void)argument;
	GUEST_EXPECT(first == -EBUSY, "%d", first);
	GUEST_EXPECT(probe_register() == 0, "not registered later either");
	for (page->after = 0; page->after < 10; page->after++)
		tbuf_probe_fire(&early, &value);
}

static void
test_probe_is_refused_while_the_library_begins(void)
{
	struct guest_tally tally = { 0 };
	struct guest_page *page;

	page = guest_command("switch", "4k", "", &tally);
	GUEST_EXPECT(tally.exited && tally.status == 0, "status %d",
	    tally.status);
	GUEST_EXPECT(page->after == 10, "%" PRIu64 " fires", page->after);
	guest_account(&tally, page->after);
}

static const struct guest_case cases[] = {
	{ "probe_is_refused_while_the_library_begins",
	    test_probe_is_refused_while_the_library_begins, target, 0 },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
