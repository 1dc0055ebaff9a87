/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <string.h>

#include "operand.h"
#include "probe.h"

/* Characters that a field of a probe's name does not have. */
#define NOT_IN_A_FIELD	":, \t\n\v\f\r"

static enum tbuf_type
type_of(const struct usdt_operand *o)
{
	if (o->is_float)
		return (o->width == 4 ? TBUF_FLOAT : TBUF_DOUBLE);
	switch (o->width) {
	case 1:
		return (o->is_signed ? TBUF_INT8 : TBUF_UINT8);
	case 2:
		return (o->is_signed ? TBUF_INT16 : TBUF_UINT16);
	case 4:
		return (o->is_signed ? TBUF_INT32 : TBUF_UINT32);
	default:
		return (o->is_signed ? TBUF_INT64 : TBUF_UINT64);
	}
}

/* Finds the types of the operands; one that is not understood has some type. */
static unsigned
types_of(const char *text, enum tbuf_type types[TBUF_ARGS_MAX],
    unsigned *cut)
{
	unsigned n = usdt_operands_count(text), i;
	struct usdt_operand o;

	*cut = n > TBUF_ARGS_MAX ? n - TBUF_ARGS_MAX : 0;
	n -= *cut;
	text += strspn(text, " \t");
	for (i = 0; i < n; i++) {
		types[i] = TBUF_UINT64;
		if (usdt_operand_parse(&text, &o))
			types[i] = type_of(&o);
		else
			text = usdt_operand_skip(text);
	}
	return (n);
}

bool
usdt_probe_make(struct usdt_probe *p, const struct usdt_note *note)
{
	memset(p, 0, sizeof(*p));
	if (*note->provider == '\0' || *note->name == '\0' ||
	    strlen(note->provider) >= sizeof(p->provider) ||
	    strlen(note->name) >= sizeof(p->note_name) ||
	    strpbrk(note->provider, NOT_IN_A_FIELD) != NULL ||
	    strpbrk(note->name, NOT_IN_A_FIELD) != NULL)
		return (false);
	strcpy(p->provider, note->provider);
	strcpy(p->note_name, note->name);
	(void)usdt_note_name(note->name, p->name, sizeof(p->name));
	p->nargs = types_of(note->operands, p->types, &p->cut);
	return (true);
}

bool
usdt_probe_has(const struct usdt_probe *p, const struct usdt_note *note)
{
	return (strcmp(p->note_name, note->name) == 0 &&
	    strcmp(p->provider, note->provider) == 0);
}

/* Returns the width of a type in bytes. */
static unsigned
width_of(enum tbuf_type type)
{
	if (type >= TBUF_INT8 && type <= TBUF_INT64)
		return (1u << (type - TBUF_INT8));
	if (type >= TBUF_UINT8 && type <= TBUF_UINT64)
		return (1u << (type - TBUF_UINT8));
	return (type == TBUF_FLOAT ? 4 : 8);
}

void
usdt_probe_add(struct usdt_probe *p, const struct usdt_note *note)
{
	enum tbuf_type types[TBUF_ARGS_MAX];
	unsigned cut, n = types_of(note->operands, types, &cut), i;

	if (n < p->nargs)
		p->nargs = n;
	for (i = 0; i < p->nargs; i++)
		if (width_of(types[i]) > width_of(p->types[i]))
			p->types[i] = types[i];
}

/* Returns the type; a text is a pointer if its length is not passed. */
static enum tbuf_type
type_here(const struct usdt_probe *p, const struct usdt_argument *a)
{
	return (a->length > p->nargs ? TBUF_POINTER : a->type);
}

/* Returns true if a value of this width is wide enough for a pointer type. */
static bool
fits(enum tbuf_type type, unsigned width)
{
	if (type == TBUF_FLOAT)
		return (width == 4);
	return ((type != TBUF_STRING && type != TBUF_POINTER &&
	    type != TBUF_DOUBLE) || width == 8);
}

void
usdt_probe_describe(struct usdt_probe *p, const struct usdt_description *d)
{
	enum tbuf_type type;
	unsigned i;

	if (strcmp(p->provider, d->provider) != 0 ||
	    strcmp(p->note_name, d->name) != 0)
		return;
	for (i = 0; i < p->nargs && i < d->nargs; i++) {
		type = type_here(p, &d->args[i]);
		if (type != TBUF_NONE && fits(type, width_of(p->types[i])))
			p->types[i] = type;
		p->lengths[i] = type == TBUF_STRING ?
		    (uint8_t)d->args[i].length : 0;
		strcpy(p->names[i], d->args[i].name);
	}
}
