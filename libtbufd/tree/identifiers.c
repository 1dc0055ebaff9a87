/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "compiler.h"
#include "identifiers.h"
#include "stability_levels.h"
#include "tree.h"

void
d_table_init(struct table *table)
{
	*table = (struct table){ 0 };
	table->last = &table->first;
}

struct identifier *
d_table_find(const struct table *table, const char *name)
{
	return ((struct identifier *)d_names_find(table->names, name));
}

struct identifier *
d_identifier_make(struct d_compiler *c, const char *name,
    enum identifier_kind kind, unsigned flags)
{
	struct identifier *one = d_allocate(c, sizeof(*one));

	one->name = name;
	one->kind = kind;
	one->flags = flags;
	one->line = c->line;
	one->generation = c->generation;
	one->stability = d_stable;
	return (one);
}

void
d_table_insert(struct table *table, struct identifier *one)
{
	one->number = table->count++;
	one->entry = (struct d_name){ .text = one->name };
	d_names_add(&table->names, &one->entry, d_name_hash(one->name));
	*table->last = one;
	table->last = &one->next;
}

struct identifier *
d_table_add(struct d_compiler *c, struct table *table, const char *name,
    enum identifier_kind kind, unsigned flags)
{
	struct identifier *one = d_identifier_make(c, name, kind, flags);

	d_table_insert(table, one);
	return (one);
}

struct identifier *
d_global_find(const struct d_compiler *c, const char *name)
{
	const struct table *table;
	struct identifier *one;

	for (table = c->inner; table != NULL; table = table->outer)
		if ((one = d_table_find(table, name)) != NULL)
			return (one);
	return (d_table_find(&c->globals, name));
}

bool
d_identifier_is_new(const struct d_compiler *c, const struct identifier *one)
{
	return (one->generation == c->generation && (one->flags &
	    (IDENTIFIER_READ | IDENTIFIER_WRITTEN | IDENTIFIER_DECLARED)) == 0);
}

struct identifier *
d_identifier_resolve(struct identifier *one)
{
	while ((one->flags & IDENTIFIER_INLINE) != 0 && one->body != NULL &&
	    one->body->identifier != NULL)
		one = one->body->identifier;
	return (one);
}

const char *
d_identifier_kind_name(enum identifier_kind kind)
{
	static const char *const names[] = {
		[IDENTIFIER_SCALAR] = "scalar",
		[IDENTIFIER_ARRAY] = "associative array",
		[IDENTIFIER_POINTER] = "pointer",
		[IDENTIFIER_FUNCTION] = "function",
		[IDENTIFIER_AGGREGATING] = "aggregating function",
		[IDENTIFIER_ACTION] = "tracing function",
		[IDENTIFIER_AGGREGATION] = "aggregation",
		[IDENTIFIER_ENUMERATOR] = "enumerator",
		[IDENTIFIER_TRANSLATED] = "translated data",
		[IDENTIFIER_TRANSLATED_POINTER] =
		    "pointer to translated data",
	};

	return (names[kind]);
}
