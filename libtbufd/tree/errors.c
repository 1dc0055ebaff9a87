/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler.h"
#include "errors.h"
#include "tree.h"

static const char *const tags[] = {
#define X(tag)	"D_" #tag,
	D_TAGS(X)
#undef X
	""
};

/* Fills the error: with a line in a script, a region in a command line. */
static void
fill(struct d_compiler *c, enum d_tag tag, int line, const char *format,
    va_list arguments)
{
	struct d_error *error = c->error;
	const char *file = c->file;

	if (file == NULL && c->source->is_library)
		file = c->source->name;
	error->tag = tags[tag];
	error->region = tag == D_UNTAGGED ? NULL : c->region;
	error->line = c->source->is_script && tag != D_UNTAGGED ? line : 0;
	snprintf(error->file, sizeof(error->file), "%s",
	    file == NULL ? "" : file);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	error->unknown = c->unknown;
	snprintf(error->name, sizeof(error->name), "%s",
	    c->unknown == D_UNKNOWN_NONE || c->unknown_name == NULL ? "" :
	    c->unknown_name);
	error->description = c->description;
	c->unknown = D_UNKNOWN_NONE;
}

void
d_unknown(struct d_compiler *c, enum d_unknown what, const char *name)
{
	c->unknown = what;
	c->unknown_name = name;
}

void
d_fail(struct d_compiler *c, enum d_tag tag, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(c, tag, c->line, format, arguments);
	va_end(arguments);
	longjmp(*c->escape, 1);
}

void
d_fail_at(struct d_compiler *c, const struct d_node *node, enum d_tag tag,
    const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(c, tag, node->line, format, arguments);
	va_end(arguments);
	longjmp(*c->escape, 1);
}

void
d_error_print(const struct d_error *error, bool with_tag, FILE *out)
{
	if (with_tag && error->tag[0] != '\0')
		fprintf(out, "[%s] ", error->tag);
	if (error->file[0] != '\0')
		fprintf(out, "\"%s\", line %d: ", error->file, error->line);
	else if (error->line != 0)
		fprintf(out, "line %d: ", error->line);
	else if (error->region != NULL)
		fprintf(out, "in %s: ", error->region);
	fprintf(out, "%s", error->text);
}
