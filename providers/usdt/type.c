/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <string.h>

#include "type.h"

static const struct {
	const char *word;
	enum tbuf_type type;
} known[] = {
	{ "_Bool", TBUF_BOOL }, { "bool", TBUF_BOOL },
	{ "char", TBUF_CHAR }, { "double", TBUF_DOUBLE },
	{ "float", TBUF_FLOAT }, { "gid_t", TBUF_UINT32 },
	{ "int", TBUF_INT32 }, { "int16_t", TBUF_INT16 },
	{ "int32_t", TBUF_INT32 }, { "int64_t", TBUF_INT64 },
	{ "int8_t", TBUF_INT8 }, { "intptr_t", TBUF_INT64 },
	{ "mode_t", TBUF_UINT32 }, { "off_t", TBUF_INT64 },
	{ "pid_t", TBUF_INT32 }, { "ptrdiff_t", TBUF_INT64 },
	{ "size_t", TBUF_UINT64 }, { "ssize_t", TBUF_INT64 },
	{ "string", TBUF_STRING }, { "time_t", TBUF_INT64 },
	{ "uid_t", TBUF_UINT32 }, { "uint", TBUF_UINT32 },
	{ "uint16_t", TBUF_UINT16 }, { "uint32_t", TBUF_UINT32 },
	{ "uint64_t", TBUF_UINT64 }, { "uint8_t", TBUF_UINT8 },
	{ "uintptr_t", TBUF_UINT64 }, { "ulong", TBUF_UINT64 },
	{ "ushort", TBUF_UINT16 }, { "void", TBUF_NONE }
};

static bool
is(const char *word, size_t length, const char *what)
{
	return (strlen(what) == length && memcmp(word, what, length) == 0);
}

/* Takes a word that modifies the type.  Returns false if it is another one. */
static bool
modifier(struct usdt_type *t, const char *word, size_t length)
{
	if (is(word, length, "const") || is(word, length, "volatile"))
		return (true);
	if (is(word, length, "unsigned"))
		t->is_unsigned++;
	else if (is(word, length, "signed"))
		t->is_signed++;
	else if (is(word, length, "short"))
		t->shorts++;
	else if (is(word, length, "long"))
		t->longs++;
	else
		return (false);
	if (!t->complete)
		t->base = TBUF_INT32;
	t->complete = true;
	return (true);
}

bool
usdt_type_word(struct usdt_type *t, const char *word, size_t length)
{
	size_t i;

	if (modifier(t, word, length))
		return (true);
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (is(word, length, known[i].word)) {
			t->base = known[i].type;
			t->complete = true;
			t->is_void = is(word, length, "void");
			return (true);
		}
	return (false);
}

enum tbuf_type
usdt_type_of(const struct usdt_type *t)
{
	bool plain = t->is_unsigned + t->is_signed + t->longs == 0;

	if (t->pointers == 1 && t->base == TBUF_CHAR && plain)
		return (TBUF_STRING);
	if (t->pointers > 0)
		return (TBUF_POINTER);
	if (t->base == TBUF_CHAR && !plain)
		return (t->is_unsigned ? TBUF_UINT8 : TBUF_INT8);
	if (t->base == TBUF_DOUBLE && t->longs > 0)
		return (TBUF_NONE);
	if (t->base != TBUF_INT32)
		return (t->base);
	if (t->shorts > 0)
		return (t->is_unsigned ? TBUF_UINT16 : TBUF_INT16);
	if (t->longs > 0)
		return (t->is_unsigned ? TBUF_UINT64 : TBUF_INT64);
	return (t->is_unsigned ? TBUF_UINT32 : TBUF_INT32);
}
