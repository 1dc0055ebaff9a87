/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the actions of clauses do here: trace(), printf(), system() and the
 * others, in the order in which they were recorded.
 */
#ifndef TBUFCTL_PRINT_ACTION_H
#define TBUFCTL_PRINT_ACTION_H

#include <stdbool.h>

#include <tbuf_consumer.h>

#include "typed_value.h"
#include "base/output.h"

struct format;

/* The record of a clause: its row, or object, and what its actions do. */
void	action_record(struct format *, const struct tbuf_record *);

/* A fault in a clause, in DTrace's words. */
void	action_fault(struct format *, const struct tbuf_event *);
/* The same of one that is found here: `what` says what is wrong. */
void	action_failed(struct format *, const struct tbuf_record *,
	    const char *what);

/* DTRACEFLT_LIBRARY: a fault that is found while actions are done. */
#define FAULT_LIBRARY	12

/* "divide-by-zero"; and with it where it was. */
const char *fault_name(uint32_t fault);
void	fault_describe(char *text, size_t size, const struct tbuf_event *);

/* trace() of a value; `quiet` without columns. */
void	trace_put(struct output *, const struct datum *, bool quiet);
/* Sixteen bytes a line. */
void	trace_dump(struct output *, const void *, size_t);

/*
 * setopt(): what may be changed while tracing goes on.  NULL, or why it could
 * not be.
 */
const char *action_setopt(struct format *, const char *name,
	    const char *value);

#endif
