/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The notes of USDT probes in a file, as systemtap's macros leave them: a
 * section .note.stapsdt that is not loaded.  A note is
 *
 *	sizes of the owner's name and of what follows it, 3; "stapsdt"
 *	address of a one-byte nop
 *	address of the section .stapsdt.base when the note was written
 *	address of a semaphore of 16 bits, or 0
 *	the provider, the name, the operands: strings
 *
 * Who moves the object afterwards, as prelink(8) does, moves the section
 * .stapsdt.base, too, and leaves the note alone: both addresses are off by as
 * much as the section has moved.
 */
#ifndef TBUF_PROVIDERS_USDT_NOTE_H
#define TBUF_PROVIDERS_USDT_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define USDT_BUILD_ID	64	/* bytes of it that are compared */

/* What is copied of a file, which others may write to. */
struct usdt_object {
	char *notes;		/* NULL: it has none */
	size_t size;
	uint64_t base;		/* address of .stapsdt.base, or 0 */
	bool has_sites;		/* TBUF_PROBE's: it is a target already */
	unsigned char build_id[USDT_BUILD_ID];
	size_t build_id_size;
};

struct usdt_note {
	uint64_t address;	/* of the nop, as the object is linked */
	uint64_t semaphore;	/* 0: it has none */
	const char *provider, *name, *operands;
};

/* NULL, or why the file could not be read. */
const char *usdt_object_read(struct usdt_object *, int fd);
void	usdt_object_free(struct usdt_object *);

/* The note at *at, from 0 on; false behind the last.  Damaged ones are not
 * seen. */
bool	usdt_note_next(const struct usdt_object *, size_t *at,
	    struct usdt_note *);

/* A probe's name as it is traced: `__` is `-`.  False if it has no room. */
bool	usdt_note_name(const char *name, char *out, size_t size);

#pragma GCC visibility pop

#endif
