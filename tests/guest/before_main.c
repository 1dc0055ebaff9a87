/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes before and after main: in constructors, destructors and functions of
 * atexit(3), of the program and of an object that it loads.  All of them are
 * recorded when the program is a command that is traced from its start.  The
 * memory of its buffers is mapped before the first of them.
 */
#include <sys/resource.h>

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"

static void
phase(const char *name)
{
	TBUF_PROBE(guest, phase, name);
}

__attribute__((constructor(102)))
static void
early(void)
{
	phase("early");
}

__attribute__((constructor))
static void
constructor(void)
{
	phase("constructor");
}

__attribute__((destructor))
static void
destructor(void)
{
	phase("destructor");
}

__attribute__((destructor(102)))
static void
late(void)
{
	phase("late");
}

static void
at_exit(void)
{
	phase("atexit");
}

static void
target(struct guest_page *page, const char *argument)
{
	(void)page;
	phase("main");
	atexit(at_exit);
	if (strcmp(argument, "quick") == 0)
		_exit(0);
}

/*
 * Traces the command and compares the phases that its records name, each
 * followed by a blank, with the expected ones.
 */
static void
run(const char *argument, const char *expected)
{
	struct tbuf_consumer *c = guest_consumer("switch", "64k");
	char self[512], seen[256] = "", name[64], page[] = "none";
	char *argv[] = { self, (char *)(uintptr_t)"-t",
	    (char *)(uintptr_t)"every_phase_of_a_program_is_recorded",
	    page, (char *)(uintptr_t)argument, NULL };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct tbuf_event event;
	int result;

	self[n < 0 ? 0 : n] = '\0';
	GUEST_EXPECT(tbuf_consumer_spawn(c, argv, NULL) > 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	do {
		result = tbuf_consumer_work(c);
		while (tbuf_consumer_next(c, &event) > 0) {
			GUEST_EXPECT(event.type != TBUF_EVENT_DROPS, "drops");
			if (event.type != TBUF_EVENT_RECORD)
				continue;
			n = (ssize_t)event.record.args[0].size;
			memcpy(name, event.record.args[0].data, (size_t)n);
			name[n] = ' ';
			name[n + 1] = '\0';
			strcat(seen, name);
		}
	} while (result > 0);
	GUEST_EXPECT(result == 0, "%s", tbuf_consumer_error(c));
	tbuf_consumer_close(c);
	GUEST_EXPECT(strcmp(seen, expected) == 0, "expected %s, but %s",
	    expected, seen);
}

static void
test_every_phase_of_a_program_is_recorded(void)
{
	run("", "early constructor main atexit destructor late ");
	run("quick", "early constructor main ");
}

/*
 * Bytes that the target fires into the lane of its last CPU, which is after all
 * other lanes.  The buffers have more than 64 MiB in all; each page that is not
 * mapped yet, or every sixteen, would cause a fault.
 */
#define LAP	(24 << 20)

static void
lap_target(struct guest_page *page, const char *argument)
{
	struct rusage before, after;
	cpu_set_t all, last;
	int cpu;

	(void)argument;
	sched_getaffinity(0, sizeof(all), &all);
	for (cpu = CPU_SETSIZE - 1; !CPU_ISSET(cpu, &all); cpu--)
		continue;
	CPU_ZERO(&last);
	CPU_SET(cpu, &last);
	sched_setaffinity(0, sizeof(last), &last);
	guest_fire(page, 1);
	getrusage(RUSAGE_SELF, &before);
	/* A record has more than 32 bytes, so the lane does not wrap. */
	guest_fire(page, LAP / 64);
	getrusage(RUSAGE_SELF, &after);
	GUEST_EXPECT(after.ru_minflt - before.ru_minflt < 64,
	    "%ld page faults", after.ru_minflt - before.ru_minflt);
}

static void
test_first_lap_meets_no_page_fault(void)
{
	struct guest_tally tally = { 0 };
	struct guest_page *page;

	page = guest_command("switch", "32m", "", &tally);
	GUEST_EXPECT(tally.exited && tally.status == 0 && tally.signal == 0,
	    "the command ended with %d", tally.status);
	/* Each phase except main and atexit has one more record. */
	guest_account(&tally, page->after + 4);
}

static const struct guest_case cases[] = {
	{ "first_lap_meets_no_page_fault",
	    test_first_lap_meets_no_page_fault, lap_target, GUEST_PLAIN },
	{ "every_phase_of_a_program_is_recorded",
	    test_every_phase_of_a_program_is_recorded, target, 0 },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
