/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * inv.guest: a fire makes no system call, whether its record is stored or not,
 * and neither does the first fire of a thread.  The target lets the kernel kill
 * it at any system call except the one that ends it.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"

#define FIRES		3000
#define PASSWORD	42	/* exit status that the filter lets through */

static struct guest_page *page;
static uint32_t turn;		/* turns of the two threads */
static struct tbuf_site plain;	/* registered at run time */

/* Installs the filter for all threads of the process. */
static void
filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PASSWORD, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
		_exit(3);
}

static void
fire_all_kinds(void)
{
	static const char large[40000];
	uint64_t values[2] = { 1, (uint64_t)(uintptr_t)"text" };
	uint64_t number;
	const char *null = NULL;
	double half = 0.5;
	char small = 'c';

	for (number = 0; number < FIRES; number++, page->after += 5) {
		TBUF_PROBE(guest, none);
		TBUF_PROBE(guest, mixed, small, half, null, number);
		if (TBUF_ENABLED(guest, text) || number == 0)
			TBUF_PROBE(guest, text, "a text", number);
		TBUF_PROBE(guest, large, TBUF_BYTES(large, sizeof(large)),
		    TBUF_BYTES(large, sizeof(large)));
		tbuf_probe_fire(&plain, values);
	}
}

static void *
thread(void *cookie)
{
	(void)cookie;
	__atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 2)
		continue;
	fire_all_kinds();
	_exit(PASSWORD);
}

/* Installs the filter before the first fire. */
static void
target(struct guest_page *shared, const char *argument)
{
	static const enum tbuf_type types[] = { TBUF_UINT64, TBUF_STRING };
	pthread_t id;

	(void)argument;
	page = shared;
	if (tbuf_probe_register(&plain, "guest", "m", "f", "plain", 2, types,
	    NULL) != 0 || pthread_create(&id, NULL, thread, NULL) != 0)
		_exit(3);
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != 1)
		continue;
	filter();
	fire_all_kinds();
	__atomic_store_n(&turn, 2, __ATOMIC_RELEASE);
	for (;;)
		continue;
}

static void
run(const char *policy, const char *bufsize)
{
	struct guest_tally tally = { 0 };
	struct guest_page *result;

	result = guest_command(policy, bufsize, "", &tally);
	GUEST_EXPECT(tally.exited && tally.signal == 0, "%s",
	    tally.signal == SIGSYS ? "a fire has made a system call" :
	    strsignal(tally.signal));
	GUEST_EXPECT(tally.status == PASSWORD, "exit status %d",
	    tally.status);
	GUEST_EXPECT(result->after == 2 * 5 * FIRES, "%" PRIu64 " fires",
	    result->after);
	guest_account(&tally, result->after);
}

/* The lanes wrap, fill up and are switched repeatedly. */
static void
test_no_system_call_under_switch(void)
{
	run("switch", "4k");
}

static void
test_no_system_call_when_all_is_dropped(void)
{
	run("switch", "16");
}

static void
test_no_system_call_in_pages_never_touched(void)
{
	run("switch", "4m");
}

static void
test_no_system_call_under_ring(void)
{
	run("ring", "2k");
}

/*
 * Installs the filter before the session begins: attaching needs no system call
 * of the target.
 */
static void
late_target(struct guest_page *shared, const char *argument)
{
	(void)argument;
	page = shared;
	/* From here on the target polls the page only. */
	filter();
	__atomic_store_n(&page->done, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&page->told, __ATOMIC_ACQUIRE) < 2)
		continue;
	guest_fire(page, FIRES);
	__atomic_store_n(&page->done, 2, __ATOMIC_RELEASE);
	while (__atomic_load_n(&page->told, __ATOMIC_ACQUIRE) < 3)
		continue;
	syscall(SYS_exit_group, PASSWORD);
}

static void
test_strict_filter_is_no_obstacle_to_attach(void)
{
	struct guest_tally tally = { 0 };
	struct tbuf_consumer *c;
	struct guest_page *shared;
	pid_t pid = guest_start(&shared, NULL, "");

	c = guest_consumer("switch", "4k");
	GUEST_EXPECT(tbuf_consumer_grab(c, pid) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	guest_step(shared, pid);
	guest_finish(c, &tally);
	guest_account(&tally, shared->after);
	guest_wait_status(shared, pid, PASSWORD);
}

/*
 * Installs the filter before exit(3): destructors, including the library's, run
 * under it.
 */
static void
exit_target(struct guest_page *shared, const char *argument)
{
	(void)argument;
	guest_fire(shared, FIRES);
	filter();
	exit(PASSWORD);
}

static void
test_no_system_call_at_exit(void)
{
	struct guest_tally tally = { 0 };
	struct guest_page *result;

	result = guest_command("ring", "2k", "", &tally);
	GUEST_EXPECT(tally.exited && tally.signal == 0, "%s",
	    tally.signal == SIGSYS ? "exit has made a system call" :
	    strsignal(tally.signal));
	GUEST_EXPECT(tally.status == PASSWORD, "exit status %d",
	    tally.status);
	guest_account(&tally, result->after);
}

static void
exit_alone_target(struct guest_page *shared, const char *argument)
{
	(void)argument;
	guest_next(shared);
	filter();
	exit(PASSWORD);
}

static void
test_no_system_call_at_exit_when_nobody_traces(void)
{
	struct guest_page *shared;
	pid_t pid = guest_start(&shared, NULL, "");

	guest_wait_status(shared, pid, PASSWORD);
}

static const struct guest_case cases[] = {
	{ "no_system_call_under_switch", test_no_system_call_under_switch,
	    target, GUEST_PLAIN },
	{ "no_system_call_when_all_is_dropped",
	    test_no_system_call_when_all_is_dropped, target, GUEST_PLAIN },
	{ "no_system_call_in_pages_never_touched",
	    test_no_system_call_in_pages_never_touched, target, GUEST_PLAIN },
	{ "no_system_call_under_ring", test_no_system_call_under_ring,
	    target, GUEST_PLAIN },
	{ "strict_filter_is_no_obstacle_to_attach",
	    test_strict_filter_is_no_obstacle_to_attach, late_target,
	    GUEST_PLAIN },
	{ "no_system_call_at_exit", test_no_system_call_at_exit,
	    exit_target, GUEST_PLAIN },
	{ "no_system_call_at_exit_when_nobody_traces",
	    test_no_system_call_at_exit_when_nobody_traces,
	    exit_alone_target, GUEST_PLAIN },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
