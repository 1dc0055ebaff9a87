/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * inv.attach and the end of a session, tied to the code: the fences A to D are
 * where layout.h has them, and a target that finds a session at its very end
 * takes its bit back.  The code under test is included here, and each access to
 * shared memory is noted; the other side may run at a fence.
 */
#include <check.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"
#include "lib/single_step.h"

enum access { LOAD, STORE, CHANGE, FENCE };

static void	note(enum access, const volatile void *);

#undef tbuf_load
#undef tbuf_load_acquire
#undef tbuf_store
#undef tbuf_store_release
#undef tbuf_fence
#undef tbuf_or
#undef tbuf_and
#undef tbuf_cas
#define tbuf_load(p)							\
	(note(LOAD, (p)), __atomic_load_n((p), __ATOMIC_RELAXED))
#define tbuf_load_acquire(p)						\
	(note(LOAD, (p)), __atomic_load_n((p), __ATOMIC_ACQUIRE))
#define tbuf_store(p, v)						\
	(note(STORE, (p)), __atomic_store_n((p), (v), __ATOMIC_RELAXED))
#define tbuf_store_release(p, v)					\
	(note(STORE, (p)), __atomic_store_n((p), (v), __ATOMIC_RELEASE))
#define tbuf_fence()							\
	(note(FENCE, NULL), __atomic_thread_fence(__ATOMIC_SEQ_CST))
#define tbuf_or(p, v)							\
	(note(CHANGE, (p)), __atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST))
#define tbuf_and(p, v)							\
	(note(CHANGE, (p)), __atomic_fetch_and((p), (v), __ATOMIC_SEQ_CST))
#define tbuf_cas(p, old, new) __extension__ ({				\
	__typeof__(*(p)) tbuf_cas_old = (old);				\
	note(CHANGE, (p));						\
	__atomic_compare_exchange_n((p), &tbuf_cas_old, (new), false,	\
	    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);			\
})

#include "shared/ecb_chain.c"
#include "target/file/match_sessions.c"
#include "consumer/attach/attach.c"
/* Both files define these names. */
#define undo	quiesce_undo
#define release	quiesce_release
#include "consumer/attach/detach.c"
#include "lib/check_main.h"

#define NOTES	100000

static struct {
	enum access access;
	const volatile void *at;
} notes[NOTES];
static unsigned count;		/* NOTES: accesses are not noted */
static unsigned fences, moment;	/* fence at which the other side runs */
static void (*other_side)(void);

static void
note(enum access access, const volatile void *at)
{
	if (count == NOTES)
		return;
	notes[count].access = access;
	notes[count++].at = at;
	if (access == FENCE && ++fences == moment)
		other_side();
}

static void
begin(unsigned at, void (*other)(void))
{
	moment = at;
	other_side = other;
	count = fences = 0;
}

/* Returns the first such access from `from` on; `count` if there is none. */
static unsigned
find(unsigned from, enum access access, const volatile void *at)
{
	for (; from < count; from++)
		if (notes[from].access == access && notes[from].at == at)
			break;
	return (from);
}

/* Returns the last such access; `count` if there is none. */
static unsigned
find_last(enum access access, const volatile void *at)
{
	unsigned i = find(0, access, at), last = count;

	for (; i < count; i = find(i + 1, access, at))
		last = i;
	return (last);
}

/* Expects a fence between the store and the load, which comes after it. */
static void
check_fence(unsigned stored, unsigned loaded)
{
	unsigned fence = find(stored, FENCE, NULL);

	ck_assert_uint_lt(stored, count);
	ck_assert_uint_lt(loaded, count);
	ck_assert_uint_lt(stored, loaded);
	ck_assert_msg(fence < loaded, "no fence between access %u and %u",
	    stored, loaded);
}

/* ------------------------------------------------------------ a target */

static struct tbuf_view view;
static struct tbuf_control *control;
static struct tbuf_target target;
static struct tbuf_site site;
static uint32_t *word;

/* This process is the target, and has a session that is not active yet. */
static void
set_up(void)
{
	char path[TBUF_PATH_MAX + TBUF_NAME_MAX];

	count = NOTES;
	ck_assert_int_eq(tbuf_process_register(), 0);
	ck_assert_int_eq(tbuf_probe_register(&site, "t", "m", "f", "n", 0,
	    NULL, NULL), 0);
	view = tbuf_target_view();
	control = tbuf_view_control(&view);
	ck_assert_int_eq(tbuf_directory_path(getenv("TBUF_DIR"), geteuid(),
	    path), 0);
	strcat(path, "/");
	tbuf_control_name(path + strlen(path), getpid(), control->random);
	memset(&target, 0, sizeof(target));
	target.fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ne(target.fd, -1);
	target.view = view;
	target.live = true;
	target.area = control->end;
	target.generation = ++control->generation;
	target.order = (struct tbuf_order){ .terms = { .bufsize = 4096,
	    .strsize = 256, .only_cpu = -1, .owner = "check" },
	    .rseq = tbuf_self.rseq, .patterns = "t:::", .patterns_size = 5,
	    .npatterns = 1, .entries = view.tables.entries };
	tbuf_cpus_add(&target.order.cpus, 0);
	ck_assert_int_eq(tbuf_area_make(&target.order, &target.layout), 0);
	ck_assert_int_eq(tbuf_back(target.fd, TBUF_SLOTS, TBUF_SLOT_SIZE), 0);
	ck_assert_int_eq(tbuf_back(target.fd, target.area, target.layout.size),
	    0);
	ck_assert_int_eq(tbuf_session_build(&view, 0, target.area,
	    target.generation, &target.order, &target.layout), 0);
	control->end = target.area + target.layout.size;
	control->state[0] = TBUF_SETUP;
	word = tbuf_view_enable(&view, site.index);
}

