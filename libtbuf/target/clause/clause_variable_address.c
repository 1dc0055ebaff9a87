/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Places of variables.
 */
#include "target/clause/clause.h"

/* Finds a variable's place.  Returns false if the codes do not have it. */
bool
tbuf_variable_place(const struct tbuf_run *run, enum tbuf_scope scope,
    uint32_t id, struct tbuf_code_variable *place)
{
	/*
	 * offset of the number of a scope's variables, and then that of their
	 * places
	 */
	static const uint8_t tables[TBUF_SCOPES] = {
		[TBUF_SCOPE_GLOBAL] = offsetof(struct tbuf_codes, nglobals),
		[TBUF_SCOPE_CLAUSE] = offsetof(struct tbuf_codes, nlocals),
		[TBUF_SCOPE_THREAD] = offsetof(struct tbuf_codes, nthreads),
		[TBUF_SCOPE_ARRAY] = offsetof(struct tbuf_codes, narrays),
		[TBUF_SCOPE_THREAD_ARRAY] =
		    offsetof(struct tbuf_codes, nthread_arrays)
	};
	const struct tbuf_part *codes = &run->fire->slot->codes;
	const struct tbuf_code_variable *v;
	const struct tbuf_codes *head;
	const uint32_t *table;
	uint32_t at, n;

	head = tbuf_run_part(run, codes, 0, sizeof(*head));
	if (head == NULL || scope >= TBUF_SCOPES)
		return (false);
	table = (const uint32_t *)(const void *)
	    ((const char *)head + tables[scope]);
	n = tbuf_load(&table[0]);
	at = tbuf_load(&table[1]);
	v = tbuf_run_part(run, codes, at + id * (uint64_t)sizeof(*v),
	    sizeof(*v));
	if (id >= n || v == NULL || tbuf_load(&v->known) == 0)
		return (false);
	place->at = tbuf_load(&v->at);
	place->size = tbuf_load(&v->size);
	place->text = tbuf_load(&v->text);
	return (place->at % 8 == 0);
}
