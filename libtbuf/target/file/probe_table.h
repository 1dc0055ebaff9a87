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

/* Provider and module, which many probes that register in a row share. */
struct tbuf_group {
	const char *provider, *module;
	size_t provider_size, module_size;	/* with the NULs */
	uint32_t hash;			/* of both */
	uint32_t provider_at, module_at; /* in the heap, or 0 */
};

/* A probe to register. */
struct tbuf_candidate {
	struct tbuf_names names;
	struct tbuf_group *group;	/* of its provider and module; NULL: not
					 * known */
	unsigned nargs;
	const uint8_t *types;
	const char *argnames;	/* nargs strings, one after the other */
	size_t argnames_size;	/* with the NULs */
	uint32_t selection;	/* or 0 */
	uint16_t code;		/* or 0 */
	uint32_t alias;		/* as in the table */
};

/*
 * The table's lock: held, with signals blocked, while probes are added or
 * searched; tbuf_sites_unregister() blocks none, but a handler meanwhile does
 * not wait for the lock.  A forked child releases it if a thread of its parent
 * held it.
 */
void	tbuf_table_lock(void) TBUF_HIDDEN;
void	tbuf_table_unlock(void) TBUF_HIDDEN;
bool	tbuf_table_locked(void) TBUF_HIDDEN;

/*
 * Adds a site of a probe, which is added if it is new.  Returns the probe's
 * index, or -ENOSPC.
 */
int	tbuf_table_add(const struct tbuf_candidate *) TBUF_HIDDEN;
/*
 * Adds all probes of a series, if there are no others.  Returns 0, -EEXIST or
 * -ENOSPC.
 */
struct tbuf_series;
int	tbuf_table_series(const struct tbuf_series *) TBUF_HIDDEN;
/* Makes room for this many more probes at once. */
void	tbuf_table_expect(uint32_t more) TBUF_HIDDEN;
/* Makes a group; all candidates may use it while the lock is held. */
void	tbuf_table_group(struct tbuf_group *, const char *provider,
	    const char *module) TBUF_HIDDEN;
/*
 * Removes a site.  Returns its probe's selection and stores its code, to
 * register it again.
 */
uint32_t tbuf_table_remove(uint32_t index, uint16_t *code) TBUF_HIDDEN;

/*
 * Returns how many probes have these names, with any types (function NULL: any
 * function), and the index of the first.
 */
unsigned tbuf_table_find(const struct tbuf_names *, uint32_t *index)
	    TBUF_HIDDEN;

/* Returns the number of probes. */
uint32_t tbuf_table_count(void) TBUF_HIDDEN;

/*
 * tbuf_table_extent() returns the bytes in use of each table, in whole parts
 * that are backed at once; tbuf_table_claim() stores the counts in a new file's
 * header.
 */
struct tbuf_extent {
	uint32_t enable, probes, strings;
};
void	tbuf_table_extent(struct tbuf_extent *) TBUF_HIDDEN;
void	tbuf_table_claim(struct tbuf_control *) TBUF_HIDDEN;
/*
 * Stores a text with its NUL in the heap, of which most is for probes.  Returns
 * its offset, or 0.
 */
uint32_t tbuf_table_text(const struct tbuf_view *, const char *text,
	    uint32_t size) TBUF_HIDDEN;
/* Returns the bytes of the heap in use. */
uint32_t tbuf_table_texts(void) TBUF_HIDDEN;
/* Stores the text of the program's mappings in the heap, if there is room. */
void	tbuf_table_leave(const struct tbuf_view *, const char *text,
	    uint32_t size) TBUF_HIDDEN;

#endif
