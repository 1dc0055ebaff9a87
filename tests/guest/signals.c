/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Handlers that fire: on stacks that are hardly larger than a signal frame,
 * while they interrupt fires, in storms, and with a jump out of the handler.
 */
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"

#define ROOM		2048	/* bytes of stack that a fire may need */
#define FORK_ROOM	4096	/* for a fork and a fire */
#define PAINT		0xa5
#define PAINTED		(128u << 10)
#define STORM_SIGNALS	20000
#define STORM_BURST	64	/* handlers that may nest on the stack */
#define JUMPS		1000

static uint64_t before, after;		/* fires begun and finished */

static void
begin_fire(void)
{
	__atomic_add_fetch(&before, 1, __ATOMIC_SEQ_CST);
}

static void
end_fire(void)
{
	__atomic_add_fetch(&after, 1, __ATOMIC_SEQ_CST);
}

/* Fires up to ten arguments with texts, the most that a fire has to lay out. */
static void
fire_all_kinds(void)
{
	static const char large[40000];
	const char *text = "text", *null = NULL;
	uint64_t a = 1, b = 2;
	double d = 0.5;
	char c = 'c';
	short s = 3;

	begin_fire();
	TBUF_PROBE(guest, numbers, a, b);
	end_fire();
	begin_fire();
	TBUF_PROBE(guest, mixed, a, text, c, null, s, text, d,
	    TBUF_BYTES(&a, sizeof(a)), c, text);
	end_fire();
	begin_fire();
	TBUF_PROBE(guest, large, TBUF_BYTES(large, sizeof(large)),
	    TBUF_BYTES(large, sizeof(large)));
	end_fire();
}

static void
handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler,
	    .sa_flags = flags };

	sigaction(number, &action, NULL);
}

/* ------------------------------------------------------------ stacks */

static const unsigned char *volatile frame;

static void
fire_on_stack(int number)
{
	(void)number;
	frame = __builtin_frame_address(0);
	fire_all_kinds();
}

static unsigned char *
stack_new(size_t size)
{
	unsigned char *p = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	GUEST_EXPECT(p != MAP_FAILED && mprotect(p, 4096, PROT_NONE) == 0,
	    "no stack");
	return (p + 4096);
}

static void
stack_use(unsigned char *p, size_t size)
{
	stack_t stack = { .ss_sp = p, .ss_size = size };

	GUEST_EXPECT(sigaltstack(&stack, NULL) == 0, "sigaltstack");
	handle(SIGUSR1, fire_on_stack, SA_ONSTACK);
}

/* Returns how many bytes below its caller's frame a fire has changed. */
static size_t
depth(unsigned char *p)
{
	size_t at = 0;

	memset(p, PAINT, PAINTED);
	raise(SIGUSR1);
	while (at < PAINTED && p[at] == PAINT)
		at++;
	return ((size_t)(frame - (p + at)));
}

static void
paint(const char *policy, const char *bufsize)
{
	unsigned char *p = stack_new(PAINTED);
	struct tbuf_consumer *c = guest_begin(policy, bufsize);
	struct guest_tally tally = { 0 };
	size_t used, most = 0;
	unsigned i;

	stack_use(p, PAINTED);
	/*
	 * These are the first fire, later ones, some that wrap and some
	 * dropped.
	 */
	for (i = 0; i < 300; i++) {
		used = depth(p);
		most = used > most ? used : most;
	}
	GUEST_EXPECT(most < ROOM, "%zu bytes of stack, %s, %s", most, policy,
	    bufsize);
	GUEST_EXPECT(most > 100, "nothing was measured");
	guest_finish(c, &tally);
	if (strcmp(policy, "fill") != 0)
		guest_account(&tally, after);
	after = before = 0;
}

static void
test_fire_needs_less_than_2_KiB_of_stack(void)
{
	paint("switch", "4k");
	paint("switch", "16");
	paint("fill", "1k");
	paint("ring", "1k");
}

static void
test_handler_fires_on_the_smallest_stack(void)
{
	size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ);
	struct tbuf_consumer *c = guest_begin("ring", "1k");
	struct guest_tally tally = { 0 };
	unsigned i;

	if (size < (size_t)MINSIGSTKSZ)
		size = (size_t)MINSIGSTKSZ;
	/*
	 * The stack ends at a page's end, because its guard starts at a page.
	 */
	size = size + ROOM;
	stack_use(stack_new((size + 4095) & ~(size_t)4095), size);
	for (i = 0; i < 1000; i++)
		raise(SIGUSR1);
	guest_finish(c, &tally);
	GUEST_EXPECT(after == 3000, "%" PRIu64 " fires", after);
	guest_account(&tally, after);
}

/*
 * Forks in a handler on the usual signal stack of 8 KiB, as a program that has
 * crashed may do to run a debugger.  With grab_all the child becomes a target.
 */
static size_t *of_child;
static const unsigned char *small;

