/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This process is the target, and the tests play the consumer by hand.  Each
 * test runs twice, on the rseq path and on the lock path (_i is 1).
 */
#ifndef TESTS_UNIT_TARGET_FIXTURE_H
#define TESTS_UNIT_TARGET_FIXTURE_H

#include <check.h>

#include "shared/control_file.h"
#include "shared/session_build.h"
#include "target/target.h"

extern struct tbuf_view view;
extern int control_file;
extern struct tbuf_site two;	/* t:m:f:two, two 64-bit arguments */
extern struct tbuf_site none;	/* t:m:f:none, no argument */

struct order {
	enum tbuf_policy policy;
	uint64_t bufsize;
	uint32_t strsize;
	int32_t only_cpu;
	const char *patterns;	/* as many strings as npatterns */
	uint32_t size, npatterns;
	bool locks;
	const uint32_t *cpus;	/* with lanes, up to a 0; NULL: this one */
};

#define ORDER(policy_, bufsize_) (struct order){			\
	.policy = (policy_), .bufsize = (bufsize_), .strsize = 256,	\
	.only_cpu = -1, .patterns = "t:::", .size = 5, .npatterns = 1,	\
	.locks = _i == 1						\
}

/* Registers t:m:f:NAME. */
void	site(struct tbuf_site *, const char *name, unsigned nargs,
	    const enum tbuf_type *types);
/* Backs a part of the control file, as struct tbuf_backing needs it. */
int	back_control(void *, uint64_t offset, uint64_t length);
/* Builds a session in a slot as a consumer does; the probes match it. */
struct tbuf_lane *session(unsigned number, const struct order *);

/* Fires `two` with a value and its complement. */
void	fire(uint64_t value);

/* Returns the bytes of such a record; a lock lane's has one word more. */
uint64_t record_size(const struct tbuf_lane *, uint64_t data);
const unsigned char *bytes_at(const struct tbuf_lane *, uint64_t position);
const struct tbuf_header *header_at(const struct tbuf_lane *,
	    uint64_t position);
uint64_t word_at(const struct tbuf_lane *, uint64_t position);
uint64_t ring_tail(const struct tbuf_lane *);

/* Runs each test on both paths.  Returns the exit status of a main(). */
int	run_on_both_paths(const char *suite, const TTest *const tests[],
	    size_t count);

#endif
