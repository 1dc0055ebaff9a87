/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of probes in the control file.
 */
#ifndef TBUF_TARGET_FILE_PROBE_TABLE_H
#define TBUF_TARGET_FILE_PROBE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/file_view.h"
#include "target/target.h"

/* Provider and module, which many that register one by one have in common. */
struct tbuf_group {
	const char *provider, *module;
	size_t provider_size, module_size;	/* NULs included */
	uint32_t hash;			/* of both */
	uint32_t provider_at, module_at; /* in the heap, or 0 */
};

/* A probe as it registers. */
struct tbuf_candidate {
	struct tbuf_names names;
	struct tbuf_group *group;	/* theirs, or NULL: not known */
	unsigned nargs;
	const uint8_t *types;
	const char *argnames;	/* nargs strings, one after the other */
	size_t argnames_size;	/* bytes, NULs included */
	uint32_t selection;	/* or 0 */
};

/*
 * Whoever adds to the table or looks into it has its lock, with no handler in
 * between.  A forked child takes it off a thread that it has not.
 */
void	tbuf_table_lock(void) TBUF_HIDDEN;
void	tbuf_table_unlock(void) TBUF_HIDDEN;
bool	tbuf_table_locked(void) TBUF_HIDDEN;

/*
 * The table's index of a probe, which is added if it is not there, or
 * -ENOSPC.  One more site stands there.
 */
int	tbuf_table_add(const struct tbuf_candidate *) TBUF_HIDDEN;
/* For all candidates that come while the lock is held. */
void	tbuf_table_group(struct tbuf_group *, const char *provider,
	    const char *module) TBUF_HIDDEN;
/* Its selection: that of a site that may register again. */
uint32_t tbuf_table_remove(uint32_t index) TBUF_HIDDEN;

/*
 * How many probes have these names, whatever their types (function NULL: any
 * function), and the first one's index.
 */
unsigned tbuf_table_find(const struct tbuf_names *, uint32_t *index)
	    TBUF_HIDDEN;

/* How many probes there are. */
uint32_t tbuf_table_count(void) TBUF_HIDDEN;

/*
 * How many bytes of the tables are in use, in whole steps of backing; and how
 * many probes there are, into a new file's header.
 */
struct tbuf_extent {
	uint32_t enable, probes, strings;
};
void	tbuf_table_extent(struct tbuf_extent *) TBUF_HIDDEN;
void	tbuf_table_claim(struct tbuf_control *) TBUF_HIDDEN;
/* Leave what is mapped in the heap, if there is room. */
void	tbuf_table_leave(const struct tbuf_view *, const char *text,
	    uint32_t size) TBUF_HIDDEN;

#endif
