/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The probes that are known while a script is compiled: those of tbufctl
 * itself, and of the targets that are there.
 */
#ifndef TBUFCTL_SCRIPT_PROBE_LOOKUP_H
#define TBUFCTL_SCRIPT_PROBE_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf_consumer.h>

#include "tbufd.h"
#include "debuginfo/types.h"

/* BEGIN, END and ERROR; their ids are 1 to 3. */
#define KNOWN_FIXED	3

struct known {
	struct tbuf_consumer *consumer;
	bool look;		/* at all targets, if need be */
	bool all;		/* no target was named */
	bool files;		/* they may be dead, and their pids others' */
	bool listed;
	const struct tbuf_probe_info **probes;
	size_t count;
	struct types types;	/* of the targets that are known */
	struct sites sites;	/* of a command that does not run yet */
	bool read;		/* they have been looked for */
};

/* Find all targets, if none was named, and their probes. */
void	known_list(struct known *);
/*
 * Visit the probes that tbufctl fires itself and a description matches, and
 * count them.  A timer has the id 0.
 */
unsigned known_own_list(const struct d_description *, void (*visit)(void *,
	    const char *provider, const char *name, unsigned id), void *);
/* The same of the timers that lists show unasked. */
unsigned known_usual_list(const struct d_description *, void (*visit)(void *,
	    const char *provider, const char *name, unsigned id), void *);
/* Probes that tbufctl fires itself: how many a description matches. */
unsigned known_own(const struct d_description *);
/* Those and the targets'. */
unsigned known_count(struct known *, const struct d_description *);
bool	known_matches(const struct d_description *,
	    const struct tbuf_probe_info *);
/* The same by now, if there was none. */
unsigned known_count_again(struct known *, const struct d_description *);
/* What an argument of theirs is, by its name or number. */
enum d_class known_argument(struct known *, const struct d_description *,
	    const char *name, uint64_t number);
/* Of an argument that may be any: what it is where files have the probe. */
enum d_class known_likely(struct known *, const struct d_description *,
	    const char *name, uint64_t number);
/* Visit the names of the arguments of those probes. */
void	known_names(struct known *, const struct d_description *,
	    void (*visit)(void *, const char *name), void *);
/* The type that its program declares it of, by types_read(); 0: unknown. */
uint64_t known_argument_type(struct known *, const struct d_description *,
	    const char *name, uint64_t number);
bool	known_by_id(struct known *, uint64_t id, struct d_description *);
void	known_free(struct known *);

#endif
