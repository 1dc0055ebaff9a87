/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <string.h>

#include "consumer/decode/address_kind.h"

static const struct tbuf_d_shape shapes[TBUF_ASKED_END] = {
	[TBUF_ASKED_USTACK] = { .kind = TBUF_KIND_VOID, .name = "ustack" },
	[TBUF_ASKED_USYM] = { .kind = TBUF_KIND_VOID, .name = "usym" },
	[TBUF_ASKED_UMOD] = { .kind = TBUF_KIND_VOID, .name = "umod" },
	[TBUF_ASKED_UFUNC] = { .kind = TBUF_KIND_VOID, .name = "ufunc" },
	[TBUF_ASKED_UADDR] = { .kind = TBUF_KIND_VOID, .name = "uaddr" },
	[TBUF_ASKED_RAW] = { .kind = TBUF_KIND_VOID, .name = "ustack" }
};

uint32_t
tbuf_asked_kind(const struct tbuf_d_shape *shape)
{
	uint32_t i;

	for (i = TBUF_ASKED_USTACK; i < TBUF_ASKED_RAW; i++)
		if (shape != NULL && shape->name != NULL &&
		    strcmp(shape->name, shapes[i].name) == 0)
			return (i);
	return (TBUF_ASKED_NONE);
}

const struct tbuf_d_shape *
tbuf_asked_shape(uint32_t kind)
{
	return (kind > TBUF_ASKED_NONE && kind < TBUF_ASKED_END ?
	    &shapes[kind] : NULL);
}

enum tbuf_d_action_kind
tbuf_asked_action(uint32_t kind)
{
	static const enum tbuf_d_action_kind actions[TBUF_ASKED_END] = {
		[TBUF_ASKED_NONE] = TBUF_ACTION_TRACE,
		[TBUF_ASKED_USTACK] = TBUF_ACTION_USTACK,
		[TBUF_ASKED_USYM] = TBUF_ACTION_USYM,
		[TBUF_ASKED_UMOD] = TBUF_ACTION_UMOD,
		[TBUF_ASKED_UFUNC] = TBUF_ACTION_UFUNC,
		[TBUF_ASKED_UADDR] = TBUF_ACTION_UADDR,
		[TBUF_ASKED_RAW] = TBUF_ACTION_USTACK
	};

	return (actions[kind < TBUF_ASKED_END ? kind : TBUF_ASKED_NONE]);
}
