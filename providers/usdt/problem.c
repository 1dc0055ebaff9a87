/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reasons why a site cannot be armed that are known from its file.
 */
#include <string.h>

#include "operand.h"
#include "probe.h"

/* Returns true if an operand's width is none of an argument's. */
static bool
is_odd(const char *operand)
{
	const char *end = operand + strcspn(operand, " \t");
	int64_t n;

	if (!usdt_take_number(&operand, end, &n))
		return (false);
	operand += operand < end && *operand == 'f';
	return (operand < end && *operand == '@' && n != 1 && n != -1 &&
	    n != 2 && n != -2 && n != 4 && n != -4 && n != 8 && n != -8);
}

/* No stub saves a vector register: no function that it calls uses one. */
static const char *
why_not(const char *operand)
{
	const char *name = operand + strcspn(operand, " \t%");

	if (is_odd(operand))
		return ("an operand is not 1, 2, 4 or 8 bytes long");
	return (name[0] == '%' && name[1] != '\0' &&
	    strncmp(name + 2, "mm", 2) == 0 ?
	    "an operand is in a vector register" :
	    "an operand is not understood");
}

static const char *
operands_problem(const char *text)
{
	unsigned n = usdt_operands_count(text), i;
	struct usdt_operand o;

	text += strspn(text, " \t");
	for (i = 0; i < n && i < TBUF_ARGS_MAX; i++)
		if (!usdt_operand_parse(&text, &o))
			return (why_not(text));
	return (NULL);
}

static const char *
place_problem(const struct usdt_object *o, uint64_t at)
{
	unsigned i;

	for (i = 0; i < o->ntexts; i++)
		if (at - o->texts[i].start < o->texts[i].size)
			return (o->texts[i].size - (at - o->texts[i].start) >=
			    USDT_ROOM ? NULL :
			    "its segment ends before there is room for a jump");
	return ("it is not in an executable segment");
}

const char *
usdt_note_problem(const struct usdt_object *o, const struct usdt_note *note)
{
	struct usdt_probe probe;
	const char *problem;

	if (!usdt_probe_make(&probe, note))
		return ("its names are no fields of a description");
	if ((problem = place_problem(o, note->address)) != NULL)
		return (problem);
	return (operands_problem(note->operands));
}
