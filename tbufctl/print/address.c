/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints addresses of programs as names.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "debuginfo/symbolize.h"
#include "options/command_line.h"

/* default of -x stackindent */
#define INDENT	14

static int indent = INDENT;
static bool unnamed;		/* -x noresolve */
static struct tbuf_consumer *consumer;
static pid_t target;

/*
 * Returns the address that represents all addresses with the same name
 * (tbuf_consumer_name()): the lowest one of the module, or of the function.
 */
static uint64_t
named_alike(void *arg, const char *word, uint64_t image, uint64_t address)
{
	struct symbol s;

	if (address == 0 || !symbol_find(arg, image, address, &s))
		return (address);
	if (strcmp(word, "umod") == 0)
		return (s.start);
	return (s.function != NULL ? address - s.offset : address);
}

void
address_indent(int blanks)
{
	indent = blanks > 0 ? blanks : INDENT;
}

void
address_begin(const struct options *o, struct tbuf_consumer *c, pid_t of)
{
	address_indent((int)o->d.stackindent);
	unnamed = o->d.unnamed;
	consumer = c;
	target = of;
	tbuf_consumer_name(c, named_alike, c);
}

void
address_end(void)
{
	symbol_free();
	consumer = NULL;
}

/* ------------------------------------------------------------ kinds */

static const char *
shape_name(const struct datum *d)
{
	return (d->shape != NULL && d->shape->name != NULL ?
	    d->shape->name : "");
}

/* Returns true for a value of ustack(), which begins with its image. */
static bool
is_program_stack(const struct datum *d)
{
	return (d->kind == DATUM_BYTES && strcmp(shape_name(d), "ustack") == 0);
}

bool
address_is_stack(const struct datum *d)
{
	return (is_program_stack(d) || (d->kind == DATUM_BYTES &&
	    strcmp(shape_name(d), "stack") == 0));
}

static bool
is_program_symbol(const struct datum *d)
{
	static const char *const names[] = {
		"usym", "ufunc", "umod", "uaddr"
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(shape_name(d), names[i]) == 0)
			return (d->kind == DATUM_BYTES && d->length == 16);
	return (false);
}

bool
address_is_symbol(const struct datum *d)
{
	return (is_program_symbol(d) || (d->kind == DATUM_INTEGER &&
	    strcmp(shape_name(d), "_symaddr") == 0));
}

/* ------------------------------------------------------------ names */

/* Parts of a name to print; the word in the shape's name selects them. */
enum form {
	FORM_MODULE,
	FORM_FUNCTION,		/* module`function */
	FORM_OFFSET		/* module`function+0x1f */
};

/*
 * Prints the name of an address.  The address of a caller is the one after its
 * call, and the call may be the last instruction of its function: so the
 * address before is looked up.
 */
static void
put_name(struct output *out, uint64_t image, uint64_t address, bool caller,
    enum form form)
{
	uint64_t offset;
	struct symbol s;

	if (address == 0 ||
	    !symbol_find(consumer, image, address - caller, &s)) {
		output_printf(out, "0x%" PRIx64, address);
		return;
	}
	output_printf(out, "%s", s.module);
	if (form == FORM_MODULE)
		return;
	if (unnamed) {
		output_printf(out, ":0x%" PRIx64, s.place + caller);
		return;
	}
	offset = s.offset + caller;
	if (s.function == NULL)
		output_printf(out, "`0x%" PRIx64, address);
	else if (form == FORM_FUNCTION || offset == 0)
		output_printf(out, "`%s", s.function);
	else
		output_printf(out, "`%s+0x%" PRIx64, s.function, offset);
}

/* ------------------------------------------------------------ stacks */

bool
address_put_frame(struct output *out, const struct datum *d, unsigned n,
    bool offset)
{
	bool program = is_program_stack(d), exact;
	size_t at = 8 * ((size_t)n + program);
	uint64_t pc = 0;

	if (at + 8 <= d->length)
		pc = datum_load(d->data + at, 8, false);
	exact = program && (pc & TBUF_FRAME_EXACT) != 0;
	pc &= exact ? ~TBUF_FRAME_EXACT : UINT64_MAX;
	if (pc == 0)
		return (false);
	if (program)
		put_name(out, datum_load(d->data, 8, false), pc, !exact,
		    offset ? FORM_OFFSET : FORM_FUNCTION);
	else
		output_printf(out, "0x%" PRIx64, pc);
	return (true);
}

void
address_put_stack(struct output *out, const struct datum *d)
{
	struct output line;
	unsigned n;

	output_memory(&line);
	output_printf(out, "\n");
	for (n = 0; !out->cut && address_put_frame(&line, d, n, true); n++) {
		output_printf(out, "%*s%.*s\n", indent, "", (int)line.used,
		    line.buffer);
		line.used = 0;
	}
	free(line.buffer);
}

/* ------------------------------------------------------------ symbols */

static enum form
form_of(const char *word)
{
	return (strcmp(word, "umod") == 0 ? FORM_MODULE :
	    strcmp(word, "uaddr") == 0 ? FORM_OFFSET : FORM_FUNCTION);
}

void
address_put_symbol(struct output *out, const struct datum *d)
{
	if (!is_program_symbol(d))
		output_printf(out, "0x%" PRIx64, d->number);
	else
		put_name(out, datum_load(d->data, 8, false),
		    datum_load(d->data + 8, 8, false), false,
		    form_of(shape_name(d)));
}

void
address_put_target(struct output *out, const struct datum *d)
{
	if (d->kind != DATUM_INTEGER || target == 0 || address_is_symbol(d))
		address_put_symbol(out, d);
	else
		put_name(out, (uint64_t)target, d->number, false, FORM_OFFSET);
}
