/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Actions of clauses: trace(), printf(), system() and the others, performed in
 * the order in which they were recorded.
 */
#ifndef TBUFCTL_PRINT_ACTION_H
#define TBUFCTL_PRINT_ACTION_H

#include <stdbool.h>

#include <tbuf_consumer.h>

#include "base/output.h"
#include "typed_value.h"

struct format;

/* Prints a clause's record as a row or an object, and performs its actions. */
void	action_record(struct format *, const struct tbuf_record *);

/* Reports a fault in a clause, in DTrace's words. */
void	action_fault(struct format *, const struct tbuf_event *);
/* Reports a fault that an action has found here. */
void	action_failed(struct format *, const struct tbuf_record *,
	    const char *description);

/* DTRACEFLT_LIBRARY: a fault that is found while an action is performed. */
#define FAULT_LIBRARY	12

/*
 * fault_name() returns a name such as "divide-by-zero", fault_describe() writes
 * it with the place of the fault.
 */
const char *fault_name(uint32_t fault);
void	fault_describe(char *text, size_t size, const struct tbuf_event *);

/* Prints a value as trace() does; `quiet` leaves the columns out. */
void	trace_put(struct output *, const struct datum *, bool quiet);
/* Dumps bytes, sixteen on a line. */
void	trace_dump(struct output *, const void *, size_t);

/*
 * Sets an option for setopt(), while tracing goes on.  Returns NULL, or why it
 * could not be set.
 */
const char *action_setopt(struct format *, const char *name,
	    const char *value);

#endif
