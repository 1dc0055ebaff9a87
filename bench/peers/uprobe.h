/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A uprobe of the kernel on a nop of this program.  It samples the time and the
 * thread into a ring like that of perf(1).
 */
#ifndef BENCH_UPROBE_H
#define BENCH_UPROBE_H

#include <stdbool.h>
#include <stdint.h>

struct uprobe {
	int fd;
	struct perf_event_mmap_page *ring;
	uint64_t times;		/* samples of one turn */
};

/* Executes the nop and returns. */
void	uprobe_place(void);

/* Opens a uprobe for turns of `times` hits; false, and errno, on error. */
bool	uprobe_open(struct uprobe *, uint64_t times);
/* Empties the ring between turns; it must have one sample for each hit. */
void	uprobe_read(void *);
void	uprobe_close(struct uprobe *);

#endif
