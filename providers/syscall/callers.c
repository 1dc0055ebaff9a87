/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Callers of the C library's function that makes calls which can be cancelled
 * (cancel.c), by `call' or, at a caller's end, by `jmp': the four bytes of the
 * destination are overwritten.  An object that is far from this one has a jump
 * near it that leads here.
 */
#include "syscall.h"

#include <string.h>

#include "patch/x86_64.h"

#define CALL		0xe8	/* jmp is the next one */

static uintptr_t callers[SYSCALL_CALLERS];
static unsigned ncallers;
static uintptr_t leads_to;	/* syscall_cancel, or a jump to it */
static uintptr_t called;	/* the function */

/* It is the instruction of __syscall_cancel_arch. */
bool
syscall_is_cancel_arch(const struct patch_text *text, uintptr_t at)
{
	/* A store of %r11, the call, and ret. */
	static const uint8_t bytes[] = {
		0x4c, 0x89, 0x5c, 0x24, 0x08, 0x0f, 0x05, 0xc3
	};
	const size_t before = 5;

	return (at >= text->start + before && at < text->end &&
	    text->end - at >= sizeof(bytes) - before &&
	    memcmp((const void *)(at - before), bytes, sizeof(bytes)) == 0);
}

static uintptr_t
target(uintptr_t at)
{
	int32_t displacement;

	memcpy(&displacement, (const void *)(at + 1), sizeof(displacement));
	return (at + PATCH_JUMP + (uintptr_t)(intptr_t)displacement);
}

/* Returns true if an instruction begins there, by its function's table. */
static bool
is_instruction(const struct patch_text *text, uintptr_t at)
{
	struct patch_instruction in = { .length = 0 };
	struct patch_range range;
	uintptr_t now;

	if (!patch_function(text, at, &range))
		return (false);
	for (now = range.start; now < at; now += in.length) {
		patch_decode((const uint8_t *)now, range.end - now, now, &in);
		if (in.length == 0)
			return (false);
	}
	return (now == at);
}

static const char *
add(uintptr_t at)
{
	if (ncallers == SYSCALL_CALLERS)
		return ("too many places call it");
	callers[ncallers++] = at;
	return (NULL);
}

static const char *
find(const struct patch_text *text, uintptr_t function,
    syscall_taken *is_taken)
{
	const char *problem = NULL;
	uintptr_t at;

	for (at = text->start; at + PATCH_JUMP <= text->end && problem == NULL;
	    at++) {
		if ((*(const uint8_t *)at & 0xfe) != CALL ||
		    target(at) != function || !is_instruction(text, at))
			continue;
		problem = is_taken(at, at + PATCH_JUMP) ?
		    "another jump overlaps its call" : add(at);
	}
	return (problem);
}

/* Makes the calls that have been found lead to syscall_cancel(). */
static const char *
lead(const struct patch_text *text, uintptr_t function)
{
	leads_to = (uintptr_t)syscall_cancel;
	if (!patch_reaches(text, leads_to, leads_to) &&
	    (leads_to = patch_map_near(text, PATCH_FAR)) == 0)
		return ("there is no room for a stub within reach");
	syscall_cancel_begin((syscall_cancellable *)function, callers[0]);
	called = function;
	return (NULL);
}

const char *
syscall_callers_find(const struct patch_text *text, uintptr_t at,
    syscall_taken *is_taken)
{
	struct patch_range range;
	const char *problem;

	if (ncallers != 0)
		return ("another function of this kind is redirected");
	if (!patch_function(text, at, &range))
		return ("its function is not known");
	if ((problem = find(text, range.start, is_taken)) == NULL)
		problem = ncallers == 0 ? "its callers are not known" :
		    lead(text, range.start);
	if (problem != NULL)
		ncallers = 0;
	return (problem);
}

const char *
syscall_callers_take(const struct patch_text *text, uintptr_t function,
    const uintptr_t *calls, unsigned n)
{
	const char *problem;

	if (ncallers != 0)
		return ("another function of this kind is redirected");
	memcpy(callers, calls, n * sizeof(*calls));
	ncallers = n;
	if ((problem = lead(text, function)) != NULL)
		ncallers = 0;
	return (problem);
}

unsigned
syscall_callers(const struct patch_text *text, uintptr_t *function,
    const uintptr_t **calls)
{
	*function = called;
	*calls = callers;
	return (called >= text->start && called < text->end ? ncallers : 0);
}

static int
write_far(const struct patch *patch)
{
	uintptr_t to = (uintptr_t)syscall_cancel;
	uint8_t jump[PATCH_FAR];

	if (leads_to == 0 || leads_to == to)
		return (0);
	patch_far_encode(jump, to);
	return (patch_write(patch, leads_to, jump, sizeof(jump)));
}

int
syscall_callers_write(const struct patch *patch)
{
	uint8_t jump[PATCH_JUMP];
	int error = write_far(patch);
	unsigned i;

	for (i = 0; i < ncallers && error == 0; i++) {
		(void)patch_jump(jump, callers[i], leads_to);
		error = patch_write(patch, callers[i] + 1, jump + 1,
		    sizeof(jump) - 1);
	}
	return (error);
}
