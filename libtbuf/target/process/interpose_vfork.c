/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Interposes vfork(2), and clone(2) for children that share their parent's
 * thread area, or run no fork handler.
 *
 * A child of the first kind is another task with the same rseq area, for which
 * the kernel no longer maintains it: the child's restartable sections would not
 * be restarted.  So the thread is marked, and marked threads write lock lanes
 * only; or its parent lends the child the rseq area (vfork_rseq.c).  These two
 * functions precede the C library's, here and in a preloaded provider (which
 * comes before the library in symbol search order, as this library need not).
 *
 * vfork cannot be wrapped: the child returns through the frame that its parent
 * returns through later.  As in a C library, the return address stays in a
 * register over the system call, and the child leaves by a jump, so that a
 * shadow stack of return addresses stays as the parent needs it.  A register
 * also holds the result of tbuf_vfork_begin(), which both need: the child may
 * overwrite the stack below its parent's frame.
 *
 * tbuf_vfork_end() is called with the token and the result of vfork, for a
 * provider that interposes it and may need the result.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>

#include "target/provider.h"

#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".globl vfork\n"
    ".type vfork, @function\n"
    "vfork:\n\t"
    ".cfi_startproc\n\t"
    "endbr64\n\t"
    "subq $8, %rsp\n\t"
    "call *tbuf_vfork_begin@GOTPCREL(%rip)\n\t"
    "addq $8, %rsp\n\t"
    "popq %rdi\n\t"
    "movl %eax, %esi\n\t"
    "movl $58, %eax\n\t"
    "syscall\n\t"
    "testq %rax, %rax\n\t"
    "jz 1f\n\t"
    "pushq %rdi\n\t"
    "pushq %rax\n\t"
    "movl %esi, %edi\n\t"
    "movq %rax, %rsi\n\t"
    "call *tbuf_vfork_end@GOTPCREL(%rip)\n\t"
    "popq %rdi\n\t"
    "movl %edi, %eax\n\t"
    "cmpq $-4095, %rdi\n\t"
    "jae 2f\n\t"
    "ret\n"
    "1: pushq %rdi\n\t"
    "subq $8, %rsp\n\t"
    "movl %esi, %edi\n\t"
    "call *tbuf_vfork_child@GOTPCREL(%rip)\n\t"
    "addq $8, %rsp\n\t"
    "popq %rdi\n\t"
    "xorl %eax, %eax\n\t"
    "jmp *%rdi\n"
    "2: jmp tbuf_vfork_failed\n\t"
    ".cfi_endproc\n\t"
    ".size vfork, . - vfork\n"
);
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".globl vfork\n"
    ".type vfork, %function\n"
    "vfork:\n\t"
    ".cfi_startproc\n\t"
    "hint #34\n\t" /* bti c */
    "stp x29, x30, [sp, #-16]!\n\t"
    "adrp x16, :got:tbuf_vfork_begin\n\t"
    "ldr x16, [x16, :got_lo12:tbuf_vfork_begin]\n\t"
    "blr x16\n\t"
    "ldp x29, x30, [sp], #16\n\t"
    "mov w9, w0\n\t"
    "mov x0, #0x4111\n\t" /* CLONE_VM | CLONE_VFORK | SIGCHLD */
    "mov x1, sp\n\t"
    "mov x8, #220\n\t"
    "svc #0\n\t"
    "cbz x0, 1f\n\t"
    "stp x0, x30, [sp, #-16]!\n\t"
    "mov x1, x0\n\t"
    "mov w0, w9\n\t"
    "adrp x16, :got:tbuf_vfork_end\n\t"
    "ldr x16, [x16, :got_lo12:tbuf_vfork_end]\n\t"
    "blr x16\n\t"
    "ldp x0, x30, [sp], #16\n\t"
    "cmn x0, #4095\n\t"
    "b.cs tbuf_vfork_failed\n\t"
    "ret\n"
    "1: stp x29, x30, [sp, #-16]!\n\t"
    "mov w0, w9\n\t"
    "adrp x16, :got:tbuf_vfork_child\n\t"
    "ldr x16, [x16, :got_lo12:tbuf_vfork_child]\n\t"
    "blr x16\n\t"
    "ldp x29, x30, [sp], #16\n\t"
    "mov x0, #0\n\t"
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size vfork, . - vfork\n"
);
#endif

/* Called by vfork() above. */
__attribute__((visibility("hidden"), used))
int
tbuf_vfork_failed(long result)
{
	errno = (int)-result;
	return (-1);
}

/* The C library's internal name of clone. */
extern int __clone(int (*)(void *), void *, int, void *, ...);

/* A child that has a copy of its parent's memory, and a stack of its own. */
struct start {
	int (*function)(void *);
	void *arg;
};

static int
start(void *argument)
{
	const struct start *s = argument;

	tbuf_fork_end(true);
	return (s->function(s->arg));
}

__attribute__((visibility("default")))
int
clone(int (*function)(void *), void *stack, int flags, void *arg, ...)
{
	struct start copy = { function, arg };
	void *parent, *tls, *child;
	va_list more;
	int pid;

	va_start(more, arg);
	parent = va_arg(more, void *);
	tls = va_arg(more, void *);
	child = va_arg(more, void *);
	va_end(more);
	/*
	 * Both tasks share the rseq area until one of them ends: mark the
	 * thread permanently.
	 */
	if ((flags & (CLONE_VM | CLONE_SETTLS)) == CLONE_VM)
		tbuf_thread_mark(1);
	if ((flags & (CLONE_VM | CLONE_SETTLS)) == 0 && function != NULL) {
		tbuf_fork_begin();
		function = start;
		arg = &copy;
	}
	pid = __clone(function, stack, flags, arg, parent, tls, child);
	tbuf_fork_end(false);
	return (pid);
}
