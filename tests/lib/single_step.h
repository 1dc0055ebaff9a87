/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Code that runs between two instructions of a function: the function runs
 * under the processor's trap flag, and after a number of instructions, or after
 * each one, a signal handler runs the test's action.  A fault at a single
 * instruction thus occurs in every run.
 *
 * A trap is a signal, so a restartable section never ends while it is
 * single-stepped.
 */
#ifndef TESTS_LIB_SINGLE_STEP_H
#define TESTS_LIB_SINGLE_STEP_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

#define STEPS_EACH	ULONG_MAX	/* after every instruction */

static void (*steps_action)(void);
static unsigned long steps_at, steps_taken;
static const unsigned char *steps_pc;	/* the next instruction */

#if defined(__x86_64__)
#define STEPS_POSSIBLE	true
#define STEPS_FLAG	0x100	/* TF of the flags register */

/* The code that a handler returns to runs under the trap flag. */
static inline void
steps_set(ucontext_t *c)
{
	c->uc_mcontext.gregs[REG_EFL] |= STEPS_FLAG;
}

static inline void
steps_clear(ucontext_t *c)
{
	c->uc_mcontext.gregs[REG_EFL] &= ~STEPS_FLAG;
}

static void
steps_trap(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	(void)number;
	(void)info;
	steps_pc = (const unsigned char *)c->uc_mcontext.gregs[REG_RIP];
	if (steps_at == STEPS_EACH)
		steps_action();
	else if (steps_taken++ == steps_at) {
		/* The rest runs without steps. */
		steps_clear(c);
		steps_action();
	}
}

/* The flags are pushed below the red zone, which the compiler may use. */
static inline void
steps_begin(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t"
	    "orq %0, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp"
	    : : "i"(STEPS_FLAG) : "memory", "cc");
}

static inline void
steps_end(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t"
	    "andq %0, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp"
	    : : "i"(~STEPS_FLAG) : "memory", "cc");
}
#else
#define STEPS_POSSIBLE	false
#define steps_set(c)	((void)(c))
#define steps_clear(c)	((void)(c))
#define steps_begin()	((void)0)
#define steps_end()	((void)0)

static void
steps_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	steps_pc = NULL;
}
#endif

/*
 * Runs a function, and the action after `at` of its instructions.  Returns
 * false if it has fewer.
 */
static bool
steps_run(void (*function)(void), unsigned long at, void (*action)(void))
{
	struct sigaction trap = { .sa_sigaction = steps_trap,
	    .sa_flags = SA_SIGINFO };

	steps_action = action;
	steps_at = at;
	steps_taken = 0;
	sigaction(SIGTRAP, &trap, NULL);
	steps_begin();
	function();
	steps_end();
	return (at == STEPS_EACH || steps_taken > at);
}

#endif
