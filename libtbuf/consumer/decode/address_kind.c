/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <string.h>

#include "consumer/decode/record_layout.h"

static const struct tbuf_d_shape shapes[TBUF_ADDRESS_END] = {
	[TBUF_ADDRESS_USTACK] = { .kind = TBUF_KIND_VOID, .name = "ustack" },
	[TBUF_ADDRESS_USYM] = { .kind = TBUF_KIND_VOID, .name = "usym" },
	[TBUF_ADDRESS_UMOD] = { .kind = TBUF_KIND_VOID, .name = "umod" },
	[TBUF_ADDRESS_UFUNC] = { .kind = TBUF_KIND_VOID, .name = "ufunc" },
	[TBUF_ADDRESS_UADDR] = { .kind = TBUF_KIND_VOID, .name = "uaddr" },
	[TBUF_ADDRESS_RAW] = { .kind = TBUF_KIND_VOID, .name = "ustack" }
};

uint32_t
tbuf_address_of(const struct tbuf_d_shape *shape)
{
	uint32_t i;

	for (i = TBUF_ADDRESS_USTACK; i < TBUF_ADDRESS_RAW; i++)
		if (shape != NULL && shape->name != NULL &&
		    strcmp(shape->name, shapes[i].name) == 0)
			return (i);
	return (TBUF_ADDRESS_NONE);
}

const struct tbuf_d_shape *
tbuf_address_shape(uint32_t kind)
{
	return (kind > TBUF_ADDRESS_NONE && kind < TBUF_ADDRESS_END ?
	    &shapes[kind] : NULL);
}

enum tbuf_d_action_kind
tbuf_address_action(uint32_t kind)
{
	static const enum tbuf_d_action_kind actions[TBUF_ADDRESS_END] = {
		[TBUF_ADDRESS_NONE] = TBUF_ACTION_TRACE,
		[TBUF_ADDRESS_USTACK] = TBUF_ACTION_USTACK,
		[TBUF_ADDRESS_USYM] = TBUF_ACTION_USYM,
		[TBUF_ADDRESS_UMOD] = TBUF_ACTION_UMOD,
		[TBUF_ADDRESS_UFUNC] = TBUF_ACTION_UFUNC,
		[TBUF_ADDRESS_UADDR] = TBUF_ACTION_UADDR,
		[TBUF_ADDRESS_RAW] = TBUF_ACTION_USTACK
	};

	return (actions[kind < TBUF_ADDRESS_END ? kind : TBUF_ADDRESS_NONE]);
}
