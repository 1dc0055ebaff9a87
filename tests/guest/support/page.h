/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The page between a case and its target.
 */
#ifndef TESTS_GUEST_SUPPORT_PAGE_H
#define TESTS_GUEST_SUPPORT_PAGE_H

#include <stdint.h>

/* The lowest descriptor that it comes by. */
#define GUEST_PAGE_FD	10

struct guest_page {
	uint32_t told;		/* the case: the target may do step N */
	uint32_t done;		/* the target: step N is done */
	uint64_t before;	/* fires begun, and finished */
	uint64_t after;
	uint64_t value[8];	/* whatever else the target tells */
};

/* In a target: this step is done; wait until the next one may begin. */
void	guest_next(struct guest_page *);
/* In any program: the page that was handed to it, NULL for "none". */
struct guest_page *guest_page_get(const char *number);

#endif
