/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Integers, characters, strings.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "constant.h"
#include "errors.h"

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return (c - '0');
	c = (char)tolower((unsigned char)c);
	return (c >= 'a' && c <= 'z' ? c - 'a' + 10 : 36);
}

/* Reads up to `most` digits of a base.  Returns the place after them. */
static const char *
digits(const char *p, const char *end, int base, int most, unsigned *value)
{
	for (*value = 0; p < end && most > 0 && digit(*p) < base; p++, most--)
		*value = *value * (unsigned)base + (unsigned)digit(*p);
	return (p);
}

/* Replaces an escape after its backslash; an unknown one is not replaced. */
static const char *
escape(const char *p, const char *end, char **out)
{
	static const char letters[] = "abfnrtv\"\\";
	static const char values[] = "\a\b\f\n\r\t\v\"\\";
	const char *known;
	unsigned value;

	if (*p != '\0' && (known = strchr(letters, *p)) != NULL) {
		*(*out)++ = values[known - letters];
		return (p + 1);
	}
	if (digit(*p) < 8) {
		p = digits(p, end, 8, 3, &value);
		*(*out)++ = (char)value;
		return (p);
	}
	if (*p == 'x' && p + 1 < end && digit(p[1]) < 16) {
		p = digits(p + 1, end, 16, 2, &value);
		*(*out)++ = (char)value;
		return (p);
	}
	*(*out)++ = '\\';
	*(*out)++ = *p;
	return (p + 1);
}

char *
d_unescape(struct d_compiler *c, const char *text, size_t length,
    size_t *unescaped)
{
	const char *p = text, *end = text + length;
	char *copy = d_allocate(c, length + 1), *out = copy;

	while (p < end) {
		if (*p == '\\' && p + 1 < end)
			p = escape(p + 1, end, &out);
		else
			*out++ = *p++;
	}
	*out = '\0';
	if (unescaped != NULL)
		*unescaped = (size_t)(out - copy);
	return (copy);
}

static void
read_suffix(const char *suffix, struct literal *literal)
{
	for (; *suffix != '\0'; suffix++)
		if (*suffix == 'u' || *suffix == 'U')
			literal->is_unsigned = true;
		else
			literal->longs++;
}

void
d_read_integer(struct d_compiler *c, const char *text,
    struct literal *literal)
{
	bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
	char *end;

	*literal = (struct literal){ 0 };
	errno = 0;
	literal->value = binary ? strtoull(text + 2, &end, 2) :
	    strtoull(text, &end, 0);
	literal->decimal = text[0] != '0';
	if (errno == ERANGE)
		d_fail(c, D_INT_OFLOW,
		    "constant %s results in integer overflow", text);
	if (*end != '\0' && strchr("uUlL", *end) == NULL)
		d_fail(c, D_INT_DIGIT, "constant %s contains invalid digit %c",
		    text, *end);
	read_suffix(end, literal);
}

/* Reads a character constant; its first character is the highest byte. */
void
d_read_character(struct d_compiler *c, const char *text, size_t length,
    struct literal *literal)
{
	size_t count, i;
	char *bytes;

	*literal = (struct literal){ .decimal = true };
	if (length == 0)
		d_fail(c, D_CHR_NULL, "empty character constant");
	bytes = d_unescape(c, text, length, &count);
	if (count > sizeof(literal->value))
		d_fail(c, D_CHR_OFLOW, "character constant is too long");
	for (i = 0; i < count; i++)
		literal->value = literal->value << 8 |
		    (unsigned char)bytes[i];
}

static int
argument_number(struct d_compiler *c, const char *token, const char *number)
{
	long n = strtol(number, NULL, 10);

	if (n >= c->source->argc && !c->options->defaultargs)
		d_fail(c, D_MACRO_UNDEF, "macro argument %s is not defined",
		    token);
	if (n >= c->source->argc)
		return (-1);
	c->argument_used[n] = true;
	return ((int)n);
}

char *
d_argument_string(struct d_compiler *c, const char *token)
{
	int n = argument_number(c, token, token + 2);
	const char *text = n < 0 ? "" : c->source->argv[n];

	return (d_unescape(c, text, strlen(text), NULL));
}

/* True for a text that is no integer, with or without a sign, and no name. */
static bool
is_string(const char *text)
{
	char *end;
	size_t i;

	if (isdigit((unsigned char)*text) || *text == '-' || *text == '+') {
		errno = 0;
		strtoull(text, &end, 0);
		if (end == text)
			return (true);
		i = strspn(end, "uUlL");
		return (end[i] != '\0' || i > 3);
	}
	if (!isalpha((unsigned char)*text) && *text != '_' && *text != '`')
		return (true);
	for (i = 1; text[i] != '\0'; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' &&
		    text[i] != '`')
			return (true);
	return (false);
}

static void
argument_integer(struct d_compiler *c, const char *token, const char *text,
    struct literal *literal)
{
	char *end;

	*literal = (struct literal){ 0 };
	if (*text == '-' || *text == '+')
		literal->prefix = *text++;
	errno = 0;
	literal->value = strtoull(text, &end, 0);
	literal->decimal = *text != '0';
	if (errno == ERANGE)
		d_fail(c, D_MACRO_OFLOW, "macro argument %s constant %s "
		    "results in integer overflow", token, text);
	read_suffix(end, literal);
}

enum argument_kind
d_argument(struct d_compiler *c, const char *token, const char **text,
    struct literal *literal)
{
	int n = argument_number(c, token, token + 1);
	const char *value = n < 0 ? "0" : c->source->argv[n];
	size_t length = strlen(value);

	if (n == 0 || is_string(value)) {
		if (length > 1 && *value == '"' && value[length - 1] == '"') {
			value++;
			length -= 2;
		}
		*text = d_unescape(c, value, length, NULL);
		return (ARGUMENT_STRING);
	}
	*text = value;
	if (!isdigit((unsigned char)*value) && *value != '-' && *value != '+')
		return (ARGUMENT_NAME);
	argument_integer(c, token, value, literal);
	return (ARGUMENT_INTEGER);
}

static const struct d_macro *
find_macro(const struct d_compiler *c, const char *name)
{
	const struct d_macro *macro = c->options->macros;

	for (; macro != NULL && macro->name != NULL; macro++)
		if (strcmp(macro->name, name) == 0)
			return (macro);
	return (NULL);
}

int64_t
d_macro(struct d_compiler *c, const char *token, unsigned dollars)
{
	const struct d_macro *macro = find_macro(c, token + dollars);

	if (macro == NULL)
		d_fail(c, D_MACRO_UNDEF, "macro variable %s is not defined",
		    token);
	return (macro->value);
}

const char *
d_macro_text(struct d_compiler *c, const char *name)
{
	const struct d_macro *macro;
	size_t digits = strspn(name, "0123456789");
	long n;

	if (digits > 0 && name[digits] == '\0') {
		n = strtol(name, NULL, 10);
		if (n >= c->source->argc)
			return (c->options->defaultargs ? "" : NULL);
		c->argument_used[n] = true;
		return (c->source->argv[n]);
	}
	if ((macro = find_macro(c, name)) == NULL)
		return (NULL);
	return (d_format(c, "%jd", (intmax_t)macro->value));
}

void
d_arguments_used(struct d_compiler *c)
{
	int last = c->source->argc - 1;

	if (last >= 1 && !c->options->argref && !c->options->defaultargs &&
	    !c->argument_used[last])
		d_fail(c, D_MACRO_UNUSED, "extraneous argument '%s' ($%d is "
		    "not referenced)", c->source->argv[last], last);
}
