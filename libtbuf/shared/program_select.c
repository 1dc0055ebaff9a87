/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The choice of a clause's program for a probe (program_select.h).
 */
#include "base/optimize_size.h"

#include <string.h>

#include "arch/atomics.h"
#include "shared/program_select.h"
#include "tbuf.h"

static const uint8_t classes[] = {
	[TBUF_INT8] = TBUF_CLASSES_INTEGER,
	[TBUF_INT16] = TBUF_CLASSES_INTEGER,
	[TBUF_INT32] = TBUF_CLASSES_INTEGER,
	[TBUF_INT64] = TBUF_CLASSES_INTEGER,
	[TBUF_UINT8] = TBUF_CLASSES_INTEGER,
	[TBUF_UINT16] = TBUF_CLASSES_INTEGER,
	[TBUF_UINT32] = TBUF_CLASSES_INTEGER,
	[TBUF_UINT64] = TBUF_CLASSES_UNSIGNED,
	[TBUF_CHAR] = TBUF_CLASSES_INTEGER,
	[TBUF_BOOL] = TBUF_CLASSES_INTEGER,
	[TBUF_FLOAT] = TBUF_CLASSES_FLOAT,
	[TBUF_DOUBLE] = TBUF_CLASSES_FLOAT,
	[TBUF_POINTER] = TBUF_CLASSES_UNSIGNED,
	[TBUF_STRING] = TBUF_CLASSES_TEXT,
	[TBUF_STRING_SIZED] = TBUF_CLASSES_TEXT,
	[TBUF_BINARY] = TBUF_CLASSES_TEXT,
	[TBUF_STRING_INTERNED] = TBUF_CLASSES_TEXT
};

uint8_t
tbuf_class_of(unsigned type)
{
	return (type < sizeof(classes) / sizeof(classes[0]) ?
	    classes[type] : 0);
}

/* The session's codes, with bounds that have been checked. */
struct codes {
	const struct tbuf_view *view;
	uint64_t at, size;
};

static bool
codes_find(const struct tbuf_view *view, const struct tbuf_slot *slot,
    struct codes *codes)
{
	codes->view = view;
	codes->at = tbuf_load(&slot->codes.at);
	codes->size = tbuf_load(&slot->codes.size);
	return (codes->at >= view->tables.areas && codes->at % 8 == 0 &&
	    codes->at <= view->size && codes->size <= view->size - codes->at);
}

/* Copies bytes at an offset of the codes; returns false if out of bounds. */
static bool
codes_read(const struct codes *codes, uint64_t offset, void *to, size_t size)
{
	if (offset > codes->size || size > codes->size - offset)
		return (false);
	memcpy(to, codes->view->base + codes->at + offset, size);
	return (true);
}

/*
 * Copies a name of the codes, with its NUL.  Returns its bytes, or 0 if it does
 * not end within the codes or is longer than an argument's name can be.
 */
static size_t
codes_name(const struct codes *codes, uint64_t offset,
    char name[TBUF_FIELD_SIZE])
{
	uint64_t room = offset < codes->size ? codes->size - offset : 0;
	const char *nul;

	if (room > TBUF_FIELD_SIZE)
		room = TBUF_FIELD_SIZE;
	if (room == 0)
		return (0);
	memcpy(name, codes->view->base + codes->at + offset, room);
	nul = memchr(name, '\0', room);
	return (nul == NULL ? 0 : (size_t)(nul - name) + 1);
}

/* Returns the index of the probe's argument with this name, or -1. */
static int
argument_find(const struct tbuf_view *view,
    const struct tbuf_probe_entry *entry, const char *name)
{
	unsigned nargs = tbuf_load(&entry->nargs), i;
	uint32_t at = tbuf_load(&entry->argnames);
	char text[TBUF_FIELD_SIZE];
	size_t size;

	for (i = 0; i < nargs && i < TBUF_NARGS; i++) {
		size = tbuf_view_text(view, at, text, sizeof(text));
		if (size == 0)
			return (-1);
		if (strcmp(text, name) == 0)
			return ((int)i);
		at += (uint32_t)size;
	}
	return (-1);
}

/* Finds the argument of each name, and its class. */
static bool
bind(const struct codes *codes, const struct tbuf_code *code,
    const struct tbuf_probe_entry *entry, uint64_t *binding,
    uint8_t bound[TBUF_NAMES_MAX])
{
	char name[TBUF_FIELD_SIZE];
	uint64_t at = code->names;
	size_t size;
	unsigned i;
	int argument;

	*binding = UINT64_MAX;
	for (i = 0; i < code->nnames && i < TBUF_NAMES_MAX; i++) {
		if ((size = codes_name(codes, at, name)) == 0)
			return (false);
		argument = argument_find(codes->view, entry, name);
		if (argument < 0)
			return (false);
		*binding &= ~(UINT64_C(15) << 4 * i);
		*binding |= (uint64_t)argument << 4 * i;
		bound[i] = tbuf_class_of(tbuf_load(&entry->types[argument]));
		at += size;
	}
	return (true);
}

static bool
is_for(const struct tbuf_code_program *program, const struct tbuf_code *code,
    const uint8_t bound[TBUF_NAMES_MAX])
{
	unsigned i;

	for (i = 0; i < code->nnames && i < TBUF_NAMES_MAX; i++)
		if ((program->classes[i] & bound[i]) == 0)
			return (false);
	return (true);
}

static bool
choose(const struct codes *codes, const struct tbuf_code *code,
    const uint8_t bound[TBUF_NAMES_MAX], uint32_t *chosen)
{
	struct tbuf_code_program program;
	unsigned i;

	for (i = 0; i < code->nprograms; i++) {
		if (!codes_read(codes, code->programs + i *
		    (uint64_t)sizeof(program), &program, sizeof(program)))
			return (false);
		if (is_for(&program, code, bound)) {
			*chosen = program.program;
			return (true);
		}
	}
	return (false);
}

bool
tbuf_clause_fit(const struct tbuf_view *view, const struct tbuf_slot *slot,
    unsigned enabling, uint32_t probe, struct tbuf_fit *fit)
{
	uint8_t bound[TBUF_NAMES_MAX] = { 0 };
	struct tbuf_codes head;
	struct tbuf_code code;
	struct codes codes;

	memset(fit, 0, sizeof(*fit));
	fit->count = 1;
	if (tbuf_load(&slot->clauses) == 0)
		return (true);
	if (!codes_find(view, slot, &codes) ||
	    !codes_read(&codes, 0, &head, sizeof(head)) ||
	    enabling >= head.nenablings ||
	    !codes_read(&codes, head.enablings + enabling *
	    (uint64_t)sizeof(code), &code, sizeof(code)))
		return (false);
	if (code.nprograms == 0)
		return (true);
	fit->nrecords = code.nrecords;
	fit->count = code.nrecords != 0 ? code.nrecords : 1;
	fit->texts = codes.at + code.texts;
	fit->any = code.nnames == 0;
	return (code.texts <= codes.size &&
	    code.nrecords * sizeof(uint32_t) <= codes.size - code.texts &&
	    bind(&codes, &code, tbuf_view_probe(view, probe), &fit->binding,
	    bound) && choose(&codes, &code, bound, &fit->program));
}

uint32_t
tbuf_fit_text(const struct tbuf_view *view, const struct tbuf_fit *fit,
    uint32_t record)
{
	uint32_t text;

	if (record >= fit->nrecords)
		return (0);
	memcpy(&text, view->base + fit->texts + record * sizeof(text),
	    sizeof(text));
	return (text);
}
