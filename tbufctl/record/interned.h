/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Interned texts of a recorded target.  Records have their numbers, and stay as
 * they are: the metadata map the numbers to texts.
 */
#ifndef TBUFCTL_RECORD_INTERNED_H
#define TBUFCTL_RECORD_INTERNED_H

#include <stdbool.h>
#include <stdint.h>

#include <tbuf_consumer.h>

struct interned_text {
	uint32_t number;
	char *text;
};

struct interned {
	struct interned_fields **fields;	/* by EPID, or NULL: its records
						   have no interned texts */
	unsigned nfields;
	bool any;			/* of these are not NULL */
	struct interned_text *texts;	/* by number */
	unsigned ntexts;
};

/* Adds the fields of the records with an EPID. */
void	interned_fields(struct interned *, unsigned epid,
	    const struct tbuf_record_field *, int count);

/*
 * Adds the texts that a packet's records refer to.  Returns true if there are
 * new ones.
 */
bool	interned_add(struct interned *, struct tbuf_consumer *,
	    const struct tbuf_packet *);

void	interned_free(struct interned *);

#endif
