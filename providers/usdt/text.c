/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arguments that a provider file calls strings.  The file may be wrong, or a
 * program may pass no string, so a text is copied before it is recorded: in
 * place if it is in memory that is known to exist, the probe's object and the
 * main thread's stack.  Otherwise peek() reads it.
 *
 * Part of a fire: compiled with -mgeneral-regs-only.
 */
#include "base/peek.h"
#include "usdt.h"

#define RED_ZONE	128u

struct usdt_memory usdt_memory;

/* Returns the number of bytes that are known to exist from an address on. */
static size_t
known(const struct usdt_site *s, uintptr_t sp, uintptr_t from)
{
	const struct usdt_memory *m = &usdt_memory;
	const ElfW(Phdr) *part;
	uintptr_t offset;
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
	return (0);
}

/* Returns the number of bytes copied; the last is a NUL if there is one. */
static size_t
copy_known(const volatile char *from, char *to, size_t size)
{
	size_t n = 0;

	while (n < size && (to[n++] = *from++) != '\0')
		continue;
	return (n);
}

bool
usdt_text_copy(const struct usdt_site *s, uintptr_t sp, uintptr_t from,
    size_t most, struct usdt_texts *texts, size_t room, uint64_t *value)
{
	size_t done = 0, want = most < room ? most : room, there, end;
	char *to = texts->next;
	long n;

	*value = 0;
	if (from == 0)
		return (true);
	while (done < want) {
		there = known(s, sp, from + done);
		if (there > want - done)
			there = want - done;
		if (there > 0)
			n = (long)copy_known((const volatile char *)from +
			    done, to + done, there);
		else
			n = peek(usdt_memory.peek, from + done, to + done,
			    want - done);
		if (n <= 0)
			return (true);
		end = done + peek_length(to + done, (size_t)n);
		done += (size_t)n;
		if (end < done) {
			*value = (uintptr_t)to;
			texts->next = to + end + 1;
			return (true);
		}
	}
	*value = (uintptr_t)to;
	if (want == room)
		want--;
	to[want] = '\0';
	texts->next = to + want + 1;
	return (want == most);
}
