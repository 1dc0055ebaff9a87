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

void
d_unknown(struct d_compiler *c, enum d_unknown what, const char *name)
{
	c->unknown = what;
	c->unknown_name = name;
}

/* Fills the error: with a line in a long text, a region in a short one. */
void
d_fail_line(struct d_compiler *c, int line, enum d_tag tag,
    const char *format, ...)
{
	struct d_error *error = c->error;
	const char *file = c->file;
	va_list arguments;

	if (file == NULL && c->source->is_library)
		file = c->source->name;
	error->tag = tags[tag];
	error->region = tag == D_UNTAGGED ? NULL : c->region;
	error->line = c->source->has_lines && tag != D_UNTAGGED ? line : 0;
	snprintf(error->file, sizeof(error->file), "%s",
	    file == NULL ? "" : file);
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	error->unknown = c->unknown;
	snprintf(error->name, sizeof(error->name), "%s",
	    c->unknown == D_UNKNOWN_NONE || c->unknown_name == NULL ? "" :
	    c->unknown_name);
	error->description = c->description;
	c->unknown = D_UNKNOWN_NONE;
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