static void
fork_on_stack(int number)
{
	size_t at = 0;
	int status;
	pid_t pid;

	(void)number;
	frame = __builtin_frame_address(0);
	if ((pid = fork()) == 0) {
		while (at < PAINTED && small[at] == PAINT)
			at++;
		*of_child = (size_t)(frame - (small + at));
		_exit(tbuf_process_register());
	}
	GUEST_EXPECT(waitpid(pid, &status, 0) == pid && status == 0,
	    "the child ended with %#x", status);
}

static void
test_fork_of_a_target_needs_little_stack(void)
{
	unsigned char *p = stack_new(PAINTED);
	struct tbuf_consumer *c = guest_consumer("switch", "4k");
	struct guest_tally tally = { 0 };
	unsigned i;

	small = p;
	of_child = mmap(NULL, sizeof(*of_child), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	GUEST_EXPECT(of_child != MAP_FAILED, "no page");
	GUEST_EXPECT(tbuf_consumer_grab_all(c) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	stack_use(p, PAINTED);
	handle(SIGUSR1, fork_on_stack, SA_ONSTACK);
	/* The loader may look up names in the first of two rounds. */
	for (i = 0; i < 2; i++) {
		memset(p, PAINT, PAINTED);
		raise(SIGUSR1);
	}
	GUEST_EXPECT(*of_child < FORK_ROOM, "%zu bytes of stack", *of_child);
	guest_finish(c, &tally);
}

/* ------------------------------------------------------------ storms */

static uint32_t over, rounds;	/* rounds of the interrupted loop */

static void
fire_in_handler(int number)
{
	(void)number;
	fire_all_kinds();
}

static void *
send(void *cookie)
{
	pthread_t to = *(pthread_t *)cookie;
	uint32_t seen;
	unsigned i;

	for (i = 0; i < STORM_SIGNALS; i++) {
		pthread_kill(to, i % 2 == 0 ? SIGUSR1 : SIGUSR2);
		if (i % STORM_BURST != 0)
			continue;
		/*
		 * The kernel can stack frames faster than handlers end; while
		 * the loop makes progress, all have ended.
		 */
		seen = __atomic_load_n(&rounds, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&rounds, __ATOMIC_SEQ_CST) - seen < 2)
			sched_yield();
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	return (NULL);
}

static void
storm(const char *policy, const char *bufsize)
{
	struct tbuf_consumer *c = guest_begin(policy, bufsize);
	struct guest_tally tally = { 0 };
	pthread_t self = pthread_self(), sender;

	/* The two interrupt each other; SIGUSR1 also interrupts itself. */
	handle(SIGUSR1, fire_in_handler, SA_NODEFER | SA_RESTART);
	handle(SIGUSR2, fire_in_handler, SA_RESTART);
	before = after = 0;
	over = rounds = 0;
	GUEST_EXPECT(pthread_create(&sender, NULL, send, &self) == 0,
	    "no thread");
	while (__atomic_load_n(&over, __ATOMIC_ACQUIRE) == 0) {
		fire_all_kinds();
		__atomic_add_fetch(&rounds, 1, __ATOMIC_SEQ_CST);
	}
	pthread_join(sender, NULL);
	handle(SIGUSR1, SIG_IGN, 0);
	handle(SIGUSR2, SIG_IGN, 0);
	guest_finish(c, &tally);
	GUEST_EXPECT(before == after, "a fire did not come back");
	guest_account(&tally, after);
}

static void
test_signal_storm_is_accounted_for(void)
{
	storm("switch", "64k");
	storm("ring", "1k");
}

/* ------------------------------------------------------------ jumps */

static sigjmp_buf out;
static volatile sig_atomic_t may_jump;
static volatile unsigned jumps;

static void
jump(int number)
{
	(void)number;
	fire_all_kinds();
	if (may_jump) {
		jumps++;
		siglongjmp(out, 1);
	}
}

static void
jumping(const char *policy, const char *bufsize)
{
	const struct itimerval quick = { { 0, 50 }, { 0, 50 } };
	const struct itimerval none = { { 0, 0 }, { 0, 0 } };
	struct tbuf_consumer *c = guest_begin(policy, bufsize);
	struct guest_tally tally = { 0 };
	uint64_t finished;

	before = after = 0;
	jumps = 0;
	handle(SIGALRM, jump, 0);
	setitimer(ITIMER_REAL, &quick, NULL);
	(void)sigsetjmp(out, 1);
	may_jump = 1;
	while (jumps < JUMPS)
		fire_all_kinds();
	may_jump = 0;
	setitimer(ITIMER_REAL, &none, NULL);
	handle(SIGALRM, SIG_IGN, 0);
	guest_finish(c, &tally);
	finished = tally.records + tally.drops + tally.overwritten;
	GUEST_EXPECT(after <= finished && finished <= before,
	    "after %" PRIu64 ", finished %" PRIu64 ", before %" PRIu64,
	    after, finished, before);
	GUEST_EXPECT(before - after <= jumps, "more were left than jumps");
	/* Later fires are accounted for as before. */
	c = guest_begin(policy, bufsize);
	memset(&tally, 0, sizeof(tally));
	after = 0;
	fire_all_kinds();
	guest_finish(c, &tally);
	guest_account(&tally, 3);
	GUEST_EXPECT(tally.records > 0, "nothing is stored after the jumps");
}

static void
test_jump_out_of_an_interrupted_fire(void)
{
	jumping("switch", "1m");
	jumping("ring", "1k");
}

/*
 * Leaves a fire that faults on an unmapped page while it writes its record; the
 * handler does not return.
 */
static void
jump_out(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

static void __attribute__((noinline))
fire_and_leave(const char *nowhere, unsigned depth)
{
	char room[512];

	/* A deeper frame is overwritten later. */
	memset(room, 1, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	if (depth > 0)
		fire_and_leave(nowhere, depth - 1);
	else
		TBUF_PROBE(guest, nowhere, TBUF_BYTES(nowhere, 100));
	__asm__ volatile("" : : "r"(room) : "memory");
}

static void
leave_a_fire(unsigned depth)
{
	char *nowhere = mmap(NULL, 4096, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	GUEST_EXPECT(nowhere != MAP_FAILED, "no page");
	handle(SIGSEGV, jump_out, SA_NODEFER);
	if (sigsetjmp(out, 1) == 0) {
		fire_and_leave(nowhere, depth);
		guest_fail(__FILE__, __LINE__, "no fault");
	}
	handle(SIGSEGV, SIG_DFL, 0);
	munmap(nowhere, 4096);
}

/* Forks a child at this depth of the stack, which fires `fires` times. */
static void __attribute__((noinline))
fork_and_fire(unsigned depth, uint64_t fires)
{
	struct guest_page page = { 0 };
	char room[256];
	int status;
	pid_t pid;

	memset(room, 1, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	if (depth > 0) {
		fork_and_fire(depth - 1, fires);
		__asm__ volatile("" : : "r"(room) : "memory");
		return;
	}
	if ((pid = fork()) == 0) {
		guest_fire(&page, fires);
		_exit(0);
	}
	GUEST_EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid &&
	    status == 0, "the child ended with %#x", status);
}

static struct tbuf_consumer *
begin_followed(void)
{
	struct tbuf_consumer *c = guest_consumer("switch", "1m");

	GUEST_EXPECT(tbuf_consumer_set(c, "follow", NULL) == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	return (c);
}

/*
 * A fire that was left by a jump does not affect a later child, at any depth.
 */
static void
test_children_are_traced_after_a_jump_out_of_a_fire(void)
{
	static const struct {
		unsigned fire, fork;
	} depths[] = { { 0, 0 }, { 0, 40 }, { 10, 0 }, { 10, 10 }, { 10, 80 } };
	struct tbuf_consumer *c;
	struct guest_tally tally;
	unsigned i;

	for (i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		memset(&tally, 0, sizeof(tally));
		c = begin_followed();
		leave_a_fire(depths[i].fire);
		fork_and_fire(depths[i].fork, 1000);
		/* Another fire is left at another depth. */
		leave_a_fire(depths[i].fire + 1);
		fork_and_fire(depths[i].fork, 1000);
		fork_and_fire(0, 1000);
		guest_finish(c, &tally);
		GUEST_EXPECT(tally.records == 3000 && tally.drops == 0,
		    "depths %u, %u: %" PRIu64 " records, %" PRIu64 " drops",
		    depths[i].fire, depths[i].fork, tally.records,
		    tally.drops);
	}
}

/* More jumps than are remembered, each from another depth. */
static void
test_many_jumps_are_forgotten(void)
{
	struct guest_tally tally = { 0 };
	struct tbuf_consumer *c;
	unsigned i;

	for (i = 0; i < 6; i++) {
		/*
		 * A session has few lock lanes, and each jump keeps one locked.
		 */
		c = guest_begin("switch", "4k");
		leave_a_fire(6 - i);
		guest_finish(c, &tally);
	}
	memset(&tally, 0, sizeof(tally));
	c = begin_followed();
	fork_and_fire(0, 1000);
	guest_finish(c, &tally);
	guest_account(&tally, 1000);
}

static const struct guest_case cases[] = {
	{ "fire_needs_less_than_2_KiB_of_stack",
	    test_fire_needs_less_than_2_KiB_of_stack, NULL, GUEST_PLAIN },
	{ "handler_fires_on_the_smallest_stack",
	    test_handler_fires_on_the_smallest_stack, NULL, GUEST_PLAIN },
	{ "fork_of_a_target_needs_little_stack",
	    test_fork_of_a_target_needs_little_stack, NULL,
	    GUEST_PLAIN | GUEST_ONCE },
	{ "signal_storm_is_accounted_for", test_signal_storm_is_accounted_for,
	    NULL, 0 },
	{ "jump_out_of_an_interrupted_fire",
	    test_jump_out_of_an_interrupted_fire, NULL, 0 },
	{ "children_are_traced_after_a_jump_out_of_a_fire",
	    test_children_are_traced_after_a_jump_out_of_a_fire, NULL,
	    GUEST_PLAIN },
	{ "many_jumps_are_forgotten", test_many_jumps_are_forgotten, NULL,
	    GUEST_PLAIN },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
