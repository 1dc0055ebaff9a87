/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A system call of a program's own, in the midst of code that has something in
 * every general register and in the flags: nothing has changed afterwards but
 * x0.  Once with a number that is known, and once with one that is not.
 */
#include <sys/syscall.h>

#include <err.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define NUMBER_AT	8u
#define PLATFORM	18u	/* its use is the system's */
#define FLAGS_AT	31u
#define NREGISTERS	32u
#define FLAGS		UINT64_C(0x90000000)

/*
 * FUNCTION(from, to): x0 to x30 and flags, as many words each.  They are
 * stored below the 14 that are the caller's, for no register is left.
 */
#define FUNCTION(name, call)						\
	__asm__(".text\n.globl " name "\n.type " name ", %function\n"	\
	    name ":\n\t"						\
	    ".cfi_startproc\n\t"					\
	    "sub sp, sp, #384\n\t"					\
	    ".cfi_def_cfa_offset 384\n\t"				\
	    "str x1, [sp, #256]\n\t"					\
	    "stp x19, x20, [sp, #272]\n\t"				\
	    "stp x21, x22, [sp, #288]\n\t"				\
	    "stp x23, x24, [sp, #304]\n\t"				\
	    "stp x25, x26, [sp, #320]\n\t"				\
	    "stp x27, x28, [sp, #336]\n\t"				\
	    "stp x29, x30, [sp, #352]\n\t"				\
	    "str x18, [sp, #368]\n\t"					\
	    "mov x30, x0\n\t"						\
	    "ldr x0, [x30, #248]\n\t"					\
	    "msr nzcv, x0\n\t"						\
	    "ldp x0, x1, [x30]\n\t"					\
	    "ldp x2, x3, [x30, #16]\n\t"				\
	    "ldp x4, x5, [x30, #32]\n\t"				\
	    "ldp x6, x7, [x30, #48]\n\t"				\
	    "ldp x8, x9, [x30, #64]\n\t"				\
	    "ldp x10, x11, [x30, #80]\n\t"				\
	    "ldp x12, x13, [x30, #96]\n\t"				\
	    "ldp x14, x15, [x30, #112]\n\t"				\
	    "ldp x16, x17, [x30, #128]\n\t"				\
	    "ldr x19, [x30, #152]\n\t"					\
	    "ldp x20, x21, [x30, #160]\n\t"				\
	    "ldp x22, x23, [x30, #176]\n\t"				\
	    "ldp x24, x25, [x30, #192]\n\t"				\
	    "ldp x26, x27, [x30, #208]\n\t"				\
	    "ldp x28, x29, [x30, #224]\n\t"				\
	    "ldr x30, [x30, #240]\n\t"					\
	    call							\
	    "stp x0, x1, [sp]\n\t"					\
	    "stp x2, x3, [sp, #16]\n\t"					\
	    "stp x4, x5, [sp, #32]\n\t"					\
	    "stp x6, x7, [sp, #48]\n\t"					\
	    "stp x8, x9, [sp, #64]\n\t"					\
	    "stp x10, x11, [sp, #80]\n\t"				\
	    "stp x12, x13, [sp, #96]\n\t"				\
	    "stp x14, x15, [sp, #112]\n\t"				\
	    "stp x16, x17, [sp, #128]\n\t"				\
	    "stp x18, x19, [sp, #144]\n\t"				\
	    "stp x20, x21, [sp, #160]\n\t"				\
	    "stp x22, x23, [sp, #176]\n\t"				\
	    "stp x24, x25, [sp, #192]\n\t"				\
	    "stp x26, x27, [sp, #208]\n\t"				\
	    "stp x28, x29, [sp, #224]\n\t"				\
	    "mrs x0, nzcv\n\t"						\
	    "stp x30, x0, [sp, #240]\n\t"				\
	    "ldr x0, [sp, #256]\n\t"					\
	    "mov x1, sp\n\t"						\
	    "mov x2, #256\n\t"						\
	    "bl memcpy\n\t"						\
	    "ldp x19, x20, [sp, #272]\n\t"				\
	    "ldp x21, x22, [sp, #288]\n\t"				\
	    "ldp x23, x24, [sp, #304]\n\t"				\
	    "ldp x25, x26, [sp, #320]\n\t"				\
	    "ldp x27, x28, [sp, #336]\n\t"				\
	    "ldp x29, x30, [sp, #352]\n\t"				\
	    "ldr x18, [sp, #368]\n\t"					\
	    "add sp, sp, #384\n\t"					\
	    "ret\n\t"							\
	    ".cfi_endproc\n\t"						\
	    ".size " name ", . - " name "\n")

void	known(const uint64_t *, uint64_t *);
void	in_register(const uint64_t *, uint64_t *);

FUNCTION("known", "mov x8, #173\n\tsvc #0\n\t");
FUNCTION("in_register", "svc #0\n\t");

static void
look(const char *name, void (*function)(const uint64_t *, uint64_t *))
{
	uint64_t from[NREGISTERS], to[NREGISTERS];
	unsigned i;

	for (i = 0; i < NREGISTERS; i++)
		from[i] = 0x1111111111111111 + i;
	from[NUMBER_AT] = SYS_getppid;
	from[FLAGS_AT] = FLAGS;
	function(from, to);
	if (to[0] != (uint64_t)getppid())
		errx(1, "%s: another result: %#" PRIx64, name, to[0]);
	for (i = 1; i < NREGISTERS; i++)
		if (i != PLATFORM && to[i] != from[i])
			errx(1, "%s: register %u: %#" PRIx64 ", not %#" PRIx64,
			    name, i, to[i], from[i]);
}

int
main(void)
{
	int i;

	_Static_assert(SYS_getppid == 173, "the assembly has this number");
	for (i = 0; i < 1000; i++) {
		look("known", known);
		look("in a register", in_register);
	}
	return (0);
}
