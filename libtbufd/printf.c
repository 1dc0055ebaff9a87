/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Formats: parsed, and checked against their arguments.
 */
#include <string.h>

#include "builtins.h"
#include "check.h"
#include "printf.h"
#include "tree/errors.h"

static const char address[] = "pointer or integer";
static const char user_address[] =
    "pointer or integer (with -p/-c) or _usymaddr (without -p/-c)";
static const char character[] = "char, short, or int";
static const char integer[] = "char, short, int, long, or long long";
static const char floating[] = "float, double, or long double";
static const char string[] = "char [] or string (or use stringof)";
static const char wide_string[] = "wchar_t []";

static const struct conversion conversions[] = {
	{ "a", address, ACCEPTS_KERNEL_ADDRESS },
	{ "A", user_address, ACCEPTS_USER_ADDRESS },
	{ "c", character, ACCEPTS_CHARACTER },
	{ "C", character, ACCEPTS_CHARACTER },
	{ "d", integer, ACCEPTS_INTEGER },
	{ "e", floating, ACCEPTS_FLOAT },
	{ "E", floating, ACCEPTS_FLOAT },
	{ "f", floating, ACCEPTS_FLOAT },
	{ "g", floating, ACCEPTS_FLOAT },
	{ "G", floating, ACCEPTS_FLOAT },
	{ "hd", "short", ACCEPTS_TYPE },
	{ "hi", "short", ACCEPTS_TYPE },
	{ "ho", "unsigned short", ACCEPTS_TYPE },
	{ "hu", "unsigned short", ACCEPTS_TYPE },
	{ "hx", "short", ACCEPTS_SHORT },
	{ "hX", "short", ACCEPTS_SHORT },
	{ "i", integer, ACCEPTS_INTEGER },
	{ "k", "stack", ACCEPTS_STACK },
	{ "lc", "int", ACCEPTS_TYPE },
	{ "ld", "long", ACCEPTS_TYPE },
	{ "li", "long", ACCEPTS_TYPE },
	{ "lo", "unsigned long", ACCEPTS_TYPE },
	{ "lu", "unsigned long", ACCEPTS_TYPE },
	{ "ls", wide_string, ACCEPTS_WIDE_STRING },
	{ "lx", "long", ACCEPTS_LONG },
	{ "lX", "long", ACCEPTS_LONG },
	{ "lld", "long long", ACCEPTS_TYPE },
	{ "lli", "long long", ACCEPTS_TYPE },
	{ "llo", "unsigned long long", ACCEPTS_TYPE },
	{ "llu", "unsigned long long", ACCEPTS_TYPE },
	{ "llx", "long long", ACCEPTS_LONG_LONG },
	{ "llX", "long long", ACCEPTS_LONG_LONG },
	{ "Le", "long double", ACCEPTS_TYPE },
	{ "LE", "long double", ACCEPTS_TYPE },
	{ "Lf", "long double", ACCEPTS_TYPE },
	{ "Lg", "long double", ACCEPTS_TYPE },
	{ "LG", "long double", ACCEPTS_TYPE },
	{ "o", integer, ACCEPTS_INTEGER },
	{ "p", address, ACCEPTS_ADDRESS },
	{ "s", string, ACCEPTS_STRING },
	{ "S", string, ACCEPTS_STRING },
	{ "T", "int64_t", ACCEPTS_TIME },
	{ "u", integer, ACCEPTS_INTEGER },
	{ "wc", "int", ACCEPTS_TYPE },
	{ "ws", wide_string, ACCEPTS_WIDE_STRING },
	{ "x", integer, ACCEPTS_INTEGER },
	{ "X", integer, ACCEPTS_INTEGER },
	{ "Y", "int64_t", ACCEPTS_TIME },
	{ "%", "void", ACCEPTS_NOTHING },
};

/* --- parsing -------------------------------------------------------------- */

static const char *
read_number(const char *p, unsigned *value)
{
	for (*value = 0; *p >= '0' && *p <= '9'; p++)
		if (*value < 100000)
			*value = *value * 10 + (unsigned)(*p - '0');
	return (p);
}

