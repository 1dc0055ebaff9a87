/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The shared page of a case and its target.
 */
#ifndef TESTS_GUEST_SUPPORT_PAGE_H
#define TESTS_GUEST_SUPPORT_PAGE_H

#include <stdint.h>

/* the lowest descriptor that the page may have */
#define GUEST_PAGE_FD	10

struct guest_page {
	uint32_t told;		/* by the case: target may do step N */
	uint32_t done;		/* by the target: step N is done */
	uint64_t before;	/* fires begun and finished */
	uint64_t after;
	uint64_t value[8];	/* other results of the target */
};

/* For a target: reports a step and waits until the next one may begin. */
void	guest_next(struct guest_page *);
/* Returns the page with this descriptor, NULL for "none". */
struct guest_page *guest_page_get(const char *number);

#endif
