/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Built-in variables and subroutines of clauses at a fire: nothing but loads,
 * and the clock once a clause.  clause_stack.c walks the stack.
 */
#include "base/optimize_size.h"

#include <sys/syscall.h>

#include <errno.h>
#include <time.h>

#include "arch/counter.h"
#include "base/safe_read.h"
#include "machine/internal.h"
#include "shared/program_select.h"
#include "target/clause/clause.h"
#include "target/lane/lane.h"
#include "target/self/self.h"

#define SECOND	UINT64_C(1000000000)

bool
tbuf_tempo_make(const struct tbuf_run *run, struct tbuf_tempo *tempo)
{
	const struct tbuf_codes *codes = tbuf_run_part(run,
	    &run->fire->slot->codes, 0, sizeof(*codes));

	if (codes == NULL || tbuf_self.clock != TBUF_CLOCK_COUNTER)
		return (false);
	tempo->ticks = tbuf_load(&codes->base.ticks);
	tempo->mono = tbuf_load(&codes->base.mono);
	tempo->multiplier = tbuf_load(&codes->multiplier);
	return (true);
}

/* Converts ticks to ns of CLOCK_MONOTONIC; `ahead` is CLOCK_REALTIME's lead. */
static uint64_t
scaled(const struct tbuf_run *run, uint64_t ticks, uint64_t *ahead)
{
	const struct tbuf_slot *slot = run->fire->slot;
	const struct tbuf_codes *codes = tbuf_run_part(run, &slot->codes, 0,
	    sizeof(*codes));
	struct tbuf_tempo tempo;

	*ahead = 0;
	if (codes == NULL)
		return (ticks);
	*ahead = tbuf_load(&codes->base.real) - tbuf_load(&codes->base.mono);
	return (tbuf_tempo_make(run, &tempo) ? tbuf_tempo_scale(&tempo, ticks) :
	    ticks);
}

/*
 * Reads the time, once a clause.  walltimestamp adds `ahead`, of when the
 * session began.  The read comes after loads of times that other threads have
 * stored.
 */
static uint64_t
timestamp(struct tbuf_run *run, uint64_t *ahead)
{
	if (run->timestamp == 0)
		run->timestamp = run->shares ||
		    tbuf_self.clock != TBUF_CLOCK_COUNTER ?
		    tbuf_clock_read(tbuf_self.clock) : tbuf_counter_glance();
	return (scaled(run, run->timestamp, ahead));
}

/*
 * Asks the kernel for the thread's CPU time, ns, once a clause.  A filter of
 * system calls may kill for that.
 */
static int
virtual_time(struct tbuf_run *run, uint64_t *value)
{
	struct timespec ts = { 0, 0 };

	if (run->vtimestamp == 0) {
		if (!run->calls || tbuf_self.filtered ||
		    tbuf_peek_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID,
		    &ts, 0, NULL, 0) != 0)
			return (TBUF_FAULT_ILLEGAL);
		run->vtimestamp = (uint64_t)ts.tv_sec * SECOND +
		    (uint64_t)ts.tv_nsec;
	}
	*value = run->vtimestamp;
	return (0);
}

static const struct tbuf_control *
control(const struct tbuf_run *run)
{
	return ((const struct tbuf_control *)(uintptr_t)run->fire->base);
}

/* Asks the kernel for a built-in variable. */
static int
kernels(const struct tbuf_run *run, unsigned which, uint64_t *value)
{
	if (!run->calls)
		return (TBUF_FAULT_ILLEGAL);
	*value = (uint64_t)(which == TBUF_BUILTIN_THREADS ?
	    tbuf_file_stat(0, TBUF_FIELD_THREADS) : TBUF_PRIORITIES +
	    tbuf_file_thread_stat(TBUF_FIELD_PRIORITY));
	return (0);
}

/* Returns a built-in variable that is fixed when the process begins. */
static int
began(unsigned which, uint64_t *value)
{
	switch (which) {
	case TBUF_BUILTIN_PPID:
		*value = tbuf_self.ppid;
		return (0);
	case TBUF_BUILTIN_GID:
		*value = tbuf_self.gid;
		return (0);
	case TBUF_BUILTIN_EUID:
		*value = tbuf_self.euid;
		return (0);
	case TBUF_BUILTIN_EGID:
		*value = tbuf_self.egid;
		return (0);
	case TBUF_BUILTIN_PGID:
		*value = tbuf_self.pgid;
		return (0);
	case TBUF_BUILTIN_SID:
		*value = tbuf_self.sid;
		return (0);
	case TBUF_BUILTIN_TERMINAL:
		*value = tbuf_self.terminal;
		return (0);
	case TBUF_BUILTIN_ARGC:
		*value = tbuf_self.argc;
		return (0);
	case TBUF_BUILTIN_ARGV:
		*value = tbuf_self.argv;
		return (0);
	case TBUF_BUILTIN_ENVP:
		if (tbuf_self.argv != 0)
			*value = tbuf_self.argv + sizeof(char *) *
			    (tbuf_self.argc + UINT64_C(1));
		return (0);
	}
	return (TBUF_FAULT_ILLEGAL);
}

