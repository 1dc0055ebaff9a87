/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Settings that other processes ask for: struct tbuf_text_order in the control
 * file.
 */
#include <string.h>

#include "shared/file_view.h"
#include "target/file/file.h"
#include "text/remote_setting.h"

static struct tbuf_text_order *
order(void)
{
	struct tbuf_view view = tbuf_target_view();

	return (view.base == NULL ? NULL : (struct tbuf_text_order *)(void *)
	    (view.base + TBUF_TEXT_ORDER));
}

const uint32_t *
tbuf_text_order_word(const uint32_t *none)
{
	const struct tbuf_text_order *o = order();

	return (o == NULL ? none : &o->pending);
}

/*
 * The copy is valid if no process has written meanwhile.  A writer sets
 * `pending' after it has written, so no setting is missed.
 */
bool
tbuf_text_order_read(char setting[TBUF_TEXT_SETTING_MAX], uint64_t *ticket)
{
	struct tbuf_text_order *o = order();
	uint32_t sequence;

	if (o == NULL || tbuf_load(&o->pending) == 0 ||
	    tbuf_swap(&o->pending, 0) == 0)
		return (false);
	sequence = tbuf_load_acquire(&o->sequence);
	memcpy(setting, o->setting, TBUF_TEXT_SETTING_MAX);
	setting[TBUF_TEXT_SETTING_MAX - 1] = '\0';
	*ticket = tbuf_load(&o->ticket);
	tbuf_fence_loads();
	return (sequence % 2 == 0 && tbuf_load(&o->sequence) == sequence);
}
