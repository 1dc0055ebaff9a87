/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What tells the policies apart, in one table.  How a lane is written under
 * each is in layout.h, how one is marked to be read in consumer/target/lane_reader.c.
 */
#ifndef TBUF_BASE_POLICY_H
#define TBUF_BASE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/layout.h"

#define TBUF_NPOLICIES	3

struct tbuf_policy_traits {
	const char *name;	/* as the value of bufpolicy */
	uint32_t halves;	/* of bufsize in a CPU's lane */
	bool overwrites;	/* the writer moves tail, and counts records */
	bool live;		/* drained while tracing goes on */
	bool closes;		/* a lane that was full once stays closed, and
				   the run ends */
	bool deadline;		/* a consumer that is silent is given up */
};

extern const struct tbuf_policy_traits tbuf_policies[TBUF_NPOLICIES]
    __attribute__((visibility("hidden")));

/* Those of a number that has been read from a file, and may be any. */
static inline const struct tbuf_policy_traits *
tbuf_policy(uint64_t policy)
{
	return (&tbuf_policies[policy < TBUF_NPOLICIES ? policy :
	    TBUF_SWITCH]);
}

#endif
