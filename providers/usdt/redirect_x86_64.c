/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A pun's displacement is the bytes after its nop, where another site may be:
 * that one, which has the higher address, is armed before it, so that these
 * bytes do not change any more.
 */
#include <stdlib.h>

#include "usdt.h"

/* Returns the end of the sites of one text, which begin at `first`. */
static size_t
of_one_text(const struct usdt_sites *sites, size_t first)
{
	size_t end = first;

	while (end < sites->count && sites->all[end]->text.start ==
	    sites->all[first]->text.start)
		end++;
	return (end);
}

/*
 * Finds the sites that a jump may replace.  All are proven before one is armed,
 * while the text still is a sequence of instructions.
 */
static void
prove_text(struct usdt_sites *sites, size_t first, size_t end)
{
	struct usdt_site *s = sites->all[first];
	size_t n = end - first, i;
	struct patch_place *places = calloc(n, sizeof(*places));

	for (i = 0; i < n; i++)
		sites->all[first + i]->jump = "out of memory";
	if (places == NULL)
		return;
	/* In ascending order. */
	for (i = 0; i < n; i++)
		places[i].at = sites->all[end - 1 - i]->patch.place;
	patch_branches_find(&s->text, places, n);
	for (i = 0; i < n; i++) {
		s = sites->all[end - 1 - i];
		/* A jump would replace the bytes of the next site. */
		s->jump = i + 1 < n && places[i + 1].at <
		    places[i].at + PATCH_JUMP ?
		    "another site follows within 5 bytes" :
		    patch_prove(&s->text, &places[i], true);
	}
	free(places);
}

void
usdt_redirect_look(struct usdt_sites *sites)
{
	size_t first, end;

	for (first = 0; first < sites->count; first = end) {
		end = of_one_text(sites, first);
		if (sites->all[first]->text.end != 0)
			prove_text(sites, first, end);
	}
}

const char *
usdt_redirect(const struct patch *patch, struct usdt_site *s)
{
	if (patch_arm_pun(patch, &s->patch) == NULL)
		return (NULL);
	return (s->jump != NULL ? s->jump :
	    patch_arm_jump(patch, &s->text, &s->patch));
}
