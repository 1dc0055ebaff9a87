/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that a stub calls.  Vector registers are not saved: this file is
 * compiled with -mgeneral-regs-only, as all of a fire is.
 */
#include "pid.h"

#include "target/provider.h"

#define IN_REGISTERS	6u	/* arguments */

_Static_assert(offsetof(struct pid_place, patch) == 0, "a hit has it");

/*
 * At an entry and at an exit, the return address is the stack's first word.  An
 * address in a stack is after an instruction, and names the function before it.
 */
static void
fire(const struct pid_place *place, const struct patch_registers *r,
    const uint64_t *values)
{
	const uint64_t *stack = (const uint64_t *)r->rsp;

	tbuf_site_fire_from(place->site, values, place->patch.place + 1,
	    stack[0], r->rsp + sizeof(*stack), r->rbp);
}

/*
 * Arguments on the stack are read in the page of the return address: others may
 * not be there, as the function may have fewer arguments.
 */
void
pid_hit_entry(struct patch_probe *patch, const struct patch_registers *r)
{
	uint64_t values[TBUF_ARGS_MAX] = {
		r->rdi, r->rsi, r->rdx, r->rcx, r->r8, r->r9
	};
	uintptr_t at = r->rsp + sizeof(uint64_t);
	unsigned i;

	for (i = IN_REGISTERS; i < PID_ARGS; i++, at += sizeof(uint64_t))
		values[i] = at / PATCH_PAGE == r->rsp / PATCH_PAGE &&
		    at % PATCH_PAGE <= PATCH_PAGE - sizeof(uint64_t) ?
		    *(const uint64_t *)at : 0;
	fire((const struct pid_place *)patch, r, values);
}

void
pid_hit_exit(struct patch_probe *patch, const struct patch_registers *r)
{
	const struct pid_place *place = (const struct pid_place *)patch;
	const uint64_t values[TBUF_ARGS_MAX] = { place->offset, r->rax };

	fire(place, r, values);
}
