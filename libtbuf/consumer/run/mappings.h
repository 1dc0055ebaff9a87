/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Executable mappings of each image of a process, remembered while it lives so
 * that addresses can be named after its end.
 */
#ifndef TBUF_CONSUMER_RUN_MAPPINGS_H
#define TBUF_CONSUMER_RUN_MAPPINGS_H

#include <stdbool.h>

#include "consumer/target/target.h"

struct tbuf_consumer;
struct tbuf_mapping;

/*
 * Reads the mappings of new images of targets, and with `again` the mappings
 * that other images have loaded since.  Does nothing if no clause needs names.
 */
void	tbuf_images_look(struct tbuf_consumer *, bool again);
/*
 * Stores the known mappings of a target's image in its session's area, for
 * later readers of the file.  The session must be this consumer's.
 */
void	tbuf_images_leave(const struct tbuf_consumer *, struct tbuf_target *);
/*
 * Add a mapping, or set the program's name, from a perf event of a command that
 * has no libtbuf.  Perf events of other targets have no effect.
 */
void	tbuf_images_mapped(struct tbuf_consumer *, const struct tbuf_target *,
	    const struct tbuf_mapping *);
void	tbuf_images_named(struct tbuf_consumer *, const struct tbuf_target *,
	    const char *name);
/* Returns the name of a target's program, "" if it is unknown. */
const char *tbuf_images_name(const struct tbuf_consumer *,
	    const struct tbuf_target *);
void	tbuf_images_free(struct tbuf_consumer *);

/* Returns the image of a target, as its clauses record it. */
uint64_t tbuf_target_image(const struct tbuf_target *);

#endif
