/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls that can be cancelled, of C libraries that tell by a thread's place
 * whether it is in one (glibc from 2.41 on).  One function makes them:
 *
 *	begin:	is the thread cancelled?  it ends
 *		the call's number and arguments, from the function's own
 *		syscall
 *	end:	ret
 *
 * A signal between begin and end has the thread end; one at `end' does not, as
 * the call has been made.  So the instruction stays where it is, and what calls
 * this function calls syscall_cancel() instead, which calls it.
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

/* What a stub has in assembly: neither probe is enabled. */
static bool
is_quiet(uint64_t number)
{
	const uint32_t *words = syscall_pages[number >> 8 & 0xff][number &
	    0xff];

	return (*(const uint64_t *)(const void *)words == 0 &&
	    !syscall_dispatch_is_on());
}

/* With the return address into what calls the function. */
static __attribute__((noinline)) uint64_t
call(void *flags, uint64_t number, uint64_t a, uint64_t b, uint64_t c,
    uint64_t d, uint64_t e, uint64_t f)
{
	const uint64_t *own = __builtin_frame_address(0);
	struct syscall_cancelled call = {
		.record = { own[0], own[1] - 1 },
		.frame = {
			.args = { a, b, c, d, e, f },
			.number = number,
			.place = &syscall_cancel_place
		},
		.stack = (uintptr_t)(own + 2)
	};
	enum syscall_way way;

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
