/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of policies.
 */
#include "base/policy.h"

const struct tbuf_policy_traits tbuf_policies[TBUF_NPOLICIES] = {
	[TBUF_SWITCH] = {
		.name = "switch", .halves = 2, .live = true, .deadline = true
	},
	[TBUF_FILL] = {
		.name = "fill", .halves = 1, .closes = true, .deadline = true
	},
	[TBUF_RING] = {
		.name = "ring", .halves = 1, .overwrites = true
	},
};
