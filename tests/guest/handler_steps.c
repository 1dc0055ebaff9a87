/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Handlers that run between any two instructions of a fire, of a mark and of a
 * registration.  They fire too, fork a child that goes on there, or do not
 * return.  This program contains the library's objects, to use hidden names.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "arch/counter.h"
#include "arch/rseq.h"
#include "guest/support/guest.h"
#include "lib/single_step.h"
#include "shared/atomic_step.h"
#include "target/clause/clause.h"
#include "target/file/file.h"
#include "target/lane/thread_lane.h"
#include "target/provider.h"

/*
 * Called before and after a thread or a CPU remembers a fire, in
 * target/lane/cpu_lane.c, which is included below.
 */
static void (*moment_action)(void);

static void
moment(void)
{
	if (moment_action != NULL)
		moment_action();
}

#define tbuf_rseq_remember(to, from, marked) \
	(moment(), (tbuf_rseq_remember)(to, from, marked), moment())
#include "target/lane/cpu_lane.c"

static struct guest_page page;	/* counts the fires of all cases */

/* Fire numbers only, which have a shorter path in a thread without rseq. */
static bool numbers;

static void
fire_one(void)
{
	if (!numbers) {
		guest_fire(&page, 1);
		return;
	}
	page.before++;
	TBUF_PROBE(guest, numbers, page.before, page.after);
	page.after++;
}

static void
begin(void)
{
	if (!STEPS_POSSIBLE)
		guest_skip("this processor has no trap flag");
	memset(&page, 0, sizeof(page));
}

static void
child_wait(pid_t pid)
{
	int status;

	GUEST_EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid, "%s",
	    strerror(errno));
	GUEST_EXPECT(status == 0, "step %lu: the child ended with %#x",
	    steps_at, status);
}

/* ------------------------------------------------------------ unwinding */

static bool reached;
static unsigned unwound;
static void	test_stack_of_a_handler_is_unwound(void);

static _Unwind_Reason_Code
look(struct _Unwind_Context *context, void *unused)
{
	(void)unused;
	reached |= _Unwind_GetRegionStart(context) ==
	    (uintptr_t)test_stack_of_a_handler_is_unwound;
	return (_URC_NO_REASON);
}

static void
unwind(void)
{
	reached = false;
	unwound++;
	(void)_Unwind_Backtrace(look, NULL);
	GUEST_EXPECT(reached, "step %u: the stack ends in the fire",
	    unwound);
}