static void
read_star(struct d_compiler *c, struct format_piece *piece, bool precision)
{
	unsigned flag = precision ? FORMAT_DYNAMIC_PRECISION :
	    FORMAT_DYNAMIC_WIDTH;

	if ((piece->flags & flag) != 0)
		d_fail(c, D_SYNTAX, "format conversion #%u has more than one "
		    "'*' specified for the output %s", piece->number,
		    precision ? "precision" : "width");
	piece->flags |= flag;
}

static bool
read_flag(struct format_piece *piece, char flag)
{
	static const char names[] = "#+- '@?";
	static const unsigned flags[] = {
		FORMAT_ALTERNATE, FORMAT_PLUS, FORMAT_LEFT, FORMAT_SPACE,
		FORMAT_GROUP, FORMAT_AGGREGATION, 0,
	};
	const char *known = flag == '\0' ? NULL : strchr(names, flag);

	if (known == NULL)
		return (false);
	piece->flags |= flags[known - names];
	if (flag == '-')
		piece->flags &= ~(unsigned)FORMAT_ZERO;
	if (flag == '?')
		piece->width = 16;
	return (true);
}

static void
read_point(struct d_compiler *c, struct format_piece *piece)
{
	if ((piece->flags & FORMAT_PRECISION) != 0)
		d_fail(c, D_SYNTAX, "format conversion #%u has more than one "
		    "'.' specified", piece->number);
	piece->flags |= FORMAT_PRECISION;
}

/* Reads flags, width and precision, in any order. */
static const char *
read_modifiers(struct d_compiler *c, struct format_piece *piece,
    const char *p)
{
	bool precision, digits = false;

	for (;; ) {
		precision = (piece->flags & FORMAT_PRECISION) != 0;
		if (*p == '0' && !precision && !digits) {
			piece->flags |= FORMAT_ZERO;
			piece->flags &= ~(unsigned)FORMAT_LEFT;
			p++;
		} else if (*p >= '0' && *p <= '9') {
			p = read_number(p, precision ? &piece->precision :
			    &piece->width);
			digits = true;
		} else if (*p == '*') {
			read_star(c, piece, precision);
			p++;
		} else if (*p == '.') {
			read_point(c, piece);
			digits = false;
			p++;
		} else if (read_flag(piece, *p))
			p++;
		else
			return (p);
	}
}

static const struct conversion *
find_conversion(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof(conversions) / sizeof(conversions[0]); i++)
		if (strlen(conversions[i].name) == length &&
		    strncmp(conversions[i].name, name, length) == 0)
			return (&conversions[i]);
	return (NULL);
}

/* Reads a conversion; start is after the %.  Returns the place after it. */
static const char *
read_conversion(struct d_compiler *c, struct format_piece *piece,
    const char *start)
{
	const char *p = read_modifiers(c, piece, start);
	size_t length = strspn(p, "hlLw");

	if (p[length] == '$')
		d_fail(c, D_SYNTAX, "format conversion #%u uses unsupported "
		    "positional format (%%n$)", piece->number);
	if (p[length] == '\0')
		d_fail(c, D_SYNTAX, "format conversion #%u name expected "
		    "before end of format string", piece->number);
	if (p[length] == '%' && p + length != start)
		d_fail(c, D_SYNTAX, "format conversion #%u cannot be "
		    "combined with other format flags: %%%%", piece->number);
	length++;
	piece->conversion = find_conversion(p, length);
	if (piece->conversion == NULL)
		d_fail(c, D_SYNTAX, "format conversion #%u is undefined: "
		    "%%%.*s", piece->number, (int)length, p);
	return (p + length);
}

struct format_piece *
d_format_read(struct d_compiler *c, const char *format)
{
	struct format_piece *first = NULL, **last = &first, *piece;
	unsigned number = 0;
	size_t length;

	while (*format != '\0') {
		piece = *last = d_allocate(c, sizeof(*piece));
		last = &piece->next;
		length = strcspn(format, "%");
		piece->prefix = format;
		piece->prefix_length = length;
		piece->number = ++number;
		format += length;
		if (*format == '%')
			format = read_conversion(c, piece, format + 1);
	}
	return (first);
}

