/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls that can be cancelled, of C libraries that find out by a thread's
 * program counter whether it is in one (glibc from 2.41 on).  One function
 * makes them:
 *
 *	begin:	the thread ends if it is cancelled
 *		the call's number and arguments, from the function's own
 *		syscall
 *	end:	ret
 *
 * A signal between begin and end makes the thread end; one at `end' does not,
 * as the call has been made.  So the instruction is not moved, and the callers
 * of this function call syscall_cancel() instead, which calls it.
 *
 * Part of a fire: compiled with -mgeneral-regs-only.
 */
#include "dispatch.h"

struct syscall_place syscall_cancel_place = { .number = SYSCALL_ANY };

static syscall_cancellable *cancellable;

void
syscall_cancel_begin(syscall_cancellable *function, uintptr_t at)
{
	cancellable = function;
	syscall_cancel_place.address = at;
}

/* Returns true if neither probe is enabled, as stubs find out in assembly. */
static bool
is_quiet(uint64_t number)
{
	const uint32_t *words = syscall_pages[number >> 8 & 0xff][number &
	    0xff];

	return (*(const uint64_t *)(const void *)words == 0 &&
	    !syscall_dispatch_is_on());
}

/*
 * Fires around a call.  The return address is in the function's caller.  The
 * record is assigned by its members: an initializer of all of it calls memset(3)
 * on aarch64, where a frame has registers, too.
 */
static __attribute__((noinline)) uint64_t
call(void *flags, uint64_t number, uint64_t a, uint64_t b, uint64_t c,
    uint64_t d, uint64_t e, uint64_t f)
{
	const uint64_t *own = __builtin_frame_address(0);
	const uint64_t args[] = { a, b, c, d, e, f };
	struct syscall_cancelled call;
	enum syscall_way way;
	unsigned i;

	call.record[0] = own[0];
	call.record[1] = own[1] - 1;
	for (i = 0; i < SYSCALL_NARGS; i++)
		call.frame.args[i] = args[i];
	call.frame.flags = call.frame.result = 0;
	call.frame.number = number;
	call.frame.place = &syscall_cancel_place;
	call.stack = (uintptr_t)(own + 2);
	way = syscall_enter(&syscall_cancel_place, &call.frame);
	if (way == SYSCALL_DONE)
		return (call.frame.result);
	call.frame.result = cancellable(flags, number, a, b, c, d, e, f);
	if (way == SYSCALL_CALL)
		syscall_leave(&syscall_cancel_place, &call.frame);
	return (call.frame.result);
}

uint64_t
syscall_cancel(void *flags, uint64_t number, uint64_t a, uint64_t b,
    uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	return ((is_quiet(number) ? cancellable : call)(flags, number, a, b,
	    c, d, e, f));
}
