/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Syscall User Dispatch: see dispatch.h.
 */
#include "dispatch.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/syscall.h"

/* Newer than some C libraries' headers. */
#define DISPATCH	59		/* PR_SET_SYSCALL_USER_DISPATCH */
#define DISPATCHED	2		/* SYS_USER_DISPATCH, the si_code */
#define ALLOW		0
#define BLOCK		1
#define SYSCALL_SIZE	2u
#define HELD		((uint64_t)1 << 63)

static bool wanted;
static bool filtered;	/* a filter of system calls is set: no more prctl */
static bool synced;	/* one for all threads is set, or about to be */

static struct {
	uintptr_t start, size;
} text;

static _Thread_local struct {
	uint8_t selector;	/* the kernel reads it */
	bool begun;		/* here, or before a fork */
	bool off;		/* for good */
	bool aside;		/* the program dispatches calls itself */
	bool begins;		/* its first mask of signals is to come */
	bool hidden;		/* the program takes SIGSYS for blocked */
	uint32_t shared;	/* tasks that have this very memory, for now */
	uint32_t held;		/* calls under way that may block SIGSYS */
	uintptr_t outermost;	/* the first of them, on the stack */
} thread __attribute__((tls_model("initial-exec")));

/* ----------------------------------------------------------------- selector */

