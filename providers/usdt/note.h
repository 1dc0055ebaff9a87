/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The notes of USDT probes in a file, as systemtap's macros write them: an
 * ELF section .note.stapsdt that is not loaded.  A note is
 *
 *	sizes of the owner's name and of the rest after it, 3; "stapsdt"
 *	address of a one-byte nop
 *	address of the section .stapsdt.base when the note was written
 *	address of a semaphore of 16 bits, or 0
 *	the provider, the name, the operands: strings
 *
 * A tool that moves the object afterwards, as prelink(8) does, also moves the
 * section .stapsdt.base, but does not change the note: both addresses are off
 * by the distance that the section has moved.
 */
#ifndef TBUF_PROVIDERS_USDT_NOTE_H
#define TBUF_PROVIDERS_USDT_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define USDT_BUILD_ID	64	/* bytes of it that are compared */
#define USDT_TEXTS	8	/* executable segments */

/* Bytes of a jump, which a segment must have from a site on. */
#if defined(__x86_64__)
#define USDT_ROOM	5
#else
#define USDT_ROOM	4
#endif

/* Copied parts of a file, which others may write to. */
struct usdt_object {
	char *notes;		/* NULL: it has none */
	size_t size;
	uint64_t base;		/* address of .stapsdt.base, or 0 */
	uint64_t low;		/* lowest address of a segment */
	struct {
		uint64_t start, size;
	} texts[USDT_TEXTS];
	unsigned ntexts;
	bool has_sites;		/* TBUF_PROBE's: it is a target already */
	unsigned char build_id[USDT_BUILD_ID];
	size_t build_id_size;
};

struct usdt_note {
	uint64_t address;	/* of the nop, as the object is linked */
	uint64_t semaphore;	/* 0: it has none */
	const char *provider, *name, *operands;
};

/* Returns NULL, or the reason why the file could not be read. */
const char *usdt_object_read(struct usdt_object *, int fd);
void	usdt_object_free(struct usdt_object *);

/*
 * Finds the note at *at, from 0 on, and moves *at after it.  Returns false
 * after the last note.  Damaged ones are skipped.
 */
bool	usdt_note_next(const struct usdt_object *, size_t *at,
	    struct usdt_note *);

/* Copies a probe's name as traced, with `-` for `__`; false: it has no room. */
bool	usdt_note_name(const char *name, char *out, size_t size);

#pragma GCC visibility pop

#endif
