/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The tree as text, for tests: one line for each node, indented by its depth.
 */
#include <stdio.h>

#include "compiler.h"
#include "tree.h"

static const char *
kind_name(enum node_kind kind)
{
	static const char *const names[] = {
		[NODE_INTEGER] = "integer", [NODE_STRING] = "string",
		[NODE_NAME] = "name", [NODE_VARIABLE] = "variable",
		[NODE_AGGREGATION] = "aggregation", [NODE_CALL] = "call",
		[NODE_TYPE] = "type", [NODE_UNARY] = "unary",
		[NODE_BINARY] = "binary", [NODE_CONDITIONAL] = "conditional",
		[NODE_EXPRESSION] = "expression", [NODE_ACTION] = "action",
		[NODE_IF] = "if", [NODE_DESCRIPTION] = "probe",
		[NODE_CLAUSE] = "clause", [NODE_INLINE] = "inline",
		[NODE_MEMBER] = "member", [NODE_TRANSLATOR] = "translator",
		[NODE_PROVIDER] = "provider", [NODE_PROBE] = "declare",
		[NODE_PROGRAM] = "program",
	};

	return (names[kind]);
}

static void
dump_text(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text != '\0'; text++)
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if (*text < ' ' || *text > '~')
			fprintf(out, "\\x%02x", (unsigned char)*text);
		else
			fputc(*text, out);
	fputc('"', out);
}

/* Prints a type without a compiler: the base type and its derivations. */
static void
dump_type(const struct type *type, FILE *out)
{
	static const char *const tags[] = {
		[TYPE_STRUCT] = "struct ", [TYPE_UNION] = "union ",
		[TYPE_ENUM] = "enum ",
	};
	enum type_kind tag;

	switch (type->kind) {
	case TYPE_POINTER:
		dump_type(type->of, out);
		fputs(" *", out);
		return;
	case TYPE_ARRAY:
		dump_type(type->of, out);
		fprintf(out, " [%ju]", (uintmax_t)type->count);
		return;
	case TYPE_FUNCTION:
		fputs("function", out);
		return;
	default:
		break;
	}
	tag = type->kind == TYPE_FORWARD ? type->tag : type->kind;
	fprintf(out, "%s%s", tag == TYPE_STRUCT || tag == TYPE_UNION ||
	    tag == TYPE_ENUM ? tags[tag] : "",
	    type->name == NULL ? "dynamic" : type->name);
	if ((type->flags & TYPE_BITFIELD) != 0)
		fprintf(out, " :%u", type->bits);
}

static void
dump_identifier(const struct identifier *one, FILE *out)
{
	fprintf(out, " %s%s%s", (one->flags & IDENTIFIER_LOCAL) != 0 ?
	    "this->" : (one->flags & IDENTIFIER_THREAD) != 0 ? "self->" : "",
	    one->kind == IDENTIFIER_AGGREGATION ? "@" : "", one->name);
}

static void
dump_line(const struct d_node *node, FILE *out)
{
	const struct d_description *d = node->description;

	fputs(kind_name(node->kind), out);
	if (node->kind == NODE_UNARY || node->kind == NODE_BINARY ||
	    node->kind == NODE_CONDITIONAL)
		fprintf(out, " %s", d_operator_text(node->op));
	if (node->kind == NODE_INTEGER)
		fprintf(out, " 0x%jx", (uintmax_t)node->value);
	if (node->identifier != NULL)
		dump_identifier(node->identifier, out);
	else if (node->text != NULL) {
		fputc(' ', out);
		dump_text(node->text, out);
	}
	if (d != NULL)
		fprintf(out, " %s:%s:%s:%s", d->field[0], d->field[1],
		    d->field[2], d->field[3]);
	if (node->type != NULL) {
		fputs(" <", out);
		dump_type(node->type, out);
		fputc('>', out);
	}
	fprintf(out, " line %d\n", node->line);
}

static void	dump_list(const struct d_node *list, unsigned depth,
		    const char *title, FILE *out);

static void
dump(const struct d_node *node, unsigned depth, FILE *out)
{
	fprintf(out, "%*s", (int)depth * 2, "");
	dump_line(node, out);
	depth++;
	dump_list(node->descriptions, depth, NULL, out);
	dump_list(node->condition, depth,
	    node->kind == NODE_CLAUSE ? "predicate" : NULL, out);
	dump_list(node->left, depth, NULL, out);
	dump_list(node->right, depth,
	    node->kind == NODE_IF ? "else" : NULL, out);
	dump_list(node->arguments, depth, NULL, out);
}

static void
dump_list(const struct d_node *list, unsigned depth, const char *title,
    FILE *out)
{
	if (list != NULL && title != NULL)
		fprintf(out, "%*s%s\n", (int)depth++ * 2, "", title);
	for (; list != NULL; list = list->next)
		dump(list, depth, out);
}

void
d_dump(const struct d_node *node, FILE *out)
{
	dump(node, 0, out);
}
