/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Interned texts: a record has a number, which is an offset in its target's
 * string heap.
 */
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"

/* Copies a text of a target.  Returns NULL for a number that is not one. */
static const char *
copy(const struct tbuf_target *t, uint32_t number, char to[TBUF_FIELD_SIZE],
    uint32_t *size)
{
	size_t n = number == 0 ? 0 : tbuf_view_text(&t->view, number, to,
	    TBUF_FIELD_SIZE);

	*size = n == 0 ? 0 : (uint32_t)n - 1;
	return (n == 0 ? NULL : to);
}

void
tbuf_interned_give(struct tbuf_consumer *c, const struct tbuf_target *t,
    const struct tbuf_probe_info *probe)
{
	struct tbuf_value *v = c->values;
	unsigned i;

	for (i = 0; i < probe->nargs; i++, v++) {
		if (probe->types[i] != TBUF_STRING_INTERNED)
			continue;
		v->type = TBUF_STRING;
		v->data = copy(t, (uint32_t)v->u, c->interned[i], &v->size);
		v->null = v->data == NULL;
		if (v->null)
			v->data = c->interned[i];
	}
}

const char *
tbuf_consumer_interned(struct tbuf_consumer *c,
    const struct tbuf_packet *packet, uint32_t number)
{
	const struct tbuf_reader *r = packet->source;
	uint32_t size;

	return (copy(r->target, number, c->interned[0], &size));
}
