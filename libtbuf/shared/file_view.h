/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A mapped control file.  No malloc; safe against garbage in shared memory.
 */
#ifndef TBUF_SHARED_FILE_VIEW_H
#define TBUF_SHARED_FILE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/glob.h"
#include "layout/layout.h"

/* A mapped control file, as either side sees it. */
struct tbuf_view {
	unsigned char *base;	/* of the fixed part */
	uint64_t size;		/* bytes that may be looked at from base */
	struct tbuf_tables tables; /* a copy, which has been checked */
};

/* Parts of it; `slot` and `probe` are in range. */
struct tbuf_control *tbuf_view_control(const struct tbuf_view *);
struct tbuf_slot *tbuf_view_slot(const struct tbuf_view *, unsigned slot);
struct tbuf_probe_entry *tbuf_view_probe(const struct tbuf_view *,
	    uint32_t probe);
uint32_t *tbuf_view_enable(const struct tbuf_view *, uint32_t probe);

/*
 * Copy a string of the heap: its bytes with the NUL, or 0 if it does not end
 * within the heap and `size` bytes.
 */
size_t	tbuf_view_text(const struct tbuf_view *, uint32_t offset, char *to,
	    size_t size);

/* The same of a heap that may be a copy, with so many bytes in use. */
size_t	tbuf_heap_text(const char *heap, uint32_t used, uint32_t offset,
	    char *to, size_t size);

/* Bytes of the heap that are in use. */
uint32_t tbuf_view_heap(const struct tbuf_view *);

/* Is the string at an offset of the heap this one? */
bool	tbuf_view_text_is(const struct tbuf_view *, uint32_t offset,
	    const char *text);

/* Those of a probe in a control file; a field has 255 bytes at most. */
#define TBUF_FIELD_SIZE	256

struct tbuf_names_copy {
	struct tbuf_names names;	/* what lies in `text` */
	char text[4][TBUF_FIELD_SIZE];
};

/* Copy the four fields of a ready probe; false if it has not four. */
bool	tbuf_view_names(const struct tbuf_view *, uint32_t probe,
	    struct tbuf_names_copy *);

#endif
