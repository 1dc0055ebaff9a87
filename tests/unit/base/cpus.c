/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The set of CPUs, and running on each of them: on a machine with 4,096
 * possible CPUs, and when a session ends.  The C library's syscall(2) is
 * interposed.
 */
#include <sys/syscall.h>

#include <check.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "lib/check_main.h"
#include "lib/interposed_syscall.h"
#include "unit/consumer/fixture.h"

#define POSSIBLE	4096u	/* CPUs */
#define CALLS		64u

static bool large;		/* POSSIBLE CPUs are possible */
static long refused = -1;	/* binding to this CPU fails */
static void (*visited)(void);
static struct tbuf_cpus visits[CALLS];
static unsigned nvisits;

static long
bind_thread(long size, const unsigned char *set)
{
	struct tbuf_cpus *to = &visits[nvisits++ % CALLS];
	unsigned cpu;

	memset(to, 0, sizeof(*to));
	for (cpu = 0; cpu < (unsigned)size * 8; cpu++)
		if ((set[cpu / 8] >> cpu % 8 & 1) != 0)
			tbuf_cpus_add(to, cpu);
	if (refused >= 0 && tbuf_cpus_count(to) == 1 &&
	    tbuf_cpus_has(to, (unsigned)refused)) {
		errno = EINVAL;
		return (-1);
	}
	if (visited != NULL)
		visited();
	return (0);
}

static bool
syscall_answer(long number, const long a[6], long *result)
{
	*result = -1;
	if (number == SYS_sched_getaffinity && large &&
	    a[1] * 8 < (long)POSSIBLE) {
		errno = EINVAL;
		return (true);
	}
	return (number == SYS_sched_setaffinity && bind_thread(a[1],
	    (const unsigned char *)a[2]) != 0);
}

static unsigned
cpus_here(void)
{
	cpu_set_t set;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	return ((unsigned)CPU_COUNT(&set));
}

START_TEST(a_machine_for_many_cpus_has_a_lane_for_each)
{
	struct tbuf_cpus cpus;

	large = _i == 1;
	tbuf_target_cpus(0, &cpus);
	ck_assert_uint_eq(tbuf_cpus_count(&cpus), cpus_here());
	tbuf_target_cpus(getpid(), &cpus);
	ck_assert_uint_eq(tbuf_cpus_count(&cpus), cpus_here());
	ck_assert(tbuf_cpus_has(&cpus, (unsigned)sched_getcpu()));
}
END_TEST

/* ------------------------------------------------------------ the end */

static const uint8_t integer[] = { TBUF_INT64 };
static struct fake fake;
static struct tbuf_consumer *consumer;
static uint32_t probe;
static uint64_t first = 1, last = 2;
static bool hidden;		/* a record has yet to be committed */

static void
begin(void)
{
	fake_begin(&fake);
	probe = fake_probe(&fake, "probe", 1, integer);
	consumer = fake_session(&fake, "bufsize=4k");
	memset(visits, 0, sizeof(visits));
	nvisits = 0;
}

/*
 * A section on another CPU was running when the generation was cleared.  It is
 * over once the consumer has run on that CPU.
 */
static void
section_ends(void)
{
	const uint32_t *word = (const uint32_t *)(const void *)
	    (fake.file + fake.tables.enable) + probe;

	ck_assert_uint_eq(fake_slot(&fake)->generation, 0);
	ck_assert_uint_eq(fake.control->state[0], TBUF_ENDING);
	ck_assert_uint_eq(*word, 0);
	/* The lane has not been drained, and no lock has been taken. */
	ck_assert_uint_eq(fake_lane(&fake, 0)->tail, 0);
	if (hidden)
		ck_assert(fake_record(&fake, 0, fake_epid(&fake, probe),
		    &last, sizeof(last)));
	hidden = false;
}

static void
check_visits(void)
{
	uint32_t lanes = fake_slot(&fake)->first_lock, i, k;
	struct tbuf_cpus cpus;

	/* Each CPU was visited alone, then the first affinity restored. */
	ck_assert_uint_eq(nvisits, lanes + 1);
	for (i = 0; i < lanes; i++) {
		for (k = 0; k < lanes; k++)
			if (tbuf_cpus_count(&visits[k]) == 1 &&
			    tbuf_cpus_has(&visits[k], fake_lane(&fake, i)->cpu))
				break;
		ck_assert_msg(k < lanes, "not on CPU %u",
		    fake_lane(&fake, i)->cpu);
	}
	tbuf_target_cpus(0, &cpus);
	ck_assert_mem_eq(&visits[lanes], &cpus, sizeof(cpus));
}

START_TEST(a_session_ends_when_each_cpu_has_been_run_on)
{
	struct tally t = { 0 };

	large = _i == 1;
	begin();
	ck_assert(fake_record(&fake, 0, fake_epid(&fake, probe), &first,
	    sizeof(first)));
	visited = section_ends;
	hidden = true;
	tbuf_consumer_stop(consumer);
	ck_assert_int_eq(tbuf_consumer_work(consumer), 0);
	visited = NULL;
	check_visits();
	fake_tally(consumer, &t);
	ck_assert_uint_eq(t.records, 2);
	ck_assert_int_eq(t.last, 2);
	tbuf_consumer_close(consumer);
	ck_assert_uint_eq(fake.control->state[0], TBUF_FREE);
	fake_end(&fake);
}
END_TEST

START_TEST(where_a_cpu_cannot_be_run_on_the_space_is_retired)
{
	begin();
	refused = (long)fake_lane(&fake, 0)->cpu;
	tbuf_consumer_close(consumer);
	ck_assert_uint_eq(fake.control->state[0], TBUF_RETIRED);
	/* The next consumer can, and finishes the earlier session's end. */
	refused = -1;
	consumer = fake_consumer("bufsize=4k");
	fake_grab(&fake, consumer);
	nvisits = 0;
	ck_assert_int_eq(tbuf_consumer_go(consumer), 0);
	ck_assert_uint_ge(nvisits, 2);
	ck_assert_uint_eq(fake.control->state[0], TBUF_ACTIVE);
	tbuf_consumer_close(consumer);
	fake_end(&fake);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("cpus");
	TCase *tcase = tcase_create("cpus");

	tcase_add_loop_test(tcase, a_machine_for_many_cpus_has_a_lane_for_each,
	    0, 2);
	tcase_add_loop_test(tcase,
	    a_session_ends_when_each_cpu_has_been_run_on, 0, 2);
	tcase_add_test(tcase,
	    where_a_cpu_cannot_be_run_on_the_space_is_retired);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
