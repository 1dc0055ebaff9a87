/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Variables that clauses here and clauses in targets have in common.
 */
#ifndef TBUF_CONSUMER_SCRIPT_SHARED_VARIABLES_H
#define TBUF_CONSUMER_SCRIPT_SHARED_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/run/run.h"
#include "consumer/script/script.h"

/* Bytes of the largest key of an array in a target. */
#define TBUF_KEY_LARGE		2048u

/*
 * Global variables (shared_globals.c): clauses here use those of targets from now on;
 * what a target leaves that is let go; and the values there are, as the codes
 * have their places.
 */
void	tbuf_globals_share(struct tbuf_consumer *);
void	tbuf_globals_keep(struct tbuf_consumer *, struct tbuf_target *);
void	tbuf_globals_put(const struct tbuf_script *,
	    const struct tbuf_code_variable *, unsigned char *to);

/* Are a target's variables there?  Whose count here; NULL: none's do. */
bool	tbuf_globals_has(const struct tbuf_consumer *,
	    const struct tbuf_target *);
struct tbuf_target *tbuf_globals_sole(const struct tbuf_consumer *);

/*
 * Elements of arrays that clauses here and in targets have in common
 * (shared_arrays.c), likewise: by the key, variable and size of one here.
 */
enum tbuf_element_known tbuf_elements_pull(void *consumer,
	    struct tbuf_element *);
bool	tbuf_elements_push(void *consumer, const struct tbuf_element *,
	    bool keeps);
bool	tbuf_elements_push_part(void *consumer, const struct tbuf_element *,
	    uint32_t at, uint32_t size);
void	tbuf_elements_keep(struct tbuf_consumer *,
	    struct tbuf_target *);

#endif
