/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This process as a target with the image's probes and sessions.  Its window is
 * a private mapping of the good file, with guards on both sides.
 */
#ifndef FUZZ_WINDOW_H
#define FUZZ_WINDOW_H

#include "image.h"
#include "tbuf.h"

extern struct image window_image;
extern struct tbuf_site window_sites[IMAGE_PROBES];

/* Makes the window; `add` adds to the file after the sessions, or is NULL. */
void	window_make(void (*add)(void));
/* Restores the good file, and lets this thread forget its sessions. */
void	window_restore(void);

#endif