static void
tear_down(void)
{
	count = NOTES;
	close(target.fd);
}

static void
meet_again(void)
{
	begin(0, NULL);
	tbuf_sessions_match(site.index, site.index + 1);
}

/* ------------------------------------------------------------ the fences */

START_TEST(fence_a_stands_before_a_target_looks_at_the_states)
{
	begin(0, NULL);
	tbuf_sessions_match(site.index, site.index + 1);
	ck_assert_uint_eq(notes[find(0, FENCE, NULL)].access, FENCE);
	ck_assert_uint_lt(find(0, FENCE, NULL),
	    find(0, LOAD, &control->state[0]));
	ck_assert_uint_lt(find(0, LOAD, &control->state[0]), count);
}
END_TEST

START_TEST(fence_b_stands_before_a_consumer_reads_the_table)
{
	begin(0, NULL);
	activate(&(const struct tbuf_consumer){ .state = 0 }, &target);
	check_fence(find(0, STORE, &control->state[0]),
	    find(0, LOAD, &control->nprobes));
	ck_assert_uint_eq(*word & 1, 1);
}
END_TEST

/* The fields that a reader needs are set before the first record can be. */
static void
look_at_the_session(void)
{
	const struct tbuf_session *session = (const void *)(view.base +
	    target.area);

	ck_assert_uint_eq(control->state[0], TBUF_ACTIVE);
	ck_assert_uint_ne(session->go.mono, 0);
	ck_assert_uint_ge(session->now.mono, session->go.mono);
	ck_assert_uint_ne(tbuf_view_slot(&view, 0)->deadline, 0);
	ck_assert_uint_eq(*word & 1, 0);
}

START_TEST(a_session_is_whole_before_the_first_fire_sees_it)
{
	begin(1, look_at_the_session);
	activate(&(const struct tbuf_consumer){ .state = 0 }, &target);
	ck_assert_uint_ge(fences, 1);
}
END_TEST

START_TEST(fence_c_stands_before_the_bits_are_cleared)
{
	unsigned pauses = 0;

	count = NOTES;
	activate(&(const struct tbuf_consumer){ .state = 0 }, &target);
	begin(0, NULL);
	close_slot(&view, 0, &pauses);
	check_fence(find(0, CHANGE, &control->state[0]),
	    find(0, CHANGE, word));
	check_fence(find(0, STORE, &tbuf_view_slot(&view, 0)->generation),
	    find(0, CHANGE, word));
	ck_assert_uint_eq(control->state[0], TBUF_ENDING);
	ck_assert_uint_eq(*word & 1, 0);
}
END_TEST

START_TEST(fence_d_stands_before_a_target_looks_again)
{
	unsigned set;

	control->state[0] = TBUF_ACTIVE;
	meet_again();
	set = find_last(CHANGE, word);
	check_fence(set, find(set, LOAD, &control->state[0]));
	ck_assert_uint_eq(*word & 1, 1);
}
END_TEST

static void
end_the_session(void)
{
	control->state[0] = TBUF_ENDING;
	*word = 0;
}

static void
end_the_session_early(void)
{
	/* The session ends before the target sets its bit. */
	control->state[0] = TBUF_ENDING;
}

/* The consumer cleared the bits before or after the target set this one. */
START_TEST(a_bit_that_was_set_too_late_is_taken_back)
{
	unsigned before;

	control->state[0] = TBUF_ACTIVE;
	meet_again();
	/* The last of the fences is D. */
	before = fences;
	ck_assert_uint_ge(before, 2);
	*word = 0;
	begin(before, _i == 0 ? end_the_session_early : end_the_session);
	tbuf_sessions_match(site.index, site.index + 1);
	ck_assert_uint_eq(fences, before);
	ck_assert_uint_eq(*word & 1, 0);
}
END_TEST

START_TEST(fence_stands_before_the_patterns_are_given_up)
{
	unsigned pauses = 0, last;

	begin(0, NULL);
	ck_assert(wait_registering(&view, &pauses));
	last = find_last(LOAD, &control->registering);
	ck_assert_uint_lt(last, count);
	ck_assert_uint_lt(find(0, FENCE, NULL), last);
}
END_TEST

/* ------------------------------------------------------------ the fence */

static unsigned barriers;

static void
fence_alone(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_fence();
}

/* Counts the instruction if it is mfence or has a lock prefix. */
static void
look_at_the_instruction(void)
{
	static const unsigned char mfence[] = { 0x0f, 0xae, 0xf0 };

	barriers += memcmp(steps_pc, mfence, sizeof(mfence)) == 0 ||
	    *steps_pc == 0xf0;
}

START_TEST(a_fence_is_an_instruction)
{
	count = NOTES;
	if (!STEPS_POSSIBLE)
		return;
	steps_run(fence_alone, STEPS_EACH, look_at_the_instruction);
	ck_assert_uint_ge(barriers, 1);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("attach");
	TCase *tcase = tcase_create("fences");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase,
	    fence_a_stands_before_a_target_looks_at_the_states);
	tcase_add_test(tcase,
	    fence_b_stands_before_a_consumer_reads_the_table);
	tcase_add_test(tcase, a_session_is_whole_before_the_first_fire_sees_it);
	tcase_add_test(tcase, fence_c_stands_before_the_bits_are_cleared);
	tcase_add_test(tcase, fence_d_stands_before_a_target_looks_again);
	tcase_add_loop_test(tcase, a_bit_that_was_set_too_late_is_taken_back,
	    0, 2);
	tcase_add_test(tcase, fence_stands_before_the_patterns_are_given_up);
	tcase_add_test(tcase, a_fence_is_an_instruction);
	suite_add_tcase(suite, tcase);
	return (run_suite(suite));
}
