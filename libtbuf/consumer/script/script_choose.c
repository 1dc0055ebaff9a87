/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The choice of a clause's program for a probe, as targets make it
 * (shared/program_select.h).
 */
#include <string.h>

#include "consumer/decode/probe_ids.h"
#include "consumer/script/script.h"
#include "shared/program_select.h"

static int
argument_find(const struct tbuf_probe_info *info, const char *name)
{
	unsigned i;

	for (i = 0; i < info->nargs; i++)
		if (strcmp(info->argnames[i], name) == 0)
			return ((int)i);
	return (-1);
}

/* Binds a clause's names to arguments; false: an argument is missing. */
static bool
bind(const struct tbuf_d_clause *clause, const struct tbuf_probe_info *info,
    uint64_t *binding, uint8_t classes[TBUF_D_NAMES_MAX])
{
	uint32_t i;
	int n;

	*binding = UINT64_MAX;
	for (i = 0; i < clause->nnames && i < TBUF_D_NAMES_MAX; i++) {
		if ((n = argument_find(info, clause->names[i])) < 0)
			return (false);
		*binding &= ~(UINT64_C(15) << 4 * i);
		*binding |= (uint64_t)n << 4 * i;
		classes[i] = tbuf_class_of(info->types[n]);
	}
	return (true);
}

const struct tbuf_d_program *
tbuf_script_choose(const struct tbuf_d_clause *clause,
    const struct tbuf_probe_info *info, uint64_t *binding)
{
	uint8_t classes[TBUF_D_NAMES_MAX] = { 0 };
	const struct tbuf_d_program *p = clause->programs;
	const struct tbuf_d_program *end = p + clause->nprograms;
	uint32_t i;

	if (!bind(clause, info, binding, classes))
		return (NULL);
	for (; p < end; p++) {
		for (i = 0; i < clause->nnames; i++)
			if ((p->classes[i] & classes[i]) == 0)
				break;
		if (i == clause->nnames)
			return (p);
	}
	return (NULL);
}

/* Returns true if one of the clause's descriptions matches the probe. */
static bool
matches(const struct tbuf_d_clause *clause, const struct tbuf_probe_info *info)
{
	uint32_t i;

	for (i = 0; i < clause->ndescriptions; i++)
		if (tbuf_probe_matches(info, clause->descriptions[i]))
			return (true);
	return (false);
}

int
tbuf_script_fits(const struct tbuf_script *s,
    const struct tbuf_probe_info *info, int (*visit)(void *, unsigned,
    const struct tbuf_probe_info *, bool), void *arg)
{
	const struct tbuf_d_clause *clause = s->source->clauses;
	uint64_t binding;
	uint32_t i;
	int result = 0;

	for (i = 0; i < s->source->nclauses && result == 0; i++, clause++)
		if (clause->nprograms != 0 && matches(clause, info))
			result = visit(arg, i, info, tbuf_script_choose(
			    clause, info, &binding) != NULL);
	return (result);
}
