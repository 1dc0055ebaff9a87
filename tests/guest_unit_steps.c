/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Handlers that fire between two steps of a fire in a work unit, and such as
 * never return there: what of the unit is kept is what the selections of all
 * its records say.  What a handler would do is done before each load or store.
 * This program has the library's objects in it, with the hidden names.
 */
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>

#include "guest/guest.h"
#include "producer/unit.h"

static void	moment(void);

#undef tbuf_load
#define tbuf_load(p)							\
	(moment(), __atomic_load_n((p), __ATOMIC_RELAXED))
#undef tbuf_store
#define tbuf_store(p, v)						\
	(moment(), __atomic_store_n((p), (v), __ATOMIC_RELAXED))
#define tbuf_rseq_publish(...)						\
	(moment(), (tbuf_rseq_publish)(__VA_ARGS__))

#include "producer/unit_again.c"

/* As many as a unit remembers at once, and as many again in their places. */
#define SITES		8u
#define SELECTED	0x2u	/* what is kept of a unit that succeeds */
#define MOMENTS		40u	/* of a fire; there are less */

static struct tbuf_site sites[2 * SITES];	/* the second half: selected */
static unsigned other;		/* that a handler fires */
static uint64_t due;		/* records that are to be kept */

static void
fire_site(unsigned i)
{
	const uint64_t value = i;

	tbuf_probe_fire(&sites[i], &value);
	if (i >= SITES)
		due++;
}

static struct tbuf_consumer *
begin(void)
{
	const enum tbuf_type type = TBUF_UINT64;
	struct tbuf_consumer *c;
	char name[8];
	unsigned i;

	if (!tbuf_self.rseq)
		guest_skip("there are no sections");
	for (i = 0; i < 2 * SITES; i++) {
		if (sites[i].enabled != NULL)
			continue;
		snprintf(name, sizeof(name), "m%u", i);
		if (i >= SITES)
			tbuf_probe_select(&sites[i], SELECTED);
		GUEST_EXPECT(tbuf_probe_register(&sites[i], "guest", "m", "f",
		    name, 1, &type, NULL) == 0, "no probe");
	}
	c = guest_consumer("switch", "1m");
	GUEST_EXPECT(tbuf_consumer_set(c, "nunits", "4") == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	due = 0;
	return (c);
}

static void
finish(struct tbuf_consumer *c)
{
	struct guest_tally tally = { 0 };

	guest_finish(c, &tally);
	GUEST_EXPECT(tally.records == due && tally.drops == 0, "%" PRIu64
	    " records, %" PRIu64 " drops, but %" PRIu64 " are due",
	    tally.records, tally.drops, due);
}

static jmp_buf out;
static unsigned moments, fire_at, jump_at;	/* UINT_MAX: never */
static bool watching;

static void
moment(void)
{
	unsigned now = moments++;

	if (!watching)
		return;
	watching = false;
	if (now == fire_at)
		fire_site(other);
	if (now == jump_at)
		longjmp(out, 1);
	watching = true;
}

/* A fire in a unit; at a moment the other probe fires; then it may be over. */
static void
fire_watched(unsigned first, unsigned second, unsigned at, unsigned over)
{
	uint64_t unit = tbuf_unit_begin("unit", 1);

	other = second;
	fire_at = at;
	jump_at = over;
	moments = 0;
	if (setjmp(out) == 0) {
		watching = true;
		fire_site(first);
	}
	watching = false;
	tbuf_unit_end(unit, 0);
}

/* A session's first fire of each probe, with another one of it in between. */
static void
test_probe_is_met_by_a_handler_first(void)
{
	struct tbuf_consumer *c;
	unsigned at = 0, i;

	while (at < MOMENTS) {
		c = begin();
		for (i = 0; i < SITES; i++)
			fire_watched(i, i, at++, UINT_MAX);
		finish(c);
	}
}

/* Then what is remembered of the other probe is still that probe's. */
static void
test_handlers_fire_and_never_return(void)
{
	struct tbuf_consumer *c = begin();
	unsigned at, over, first;

	for (at = 0; at < MOMENTS; at++)
		for (over = at; over < MOMENTS; over++) {
			first = over % SITES;
			fire_watched(first, first + SITES, at, over);
			fire_watched(first + SITES, 0, UINT_MAX, UINT_MAX);
		}
	finish(c);
	GUEST_EXPECT(due > 0 && moments < MOMENTS, "%u moments", moments);
}

static const struct guest_case cases[] = {
	{ "probe_is_met_by_a_handler_first",
	    test_probe_is_met_by_a_handler_first, NULL,
	    GUEST_ONCE },
	{ "handlers_fire_and_never_return",
	    test_handlers_fire_and_never_return, NULL,
	    GUEST_ONCE },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
