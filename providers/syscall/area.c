/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Thread areas that are not the C library's.  All code that fires has variables
 * in the thread's area, next to the C library's.  Some programs give a thread
 * another area: Go's run time, where it works without the C library, emulators,
 * and callers of clone(2).  Such an area has none of our variables, and a store
 * to one would overwrite the program's data.
 *
 * As soon as the first such area may appear, each call looks for the sign that
 * an area of the C library has, by calls that never fault.
 *
 * Part of a fire: compiled with -mgeneral-regs-only.
 */
#include "dispatch.h"

#include <sys/syscall.h>

#include <errno.h>
#include <sched.h>

#include "arch/syscall.h"

#define SIGN	((uint64_t)0x7462756661726561)

#ifdef __x86_64__
#define SET_AREA	0x1002		/* ARCH_SET_FS */
#define GET_AREA	0x1003		/* ARCH_GET_FS */
#define CLONE_AREA	4u		/* index of clone(2)'s argument */
#else
#define CLONE_AREA	3u
#endif

/* Offsets in struct clone_args, in bytes. */
#define CLONE3_FLAGS	0u
#define CLONE3_AREA	56u

static _Thread_local volatile uint64_t sign
    __attribute__((tls_model("initial-exec"))) = SIGN;

static uintptr_t sign_at;	/* offset in an area */
static bool others;		/* there are, or there may be soon */

void
syscall_area_begin(void)
{
	sign_at = (uintptr_t)&sign - (uintptr_t)__builtin_thread_pointer();
}

/* Fails if it is not mapped: the kernel reads a set before the operation. */
static bool
read_word(uintptr_t at, uint64_t *word)
{
	if (raw_call(SYS_rt_sigprocmask, -1, (long)at, 0, sizeof(*word), 0) !=
	    -EINVAL)
		return (false);
	*word = *(const volatile uint64_t *)at;
	return (true);
}

static bool
is_ours(uintptr_t area)
{
	uint64_t word;

	return (read_word(area + sign_at, &word) && word == SIGN);
}

/* Only an area of the C library contains its own address. */
static uintptr_t
current(void)
{
#ifdef GET_AREA
	uintptr_t area = 0;

	(void)raw_call(SYS_arch_prctl, GET_AREA, (long)&area, 0, 0, 0);
	return (area);
#else
	return ((uintptr_t)__builtin_thread_pointer());
#endif
}

bool
syscall_area_is_other(void)
{
	return (__atomic_load_n(&others, __ATOMIC_RELAXED) &&
	    !is_ours(current()));
}

static void
expect_others(void)
{
	__atomic_store_n(&others, true, __ATOMIC_RELAXED);
}

bool
syscall_area_looks(int number)
{
#ifdef SET_AREA
	return (number == SYS_arch_prctl);
#else
	(void)number;
	return (false);
#endif
}

/* A thread that gets another area is no longer dispatched. */
void
syscall_area_look(const struct syscall_frame *f, uint64_t number)
{
#ifdef SET_AREA
	if (number == SYS_arch_prctl && (uint32_t)f->args[0] == SET_AREA &&
	    !is_ours(f->args[1])) {
		expect_others();
		syscall_dispatch_shared_for_good();
	}
#else
	(void)f;
	(void)number;
#endif
}

/* The argument of a call with its number in a register may be a bad pointer. */
static bool
clone3_area(const struct syscall_frame *f, uint64_t *area)
{
	uintptr_t args = f->args[0];
	uint64_t word;

	if (f->place->number == SYSCALL_ANY &&
	    (!read_word(args + CLONE3_FLAGS, &word) ||
	    !read_word(args + CLONE3_AREA, &word)))
		return (false);
	*area = *(const uint64_t *)(args + CLONE3_AREA);
	return ((*(const uint64_t *)(args + CLONE3_FLAGS) & CLONE_SETTLS) != 0);
}

void
syscall_area_clone(const struct syscall_frame *f, uint64_t number)
{
	uint64_t area = f->args[CLONE_AREA];
	bool sets = number == SYS_clone ? (f->args[0] & CLONE_SETTLS) != 0 :
	    number == SYS_clone3 && clone3_area(f, &area);

	if (sets && !is_ours(area))
		expect_others();
}
