/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that a stub calls.  Vector registers are not saved: this file is
 * compiled with -mgeneral-regs-only, as all of a fire is.
 */
#include "pid.h"

#include <sys/auxv.h>
#include <sys/syscall.h>

#include <errno.h>

#include "arch/rseq_area.h"
#include "arch/stack.h"
#include "arch/syscall.h"
#include "target/provider.h"
#include "types.h"

#define RSEQ_UNREGISTER	1
#define RSEQ_WRONG	0	/* no signature: nothing is unregistered */
#define RSEQ_SIZE_MIN	32u	/* least size that the C library registers */
#define MASK_WRONG	-1	/* no way to change the signal mask */
#define MAIN_STACK	((uintptr_t)64 << 20)
#define STEP		(64u << 10)	/* of a stack that becomes known */

_Static_assert(offsetof(struct pid_place, patch) == 0, "a hit has it");

/*
 * Arguments in registers, without a loop; and at an entry and at an exit the
 * return address, which may be the stack's first word.
 */
#if defined(__x86_64__)
#define IN_REGISTERS	6u
#define LINK_BYTES	sizeof(uint64_t)

static inline void
take_registers(uint64_t *values, const uint64_t *registers)
{
	values[0] = registers[7];
	values[1] = registers[6];
	values[2] = registers[2];
	values[3] = registers[1];
	values[4] = registers[8];
	values[5] = registers[9];
}

static uint64_t
return_address(const uint64_t *registers)
{
	return (*(const uint64_t *)registers[PATCH_STACK]);
}

/* Copies the low words of the vector registers that pass arguments. */
static inline void
copy_vectors(uint64_t all[PID_VECTORS])
{
	__asm__ volatile(
	    "movq %%xmm0, (%0)\n\t"
	    "movq %%xmm1, 8(%0)\n\t"
	    "movq %%xmm2, 16(%0)\n\t"
	    "movq %%xmm3, 24(%0)\n\t"
	    "movq %%xmm4, 32(%0)\n\t"
	    "movq %%xmm5, 40(%0)\n\t"
	    "movq %%xmm6, 48(%0)\n\t"
	    "movq %%xmm7, 56(%0)"
	    : : "r" (all) : "memory");
}
#else
#define IN_REGISTERS	8u
#define LINK_BYTES	0

static inline void
take_registers(uint64_t *values, const uint64_t *registers)
{
	values[0] = registers[0];
	values[1] = registers[1];
	values[2] = registers[2];
	values[3] = registers[3];
	values[4] = registers[4];
	values[5] = registers[5];
	values[6] = registers[6];
	values[7] = registers[7];
}

static uint64_t
return_address(const uint64_t *registers)
{
	return (tbuf_stack_code(registers[PATCH_LINK]));
}

/* The assembler is that of code without floating point. */
static inline void
copy_vectors(uint64_t all[PID_VECTORS])
{
	__asm__ volatile(
	    ".arch_extension fp\n\t"
	    "stp d0, d1, [%0]\n\t"
	    "stp d2, d3, [%0, #16]\n\t"
	    "stp d4, d5, [%0, #32]\n\t"
	    "stp d6, d7, [%0, #48]\n\t"
	    ".arch_extension nofp"
	    : : "r" (all) : "memory");
}
#endif
#define RESULT		0u
#define ON_STACK	(PID_ARGS - IN_REGISTERS)

