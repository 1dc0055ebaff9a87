/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Interned texts: their numbers are their offsets in the string heap.  A static
 * program that interns nothing does not contain this file.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <string.h>

#include "target/file/file.h"
#include "target/file/probe_table.h"
#include "target/probe/register.h"
#include "tbuf.h"

/*
 * The numbers of all texts, by hash; open addressing, at most half full.  The
 * lock's holder uses them.  A forked child has those of its parent, and the
 * same heap.
 */
#define SLOTS	(2 * TBUF_INTERN_MAX)
static uint32_t slots[SLOTS];
static unsigned used;

/* Returns the text's slot: its own, or the empty one that it may have. */
static uint32_t *
slot_of(const struct tbuf_view *view, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	uint32_t at = 2166136261u;	/* FNV-1a */

	for (; *p != '\0'; p++)
		at = (at ^ *p) * 16777619u;
	while (slots[at % SLOTS] != 0 &&
	    !tbuf_view_text_is(view, slots[at % SLOTS], text))
		at++;
	return (&slots[at % SLOTS]);
}

uint32_t
tbuf_intern(const char *text)
{
	size_t size = text == NULL ? SIZE_MAX : strlen(text) + 1;
	uint32_t *slot, number = 0;
	struct tbuf_view view;
	int error = 0;
	sigset_t mask;

	if (size > TBUF_FIELD_SIZE)
		error = -EINVAL;
	else if ((error = tbuf_register_begin(&mask)) == 0) {
		view = tbuf_target_view();
		slot = slot_of(&view, text);
		if (*slot == 0 && used < TBUF_INTERN_MAX &&
		    (*slot = tbuf_table_text(&view, text,
		    (uint32_t)size)) != 0)
			used++;
		number = *slot;
		error = number == 0 ? -ENOSPC : 0;
		tbuf_register_end(&mask);
	}
	if (error != 0)
		errno = -error;
	return (number);
}