static void
choose(uint8_t selector)
{
	__atomic_store_n(&thread.selector, selector, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void
turn_off(void)
{
	thread.off = true;
	choose(ALLOW);
}

/*
 * Sets the selector according to the kernel's mask.  A handler that runs in
 * between restores the mask of signals that it has found.
 */
static void
look_again(void)
{
	choose(thread.off || syscall_signal_blocked() ? ALLOW : BLOCK);
}

/* Returns true if calls are held; forgets those that were left by a jump. */
static bool
is_held(uintptr_t stack)
{
	if (stack > thread.outermost)
		thread.held = 0;
	return (thread.held != 0);
}

/* Allows calls until this one returns, marked by a bit that no number has. */
static void
hold(struct syscall_frame *f)
{
	f->number |= HELD;
	if (!is_held((uintptr_t)f))
		thread.outermost = (uintptr_t)f;
	thread.held++;
	choose(ALLOW);
}

static void
let_go(const struct syscall_frame *f)
{
	if (is_held((uintptr_t)f))
		thread.held--;
	look_again();
}

/* Blocks SIGSYS if the program takes it for blocked. */
static void
reveal(void)
{
	if (!thread.hidden)
		return;
	choose(ALLOW);
	(void)syscall_signal_block(SIG_BLOCK, SYSCALL_SIGSYS);
	thread.hidden = false;
}

/* Children and threads begin without it. */
static void
begin_thread(void)
{
	if (filtered || thread.off || raw_call(SYS_prctl, DISPATCH, 1,
	    (long)text.start, (long)text.size, (long)&thread.selector) != 0)
		return;
	thread.begun = true;
	thread.begins = true;
	look_again();
}

/* ------------------------------------------------------------------- places */

/*
 * Places of calls that came here, found by the address after the instruction:
 * an entry is never given to another place.
 */
#define PLACES		4096
#define PLACE_SIZE	40

struct dispatched {
	struct syscall_place place;
	uintptr_t key;		/* 0: none yet */
};

extern struct dispatched syscall_dispatched[PLACES];
struct dispatched syscall_dispatched[PLACES];
extern uint8_t syscall_bare[], syscall_bare_32[];

_Static_assert(sizeof(struct dispatched) == PLACE_SIZE &&
    offsetof(struct dispatched, place.behind) == 16,
    "the assembly has these numbers");

/*
 * The bare instruction, for calls that must leave no trace on the stack, one
 * for each place; and that of 32-bit calls.
 */
#define BARE(name, instruction)						\
    ".text\n"								\
    ".balign 8\n"							\
    ".globl " name "\n"							\
    ".hidden " name "\n"						\
    name ":\n\t"							\
    ".set place, 0\n\t"							\
    ".rept " NUMBER(PLACES) "\n\t"					\
    instruction "\n\t"							\
    "jmp *syscall_dispatched + 16 + place(%rip)\n\t"			\
    ".set place, place + " NUMBER(PLACE_SIZE) "\n\t"			\
    ".endr\n"

__asm__(
    BARE("syscall_bare", "syscall")
    BARE("syscall_bare_32", "int $0x80")
);

#define BARE_SIZE	8u

static void
fill(struct dispatched *d, uintptr_t behind)
{
	d->place.address = behind - SYSCALL_SIZE;
	d->place.bare = (uintptr_t)syscall_bare +
	    (size_t)(d - syscall_dispatched) * BARE_SIZE;
	d->place.behind = behind;
	d->place.number = SYSCALL_ANY;
}

/* Returns the entry of a place.  Each caller fills it with equal values. */
static struct dispatched *
find(uintptr_t behind)
{
	uint32_t i, at = (uint32_t)((behind * 0x9e3779b97f4a7c15) >> 32);
	struct dispatched *d;
	uintptr_t key;

	for (i = 0; i < PLACES; i++) {
		d = &syscall_dispatched[(at + i) % PLACES];
		key = 0;
		if (__atomic_compare_exchange_n(&d->key, &key, behind, false,
		    __ATOMIC_RELAXED, __ATOMIC_RELAXED) || key == behind) {
			fill(d, behind);
			return (d);
		}
	}
	return (NULL);
}

/* ------------------------------------------------------------------ handler */

/* Continues in a routine, or at the instruction, which is now let through. */
static void
redirect(const siginfo_t *info, greg_t *registers)
{
	uintptr_t behind = (uintptr_t)registers[REG_RIP];
	struct dispatched *d = find(behind);

	if (d == NULL || __atomic_load_n(&synced, __ATOMIC_RELAXED)) {
		turn_off();
		registers[REG_RIP] -= SYSCALL_SIZE;
	} else if (info->si_arch != AUDIT_ARCH_X86_64) {
		registers[REG_RIP] = (greg_t)((uintptr_t)syscall_bare_32 +
		    (size_t)(d - syscall_dispatched) * BARE_SIZE);
	} else if (syscall_slot_is_bare(behind - SYSCALL_SIZE) ||
	    syscall_fire_is_library(behind)) {
		registers[REG_RIP] = (greg_t)d->place.bare;
	} else {
		registers[REG_R11] = (greg_t)(uintptr_t)&d->place;
		registers[REG_RIP] = (greg_t)(uintptr_t)syscall_on;
	}
}

static uint64_t *
mask_of(ucontext_t *context)
{
	return ((uint64_t *)(void *)&context->uc_sigmask);
}

/*
 * Sets the selector for the code that a handler returns to, which may be about
 * to make a call that blocks SIGSYS.
 */
static void
return_to(ucontext_t *context)
{
	if (!thread.begun || thread.shared != 0)
		return;
	choose(thread.off ||
	    is_held((uintptr_t)context->uc_mcontext.gregs[REG_RSP]) ||
	    (*mask_of(context) & SYSCALL_SIGSYS) != 0 ? ALLOW : BLOCK);
}

/* Makes a signal pending that the program takes for blocked. */
static void
keep_back(siginfo_t *info, ucontext_t *context)
{
	reveal();
	*mask_of(context) |= SYSCALL_SIGSYS;
	syscall_signal_again(info);
	return_to(context);
}

static void
handle(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	(void)signal;
	if (syscall_area_is_other()) {
		/* The program may dispatch calls itself. */
		syscall_signal_forward(info, context, true);
	} else if (info->si_code == DISPATCHED && !thread.aside) {
		redirect(info, c->uc_mcontext.gregs);
	} else if (thread.hidden && info->si_code <= 0) {
		keep_back(info, c);
	} else {
		syscall_signal_forward(info, context, thread.aside);
		return_to(context);
	}
}

/* ------------------------------------------------------------------- begin */

/*
 * valgrind passes the program's prctl(2) on, and makes all calls from its own
 * code, with signals blocked.  It preloads an object.
 */
static bool
is_under_valgrind(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return (preloaded != NULL && strstr(preloaded, "vgpreload") != NULL);
}

/* Asks whether the kernel has it, by turning it off while it is not on. */
const char *
syscall_dispatch_prepare(void)
{
	const char *value = getenv("TBUF_SYSCALL");
	long result;

	if (value == NULL || strcmp(value, "all") != 0)
		return (NULL);
	if (is_under_valgrind())
		return ("valgrind makes the calls itself");
	result = raw_call(SYS_prctl, DISPATCH, 0, 0, 0, 0);
	if (result == -EINVAL)
		return ("the kernel has no Syscall User Dispatch");
	if (result != 0)
		return ("the kernel refuses Syscall User Dispatch");
	wanted = true;
	return (NULL);
}

void
syscall_dispatch_text(uintptr_t start, uintptr_t size)
{
	text.start = start;
	text.size = size;
}

bool
syscall_dispatch_begin(void)
{
	if (!wanted)
		return (false);
	syscall_signal_begin(handle);
	begin_thread();
	return (thread.begun);
}

bool
syscall_dispatch_is_on(void)
{
	return (wanted);
}

/* While another task runs with this thread's memory, no call is inspected. */
void
syscall_dispatch_share(int step)
{
	if (!wanted)
		return;
	reveal();
	thread.shared += (uint32_t)step;
}

void
syscall_dispatch_shared_for_good(void)
{
	if (!wanted)
		return;
	reveal();
	turn_off();
}

/* -------------------------------------------------------------------- fires */

/*
 * A fire takes some 3 KiB of stack, and 8 KiB more for long paths.  Code that
 * does not use the C library may have less: a goroutine has a stack of 2 KiB,
 * and 800 bytes of these when it makes a call.  Such code needs an alternate
 * stack for signals.  If that has room, it also serves for fires, while all
 * signals are blocked, as their handlers would use it.
 */
#define FIRE_ROOM	((size_t)24 << 10)

void	syscall_fire_there(struct syscall_probes *,
	    const struct syscall_frame *, syscall_fire *, uintptr_t stack);

__asm__(
    ".text\n"
    ".globl syscall_fire_there\n"
    ".hidden syscall_fire_there\n"
    ".type syscall_fire_there, @function\n"
    "syscall_fire_there:\n\t"
    ".cfi_startproc\n\t"
    "pushq %rbp\n\t"
    ".cfi_def_cfa_offset 16\n\t"
    ".cfi_offset rbp, -16\n\t"
    "movq %rsp, %rbp\n\t"
    ".cfi_def_cfa_register rbp\n\t"
    "movq %rcx, %rsp\n\t"
    "andq $-16, %rsp\n\t"
    "call *%rdx\n\t"
    "leave\n\t"
    ".cfi_def_cfa rsp, 8\n\t"
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size syscall_fire_there, . - syscall_fire_there\n"
);

static bool
is_dispatched(const struct syscall_place *place)
{
	return ((uintptr_t)place - (uintptr_t)syscall_dispatched <
	    sizeof(syscall_dispatched));
}

/* Returns the end of the alternate stack; 0: none, too small, or in use. */
static uintptr_t
alternate_stack(void)
{
	stack_t stack;

	if (raw_call(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0) != 0 ||
	    (stack.ss_flags & (SS_DISABLE | SS_ONSTACK)) != 0 ||
	    stack.ss_size < FIRE_ROOM)
		return (0);
	return ((uintptr_t)stack.ss_sp + stack.ss_size);
}

void
syscall_dispatch_fire(syscall_fire *fire, struct syscall_probes *p,
    const struct syscall_frame *f)
{
	uintptr_t stack = is_dispatched(f->place) ? alternate_stack() : 0;
	uint8_t selector;
	uint64_t mask;

	if (stack == 0) {
		fire(p, f);
		return;
	}
	mask = syscall_signal_block(SIG_BLOCK, ~(uint64_t)0);
	selector = thread.selector;
	choose(ALLOW);
	syscall_fire_there(p, f, fire, stack);
	choose(selector);
	(void)syscall_signal_block(SIG_SETMASK, mask);
}

/* ------------------------------------------------------------------- calls */

bool
syscall_dispatch_looks(int number)
{
	static const int numbers[] = {
		SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
		SYS_set_robust_list, SYS_fork, SYS_rt_sigsuspend, SYS_ppoll,
		SYS_pselect6, SYS_epoll_pwait, SYS_epoll_pwait2,
		SYS_io_pgetevents, SYS_io_uring_enter, SYS_execve,
		SYS_execveat, SYS_rt_sigtimedwait, SYS_rt_sigpending,
		SYS_signalfd4
	};
	size_t i;

	for (i = 0; wanted && i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i] == number)
			return (true);
	return (false);
}

/* Returns true if the set that pselect6(2) gets, with its size, has SIGSYS. */
static bool
is_in_pair(uint64_t pair)
{
	uint64_t set;

	if (!syscall_signal_readable(pair))
		return (false);
	set = *(const uint64_t *)(uintptr_t)pair;
	return (set != 0 && syscall_signal_in(set));
}

/* Returns true if SIGSYS may be blocked while a call waits. */
static bool
waits_without(const struct syscall_frame *f, uint64_t number)
{
	switch (number) {
	case SYS_rt_sigsuspend:
		return (syscall_signal_in(f->args[0]));
	case SYS_ppoll:
		return (f->args[3] != 0 && syscall_signal_in(f->args[3]));
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		return (f->args[4] != 0 && syscall_signal_in(f->args[4]));
	case SYS_pselect6:
		return (f->args[5] != 0 && is_in_pair(f->args[5]));
	case SYS_io_pgetevents:
		return (f->args[5] != 0);
	case SYS_io_uring_enter:
		return (f->args[4] != 0);
	default:
		return (false);
	}
}

static bool
is_filter(const struct syscall_frame *f, uint64_t number)
{
	return ((number == SYS_prctl && f->args[0] == PR_SET_SECCOMP) ||
	    (number == SYS_seccomp && (f->args[0] == SECCOMP_SET_MODE_STRICT ||
	    f->args[0] == SECCOMP_SET_MODE_FILTER)));
}

/* Returns true for a filter of all threads; without a program it is a query. */
static bool
is_synced(const struct syscall_frame *f, uint64_t number)
{
	return (number == SYS_seccomp && f->args[2] != 0 &&
	    f->args[0] == SECCOMP_SET_MODE_FILTER &&
	    (f->args[1] & SECCOMP_FILTER_FLAG_TSYNC) != 0);
}

/*
 * Returns true if the call may block SIGSYS, or forbid calls that the handler
 * makes, or if the C library recognizes it by its address.
 */
static bool
is_in_the_way(const struct syscall_frame *f, uint64_t number)
{
	return (syscall_is_cancellable(f) || is_filter(f, number) ||
	    waits_without(f, number));
}

static uint64_t
change_mask(uint64_t set)
{
	bool blocked = (set & SYSCALL_SIGSYS) != 0;

	thread.hidden = blocked && thread.begins && !thread.off;
	thread.begins = false;
	choose(thread.off || (blocked && !thread.hidden) ? ALLOW : BLOCK);
	return (thread.hidden ? set & ~SYSCALL_SIGSYS : set);
}

static bool
mask(struct syscall_frame *f)
{
	return (syscall_signal_mask(f, thread.hidden ? SYSCALL_SIGSYS : 0,
	    change_mask));
}

static bool
is_exec(uint64_t number)
{
	return (number == SYS_execve || number == SYS_execveat);
}

/* Returns true if it depends on the thread's mask, or may turn dispatch off. */
static bool
is_revealing(const struct syscall_frame *f, uint64_t number)
{
	switch (number) {
	case SYS_fork:
	case SYS_rt_sigtimedwait:
	case SYS_rt_sigpending:
	case SYS_signalfd4:
		return (true);
	case SYS_prctl:
		return (f->args[0] == DISPATCH || is_filter(f, number));
	default:
		return (is_exec(number) || syscall_is_clone(number) ||
		    is_filter(f, number));
	}
}

/* Handlers may run before the new image: dispatch none of their calls. */
static void
exec_begin(struct syscall_frame *f)
{
	bool on = thread.shared == 0 && thread.begun && !thread.off;

	if (on)
		turn_off();
	if (syscall_signal_leave() && on) {
		f->number |= HELD;
	} else if (on) {
		thread.off = false;
		look_again();
	}
}

static void
exec_end(const struct syscall_frame *f)
{
	syscall_signal_return();
	if ((f->number & HELD) != 0) {
		thread.off = false;
		look_again();
	}
}

bool
syscall_dispatch_before(struct syscall_frame *f, uint64_t number)
{
	if (wanted && is_revealing(f, number))
		reveal();
	if (wanted && is_exec(number))
		exec_begin(f);
	if (wanted && is_synced(f, number))
		__atomic_store_n(&synced, true, __ATOMIC_RELAXED);
	if (!wanted || thread.shared != 0)
		return (false);
	if (number == SYS_set_robust_list)
		begin_thread();
	else if (number == SYS_rt_sigaction)
		return (syscall_signal_action(f));
	else if (number == SYS_rt_sigprocmask)
		return (thread.begun && mask(f));
	else if (number == SYS_rt_sigreturn)
		return_to((void *)syscall_frame_stack(f));
	else if (thread.begun && is_in_the_way(f, number))
		hold(f);
	return (false);
}

static bool
failed(const struct syscall_frame *f)
{
	return (f->result > (uint64_t)-4096);
}

void
syscall_dispatch_after(const struct syscall_frame *f, uint64_t number)
{
	if (wanted && is_exec(number)) {
		exec_end(f);
		return;
	}
	if (wanted && number == SYS_rt_sigaction)
		syscall_signal_tell(f);
	if (!wanted || thread.shared != 0)
		return;
	if (f->result == 0 && (number == SYS_fork || number == SYS_clone))
		begin_thread();
	if (!thread.begun)
		return;
	if (is_filter(f, number) && !failed(f)) {
		filtered = true;
		turn_off();
	} else if (number == SYS_prctl && f->args[0] == DISPATCH &&
	    !failed(f)) {
		thread.aside = true;
		turn_off();
	} else if ((f->number & HELD) != 0) {
		let_go(f);
	}
}