/* Providers call the C library while they arm, and the program does not. */
static inline __attribute__((always_inline)) void
fire_once(const struct pid_place *place, struct tbuf_site *site,
    const uint64_t *registers, const uint64_t *values)
{
	uint64_t pc = place->patch.place | TBUF_FRAME_EXACT;

	if (tbuf_thread_hide(0) != 0)
		return;
	if (place->kind == PID_SPOT)
		tbuf_site_fire_from(site, values, 0, pc,
		    registers[PATCH_STACK], registers[PATCH_FRAME]);
	else
		tbuf_site_fire_from(site, values, pc,
		    return_address(registers),
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

static uintptr_t main_top;	/* the main thread's stack goes on to here */

/* No mapping is so near below the stack of the main thread. */
void
pid_know_stack(void)
{
	known.tid = raw_call(SYS_gettid, 0, 0, 0, 0, 0);
	known.low = (uintptr_t)__builtin_frame_address(0) - MAIN_STACK;
	known.high = UINTPTR_MAX;
	main_top = getauxval(AT_RANDOM);
}

static __attribute__((noinline)) void
fire_in_libc(const struct pid_place *place, struct tbuf_site *site,
    const uint64_t *registers, const uint64_t *values)
{
	if (is_thread(registers[PATCH_STACK])) {
		fire_once(place, site, registers, values);
		return;
	}
	tbuf_thread_mark(1);
	fire_once(place, site, registers, values);
	tbuf_thread_mark(-1);
}

static inline void
fire(const struct pid_place *place, struct tbuf_site *site,
    const uint64_t *registers, const uint64_t *values)
{
	if (place->in_libc)
		fire_in_libc(place, site, registers, values);
	else
		fire_once(place, site, registers, values);
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
	case TBUF_FLOAT:
		return ((uint32_t)word);
	default:
		return (word);
	}
}

/*
 * Returns true if this process can read the word at `at'.  The system call has
 * no effect, as its first argument is invalid, and programs with filters of
 * system calls allow it, as the C library makes it.
 */
static bool
is_readable(uintptr_t at)
{
	return (raw_call(SYS_rt_sigprocmask, MASK_WRONG, (long)at, 0,
	    sizeof(uint64_t), 0) == -EINVAL);
}

/*
 * Gets the arguments on the stack of which some are in a later page than the
 * last byte that the caller has there.  That page may not be readable, as the
 * function may have fewer arguments.
 */
static __attribute__((noinline)) void
take_across(uint64_t *values, uintptr_t at, uintptr_t end)
{
	bool all = (known.high == UINTPTR_MAX && at >= known.low &&
	    at + ON_STACK * sizeof(*values) <= main_top) || is_readable(end);
	unsigned i;

	for (i = 0; i < ON_STACK; i++, at += sizeof(*values))
		values[i] = all || at + sizeof(*values) <= end ?
		    *(const uint64_t *)at : 0;
}

/* Gets the arguments on the stack. */
static inline void
take_stack(uint64_t *values, uintptr_t stack)
{
	uintptr_t at = stack + LINK_BYTES;
	uintptr_t end = (at - 1) / PATCH_PAGE * PATCH_PAGE + PATCH_PAGE;
	unsigned i;

	if (end - at >= ON_STACK * sizeof(*values)) {
		for (i = 0; i < ON_STACK; i++)
			values[i] = ((const uint64_t *)at)[i];
		return;
	}
	take_across(values, at, end);
}

static inline void
take_entry(const struct pid_place *place, const uint64_t *registers,
    unsigned nwords, uint64_t *values)
{
	unsigned i;

	take_registers(values, registers);
	if (nwords > IN_REGISTERS)
		take_stack(values + IN_REGISTERS, registers[PATCH_STACK]);
	for (i = 0; i < place->narrow; i++)
		values[i] = narrow(values[i], place->site->types[i]);
}

/* Others are not read: to clear them may take a call of memset(3). */
static inline void
take_exit(const struct pid_place *place, const uint64_t *registers,
    uint64_t *values)
{
	values[0] = place->offset;
	values[1] = place->narrow == 0 ? registers[RESULT] :
	    narrow(registers[RESULT], place->site->types[1]);
}

/*
 * Gets the arguments in vector registers, which still have the program's
 * values, as no code from the stub on has changed them.
 */
static void
take_vectors(const struct pid_place *place, uint64_t *values)
{
	const struct pid_sites *sites = place->sites;
	uint64_t all[PID_VECTORS], word;
	unsigned i, vector;

	copy_vectors(all);
	for (i = 0; i < place->site->nargs; i++) {
		if ((vector = sites->vectors[i]) == 0)
			continue;
		word = all[vector % PID_VECTORS];
		values[i] = narrow((vector & PID_UPPER) != 0 ? word >> 32 :
		    word, place->site->types[i]);
	}
}

void
pid_hit_entry(struct patch_probe *patch, const struct patch_registers *r)
{
	const struct pid_place *place = (const struct pid_place *)patch;
	const uint64_t *registers = (const uint64_t *)r;
	uint64_t values[TBUF_ARGS_MAX];

	take_entry(place, registers, place->site->nargs, values);
	fire(place, place->site, registers, values);
}

void
pid_hit_entry_vectors(struct patch_probe *patch,
    const struct patch_registers *r)
{
	const struct pid_place *place = (const struct pid_place *)patch;
	const uint64_t *registers = (const uint64_t *)r;
	uint64_t values[TBUF_ARGS_MAX];

	take_entry(place, registers, place->sites->nwords, values);
	take_vectors(place, values);
	fire(place, place->site, registers, values);
}

/* The function's frame is that of the place. */
void
pid_hit_inside(struct patch_probe *patch, const struct patch_registers *r)
{
	const struct pid_place *place = (const struct pid_place *)patch;
	const uint64_t *registers = (const uint64_t *)r;
	uint64_t values[TBUF_ARGS_MAX];

	take_registers(values, registers);
	fire(place, place->site, registers, values);
}

void
pid_hit_exit(struct patch_probe *patch, const struct patch_registers *r)
{
	const struct pid_place *place = (const struct pid_place *)patch;
	const uint64_t *registers = (const uint64_t *)r;
	uint64_t values[TBUF_ARGS_MAX];

	take_exit(place, registers, values);
	fire(place, place->site, registers, values);
}

void
pid_hit_exit_vector(struct patch_probe *patch,
    const struct patch_registers *r)
{
	const struct pid_place *place = (const struct pid_place *)patch;
	const uint64_t *registers = (const uint64_t *)r;
	uint64_t values[TBUF_ARGS_MAX];

	values[0] = place->offset;
	take_vectors(place, values);
	fire(place, place->site, registers, values);
}

/* All sites have the same arguments. */
void
pid_hit_several(struct patch_probe *patch, const struct patch_registers *r)
{
	const struct pid_place *place = (const struct pid_place *)patch;
	const struct pid_sites *sites = place->sites;
	const uint64_t *registers = (const uint64_t *)r;
	uint64_t values[TBUF_ARGS_MAX];
	size_t i;

	if (place->kind == PID_ENTRY)
		take_entry(place, registers, sites->nwords, values);
	else if (place->kind == PID_RETURN)
		take_exit(place, registers, values);
	else
		take_registers(values, registers);
	if (sites->has_vectors)
		take_vectors(place, values);
	if (tbuf_probe_enabled(place->site))
		fire(place, place->site, registers, values);
	for (i = 0; i < sites->nothers; i++)
		if (tbuf_probe_enabled(&sites->others[i]))
			fire(place, &sites->others[i], registers, values);
}
