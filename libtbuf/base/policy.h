/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The differences between the policies, in one table.  layout.h says how a lane
 * is written under each, consumer/target/lane_reader.c how it is marked to be
 * read.
 */
#ifndef TBUF_BASE_POLICY_H
#define TBUF_BASE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/layout.h"

#define TBUF_NPOLICIES	3

struct tbuf_policy_traits {
	const char *name;	/* the value of bufpolicy */
	uint32_t halves;	/* of a CPU's lane, bufsize each */
	bool overwrites;	/* the writer moves tail, and counts records */
	bool live;		/* drained while tracing is active */
	bool closes;		/* a lane that was full once stays closed, and
				   the run ends */
	bool deadline;		/* a silent consumer's session ends */
};

extern const struct tbuf_policy_traits tbuf_policies[TBUF_NPOLICIES]
    __attribute__((visibility("hidden")));

/* Returns the traits of a number from a file; it may be invalid. */
static inline const struct tbuf_policy_traits *
tbuf_policy(uint64_t policy)
{
	return (&tbuf_policies[policy < TBUF_NPOLICIES ? policy :
	    TBUF_SWITCH]);
}

#endif
