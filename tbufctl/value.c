/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The values of arguments.
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

/* What may stand for itself: a terminal acts on C1 controls. */
static unsigned
printable_sequence(const unsigned char *s, size_t left,
    const struct value_style *style)
{
	unsigned n = utf8_sequence(s, left);

	if (n == 2 && s[0] == 0xc2 && s[1] < 0xa0 && !style->controls)
		return (0);
	return (n);
}

#define EACH(byte)	(UINT64_C(0x0101010101010101) * (byte))

/* Has one of eight bytes the value 0?  (Only bytes above one may err.) */
static uint64_t
has_zero(uint64_t bytes)
{

	return ((bytes - EACH(1)) & ~bytes & EACH(0x80));
}

/* Do all of eight bytes stand for themselves, without another look? */
static bool
is_plain(uint64_t bytes)
{

	return (((bytes | (bytes - EACH(' '))) & EACH(0x80)) == 0 &&
	    (has_zero(bytes ^ EACH('"')) | has_zero(bytes ^ EACH('\\')) |
	    has_zero(bytes ^ EACH(0x7f))) == 0);
}

char *
value_escape(char *p, const void *text, size_t size,
    const struct value_style *style)
{
	const unsigned char *s = text, *end = s + size;
	uint64_t bytes;
	unsigned n;

	while (s < end) {
		if (end - s >= (ptrdiff_t)sizeof(bytes)) {
			memcpy(&bytes, s, sizeof(bytes));
			if (is_plain(bytes)) {
				p = put_bytes(p, s, sizeof(bytes));
				s += sizeof(bytes);
				continue;
			}
		}
		if (*s >= ' ' && *s < 0x7f && *s != '"' && *s != '\\') {
			*p++ = *s++;
		} else if (*s >= 0x80 &&
		    (n = printable_sequence(s, end - s, style)) > 0) {
			p = put_bytes(p, s, n);
			s += n;
		} else
			p = put_escape(p, *s++, style);
	}
	return (p);
}

static char *
put_binary(char *p, const struct tbuf_value *v, bool quoted)
{

	if (quoted)
		*p++ = '"';
	p = put_hex(put_literal(p, "hex:"), v->data, v->size);
	if (quoted)
		*p++ = '"';
	return (p);
}

/* Room for the value, and what may come with it. */
static char *
put_data(struct output *out, char *p, const struct tbuf_value *v,
    const struct value_style *style, size_t after)
{

	p = output_more(out, p, (size_t)v->size * VALUE_ESCAPED + 16 + after);
	if (v->null)
		return (put_text(p, style->null));
	if (v->type == TBUF_BINARY)
		p = put_binary(p, v, style->quoted);
	else {
		*p++ = '"';
		p = value_escape(p, v->data, v->size, style);
		*p++ = '"';
	}
	return (v->cut ? put_text(p, style->cut) : p);
}

static char *
put_address(char *p, uint64_t value, bool quoted)
{

	if (quoted)
		*p++ = '"';
	p = put_pointer(p, value);
	if (quoted)
		*p++ = '"';
	return (p);
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
value_put_other(struct output *out, char *p, const struct tbuf_value *v,
    const struct value_style *style, size_t after)
{

	switch (v->type) {
	case TBUF_STRING:
	case TBUF_STRING_SIZED:
	case TBUF_BINARY:
		return (put_data(out, p, v, style, after));
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
		return (put_address(p, v->u, style->quoted));
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
