/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A branch replaces the nop, and nothing else: all code that comes to the nop
 * comes to its stub, so nothing has to be proven.
 */
#include "usdt.h"

/* In a function without a frame record, x29 is the caller's. */
void
usdt_redirect_look(struct usdt_sites *sites)
{
	struct patch_range function;
	struct usdt_site *s;
	size_t i;

	for (i = 0; i < sites->count; i++) {
		s = sites->all[i];
		if (s->text.end == 0)
			continue;
		s->is_leaf = patch_function(&s->text, s->patch.place,
		    &function) && !patch_keeps_link(&function, s->patch.place);
	}
}

const char *
usdt_redirect(const struct patch *patch, struct usdt_site *s)
{
	return (patch_arm(patch, &s->text, &s->patch));
}