int
tbuf_run_builtin(struct tbuf_machine *m, unsigned which, uint64_t *value)
{
	struct tbuf_run *run = tbuf_run_of(m);
	uint64_t ahead;

	*value = 0;
	switch (which) {
	case TBUF_BUILTIN_TIMESTAMP:
		*value = timestamp(run, &ahead);
		return (0);
	case TBUF_BUILTIN_VTIMESTAMP:
		return (virtual_time(run, value));
	case TBUF_BUILTIN_WALLTIMESTAMP:
		*value = timestamp(run, &ahead);
		*value += ahead;
		return (0);
	case TBUF_BUILTIN_CPU:
		*value = tbuf_current_cpu();
		return (0);
	case TBUF_BUILTIN_PID:
		*value = tbuf_run_pid(run);
		return (0);
	case TBUF_BUILTIN_IMAGE:
		*value = tbuf_image(tbuf_run_pid(run),
		    tbuf_load(&control(run)->random));
		return (0);
	case TBUF_BUILTIN_TID:
		*value = tbuf_run_thread();
		return (0);
	case TBUF_BUILTIN_UID:
		*value = tbuf_load(&control(run)->uid);
		return (0);
	case TBUF_BUILTIN_ID:
		*value = TBUF_IDS_OWN + run->fire->index + UINT64_C(1);
		return (0);
	case TBUF_BUILTIN_EPID:
		*value = run->fire->epid;
		return (0);
	case TBUF_BUILTIN_ERRNO:
		*value = (uint64_t)(int64_t)errno;
		return (0);
	case TBUF_BUILTIN_IPL:
	case TBUF_BUILTIN_CALLER:
	case TBUF_BUILTIN_STACKDEPTH:
		return (0);
	case TBUF_BUILTIN_UCALLER:
		*value = tbuf_run_caller(run);
		return (0);
	case TBUF_BUILTIN_USTACKDEPTH:
		*value = tbuf_run_stack(run, NULL, UINT32_MAX);
		return (0);
	case TBUF_BUILTIN_THREADS:
	case TBUF_BUILTIN_PRIORITY:
		return (kernels(run, which, value));
	case TBUF_BUILTIN_EXECNAME ... TBUF_BUILTIN_EXECARGS:
		*value = tbuf_address(TBUF_OBJECT_BUILTIN, which, 0);
		return (0);
	}
	return (began(which, value));
}

/*
 * Finds a string of the probe table's heap, from its start to the heap's end.
 */
static int
heap_text(const struct tbuf_run *run, const uint32_t *word,
    struct tbuf_span *span)
{
	uint32_t used = tbuf_load(&control(run)->strings);
	uint32_t offset = tbuf_load(word);

	if (used > tbuf_self.tables.strings_size)
		used = tbuf_self.tables.strings_size;
	if (offset >= used)
		return (TBUF_FAULT_ADDRESS);
	span->at = (uint8_t *)(uintptr_t)(run->fire->base +
	    tbuf_self.tables.strings + offset);
	span->size = used - offset;
	return (0);
}

int
tbuf_run_builtin_text(const struct tbuf_run *run, uint32_t which,
    struct tbuf_span *span)
{
	const struct tbuf_probe_entry *entry =
	    (const struct tbuf_probe_entry *)(uintptr_t)(run->fire->base +
	    tbuf_self.tables.probes) + run->fire->index;

	switch (which) {
	case TBUF_BUILTIN_EXECNAME:
		span->at = (uint8_t *)(uintptr_t)control(run)->execname;
		span->size = sizeof(control(run)->execname);
		return (0);
	case TBUF_BUILTIN_EXECARGS:
		span->at = (uint8_t *)tbuf_self.arguments;
		span->size = sizeof(tbuf_self.arguments);
		return (0);
	case TBUF_BUILTIN_PROBEPROV:
		return (heap_text(run, &entry->provider, span));
	case TBUF_BUILTIN_PROBEMOD:
		return (heap_text(run, &entry->module, span));
	case TBUF_BUILTIN_PROBEFUNC:
		return (heap_text(run, &entry->function, span));
	case TBUF_BUILTIN_PROBENAME:
		return (heap_text(run, &entry->name, span));
	}
	return (TBUF_FAULT_ADDRESS);
}

/* Draws a number of 31 bits that the clock alone does not predict. */
static uint64_t
draw(const struct tbuf_run *run)
{
	uint64_t x = tbuf_clock_read(tbuf_self.clock) ^
	    (uint64_t)(uintptr_t)run ^ (uint64_t)tbuf_run_thread() << 40;

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return ((x ^ x >> 31) & INT32_MAX);
}

int
tbuf_run_call(struct tbuf_machine *m, unsigned subroutine,
    const uint64_t arguments[TBUF_CALL_ARGUMENTS], unsigned count,
    uint64_t *result)
{
	struct tbuf_run *run = tbuf_run_of(m);

	*result = 0;
	switch (subroutine) {
	case TBUF_SUB_RAND:
		*result = draw(run);
		return (0);
	case TBUF_SUB_PROGENYOF:
		if (!run->calls)
			return (TBUF_FAULT_ILLEGAL);
		*result = tbuf_file_is_progeny(tbuf_run_pid(run),
		    arguments[0]);
		return (0);
	case TBUF_SUB_UREG:
		return (tbuf_run_register(run, arguments[0], result));
	case TBUF_SUB_FILE:
		/* A filter may kill for the system calls that this takes. */
		return (!run->calls || tbuf_self.filtered ?
		    tbuf_file_unknown(m, arguments[1], result) :
		    tbuf_file_tell(m, 0, arguments, result));
	case TBUF_SUB_USTACK:
		return (tbuf_run_stack_put(m, arguments[0], arguments[1]));
	}
	return (tbuf_run_destroy(run, subroutine,
	    count == 0 ? 0 : arguments[0]));
}
