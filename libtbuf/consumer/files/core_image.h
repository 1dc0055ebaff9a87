/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Core images: control files as a core contains them.
 */
#ifndef TBUF_CONSUMER_FILES_CORE_IMAGE_H
#define TBUF_CONSUMER_FILES_CORE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "consumer/files/core_elf.h"
#include "layout/layout.h"

#define TBUF_IMAGES		8
#define TBUF_EYECATCHERS	64	/* looked at in one core */

struct tbuf_image {
	struct tbuf_control control;	/* a copy, not checked */
	uint64_t address, size;		/* in the process; 0 and more */
	uint64_t cut;			/* first missing byte; 0: none */
	int fd;				/* memfd with the copy; -1: none */
};

struct tbuf_images {
	struct tbuf_image images[TBUF_IMAGES];
	size_t count;
	unsigned seen;			/* eye-catchers found */
};

/*
 * Finds the control files of a core and copies them into memfds.  Returns 0,
 * also if there are none, -EFBIG, -ENOMEM, or the error of reading the core.
 * The caller calls tbuf_images_close() in any case, and sets an fd that it
 * takes over to -1.
 */
int	tbuf_images_find(struct tbuf_core *, struct tbuf_images *);
void	tbuf_images_close(struct tbuf_images *);

#endif
