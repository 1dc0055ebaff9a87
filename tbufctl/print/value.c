/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <math.h>
#include <string.h>

#include "value.h"

static char *
put_text(char *p, const char *text)
{
	return (put_bytes(p, text, strlen(text)));
}

static char *
put_escape(char *p, unsigned char c, const struct value_style *style)
{
	static const char letters[] = "\"\"\\\\\nn\tt\rr";
	const char *l;

	for (l = letters; *l != '\0'; l += 2)
		if (*l == (char)c) {
			*p++ = '\\';
			*p++ = l[1];
			return (p);
		}
	return (put_hex(put_text(p, style->byte), &c, 1));
}

/* Returns true for a UTF-8 sequence of U+0080 to U+009f: control characters. */
static bool
is_control_sequence(const unsigned char *s, unsigned n)
{
	return (n == 2 && s[0] == 0xc2 && s[1] < 0xa0);
}

/*
 * Writes a UTF-8 sequence of n bytes, or the escape of a control character, on
 * which a terminal would act: of the character, or of its bytes.
 */
static char *
put_sequence(char *p, const unsigned char *s, unsigned n,
    const struct value_style *style)
{
	if (!is_control_sequence(s, n))
		return (put_bytes(p, s, n));
	if (!style->controls)
		p = put_escape(p, *s, style);
	return (put_escape(p, s[1], style));
}

#define EACH(byte)	(UINT64_C(0x0101010101010101) * (byte))

/*
 * Returns true if eight bytes need no escapes and no further check.  Each sum
 * sets a byte's highest bit if the byte passes the test.  No sum carries into
 * the next byte as long as no byte has its highest bit set; the last term
 * rejects those.
 */
static inline bool
is_plain(uint64_t bytes)
{
	uint64_t good = (bytes + EACH(0x80 - ' ')) &
	    ((bytes ^ EACH('"')) + EACH(0x7f)) &
	    ((bytes ^ EACH('\\')) + EACH(0x7f)) &
	    ~(bytes | (bytes + EACH(0x80 - 0x7f)));

	return ((good & EACH(0x80)) == EACH(0x80));
}

/* Copies eight bytes.  Returns is_plain() of them. */
static inline bool
put_plain(char *p, const unsigned char *s)
{
	uint64_t bytes;

	memcpy(&bytes, s, sizeof(bytes));
	memcpy(p, &bytes, sizeof(bytes));
	return (is_plain(bytes));
}

/*
 * Copies bytes that need no escapes, eight at a time, and the rest of fewer
 * than eight if it needs none.  Moves *from past them.  Returns the end.
 */
static inline char *
put_plains(char *p, const unsigned char **from, const unsigned char *end)
{
	const unsigned char *s = *from;
	size_t rest;

	for (; end - s >= 8 && put_plain(p, s); s += 8)
		p += 8;
	/* The rest is checked together with the bytes before it. */
	rest = end - s;
	if (rest > 0 && rest < 8 && s - *from >= 8 &&
	    put_plain(p + rest - 8, end - 8)) {
		p += rest;
		s = end;
	}
	*from = s;
	return (p);
}

static __attribute__((noinline)) char *
put_others(char *p, const unsigned char *s, const unsigned char *end,
    const struct value_style *style)
{
	unsigned n;

	while (s < end) {
		if (*s >= ' ' && *s < 0x7f && *s != '"' && *s != '\\') {
			*p++ = *s++;
		} else if (*s >= 0x80 &&
		    (n = utf8_sequence(s, end - s)) > 0) {
			p = put_sequence(p, s, n, style);
			s += n;
		} else
			p = put_escape(p, *s++, style);
		p = put_plains(p, &s, end);
	}
	return (p);
}

char *
value_escape(char *p, const void *text, size_t size,
    const struct value_style *style)
{
	const unsigned char *s = text, *end = s + size;

	p = put_plains(p, &s, end);
	return (s == end ? p : put_others(p, s, end, style));
}

static char *
put_binary(char *p, const struct tbuf_value *v, const char *quote)
{
	p = put_literal(put_text(p, quote), "hex:");
	return (put_text(put_hex(p, v->data, v->size), quote));
}

/* 16 bytes: quotes or "hex:", NULL, the mark of a cut value. */
char *
value_put_data(struct output *out, char *p, const struct tbuf_value *v,
    const struct value_style *style, size_t after)
{
	p = output_more(out, p, (size_t)v->size * VALUE_ESCAPED + 16 + after);
	if (v->null)
		return (put_text(p, style->null));
	if (v->type == TBUF_BINARY)
		p = put_binary(p, v, style->quote);
	else {
		*p++ = '"';
		p = value_escape(p, v->data, v->size, style);
		*p++ = '"';
	}
	return (v->cut ? put_text(p, style->cut) : p);
}

static char *
put_floating(char *p, const struct tbuf_value *v,
    const struct value_style *style)
{
	if (style->finite && !isfinite(v->d))
		return (put_text(p, style->null));
	return (v->type == TBUF_FLOAT ? put_float(p, v->d) :
	    put_double(p, v->d));
}

char *
value_put_other(char *p, const struct tbuf_value *v,
    const struct value_style *style)
{
	switch (v->type) {
	case TBUF_CHAR:
		return ((char)-1 < 0 ? put_signed(p, v->i) :
		    put_unsigned(p, v->u));
	case TBUF_BOOL:
		return (v->u ? put_literal(p, "true") :
		    put_literal(p, "false"));
	case TBUF_FLOAT:
	case TBUF_DOUBLE:
		return (put_floating(p, v, style));
	case TBUF_POINTER:
		p = put_pointer(put_text(p, style->quote), v->u);
		return (put_text(p, style->quote));
	default:
		return (put_unsigned(p, v->u));
	}
}

void
value_typed(struct tbuf_value *v, const struct tbuf_d_piece *piece,
    const struct tbuf_value *from)
{
	struct datum d;

	*v = *from;
	datum_get(&d, piece, from);
	if (d.kind == DATUM_INTEGER) {
		v->type = d.is_signed ? TBUF_INT64 : TBUF_UINT64;
		v->u = d.number;
	} else if (d.kind == DATUM_FLOAT) {
		v->type = TBUF_DOUBLE;
		v->d = d.floating;
	} else if (d.kind == DATUM_TEXT)
		v->size = (uint32_t)datum_text_length(&d);
}
