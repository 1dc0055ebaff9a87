/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf_flush(): the program asks its consumers to switch buffers.
 */
#include "base/optimize_size.h"

#include "target/file/file.h"
#include "target/self/self.h"
#include "tbuf.h"

/*
 * Consumers look at the word when they wake, so no system call is needed.  A
 * session that ends meanwhile, or begins in its slot, is asked in vain.
 */
int
tbuf_flush(void)
{
	struct tbuf_view view = tbuf_target_view();
	struct tbuf_slot *slot;
	int asked = 0;
	unsigned i;

	for (i = 0; view.base != NULL && i < TBUF_NSESSIONS; i++) {
		slot = tbuf_view_slot(&view, i);
		if (tbuf_load(&tbuf_view_control(&view)->state[i]) !=
		    TBUF_ACTIVE || tbuf_load(&slot->terms.policy) !=
		    TBUF_SWITCH)
			continue;
		tbuf_add(&slot->flushes, 1);
		asked++;
	}
	return (asked);
}
