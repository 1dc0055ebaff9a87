/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Control files as a core has them.
 */
#ifndef TBUF_CONSUMER_FILES_CORE_IMAGE_H
#define TBUF_CONSUMER_FILES_CORE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "consumer/files/core_elf.h"
#include "layout/layout.h"

#define TBUF_IMAGES		8
#define TBUF_EYECATCHERS	64	/* that are looked at */

struct tbuf_image {
	struct tbuf_control control;	/* a copy, not checked */
	uint64_t address, size;		/* in the process; 0 and more */
	uint64_t cut;			/* known up to here; 0: all of it is */
	int fd;				/* the file; -1: none */
};

struct tbuf_images {
	struct tbuf_image images[TBUF_IMAGES];
	size_t count;
	unsigned seen;			/* eye-catchers */
};

/*
 * 0, also if there are none; -EFBIG, -ENOMEM, or what reading the core gave.
 * To be closed in any case; a descriptor that is taken over is set to -1.
 */
int	tbuf_images_find(struct tbuf_core *, struct tbuf_images *);
void	tbuf_images_close(struct tbuf_images *);

#endif
