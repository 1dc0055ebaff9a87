/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory of an object as the dynamic linker would load it, from a file that
 * is not loaded.
 */
#ifndef TBUF_PROVIDERS_PID_IMAGE_H
#define TBUF_PROVIDERS_PID_IMAGE_H

#include "functions.h"

#pragma GCC visibility push(hidden)

struct pid_image {
	struct pid_memory memory;
	void *bytes;
	size_t size;
	ElfW(Phdr) *parts;
};

/* Returns NULL, or why it cannot be loaded; free the image in any case. */
const char *pid_image_read(struct pid_image *, int fd);
void	pid_image_free(struct pid_image *);

#pragma GCC visibility pop

#endif
