/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * raise(), stop() and chill(), which change the program and need -w.
 *
 * Signals wait until the clauses of the fire are done.  Their handlers may then
 * do all that a handler may, and leave by a jump as well.
 */
#include "base/optimize_size.h"

#include <sys/syscall.h>

#include <signal.h>
#include <time.h>

#include "arch/syscall.h"
#include "target/clause/clause.h"
#include "target/self/self.h"

#define SECOND		UINT64_C(1000000000)
#define CHILL_MAX	(SECOND / 2)
#define SIGNALS		64

/* 0 is no signal, as for kill(2). */
static int
raise_later(struct tbuf_run *run, uint64_t number)
{
	if (number > SIGNALS)
		return (TBUF_FAULT_ILLEGAL);
	if (number != 0)
		run->signals |= UINT64_C(1) << (number - 1);
	return (0);
}

/* Returns the time in ns, 0 if no clock can be read. */
static uint64_t
now(void)
{
	struct timespec ts;

	if (clock_gettime(tbuf_self.clock == TBUF_CLOCK_COARSE ?
	    CLOCK_MONOTONIC_COARSE : CLOCK_MONOTONIC, &ts) != 0)
		return (0);
	return ((uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec);
}

/* Spins, as if the program had more to do. */
static int
chill(uint64_t ns)
{
	uint64_t start, time;

	if (ns > CHILL_MAX)
		return (TBUF_FAULT_ILLEGAL);
	start = time = now();
	while (start != 0 && time >= start && time - start < ns)
		time = now();
	return (0);
}

int
tbuf_run_destroy(struct tbuf_run *run, unsigned subroutine, uint64_t argument)
{
	if (!run->calls)
		return (TBUF_FAULT_ILLEGAL);
	switch (subroutine) {
	case TBUF_SUB_RAISE:
		return (raise_later(run, argument));
	case TBUF_SUB_STOP:
		return (raise_later(run, SIGSTOP));
	case TBUF_SUB_CHILL:
		return (chill(argument));
	}
	return (TBUF_FAULT_ILLEGAL);
}

/* The ids are read, not cached: a child of vfork has its parent's memory. */
void
tbuf_signals_raise(uint64_t signals)
{
	long pid = raw_call(SYS_getpid, 0, 0, 0, 0, 0);
	long tid = raw_call(SYS_gettid, 0, 0, 0, 0, 0);

	for (; signals != 0; signals &= signals - 1)
		(void)raw_call(SYS_tgkill, pid, tid,
		    __builtin_ctzll(signals) + 1, 0, 0);
}
