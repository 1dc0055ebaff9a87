/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Variables that clauses here and clauses in targets share.
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
 * Global variables (shared_globals.c).  share: clauses here use those of
 * targets from now on.  keep: copies the values of a target that is about to be
 * freed.  put: stores the present values at the places that the codes say.
 */
void	tbuf_globals_share(struct tbuf_consumer *);
void	tbuf_globals_keep(struct tbuf_consumer *, struct tbuf_target *);
void	tbuf_globals_put(const struct tbuf_script *,
	    const struct tbuf_code_variable *, unsigned char *to);

/*
 * tbuf_globals_has() returns true if a target's variables can be accessed;
 * tbuf_globals_sole() returns the only such target, NULL if there are several.
 */
bool	tbuf_globals_has(const struct tbuf_consumer *,
	    const struct tbuf_target *);
struct tbuf_target *tbuf_globals_sole(const struct tbuf_consumer *);

/*
 * Elements of arrays (shared_arrays.c).  pull and push access the elements in
 * targets with the key, variable and size of an element here.  keep: copies all
 * elements of a target that is about to be freed.
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
