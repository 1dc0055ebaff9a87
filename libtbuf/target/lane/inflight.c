/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds fires of a thread that are still under way at a lock lane.
 */
#include <sys/syscall.h>

#include <errno.h>
#include <signal.h>

#include "arch/syscall.h"
#include "target/lane/inflight.h"
#include "target/self/thread.h"

/* Returns true if a word can be read; the stack may be unmapped. */
static bool
readable(const volatile uint64_t *word)
{
	/* The kernel reads the set before it checks the invalid argument. */
	return (raw_call(SYS_rt_sigprocmask, -1, (long)word, 0, sizeof(*word),
	    0) != -EFAULT);
}

static bool
intact(const uint64_t *mark)
{
	const volatile uint64_t *word = mark;
	unsigned i;

	for (i = 0; i < TBUF_STACK_MARK_WORDS; i += TBUF_STACK_MARK_STEP)
		if (!readable(word + i) || word[i] != tbuf_hold_value(mark))
			return (false);
	return (true);
}

/*
 * Returns true if the thread is in a handler on its alternate stack and the
 * mark is on another: their addresses do not show which is deeper.
 */
static bool
other_stack(const uint64_t *mark)
{
	stack_t stack;

	if (raw_call(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0) != 0)
		return (true);
	return ((stack.ss_flags & SS_ONSTACK) != 0 &&
	    (uintptr_t)mark - (uintptr_t)stack.ss_sp >= stack.ss_size);
}

/*
 * Returns true if the mark's fire is under way.  Only a handler interrupts a
 * fire, so its frame is above ours, and its mark is intact.
 */
static bool
under_way(const uint64_t *mark)
{
	return (intact(mark) && (other_stack(mark) || (uintptr_t)mark >
	    (uintptr_t)__builtin_frame_address(0)));
}

bool
tbuf_hold_any(void)
{
	uint32_t i, n = tbuf_thread.nholds;
	bool any = false;

	for (i = 0; i < n && !any; i++)
		any = under_way(tbuf_thread.holds[i]);
	return (any);
}
