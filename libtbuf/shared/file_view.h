/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * File views: checked pointers into a mapped control file.  No malloc; safe
 * against garbage in shared memory.
 */
#ifndef TBUF_SHARED_FILE_VIEW_H
#define TBUF_SHARED_FILE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/glob.h"
#include "layout/layout.h"

struct tbuf_view {
	unsigned char *base;	/* address of the fixed part */
	uint64_t size;		/* bytes from base on that may be read */
	struct tbuf_tables tables; /* a checked copy */
};

/* Return the address of a part; the caller has checked `slot` and `probe`. */
struct tbuf_control *tbuf_view_control(const struct tbuf_view *);
struct tbuf_slot *tbuf_view_slot(const struct tbuf_view *, unsigned slot);
struct tbuf_probe_entry *tbuf_view_probe(const struct tbuf_view *,
	    uint32_t probe);
uint32_t *tbuf_view_enable(const struct tbuf_view *, uint32_t probe);

/*
 * Copies a string of the heap.  Returns its bytes with the NUL, or 0 if it does
 * not end within the heap and `size` bytes.
 */
size_t	tbuf_view_text(const struct tbuf_view *, uint32_t offset, char *to,
	    size_t size);

/* Copies from a heap, or a copy of one, that has `used` bytes in use. */
size_t	tbuf_heap_text(const char *heap, uint32_t used, uint32_t offset,
	    char *to, size_t size);

/* Returns the bytes of the heap that are in use. */
uint32_t tbuf_view_heap(const struct tbuf_view *);

/* Returns true if the heap has `text` at an offset. */
bool	tbuf_view_text_is(const struct tbuf_view *, uint32_t offset,
	    const char *text);

#define TBUF_FIELD_SIZE	256	/* bytes of a probe's field, with the NUL */

/*
 * A copy of a probe's four fields; the first use needs zeroes.  A field that
 * the probe before has at the same offset is not copied again.
 */
struct tbuf_names_copy {
	struct tbuf_names names;	/* pointers into `text` */
	uint32_t offsets[4];		/* of the texts; 0: none */
	char text[4][TBUF_FIELD_SIZE];
};

/* Copies the fields of a ready probe; returns false if one is not valid. */
bool	tbuf_view_names(const struct tbuf_view *, uint32_t probe,
	    struct tbuf_names_copy *);

#endif
