/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * inv.consumer: a consumer that is killed at any instruction while it takes
 * space in a control file leaves no two slots with the same bytes.  The code
 * under test is included here, and the file is checked after each of its
 * instructions.
 */
#include "consumer/run/run.h"
#include "unit/consumer/fixture.h"

/* The budget is not looked at: that reads much, and changes nothing. */
#define tbuf_budget_look(fd, piece)	((void)(fd), (void)(piece), true)
#define tbuf_budget_file(reach)		((void)(reach), true)
#include "consumer/attach/attach.c"
#include "lib/single_step.h"
#include "lib/check_main.h"

static struct fake fake;
static struct tbuf_target *target;
static int result;
static unsigned looks, overlaps, beyond;

static const struct tbuf_slot *
slot_of(unsigned n)
{
	return ((const struct tbuf_slot *)(const void *)
	    ((const char *)fake.control + TBUF_SLOTS + n * TBUF_SLOT_SIZE));
}

/* Checks the slots as other consumers would find them after a kill now. */
static void
look(void)
{
	const struct tbuf_slot *a, *b;
	unsigned i, k;

	looks++;
	for (i = 0; i < 4; i++) {
		a = slot_of(i);
		beyond += a->area_size != 0 &&
		    a->area + a->area_size > fake.control->end;
		for (k = 0; k < i; k++) {
			b = slot_of(k);
			overlaps += a->area < b->area + b->area_size &&
			    b->area < a->area + a->area_size;
		}
	}
}

static void
reserve_it(void)
{
	result = reserve_locked(target);
}

/* Takes space for a session.  Returns its slot. */
static int
take(const char *bufsize)
{
	struct tbuf_consumer *c = fake_consumer(bufsize);
	int slot;

	target = fake_grab(&fake, c);
	make_order(c, target, (uint64_t)c->options.bufsize);
	ck_assert_int_eq(tbuf_area_make(&target->order, &target->layout), 0);
	ck_assert_int_eq(tbuf_file_lock_wait(target->fd), 0);
	looks = 0;
	steps_run(reserve_it, STEPS_EACH, look);
	ck_assert_int_eq(result, 0);
	ck_assert(!STEPS_POSSIBLE || looks > 100);
	tbuf_file_unlock(target->fd, 0);
	slot = target->slot;
	target->slot = -1;
	tbuf_consumer_close(c);
	ck_assert_uint_eq(overlaps, 0);
	ck_assert_uint_eq(beyond, 0);
	return (slot);
}

static void
set_up(void)
{
	fake_begin(&fake);
}

static void
tear_down(void)
{
	fake_end(&fake);
}

START_TEST(no_two_slots_have_the_same_bytes_at_any_moment)
{
	unsigned i;

	/* Two areas follow one another at the end, then one moves there. */
	ck_assert_int_eq(take("bufsize=4k"), 0);
	ck_assert_int_eq(take("bufsize=4k"), 1);
	for (i = 2; i < TBUF_NSESSIONS; i++)
		fake.control->state[i] = TBUF_RETIRED;
	fake.control->state[0] = TBUF_FREE;
	ck_assert_int_eq(take("bufsize=64k"), 0);
	/* One area grows where it is, and one fits. */
	fake.control->state[0] = TBUF_FREE;
	ck_assert_int_eq(take("bufsize=256k"), 0);
	fake.control->state[1] = TBUF_FREE;
	ck_assert_int_eq(take("bufsize=1k"), 1);
}
END_TEST

int
main(void)
{
	const char *sanitizer = getenv("SANITIZER");
	Suite *suite;
	TCase *tcase;

	/* A sanitizer's calls are too many for single steps. */
	if (sanitizer != NULL && *sanitizer != '\0')
		return (77);
	suite = suite_create("area");
	tcase = tcase_create("area");
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, no_two_slots_have_the_same_bytes_at_any_moment);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
