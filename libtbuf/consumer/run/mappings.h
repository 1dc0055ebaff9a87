/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What was mapped to be run in each image of a process: remembered while it
 * lives, so that addresses have names when it has ended.
 */
#ifndef TBUF_CONSUMER_RUN_MAPPINGS_H
#define TBUF_CONSUMER_RUN_MAPPINGS_H

#include <stdbool.h>

#include "consumer/target/target.h"

struct tbuf_consumer;
struct tbuf_image;
struct tbuf_mapping;

/*
 * Look at the images that are traced: at those that are new, and, `again', at
 * what others have loaded since.  Nothing, where no clause asks for names.
 */
void	tbuf_images_look(struct tbuf_consumer *, bool again);
/*
 * What is known of a target's image, left in its session's area for whoever
 * reads the file later.  The session is there, and this consumer's.
 */
void	tbuf_images_leave(const struct tbuf_consumer *, struct tbuf_target *);
/*
 * What the kernel has told of a command that says nothing of itself, as long as
 * it has no libtbuf: that something was mapped, or what it has executed.
 */
void	tbuf_images_mapped(struct tbuf_consumer *, const struct tbuf_target *,
	    const struct tbuf_mapping *);
void	tbuf_images_named(struct tbuf_consumer *, const struct tbuf_target *,
	    const char *name);
/* The name of a target's program, as far as it is known. */
const char *tbuf_images_name(const struct tbuf_consumer *,
	    const struct tbuf_target *);
void	tbuf_images_free(struct tbuf_consumer *);

/* The image of a target, as its clauses know it. */
uint64_t tbuf_target_image(const struct tbuf_target *);

#endif
