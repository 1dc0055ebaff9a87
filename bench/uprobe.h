/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A uprobe of the kernel on a no-operation of this program, which samples the
 * time and the thread into a ring that perf(1) would read.
 */
#ifndef BENCH_UPROBE_H
#define BENCH_UPROBE_H

#include <stdbool.h>
#include <stdint.h>

struct uprobe {
	int fd;
	struct perf_event_mmap_page *ring;
	uint64_t times;		/* samples that a turn leaves */
};

/* The no-operation, and the way back. */
void	uprobe_place(void);

/* For turns of so many hits; false, and errno, where there is none. */
bool	uprobe_open(struct uprobe *, uint64_t times);
/* Between turns: take what is in the ring, which has to be one for each hit. */
void	uprobe_read(void *);
void	uprobe_close(struct uprobe *);

#endif