/* --- checking ------------------------------------------------------------- */

/* The remaining arguments, and their names for messages. */
struct arguments {
	const char *function;
	const struct d_node *next;
	unsigned number;
	const struct d_node *value;	/* for %@: the aggregation's */
};

static bool
is_integer_of(const struct type *type, uint64_t least, uint64_t most)
{
	uint64_t size = d_type_size(type);

	return (d_type_is_integer(type) && size >= least && size <= most);
}

static bool
is_array_of(const struct type *type, bool (*is)(const struct type *))
{
	type = d_type_resolve(type);
	return (type->kind == TYPE_ARRAY && is(d_type_resolve(type->of)));
}

static bool
is_wide(const struct type *type)
{
	return (type->kind == TYPE_INTEGER && type->bits == 32);
}

/* True if a type is `name`: "long", "signed long", "unsigned long". */
static bool
is_named(const struct type *type, const char *name)
{
	const char *is = d_type_resolve(type)->name;

	if (is == NULL || d_type_resolve(type)->kind != TYPE_INTEGER)
		return (false);
	if (strncmp(is, "signed ", 7) == 0)
		is += 7;
	else if (strncmp(is, "unsigned ", 9) == 0)
		is += 9;
	return (strcmp(is, name) == 0);
}

static bool
is_long_long(const struct type *type)
{
	if (is_named(type, "long long"))
		return (true);
	for (; type->kind == TYPE_TYPEDEF; type = type->of)
		if (type->name != NULL && (strcmp(type->name, "int64_t") == 0 ||
		    strcmp(type->name, "uint64_t") == 0))
			return (true);
	return (false);
}

static bool
is_string(struct d_compiler *c, const struct d_node *node)
{
	return (d_node_is_string(c, node) ||
	    (d_type_resolve(node->type)->kind == TYPE_ARRAY &&
	    d_type_is_char_string(node->type)));
}

static bool
accepts(struct d_compiler *c, const struct conversion *conversion,
    const struct d_node *node)
{
	const struct type *type = node->type;
	bool address = d_node_is_pointer(c, node) || d_type_is_integer(type);

	switch (conversion->accepts) {
	case ACCEPTS_ADDRESS:
		return (address);
	case ACCEPTS_KERNEL_ADDRESS:
		return (address || type == c->types.type_symaddr);
	case ACCEPTS_USER_ADDRESS:
		return (address || type == c->types.type_usymaddr);
	case ACCEPTS_STACK:
		return (type == c->types.type_stack);
	case ACCEPTS_TIME:
		return (is_integer_of(type, 8, 8));
	case ACCEPTS_STRING:
		return (is_string(c, node));
	case ACCEPTS_WIDE_STRING:
		return (is_array_of(type, is_wide));
	case ACCEPTS_CHARACTER:
		return (is_integer_of(type, 1, 4));
	case ACCEPTS_FLOAT:
		return (d_type_is_float(type));
	case ACCEPTS_INTEGER:
		return (d_type_is_integer(type));
	case ACCEPTS_SHORT:
		return (is_named(type, "short"));
	case ACCEPTS_LONG:
		return (is_named(type, "long"));
	case ACCEPTS_LONG_LONG:
		return (is_long_long(type));
	case ACCEPTS_TYPE:
		return (d_type_compatible(type,
		    d_type_find(c, conversion->prototype)));
	default:
		return (true);
	}
}

/* Checks the argument of a *. */
static void
check_dynamic(struct d_compiler *c, const struct format_piece *piece,
    const char *star, struct arguments *arguments)
{
	const struct d_node *node = arguments->next;
	const char *name = piece->conversion->name;

	if (node == NULL)
		d_fail(c, D_PRINTF_DYN_PROTO, "%s( ) prototype mismatch: "
		    "conversion #%u (%%%s) is missing a corresponding "
		    "\"%s\" argument", arguments->function, piece->number,
		    name, star);
	if (!d_type_is_integer(node->type))
		d_fail(c, D_PRINTF_DYN_TYPE, "%s( ) argument #%u is "
		    "incompatible with conversion #%u prototype:\n"
		    "\tconversion: %% %s %s\n\t prototype: int\n"
		    "\t  argument: %s", arguments->function,
		    arguments->number, piece->number, star, name,
		    d_node_type_name(c, node));
	arguments->next = node->next;
	arguments->number++;
}

