/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The list of components, and the levels that are wanted of each.  For each
 * level a component has a pointer to a word that is not 0 if messages are
 * wanted: a constant if the text trace wants the level, else the enable word of
 * its probe.
 */
#include "text/text.h"

static const uint32_t always = 1;

struct tbuf_component *tbuf_components;

bool
tbuf_component_traced(const struct tbuf_component *c, unsigned level)
{
	return (tbuf_load(&c->wanted[level]) == &always);
}

void
tbuf_component_point(struct tbuf_component *c, unsigned traced)
{
	const uint32_t *enabled;
	unsigned level;

	for (level = TBUF_SEVERE; level <= TBUF_FLOW; level++) {
		enabled = c->sites[level - 1].enabled;
		tbuf_store(&c->wanted[level], level <= traced ? &always :
		    enabled == NULL ? &c->zero : enabled);
	}
}
