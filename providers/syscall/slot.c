/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Slots of the stubs of the syscall provider, and writing them.
 */
#include "dispatch.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <string.h>

#include "arch/syscall.h"

static struct syscall_slot slots[SYSCALL_SLOTS];
static unsigned nslots;
static bool has_far;		/* not all of them are in this object */

/*
 * Bytes to be written; adjacent slots are written at once.  When the stubs have
 * been written, the text of the jumps comes here.
 */
static uint8_t images[SYSCALL_SLOTS * SYSCALL_SLOT]
    __attribute__((aligned(PATCH_PAGE)));

/*
 * Clones are always inspected, as the thread's memory may be shared; also the
 * two calls by which a thread loses the cycle counter and a process gets a
 * filter, and the one by which a thread gets another area.
 */
bool
syscall_is_looked_at(int number)
{
	return (number != SYSCALL_ANY && (number == SYS_clone ||
	    number == SYS_clone3 || number == SYS_prctl ||
	    number == SYS_seccomp || syscall_area_looks(number) ||
	    syscall_dispatch_looks(number)));
}

const char *
syscall_slot(const struct patch_text *text, const struct syscall_found *found)
{
	struct syscall_slot *slot = &slots[nslots];
	const char *problem;
	bool is_near;

	if (nslots == SYSCALL_SLOTS)
		return ("there are too many places");
	is_near = patch_reaches(text, (uintptr_t)syscall_slots,
	    (uintptr_t)syscall_slots_end);
	slot->at = is_near ? (uintptr_t)syscall_slots +
	    (size_t)nslots * SYSCALL_SLOT : patch_map_near(text, SYSCALL_SLOT);
	if (slot->at == 0)
		return ("there is no room for a stub within reach");
	slot->bytes = images + (size_t)nslots * SYSCALL_SLOT;
	slot->jump = found->at;
	slot->place.address = found->at;
	slot->place.number = found->number;
	if ((problem = syscall_stub(slot, found)) == NULL) {
		nslots++;
		has_far |= !is_near;
	}
	return (problem);
}

bool
syscall_slot_is_bare(uintptr_t address)
{
	unsigned i;

	for (i = 0; has_far && i < nslots; i++)
		if (slots[i].place.bare == address)
			return (true);
	return (false);
}

/* Returns the number of adjacent slots from this one on. */
static unsigned
count_row(unsigned first)
{
	unsigned i;

	for (i = first + 1; i < nslots && slots[i].at == slots[i - 1].at +
	    SYSCALL_SLOT; i++)
		continue;
	return (i - first);
}

/*
 * Returns the number of jumps from this one on in pages that follow each other,
 * and stores the end of the last one.
 */
static unsigned
count_jumps(unsigned first, uintptr_t *end)
{
	uintptr_t start = slots[first].jump, next;
	unsigned i;

	*end = start + PATCH_JUMP;
	for (i = first + 1; i < nslots; i++) {
		next = slots[i].jump;
		if (next < *end || next + PATCH_JUMP - start > sizeof(images) ||
		    next / PATCH_PAGE - (*end - 1) / PATCH_PAGE > 1)
			break;
		*end = next + PATCH_JUMP;
	}
	return (i - first);
}

/*
 * Writes n jumps, and the text between them as it is: a call for each would
 * cost more than to copy their pages.
 */
static int
write_jumps(const struct patch *patch, unsigned first, unsigned n,
    uintptr_t end)
{
	uintptr_t start = slots[first].jump;
	unsigned i;

	memcpy(images, (const void *)start, end - start);
	for (i = first; i < first + n; i++)
		(void)patch_jump(images + (slots[i].jump - start),
		    slots[i].jump, slots[i].at);
	return (patch_write(patch, start, images, end - start));
}

/* Writes stubs first: nothing leads to a stub until its place has changed. */
int
syscall_slots_write(const struct patch *patch)
{
	uintptr_t end;
	int error = 0;
	unsigned i, n;

	for (i = 0; i < nslots && error == 0; i += n) {
		n = count_row(i);
		error = patch_write(patch, slots[i].at, slots[i].bytes,
		    (size_t)n * SYSCALL_SLOT);
	}
	for (i = 0; i < nslots && error == 0; i += n) {
		n = count_jumps(i, &end);
		error = write_jumps(patch, i, n, end);
	}
	/* A fork would copy these pages. */
	(void)raw_call(SYS_madvise, (long)images, sizeof(images),
	    MADV_DONTNEED, 0, 0);
	return (error);
}
