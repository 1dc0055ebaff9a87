/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Addresses of programs, in words.
 */
#include <inttypes.h>
#include <string.h>

#include "address.h"
#include "options.h"

static int indent = ADDRESS_INDENT;

void
address_begin(const struct options *o)
{

	if (o->d.stackindent > 0)
		indent = o->d.stackindent;
}

/* ------------------------------------------------------------ what it is */

static const char *
asked(const struct datum *d)
{

	return (d->shape != NULL && d->shape->name != NULL ?
	    d->shape->name : "");
}

/* With the image before them. */
static bool
is_program_stack(const struct datum *d)
{

	return (d->kind == DATUM_BYTES && strcmp(asked(d), "ustack") == 0);
}

bool
address_is_stack(const struct datum *d)
{

	return (is_program_stack(d) || (d->kind == DATUM_BYTES &&
	    strcmp(asked(d), "stack") == 0));
}

static bool
is_program_symbol(const struct datum *d)
{
	static const char *const names[] = {
		"usym", "ufunc", "umod", "uaddr"
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(asked(d), names[i]) == 0)
			return (d->kind == DATUM_BYTES && d->length == 16);
	return (false);
}

bool
address_is_symbol(const struct datum *d)
{

	return (is_program_symbol(d) || (d->kind == DATUM_INTEGER &&
	    strcmp(asked(d), "_symaddr") == 0));
}

/* ------------------------------------------------------------ stacks */

void
address_put_stack(struct output *out, const struct datum *d)
{
	size_t at = is_program_stack(d) ? 8 : 0;
	uint64_t pc;

	output_printf(out, "\n");
	for (; at + 8 <= d->length; at += 8) {
		pc = datum_load(d->data + at, 8, false);
		if (pc == 0)
			return;
		output_printf(out, "%*s0x%" PRIx64 "\n", indent, "", pc);
	}
}

/* ------------------------------------------------------------ symbols */

void
address_put_symbol(struct output *out, const struct datum *d)
{
	uint64_t address = d->number;

	if (d->kind == DATUM_BYTES)
		address = d->length < 16 ? 0 :
		    datum_load(d->data + 8, 8, false);
	output_printf(out, "0x%" PRIx64, address);
}
