/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arguments that a provider file calls strings.  It may be wrong, or a program
 * may pass what is none, so a text is copied before it is told, from where
 * memory is known to be: the object that the probe is in, and the main thread's
 * stack.  Elsewhere process_vm_readv(2) of the process itself reads it, which
 * neither faults nor races with munmap(2).
 *
 * A filter of system calls might kill the process for that.  Under a filter
 * what malloc(3) has from brk(2) counts as known, and a text that is in none of
 * these places is not read.
 *
 * Part of a fire: compiled with -mgeneral-regs-only.
 */
#include "usdt.h"

#include <sys/syscall.h>
#include <sys/uio.h>

#define PAGE		4096u
#define RED_ZONE	128u

struct usdt_memory usdt_memory;

/* The break, as the C library keeps it. */
extern char *__curbrk __attribute__((weak));

static long
call(long number, long a, const void *b, long c, const void *d, long e)
{
	register const void *r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = 0;
	long result;

	__asm__ volatile ("syscall" : "=a" (result) : "a" (number), "D" (a),
	    "S" (b), "d" (c), "r" (r10), "r" (r8), "r" (r9) :
	    "rcx", "r11", "memory", "cc");
	return (result);
}

/* Bytes that are known to be there, from an address on. */
static size_t
known(const struct usdt_site *s, uintptr_t sp, uintptr_t from)
{
	const struct usdt_memory *m = &usdt_memory;
	const ElfW(Phdr) *part;
	uintptr_t offset, end;
	unsigned i;

	for (i = 0; i < s->text.nparts; i++) {
		part = &s->text.parts[i];
		offset = from - (s->text.base + part->p_vaddr);
		if (part->p_type == PT_LOAD && (part->p_flags & PF_R) != 0 &&
		    offset < part->p_memsz)
			return (part->p_memsz - offset);
	}
	if (sp >= m->stack_low && from >= sp - RED_ZONE && from < m->stack_end)
		return (m->stack_end - from);
	if (m->filtered && &__curbrk != NULL) {
		end = (uintptr_t)__atomic_load_n(&__curbrk, __ATOMIC_RELAXED);
		if (from >= m->heap && from < end)
			return (end - from);
	}
	return (0);
}

/* How many bytes were copied, the last of them a NUL if there is one. */
static size_t
copy_known(const volatile char *from, char *to, size_t size)
{
	size_t n = 0;

	while (n < size && (to[n++] = *from++) != '\0')
		continue;
	return (n);
}

/* No further than to the end of a page: the next one may not be there. */
static long
copy_unknown(uintptr_t from, char *to, size_t size)
{
	size_t most = PAGE - from % PAGE < size ? PAGE - from % PAGE : size;
	const struct iovec here = { to, most };
	const struct iovec there = { (void *)from, most };

	if (usdt_memory.filtered)
		return (0);
	return (call(SYS_process_vm_readv, call(SYS_getpid, 0, NULL, 0, NULL,
	    0), &here, 1, &there, 1));
}

/* Where its end is: `size`, if there is none. */
static size_t
length(const volatile char *text, size_t size)
{
	size_t n = 0;

	while (n < size && text[n] != '\0')
		n++;
	return (n);
}

bool
usdt_text_copy(const struct usdt_site *s, uintptr_t sp, uintptr_t from,
    struct usdt_texts *texts, size_t room, uint64_t *value)
{
	char *to = texts->next;
	size_t done = 0, there, end;
	long n;

	*value = 0;
	if (from == 0)
		return (true);
	while (done < room) {
		there = known(s, sp, from + done);
		if (there > room - done)
			there = room - done;
		n = there > 0 ? (long)copy_known((const volatile char *)from +
		    done, to + done, there) :
		    copy_unknown(from + done, to + done, room - done);
		if (n <= 0)
			return (true);
		end = done + length(to + done, (size_t)n);
		done += (size_t)n;
		if (end < done) {
			*value = (uintptr_t)to;
			texts->next = to + end + 1;
			return (true);
		}
	}
	to[room - 1] = '\0';
	*value = (uintptr_t)to;
	texts->next = to + room;
	return (false);
}
