/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Handlers that come between any two instructions of a fire, of a mark and of
 * a registration: they fire too, fork a child that goes on there, or do not
 * come back.  This program has the library's objects in it, with the hidden
 * names.
 */
#include <sys/wait.h>

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest/guest.h"
#include "steps.h"
#include "target/file.h"
#include "target/mark.h"
#include "target/target.h"

/* Before and after a thread remembers a fire: target/lane.c, below. */
static void (*moment_action)(void);

static void
moment(void)
{
	if (moment_action != NULL)
		moment_action();
}

#define tbuf_rseq_remember(to, from) \
	(moment(), (tbuf_rseq_remember)(to, from), moment())
#include "target/lane.c"

static struct guest_page page;	/* fires of all */

static void
fire_one(void)
{
	guest_fire(&page, 1);
}

static void
begin(void)
{
	if (!STEPS_POSSIBLE)
		guest_skip("this processor has no trap flag");
	memset(&page, 0, sizeof(page));
}

/* ------------------------------------------------------------ marks */

static void
mark(void)
{
	tbuf_thread_mark(1);
}

/* A good memo would lead the next fire into a section all the same. */
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
	for (mark_at = 0; mark_at < 2 && tbuf_self.rseq; mark_at++) {
		tbuf_thread.memo.bits = TBUF_MEMO_NONE;
		moments = 0;
		fire_one();
		GUEST_EXPECT(moments == 2, "%u moments", moments);
		check_void("moment", mark_at);
	}
	moment_action = NULL;
	guest_finish(c, &tally);
	guest_account(&tally, page.after);
}

/* ------------------------------------------------------------ fires */

/* Sections that are stepped through take a fire the long way, many times. */
static unsigned long
stride(void)
{
	return (guest_locks() ? 2 : 29);
}

/* In sessions of some steps each: their consumer waits meanwhile. */
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
}

static bool is_child;

/* A child that goes on is done. */
static void
fork_here(int number)
{
	int status, saved = errno;
	pid_t pid = fork();

	(void)number;
	if (pid == 0) {
		is_child = true;
		return;
	}
	GUEST_EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid, "%s",
	    strerror(errno));
	GUEST_EXPECT(status == 0, "step %lu: the child ended with %#x",
	    steps_at, status);
	errno = saved;
}

static void
interrupt(void)
{
	raise(SIGUSR1);
}

/* The handler comes as soon as it is let in. */
static bool
fork_at(void (*function)(void), unsigned long step)
{
	bool more = steps_run(function, step, interrupt);

	if (is_child) {
		fire_one();
		_exit(0);
	}
	return (more);
}

static void
test_child_goes_on_at_any_step_of_a_fire(void)
{
	struct sigaction action = { .sa_handler = fork_here };
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

/* A child that is to stay becomes a target; its handler forks meanwhile. */
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

static const struct guest_case cases[] = {
	{ "handler_that_fires_in_a_mark", test_handler_that_fires_in_a_mark,
	    NULL, GUEST_PLAIN },
	{ "mark_while_a_fire_is_remembered",
	    test_mark_while_a_fire_is_remembered, NULL, GUEST_PLAIN },
	{ "handler_that_fires_in_a_fire", test_handler_that_fires_in_a_fire,
	    NULL, GUEST_PLAIN },
	{ "child_goes_on_at_any_step_of_a_fire",
	    test_child_goes_on_at_any_step_of_a_fire, NULL, GUEST_PLAIN },
	{ "jump_out_of_any_step_of_a_fire",
	    test_jump_out_of_any_step_of_a_fire, NULL, GUEST_PLAIN },
	{ "child_goes_on_at_any_step_of_a_registration",
	    test_child_goes_on_at_any_step_of_a_registration, NULL,
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