/* A thread that is cancelled in a fire runs its destructors. */
static void
test_stack_of_a_handler_is_unwound(void)
{
	struct tbuf_consumer *c = guest_begin("ring", "1k");
	struct guest_tally tally = { 0 };

	begin();
	fire_one();
	(void)steps_run(fire_one, STEPS_EACH, unwind);
	GUEST_EXPECT(unwound > 20, "%u steps of a fire", unwound);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

/* ------------------------------------------------------------ marks */

static void
mark(void)
{
	tbuf_thread_mark(1);
}

/*
 * A memo that is still valid would lead the next fire into a section in spite
 * of the mark.
 */
static void
check_void(const char *what, unsigned long step)
{
	GUEST_EXPECT(tbuf_thread.shared == 1, "no mark");
	GUEST_EXPECT(tbuf_thread.memo.bits == TBUF_MEMO_NONE,
	    "%s, step %lu: a marked thread remembers a lane", what, step);
	tbuf_thread_mark(-1);
}

static void
test_handler_that_fires_in_a_mark(void)
{
	struct tbuf_consumer *c = guest_begin("ring", "1k");
	struct guest_tally tally = { 0 };
	unsigned long step = 0;
	bool more;

	begin();
	do {
		fire_one();
		more = steps_run(mark, step, fire_one);
		check_void("mark", step++);
	} while (more);
	GUEST_EXPECT(step > 3, "%lu steps of a mark", step);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

static unsigned moments, mark_at;

static void
mark_now(void)
{
	if (moments++ == mark_at)
		tbuf_thread_mark(1);
}

static void
test_mark_while_a_fire_is_remembered(void)
{
	struct tbuf_consumer *c = guest_begin("switch", "64k");
	struct guest_tally tally = { 0 };

	begin();
	moment_action = mark_now;
	/* Moments 0 and 1 surround the CPU's memo, 2 and 3 the thread's. */
	for (mark_at = 0; mark_at < 4 && tbuf_self.rseq; mark_at++) {
		tbuf_thread_forget();
		moments = 0;
		fire_one();
		GUEST_EXPECT(moments == 4, "%u moments", moments);
		check_void("moment", mark_at);
	}
	moment_action = NULL;
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

/* ------------------------------------------------------------ vfork */

static void
vfork_one(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		fire_one();
		_exit(0);
	}
	child_wait(pid);
}

static void
test_handler_that_fires_in_a_vfork(void)
{
	struct tbuf_consumer *c = guest_begin("ring", "4k");
	struct guest_tally tally = { 0 };

	begin();
	steps_run(vfork_one, STEPS_EACH, fire_one);
	GUEST_EXPECT(page.after > 200, "%" PRIu64 " fires", page.after);
	GUEST_EXPECT(tbuf_thread.shared == 0 && tbuf_thread.children == 0,
	    "a mark has stayed");
	GUEST_EXPECT(tbuf_rseq_ready() == tbuf_self.rseq,
	    "the thread has lost its registration");
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

/* ------------------------------------------------------------ fires */

/*
 * Steps from one tried place to the next.  Under rseq a fire has many steps: a
 * section that is stepped through is aborted, and the fire takes the slow path.
 */
static unsigned long
stride(void)
{
	return (guest_locks() ? 2 : 29);
}

/*
 * Fires in a handler at each step of a fire.  A session covers 50 of the steps,
 * because its consumer does not read meanwhile.
 */
static void
each_step(const char *policy, const char *bufsize)
{
	struct guest_tally tally = { 0 };
	unsigned long step = 0, next;
	struct tbuf_consumer *c;
	bool more = true;

	begin();
	while (more) {
		c = guest_begin(policy, bufsize);
		for (next = step + 50 * stride(); more && step < next;
		    step += stride())
			more = steps_run(fire_one, step, fire_one);
		guest_finish(c, &tally);
	}
	GUEST_EXPECT(step > 100, "%lu steps of a fire", step);
	guest_account(&tally, page.after);
}

static void
test_handler_that_fires_in_a_fire(void)
{
	each_step("switch", "64");
	each_step("ring", "256");
	numbers = true;
	each_step("switch", "64");
	each_step("ring", "256");
}

static struct tbuf_consumer *merging;
static uint64_t merged_time;
static struct guest_tally merged;

static void
take_merged(void)
{
	struct tbuf_event event;

	while (tbuf_consumer_next(merging, &event) > 0) {
		/* Without rseq a single CPU has no other lane to write to. */
		if (event.type == TBUF_EVENT_DROPS)
			merged.drops += event.count;
		if (event.type != TBUF_EVENT_RECORD)
			continue;
		GUEST_EXPECT(event.record.time >= merged_time, "step %lu: "
		    "%" PRIu64 " ns late", steps_at,
		    merged_time - event.record.time);
		merged_time = event.record.time;
		merged.records++;
	}
}

/* Fires in the handler, then switches and takes the committed records. */
static void
fire_and_merge(void)
{
	fire_one();
	GUEST_EXPECT(tbuf_consumer_switch(merging) == 0, "%s",
	    tbuf_consumer_error(merging));
	take_merged();
}

/*
 * A fire that is stopped at any instruction writes no record with a time before
 * that of records already merged.
 */
static void
test_records_merge_by_time_at_any_step_of_a_fire(void)
{
	unsigned long step;

	begin();
	merging = guest_consumer("switch", "64k");
	GUEST_EXPECT(tbuf_consumer_set(merging, "temporal", NULL) == 0 &&
	    tbuf_consumer_set(merging, "switchrate", "1hour") == 0 &&
	    tbuf_consumer_grab(merging, getpid()) == 0, "%s",
	    tbuf_consumer_error(merging));
	guest_go(merging);
	for (step = 0; steps_run(fire_one, step, fire_and_merge);)
		step += stride();
	tbuf_consumer_stop(merging);
	GUEST_EXPECT(tbuf_consumer_work(merging) == 0, "%s",
	    tbuf_consumer_error(merging));
	take_merged();
	tbuf_consumer_close(merging);
	guest_account(&merged, page.after);
	GUEST_EXPECT(merged.records > page.after / 2, "%" PRIu64 " drops",
	    merged.drops);
}

static bool is_child;

/*
 * Forks.  The parent waits for the child, which continues the interrupted code
 * and exits.
 */
static void
fork_here(int number)
{
	int saved = errno;
	pid_t pid = fork();

	(void)number;
	if (pid == 0)
		is_child = true;
	else
		child_wait(pid);
	errno = saved;
}

/* a child of the child; both continue the fire at the same time */
static pid_t grandchild;

static void
fork_two_here(int number)
{
	fork_here(number);
	if (is_child)
		grandchild = fork();
}

static void
interrupt(void)
{
	raise(SIGUSR1);
}

/*
 * Returns true while there are more steps.  The signal is blocked in the trap
 * handler, and handled as soon as that returns.
 */
static bool
fork_at(void (*function)(void), unsigned long step)
{
	bool more = steps_run(function, step, interrupt);

	if (is_child) {
		fire_one();
		if (grandchild > 0)
			child_wait(grandchild);
		_exit(0);
	}
	return (more);
}

static void
go_on_at_each_step(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };
	struct tbuf_consumer *c = guest_begin("ring", "256");
	struct guest_tally tally = { 0 };
	unsigned long step = 0;

	begin();
	sigaction(SIGUSR1, &action, NULL);
	while (fork_at(fire_one, step))
		step += stride();
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

static void
test_child_goes_on_at_any_step_of_a_fire(void)
{
	go_on_at_each_step(fork_here);
}

/* The child and its child share the memory that both store to. */
static void
test_grandchild_goes_on_beside_a_child(void)
{
	go_on_at_each_step(fork_two_here);
}

/*
 * Checks that a child that is a target itself has not changed the locks of its
 * new file: the fire that continues in it must not touch that file.
 */
static void
check_own_locks(void)
{
	struct tbuf_view view = tbuf_target_view();
	const struct tbuf_slot *slot;
	unsigned i, k;

	for (i = 0; view.base != NULL && i < TBUF_NSESSIONS; i++) {
		if (tbuf_view_control(&view)->state[i] != TBUF_ACTIVE)
			continue;
		slot = tbuf_view_slot(&view, i);
		for (k = 0; k < TBUF_NLOCKS; k++)
			if (slot->locks[k].word != 2 * slot->generation)
				_exit(4);
	}
}

static bool
fork_followed_at(unsigned long step)
{
	bool more = steps_run(fire_one, step, interrupt);

	if (is_child) {
		check_own_locks();
		fire_one();
		check_own_locks();
		_exit(0);
	}
	return (more);
}

/*
 * Returns the records, drops and overwritten records of this process, and adds
 * those of others to *others.
 */
static uint64_t
finish_own(struct tbuf_consumer *c, uint64_t *others)
{
	struct tbuf_event event;
	uint64_t own = 0;

	tbuf_consumer_stop(c);
	while (tbuf_consumer_work(c) > 0)
		continue;
	while (tbuf_consumer_next(c, &event) > 0) {
		GUEST_EXPECT(event.type != TBUF_EVENT_DAMAGE, "damage");
		if (event.type == TBUF_EVENT_EXIT)
			continue;
		if (event.type == TBUF_EVENT_RECORD)
			event.count = 1;
		*(event.pid == getpid() ? &own : others) += event.count;
	}
	tbuf_consumer_close(c);
	return (own);
}

static void
follow_at_each_step(void)
{
	struct sigaction action = { .sa_handler = fork_here };
	struct tbuf_consumer *c = guest_consumer("switch", "64k");
	unsigned long step = 0, children = 0;
	uint64_t own, others = 0;

	begin();
	GUEST_EXPECT(tbuf_consumer_set(c, "follow", NULL) == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	sigaction(SIGUSR1, &action, NULL);
	for (; fork_followed_at(step); children++)
		step += stride();
	own = finish_own(c, &others);
	GUEST_EXPECT(own == page.after, "fired %" PRIu64 ", but %" PRIu64,
	    page.after, own);
	/* The continued fire is recorded for the child, or not at all. */
	GUEST_EXPECT(others > 0 && others <= 2 * children, "%" PRIu64
	    " of %lu children", others, children);
}

static void
test_followed_child_goes_on_at_any_step_of_a_fire(void)
{
	follow_at_each_step();
	numbers = true;
	follow_at_each_step();
}

static sigjmp_buf out;
static unsigned jumps;

static void
jump(void)
{
	jumps++;
	siglongjmp(out, 1);
}

static void
jump_at_each_step(const char *policy, const char *bufsize)
{
	struct tbuf_consumer *c = guest_begin(policy, bufsize);
	struct guest_tally tally = { 0 };
	volatile unsigned long step = 0;
	uint64_t finished;

	begin();
	jumps = 0;
	(void)sigsetjmp(out, 1);
	step += stride();
	while (steps_run(fire_one, step, jump))
		continue;
	guest_finish(c, &tally);
	finished = tally.records + tally.drops + tally.overwritten;
	GUEST_EXPECT(page.after <= finished && finished <= page.before,
	    "after %" PRIu64 ", finished %" PRIu64 ", before %" PRIu64,
	    page.after, finished, page.before);
	GUEST_EXPECT(jumps > 50 && page.before - page.after <= jumps,
	    "%u jumps", jumps);
}

static void
test_jump_out_of_any_step_of_a_fire(void)
{
	jump_at_each_step("ring", "64k");
	jump_at_each_step("ring", "256");
	numbers = true;
	jump_at_each_step("ring", "64k");
}

/* ------------------------------------------------------------ registration */

static struct tbuf_site site;
static unsigned registered;

static void
register_one(void)
{
	static const enum tbuf_type types[] = { TBUF_UINT64 };
	uint64_t number = 0;
	char name[16];

	snprintf(name, sizeof(name), "step%u", registered++);
	GUEST_EXPECT(tbuf_probe_register(&site, "guest", "m", "f", name, 1,
	    types, NULL) == 0, "not registered");
	page.before++;
	tbuf_probe_fire(&site, &number);
	page.after++;
	tbuf_probe_unregister(&site);
}

static void
test_child_goes_on_at_any_step_of_a_registration(void)
{
	struct sigaction action = { .sa_handler = fork_here };
	struct tbuf_consumer *c = guest_begin("ring", "256");
	struct guest_tally tally = { 0 };
	unsigned long step = 0;

	begin();
	sigaction(SIGUSR1, &action, NULL);
	while (fork_at(register_one, step))
		step += 131;
	GUEST_EXPECT(step > 1000, "%lu steps of a registration", step);
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

static void
unregister_one(void)
{
	tbuf_probe_unregister(&site);
}

/* The probe has no session.  Each step is tried, because a removal is short. */
static void
test_child_goes_on_at_any_step_of_a_removal(void)
{
	static const enum tbuf_type types[] = { TBUF_UINT64 };
	struct sigaction action = { .sa_handler = fork_here };
	unsigned long step = 0;
	bool more = true;

	begin();
	sigaction(SIGUSR1, &action, NULL);
	for (; more; step++) {
		GUEST_EXPECT(tbuf_probe_register(&site, "guest", "m", "f",
		    "removed", 1, types, NULL) == 0, "not registered");
		more = steps_run(unregister_one, step, interrupt);
		if (is_child)
			_exit(0);
	}
	GUEST_EXPECT(step > 20, "%lu steps of a removal", step);
}

/* A child becomes a target by setsid(); its handler forks meanwhile. */
static void
become(void)
{
	if (setsid() == -1 && errno != EPERM)
		_exit(3);
}

static void
become_at_each_step(void)
{
	struct sigaction action = { .sa_handler = fork_here };
	unsigned long step;
	bool more = true;
	pid_t pid;
	int status;

	for (step = 0; more; step += step / 2 + 97) {
		if ((pid = fork()) == 0) {
			sigaction(SIGUSR1, &action, NULL);
			more = fork_at(become, step);
			status = tbuf_process_register() != 0 ? 2 : !more;
			tbuf_file_unlink();
			_exit(status);
		}
		GUEST_EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid, "%s",
		    strerror(errno));
		GUEST_EXPECT(status == 0 || status == 0x100,
		    "step %lu: %#x", step, status);
		more = status == 0;
	}
	GUEST_EXPECT(step > 1000, "%lu steps of a setsid", step);
}

static void
test_child_goes_on_where_another_becomes_a_target(void)
{
	begin();
	become_at_each_step();
}

/*
 * A child takes workspaces that other threads of its parent held in clauses at
 * the time of the fork.
 */
static void
test_child_has_all_workspaces(void)
{
	pid_t pid;

	while (tbuf_workspace_take() != NULL)
		continue;
	if ((pid = fork()) == 0)
		_exit(tbuf_process_register() == 0 &&
		    tbuf_workspace_take() != NULL ? 0 : 1);
	child_wait(pid);
	tbuf_workspaces_forget();
}

static void
little_data(void)
{
	struct rlimit limit = { 8 << 20, 8 << 20 };

	GUEST_EXPECT(setrlimit(RLIMIT_DATA, &limit) == 0, "setrlimit: %s",
	    strerror(errno));
}

static unsigned
workspaces(void)
{
	unsigned n = 0;

	while (tbuf_workspace_take() != NULL)
		n++;
	return (n);
}

static void
few_workspaces(struct guest_page *page, const char *argument)
{
	(void)argument;
	GUEST_EXPECT(workspaces() == 2, "not two workspaces");
	tbuf_workspaces_forget();
	GUEST_EXPECT(workspaces() == 2, "not the same two");
	guest_next(page);
}

static void
test_program_with_little_memory_has_few_workspaces(void)
{
	struct guest_page *page;
	pid_t pid;

	GUEST_EXPECT(workspaces() == TBUF_WORKSPACES, "not all workspaces");
	tbuf_workspaces_forget();
	pid = guest_start(&page, little_data, "");
	guest_wait(page, pid);
}

static const struct guest_case cases[] = {
	{ "stack_of_a_handler_is_unwound",
	    test_stack_of_a_handler_is_unwound, NULL, 0 },
	{ "child_has_all_workspaces", test_child_has_all_workspaces, NULL,
	    GUEST_PLAIN },
	{ "program_with_little_memory_has_few_workspaces",
	    test_program_with_little_memory_has_few_workspaces, few_workspaces,
	    GUEST_PLAIN },
	{ "handler_that_fires_in_a_mark", test_handler_that_fires_in_a_mark,
	    NULL, GUEST_PLAIN },
	{ "mark_while_a_fire_is_remembered",
	    test_mark_while_a_fire_is_remembered, NULL, GUEST_PLAIN },
	{ "handler_that_fires_in_a_vfork", test_handler_that_fires_in_a_vfork,
	    NULL, GUEST_PLAIN },
	{ "handler_that_fires_in_a_fire", test_handler_that_fires_in_a_fire,
	    NULL, GUEST_PLAIN },
	{ "records_merge_by_time_at_any_step_of_a_fire",
	    test_records_merge_by_time_at_any_step_of_a_fire, NULL,
	    GUEST_PLAIN },
	{ "child_goes_on_at_any_step_of_a_fire",
	    test_child_goes_on_at_any_step_of_a_fire, NULL, GUEST_PLAIN },
	{ "grandchild_goes_on_beside_a_child",
	    test_grandchild_goes_on_beside_a_child, NULL, GUEST_PLAIN },
	{ "followed_child_goes_on_at_any_step_of_a_fire",
	    test_followed_child_goes_on_at_any_step_of_a_fire, NULL,
	    GUEST_PLAIN },
	{ "jump_out_of_any_step_of_a_fire",
	    test_jump_out_of_any_step_of_a_fire, NULL, GUEST_PLAIN },
	{ "child_goes_on_at_any_step_of_a_registration",
	    test_child_goes_on_at_any_step_of_a_registration, NULL,
	    GUEST_PLAIN | GUEST_ONCE },
	{ "child_goes_on_at_any_step_of_a_removal",
	    test_child_goes_on_at_any_step_of_a_removal, NULL,
	    GUEST_PLAIN | GUEST_ONCE },
	{ "child_goes_on_where_another_becomes_a_target",
	    test_child_goes_on_where_another_becomes_a_target, NULL,
	    GUEST_PLAIN | GUEST_ONCE },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