static const struct d_node *
take_value(struct d_compiler *c, const struct format_piece *piece,
    struct arguments *arguments, const char **what)
{
	const struct d_node *node = arguments->next;

	if ((piece->flags & FORMAT_AGGREGATION) != 0) {
		if (arguments->value == NULL)
			d_fail(c, D_PRINTF_AGG_CONV, "%%@ conversion "
			    "requires an aggregation and is not for use with "
			    "%s( )", arguments->function);
		*what = "aggregating action";
		return (arguments->value);
	}
	if (node == NULL)
		d_fail(c, D_PRINTF_ARG_PROTO, "%s( ) prototype mismatch: "
		    "conversion #%u (%%%s) is missing a corresponding value "
		    "argument", arguments->function, piece->number,
		    piece->conversion->name);
	*what = d_format(c, "argument #%u", arguments->number);
	arguments->next = node->next;
	arguments->number++;
	return (node);
}

static void
check_piece(struct d_compiler *c, const struct format_piece *piece,
    struct arguments *arguments)
{
	const struct conversion *conversion = piece->conversion;
	const struct d_node *value;
	const char *what;

	if (conversion == NULL || conversion->accepts == ACCEPTS_NOTHING)
		return;
	if ((piece->flags & FORMAT_DYNAMIC_WIDTH) != 0)
		check_dynamic(c, piece, "*", arguments);
	if ((piece->flags & FORMAT_DYNAMIC_PRECISION) != 0)
		check_dynamic(c, piece, ".*", arguments);
	value = take_value(c, piece, arguments, &what);
	if (!accepts(c, conversion, value))
		d_fail(c, D_PRINTF_ARG_TYPE, "%s( ) %s is incompatible with "
		    "conversion #%u prototype:\n\tconversion: %%%s\n"
		    "\t prototype: %s\n\t  argument: %s", arguments->function,
		    what, piece->number, conversion->name,
		    conversion->prototype, d_node_type_name(c, value));
}

static void
check_pieces(struct d_compiler *c, const char *format,
    struct arguments *arguments)
{
	const struct format_piece *piece = d_format_read(c, format);

	if (piece == NULL)
		d_fail(c, D_PRINTF_FMT_EMPTY, "%s( ) format string is empty",
		    arguments->function);
	for (; piece != NULL; piece = piece->next)
		check_piece(c, piece, arguments);
}

void
d_check_format(struct d_compiler *c, const struct d_node *call,
    const char *format, const struct d_node *list)
{
	struct arguments arguments = {
		.function = call->identifier->name, .next = list, .number = 2
	};

	check_pieces(c, format, &arguments);
	if (arguments.next != NULL)
		d_fail(c, D_PRINTF_ARG_EXTRA, "%s( ) prototype mismatch: only "
		    "%u arguments required by this format string",
		    arguments.function, arguments.number - 2);
}

/* Checks a format of printa(); it may have fewer conversions than keys. */
void
d_check_aggregation_format(struct d_compiler *c, const struct d_node *call,
    const char *format, const struct identifier *aggregation)
{
	const struct signature *keys = aggregation->signature;
	struct arguments arguments = {
		.function = call->identifier->name, .number = 2
	};
	struct d_node *list = NULL, *key, value = { .kind = NODE_TYPE };
	unsigned i;

	for (i = 0; keys != NULL && i < keys->count; i++) {
		key = d_node_type(c, keys->types[i]);
		list = d_node_link(list, key);
	}
	value.type = aggregation->aggregating != NULL &&
	    aggregation->aggregating->id == BUILTIN_count ?
	    c->types.type_uint64 : c->types.type_int64;
	arguments.next = list;
	arguments.value = &value;
	c->line = call->line;
	check_pieces(c, format, &arguments);
}
