/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -F: the depth of calls at which a record is shown.
 */
#ifndef TBUFCTL_PRINT_FLOW_INDENT_H
#define TBUFCTL_PRINT_FLOW_INDENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf_consumer.h>

/* Effect of a probe on the depth, by its name. */
enum flow_kind {
	FLOW_NONE,
	FLOW_ENTRY,		/* entry, or something-entry */
	FLOW_RETURN		/* return, or something-return */
};

/* Entries without a return so far, of each thread. */
struct flow {
	struct flow_thread *slots;	/* a hash table; to be freed */
	size_t nslots;			/* 0, or a power of two */
	size_t used;
};

/* Where a record is shown. */
struct flow_place {
	enum flow_kind kind;	/* FLOW_NONE if the depth does not change */
	unsigned depth;
	bool timed;		/* a return with a known entry */
	uint64_t took;		/* ns since that entry */
};

enum flow_kind flow_kind(const char *name);

/*
 * Accounts for a record of a probe of this kind.  Its place has FLOW_NONE if
 * another enabling of the same probe already changed the depth.
 */
struct flow_place flow_step(struct flow *, const struct tbuf_record *,
	    enum flow_kind kind);

/* Forgets the entries of a process, or of all. */
void	flow_forget(struct flow *, pid_t);
void	flow_forget_all(struct flow *);

#endif
