/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a stub calls.  Vector registers are not saved: it is compiled with
 * -mgeneral-regs-only, as all of a fire is.
 */
#include "usdt.h"

_Static_assert(offsetof(struct usdt_site, patch) == 0, "usdt_hit() has it");
_Static_assert(sizeof(struct patch_registers) == 16 * sizeof(uint64_t),
    "registers are an array");

void
usdt_hit(struct patch_probe *patch, const struct patch_registers *registers)
{
	const struct usdt_site *s = (const struct usdt_site *)patch;
	uint64_t values[TBUF_ARGS_MAX];
	unsigned i;

	values[0] = 0;
	for (i = 0; i < s->nargs; i++)
		values[i] = usdt_operand_value(&s->operands[i],
		    &registers->rax);
	tbuf_probe_fire(&s->group->site, values);
}
