/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A well-formed control file that inputs are patches to.
 *
 * It has probes of all types and four sessions: 0 switch, 1 fill, 2 ring, all
 * with CPU lanes, and 3 ring with lock lanes alone.  Their lanes hold records
 * of every probe, around the end of the storage where that can be.
 *
 * A patch is eight bytes of the input: which part of the file, how to store,
 * where in that part (2 bytes, modulo its size), and a value (4 bytes).  Parts
 * from PATCH_ACTION on are no patches but mean what the target likes.
 */
#ifndef FUZZ_IMAGE_H
#define FUZZ_IMAGE_H

#include "shared/ecb_chain.h"
#include "shared/session_build.h"
#include "fuzz.h"
#include "layout/layout.h"

#define IMAGE_SESSIONS	4
#define IMAGE_PROBES	5
#define IMAGE_CLAUSES	64		/* entries */
#define IMAGE_TEXTS	512		/* bytes */
#define IMAGE_NAMES	3		/* the session that has mappings */
#define IMAGE_UNITS	4u		/* tables of work units */
#define IMAGE_UNITSIZE	UINT64_C(1024)
#define IMAGE_SIZE	(UINT64_C(2) << 20)	/* room; the file is smaller */

#define PATCH_ACTION	0xe0

struct patch {
	uint8_t part;
	uint8_t how;
	uint16_t at;
	uint32_t value;
};

/* What a patch does: bytes of the file, as they were and as they will be. */
struct change {
	uint64_t at;
	unsigned bytes;
	uint64_t old, value;
};

struct image {
	struct tbuf_view view;		/* size: room for it */
	uint64_t size;			/* of the file */
	uint64_t area[IMAGE_SESSIONS];
	uint64_t clauses;		/* of a session that has some */
	uint64_t units;			/* tables of a session; 0: none */
	struct tbuf_plan plan[IMAGE_SESSIONS];
};

/* The types of the probes, all under fuzz:image:function:p0 ... */
extern const struct image_probe {
	unsigned nargs;
	uint8_t types[TBUF_NARGS];
} image_probes[IMAGE_PROBES];

/* Header and probes of a target, into memory of zeroes. */
void	image_target(struct image *, pid_t pid, uint64_t start);

/* The sessions, behind the file's end, on the probes that are there. */
void	image_sessions(struct image *);

/* Records into all lanes. */
void	image_records(struct image *);

/*
 * Work units of session 0, behind the file's end: one that is done, with its
 * mark, one that hangs, one amid its end, and an envelope.
 */
void	image_units(struct image *);
/* The same into the tables that the image has now, and a lane of theirs. */
void	image_units_fill(struct image *, uint64_t generation,
	    struct tbuf_lane *);

struct patch image_next(struct input *);

/* Apply a patch that is none of the actions, or look what it would do. */
struct change image_change(const struct image *, const struct patch *);
void	image_patch(const struct image *, const struct patch *);

#endif
