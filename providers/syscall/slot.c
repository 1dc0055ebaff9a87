/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Slots of the stubs of the syscall provider, and writing them.
 */
#include "dispatch.h"

#include <sys/syscall.h>

#include <string.h>

static struct syscall_place places[SYSCALL_SLOTS];
static unsigned nslots;
static unsigned nwritten;	/* of them; the others are in `bytes' */
static uintptr_t far[SYSCALL_SLOTS];	/* addresses outside of this object */
static bool has_far;

static const struct patch *patch;
static int failed;		/* the first error of a write, or 0 */

/*
 * Bytes to be written: few pages, as the kernel makes each for this alone.
 * Stubs are written when there is no room for the next one; later the text of
 * the jumps comes here.
 */
#define STAGED	128u		/* slots */
static uint8_t bytes[STAGED * SYSCALL_SLOT];

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

static uintptr_t
address_of(unsigned i)
{
	return (has_far && far[i] != 0 ? far[i] :
	    (uintptr_t)syscall_slots + (size_t)i * SYSCALL_SLOT);
}

static void
note(int error)
{
	if (failed == 0)
		failed = error;
}

/* Returns the number of adjacent slots from this one on. */
static unsigned
count_row(unsigned first)
{
	unsigned i;

	for (i = first + 1; i < nslots && address_of(i) == address_of(i - 1) +
	    SYSCALL_SLOT; i++)
		continue;
	return (i - first);
}

/* Writes the stubs in `bytes'; nothing leads to them yet. */
static void
write_stubs(void)
{
	unsigned n;

	for (; nwritten < nslots; nwritten += n) {
		n = count_row(nwritten);
		note(patch_write(patch, address_of(nwritten), bytes +
		    nwritten % STAGED * SYSCALL_SLOT,
		    (size_t)n * SYSCALL_SLOT));
	}
}

void
syscall_slots_begin(const struct patch *p)
{
	patch = p;
}

/* Slots that were written are in use only if a jump leads there. */
void
syscall_slots_drop(unsigned n)
{
	nslots = n;
	if (nwritten > n)
		nwritten = n;
}

unsigned
syscall_slots_count(void)
{
	return (nslots);
}

const char *
syscall_slot(const struct patch_text *text, const struct syscall_found *found)
{
	struct syscall_slot slot = { .jump = found->at };
	const char *problem;
	bool is_near;

	if (nslots == SYSCALL_SLOTS)
		return ("there are too many places");
	if (nslots % STAGED == 0)
		write_stubs();
	is_near = patch_reaches(text, (uintptr_t)syscall_slots,
	    (uintptr_t)syscall_slots_end);
	slot.at = is_near ? (uintptr_t)syscall_slots +
	    (size_t)nslots * SYSCALL_SLOT : patch_map_near(text, SYSCALL_SLOT);
	if (slot.at == 0)
		return ("there is no room for a stub within reach");
	slot.bytes = bytes + nslots % STAGED * SYSCALL_SLOT;
	slot.place = &places[nslots];
	slot.place->address = found->at;
	slot.place->number = found->number;
	if ((problem = syscall_stub(&slot, found)) == NULL) {
		has_far |= !is_near;
		if (has_far)
			far[nslots] = is_near ? 0 : slot.at;
		nslots++;
	}
	return (problem);
}

bool
syscall_slot_is_bare(uintptr_t address)
{
	unsigned i;

	for (i = 0; has_far && i < nslots; i++)
		if (places[i].bare == address)
			return (true);
	return (false);
}

/*
 * Returns the number of jumps from this one on in pages that follow each other,
 * and stores the end of the last one.
 */
static unsigned
count_jumps(unsigned first, uintptr_t *end)
{
	uintptr_t start = places[first].address, next;
	unsigned i;

	*end = start + PATCH_JUMP;
	for (i = first + 1; i < nslots; i++) {
		next = places[i].address;
		if (next < *end || next + PATCH_JUMP - start > sizeof(bytes) ||
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
static void
write_jumps(unsigned first, unsigned n, uintptr_t end)
{
	uintptr_t start = places[first].address;
	unsigned i;

	memcpy(bytes, (const void *)start, end - start);
	for (i = first; i < first + n; i++)
		(void)patch_jump(bytes + (places[i].address - start),
		    places[i].address, address_of(i));
	note(patch_write(patch, start, bytes, end - start));
}

int
syscall_slots_write(void)
{
	uintptr_t end;
	unsigned i, n;

	write_stubs();
	for (i = 0; i < nslots && failed == 0; i += n) {
		n = count_jumps(i, &end);
		write_jumps(i, n, end);
	}
	return (failed);
}
