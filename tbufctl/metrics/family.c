/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdlib.h>
#include <string.h>

#include "base/write_number.h"
#include "family.h"

const struct scale scale_one = { .decimal = true };
const struct scale scale_nano = { .decimal = true, .exponent = -9 };

/* ------------------------------------------------------------ families */

void
family_init(struct family *family, const char *name, const char *type,
    const char *help)
{
	*family = (struct family){ .name = name, .type = type, .help = help };
	output_memory(&family->samples);
}

void
family_free(struct family *family)
{
	free(family->samples.buffer);
}

static void
put_text(struct output *out, const char *text, size_t size)
{
	output_taken(out, put_bytes(output_room(out, size), text, size));
}

void
family_sample(struct family *family, const char *suffix,
    const struct output *labels, const char *le, const char *value)
{
	struct output *out = &family->samples;

	output_printf(out, "%s%s", family->name, suffix);
	if (labels->used != 0 || le != NULL)
		output_printf(out, "{");
	put_text(out, labels->buffer, labels->used);
	if (le != NULL)
		output_printf(out, "%sle=\"%s\"", labels->used != 0 ? "," : "",
		    le);
	output_printf(out, "%s %s\n", labels->used != 0 || le != NULL ? "}" :
	    "", value);
}

void
family_count(struct family *family, const char *suffix,
    const struct output *labels, uint64_t value)
{
	char text[OUTPUT_NUMBER];

	*put_unsigned(text, value) = '\0';
	family_sample(family, suffix, labels, NULL, text);
}

void
family_put(struct output *out, struct family *family)
{
	output_printf(out, "# HELP %s %s\n# TYPE %s %s\n", family->name,
	    family->help, family->name, family->type);
	put_text(out, family->samples.buffer, family->samples.used);
	family->samples.used = 0;
}

/* ------------------------------------------------------------ labels */

/* Appends a byte that a label cannot have, as \xNN with its own backslash. */
static char *
put_byte(char *p, unsigned char byte)
{
	return (put_hex(put_literal(p, "\\\\x"), &byte, 1));
}

#define BYTE_MOST	8	/* bytes that one byte becomes, and room */

static char *
put_escaped(char *p, const unsigned char *s, size_t size)
{
	unsigned n;

	for (; size > 0; s += n, size -= n) {
		n = 1;
		if (*s == '\\' || *s == '"') {
			*p++ = '\\';
			*p++ = (char)*s;
		} else if (*s == '\n')
			p = put_literal(p, "\\n");
		else if (*s >= ' ' && *s < 0x7f)
			*p++ = (char)*s;
		else if (*s < 0x80 || (n = utf8_sequence(s, size)) == 0) {
			p = put_byte(p, *s);
			n = 1;
		} else
			p = put_bytes(p, s, n);
	}
	return (p);
}

void
label_put(struct output *labels, const char *name, const void *value,
    size_t size)
{
	char *p;

	output_printf(labels, "%s%s=\"", labels->used != 0 ? "," : "", name);
	p = output_room(labels, BYTE_MOST * size + 1);
	p = put_escaped(p, value, size);
	*p++ = '"';
	output_taken(labels, p);
}

void
label_text(struct output *labels, const char *name, const char *value)
{
	label_put(labels, name, value, strlen(value));
}

void
label_number(struct output *labels, const char *name, int64_t value)
{
	char text[OUTPUT_NUMBER], *end = put_signed(text, value);

	label_put(labels, name, text, (size_t)(end - text));
}

/* ------------------------------------------------------------ numbers */

/* Moves the decimal point of an integer to the left; no zeroes end it. */
static char *
put_fraction(char *p, const char *digits, int length, int places)
{
	int i;

	while (length > 1 && places > 0 && digits[length - 1] == '0') {
		length--;
		places--;
	}
	if (length <= places)
		p = put_literal(p, "0");
	for (i = 0; i < length - places; i++)
		*p++ = digits[i];
	if (places > 0)
		*p++ = '.';
	for (; places > length; places--)
		*p++ = '0';
	return (put_bytes(p, digits + length - places, (size_t)places));
}

static char *
put_scaled(char *p, uint64_t value, const struct scale *scale)
{
	char digits[OUTPUT_NUMBER];
	int length = (int)(put_unsigned(digits, value) - digits), i;

	if (!scale->decimal)
		return (put_double(p, (double)value * scale->factor));
	if (value == 0)
		return (put_literal(p, "0"));
	if (scale->exponent < 0)
		return (put_fraction(p, digits, length, -scale->exponent));
	p = put_bytes(p, digits, (size_t)length);
	for (i = 0; i < scale->exponent; i++)
		*p++ = '0';
	return (p);
}

const char *
scaled_unsigned(char text[SCALED_MAX], uint64_t value,
    const struct scale *scale)
{
	*put_scaled(text, value, scale) = '\0';
	return (text);
}

const char *
scaled_signed(char text[SCALED_MAX], int64_t value, const struct scale *scale)
{
	char *p = text;

	if (value < 0)
		*p++ = '-';
	*put_scaled(p, value < 0 ? 0 - (uint64_t)value : (uint64_t)value,
	    scale) = '\0';
	return (text);
}
