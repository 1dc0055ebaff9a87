/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that a stub calls.  Vector registers are not saved: this file is
 * compiled with -mgeneral-regs-only, as all of a fire is.
 */
#include "pid.h"

#include <sys/syscall.h>

#include <errno.h>

#include "arch/rseq_area.h"
#include "arch/stack.h"
#include "arch/syscall.h"
#include "target/provider.h"

#define RSEQ_UNREGISTER	1
#define RSEQ_WRONG	0	/* no signature: nothing is unregistered */
#define RSEQ_SIZE_MIN	32u	/* least size that the C library registers */
#define MAIN_STACK	((uintptr_t)64 << 20)
#define STEP		(64u << 10)	/* of a stack that becomes known */

_Static_assert(offsetof(struct pid_place, patch) == 0, "a hit has it");

/*
 * Registers by their indices: those that pass arguments and results, and at an
 * entry and at an exit the return address, which may be the stack's first word.
 */
#if defined(__x86_64__)
static const uint8_t passing[] = { 7, 6, 2, 1, 8, 9 };
#define LINK_BYTES	sizeof(uint64_t)

static uint64_t
return_address(const uint64_t *registers)
{
	return (*(const uint64_t *)registers[PATCH_STACK]);
}
#else
static const uint8_t passing[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
#define LINK_BYTES	0

static uint64_t
return_address(const uint64_t *registers)
{
	return (tbuf_stack_code(registers[PATCH_LINK]));
}
#endif
#define RESULT		0u
#define IN_REGISTERS	sizeof(passing)	/* arguments */

/*
 * An address in a stack is after an instruction, and names the function before
 * it.  Providers call the C library while they arm, and the program does not.
 */
static void
fire_once(const struct pid_place *place, const uint64_t *registers,
    const uint64_t *values)
{
	if (tbuf_thread_hide(0) != 0)
		return;
	if (place->is_inside)
		tbuf_site_fire_from(place->site, values, 0,
		    place->patch.place, registers[PATCH_STACK],
		    registers[PATCH_FRAME]);
	else
		tbuf_site_fire_from(place->site, values,
		    place->patch.place + PATCH_NOP, return_address(registers),
		    registers[PATCH_STACK] + LINK_BYTES,
		    registers[PATCH_FRAME]);
}

/*
 * The C library starts a thread in a stack of an earlier one, whose rseq area
 * looks registered, and runs the child of posix_spawn(3), system(3) or popen(3)
 * with its parent's area, which the kernel does not maintain for it.  Fires of
 * such tasks go to lock lanes.  The child has a stack of its own, so that on
 * the thread's stack, as far as it is known, no system call has to tell.
 */
static __thread struct {
	uintptr_t low, high;	/* the known part of the thread's stack */
	long tid;
} known __attribute__((tls_model("initial-exec")));

/*
 * Returns true if this task's rseq area is registered, or no task's is: no
 * change is made.
 */
static bool
is_registered(void)
{
	unsigned size;

	if (!tbuf_rseq_registered())
		return (true);
	size = __rseq_size < RSEQ_SIZE_MIN ? RSEQ_SIZE_MIN : __rseq_size;
	return (raw_call(SYS_rseq, (long)__builtin_thread_pointer() +
	    __rseq_offset, size, RSEQ_UNREGISTER, RSEQ_WRONG, 0) == -EPERM);
}

static bool
is_thread(uintptr_t stack)
{
	long tid;

	if (stack >= known.low && stack < known.high)
		return (true);
	tid = raw_call(SYS_gettid, 0, 0, 0, 0, 0);
	if (tid != known.tid && !is_registered())
		return (false);
	known.tid = tid;
	if (known.high == 0)
		known.high = (known.low = stack) + 1;
	else if (stack < known.low && known.low - stack <= STEP)
		known.low = stack;
	else if (stack >= known.high && stack - known.high < STEP)
		known.high = stack + 1;
	return (true);
}

/* No mapping is so near below the stack of the main thread. */
void
pid_know_stack(void)
{
	known.tid = raw_call(SYS_gettid, 0, 0, 0, 0, 0);
	known.low = (uintptr_t)__builtin_frame_address(0) - MAIN_STACK;
	known.high = UINTPTR_MAX;
}

static void
fire(const struct pid_place *place, const uint64_t *registers,
    const uint64_t *values)
{
	if (!place->in_libc || is_thread(registers[PATCH_STACK])) {
		fire_once(place, registers, values);
		return;
	}
	tbuf_thread_mark(1);
	fire_once(place, registers, values);
	tbuf_thread_mark(-1);
}

/* Returns a word as the value of a type; its other bits may be any. */
static uint64_t
narrow(uint64_t word, unsigned type)
{
	switch (type) {
	case TBUF_INT8:
		return ((uint64_t)(int8_t)word);
	case TBUF_UINT8:
		return ((uint8_t)word);
	case TBUF_INT16:
		return ((uint64_t)(int16_t)word);
	case TBUF_UINT16:
		return ((uint16_t)word);
	case TBUF_INT32:
		return ((uint64_t)(int32_t)word);
	case TBUF_UINT32:
		return ((uint32_t)word);
	case TBUF_CHAR:
		return ((uint64_t)(char)word);
	case TBUF_BOOL:
		return ((word & 0xff) != 0);
	default:
		return (word);
	}
}

/*
 * Returns an argument on the stack, if it is in the page of the last byte that
 * the caller has there: others may not be, as the function may have fewer.
 */
static uint64_t
stack_argument(uintptr_t stack, unsigned i)
{
	uintptr_t at = stack + LINK_BYTES + i * sizeof(uint64_t);

	return ((stack + LINK_BYTES - 1) / PATCH_PAGE == at / PATCH_PAGE &&
	    at % PATCH_PAGE <= PATCH_PAGE - sizeof(uint64_t) ?
	    *(const uint64_t *)at : 0);
}

void
pid_hit_entry(struct patch_probe *patch, const struct patch_registers *r)
{
	const struct pid_place *place = (const struct pid_place *)patch;
	const uint64_t *registers = (const uint64_t *)r;
	uint64_t values[TBUF_ARGS_MAX];
	unsigned i;

	for (i = 0; i < IN_REGISTERS; i++)
		values[i] = registers[passing[i]];
	for (; i < PID_ARGS; i++)
		values[i] = stack_argument(registers[PATCH_STACK],
		    i - (unsigned)IN_REGISTERS);
	for (i = 0; i < place->site->nargs; i++)
		values[i] = narrow(values[i], place->site->types[i]);
	fire(place, registers, values);
}

/* The function's frame is that of the place. */
void
pid_hit_inside(struct patch_probe *patch, const struct patch_registers *r)
{
	const struct pid_place *place = (const struct pid_place *)patch;
	const uint64_t *registers = (const uint64_t *)r;
	uint64_t values[TBUF_ARGS_MAX];
	unsigned i;

	for (i = 0; i < IN_REGISTERS; i++)
		values[i] = registers[passing[i]];
	fire(place, registers, values);
}

void
pid_hit_exit(struct patch_probe *patch, const struct patch_registers *r)
{
	const struct pid_place *place = (const struct pid_place *)patch;
	const uint64_t *registers = (const uint64_t *)r;
	uint64_t values[TBUF_ARGS_MAX];

	/* Others are not read: to clear them may take a call of memset(3). */
	values[0] = place->offset;
	values[1] = narrow(registers[RESULT], place->site->types[1]);
	fire(place, registers, values);
}
