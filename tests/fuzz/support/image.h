/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A well-formed control file, to which inputs are patches.
 *
 * It has probes of all types and four sessions: 0 switch, 1 fill, 2 ring, all
 * with CPU lanes, and 3 ring with lock lanes only.  Their lanes hold records of
 * every probe, which wrap around the end of the storage if possible.
 *
 * A patch is eight bytes of the input: a part of the file, a kind of store, a
 * place in the part (2 bytes, modulo its size), and a value (4 bytes).  Parts
 * from PATCH_ACTION on are not patches: each fuzz target defines their meaning.
 */
#ifndef FUZZ_IMAGE_H
#define FUZZ_IMAGE_H

#include "fuzz.h"
#include "layout/layout.h"
#include "shared/ecb_chain.h"
#include "shared/session_build.h"

#define IMAGE_SESSIONS	4
#define IMAGE_PROBES	5
#define IMAGE_CLAUSES	64		/* entries */
#define IMAGE_TEXTS	512		/* bytes */
#define IMAGE_NAMES	3		/* the session with mappings */
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

/* The effect of a patch: bytes of the file, with old and new value. */
struct change {
	uint64_t at;
	unsigned bytes;
	uint64_t old, value;
};

struct image {
	struct tbuf_view view;		/* size: room for it */
	uint64_t size;			/* of the file */
	uint64_t area[IMAGE_SESSIONS];
	uint64_t clauses;		/* of a session with clauses */
	uint64_t units;			/* tables of a session; 0: none */
	struct tbuf_area layout[IMAGE_SESSIONS];
};

/* The types of the probes, all under fuzz:image:function:p0 ... */
extern const struct image_probe {
	unsigned nargs;
	uint8_t types[TBUF_NARGS];
} image_probes[IMAGE_PROBES];

/* Makes a target's header and probes in zeroed memory. */
void	image_target(struct image *, pid_t pid, uint64_t start);

/* Adds the sessions at the file's end, on the existing probes. */
void	image_sessions(struct image *);

/* Fills all lanes with records. */
void	image_records(struct image *);

/*
 * Adds work units to session 0, at the file's end: one that is done, with its
 * commit record, one in flight, one that is ending, and an envelope.
 */
void	image_units(struct image *);
/* Adds them to the image's present tables, and to a lane. */
void	image_units_fill(struct image *, uint64_t generation,
	    struct tbuf_lane *);

struct patch image_next(struct input *);

/* Apply a patch that is not an action, or return its effect. */
struct change image_change(const struct image *, const struct patch *);
void	image_patch(const struct image *, const struct patch *);

#endif
