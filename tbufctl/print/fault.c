/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Describes faults in clauses, in DTrace's words.
 */
#include <inttypes.h>
#include <stdio.h>

#include "action.h"

/* Texts of faults, indexed by DTRACEFLT_*. */
static const struct {
	const char *name;
	const char *detail;	/* format of its address, or NULL */
} faults[] = {
	{ "unknown fault", NULL },
	{ "invalid address", " (0x%" PRIx64 ")" },
	{ "invalid alignment", " (0x%" PRIx64 ")" },
	{ "illegal operation", NULL },
	{ "divide-by-zero", NULL },
	{ "out of scratch space", NULL },
	{ "invalid kernel access", NULL },
	{ "invalid user access", NULL },
	{ "tuple stack overflow", NULL },
	{ "bad stack", " (0x%" PRIx64 ")" },
	{ "invalid size", " (%" PRId64 ")" },
	{ "index out of bounds", " (%" PRId64 ")" },
	{ "library-level fault", NULL }
};

#define NFAULTS	(sizeof(faults) / sizeof(faults[0]))

const char *
fault_name(uint32_t fault)
{

	return (faults[fault < NFAULTS ? fault : 0].name);
}

void
fault_describe(char *text, size_t size, const struct tbuf_event *e)
{
	uint32_t fault = e->fault < NFAULTS ? e->fault : 0;
	char detail[40] = "", where[32] = "predicate";

	if (faults[fault].detail != NULL)
		(void)snprintf(detail, sizeof(detail), faults[fault].detail,
		    e->address);
	if (e->action != 0)
		(void)snprintf(where, sizeof(where), "action #%" PRIu32,
		    e->action);
	(void)snprintf(text, size, "%s%s in %s at DIF offset %" PRIu32,
	    faults[fault].name, detail, where, e->offset);
}
