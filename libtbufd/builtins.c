/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <string.h>

#include "builtins.h"
#include "stability.h"
#include "tree/compiler.h"

struct builtin_name {
	const char *name;
	enum builtin id;
	enum identifier_kind kind;
	unsigned version;
	const char *prototype;
};

static const struct builtin_name names[] = {
#define X(name, major, minor, prototype)				\
	{ #name, BUILTIN_##name, IDENTIFIER_SCALAR,			\
	    D_VERSION(major, minor, 0), prototype },
	D_VARIABLES(X)
#undef X
#define X(name, major, minor, prototype)				\
	{ #name, BUILTIN_##name, IDENTIFIER_FUNCTION,			\
	    D_VERSION(major, minor, 0), prototype },
	D_FUNCTIONS(X)
#undef X
#define X(name, major, minor, prototype)				\
	{ #name, BUILTIN_##name, IDENTIFIER_AGGREGATING,		\
	    D_VERSION(major, minor, 0), prototype },
	D_AGGREGATING(X)
#undef X
#define X(name, major, minor, prototype)				\
	{ #name, BUILTIN_##name, IDENTIFIER_ACTION,			\
	    D_VERSION(major, minor, 0), prototype },
	D_ACTIONS(X)
#undef X
	{ "args", BUILTIN_args, IDENTIFIER_ARRAY, 0, NULL },
	{ "uregs", BUILTIN_uregs, IDENTIFIER_ARRAY, 0, "uint64_t" },
	{ "self", BUILTIN_self, IDENTIFIER_POINTER, 0, "void" },
	{ "this", BUILTIN_this, IDENTIFIER_POINTER, 0, "void" },
#define X(module, name, kind, prototype)				\
	{ #module "`" #name, BUILTIN_##module##_##name,			\
	    IDENTIFIER_##kind, 0, prototype },
	D_PROCESS(X)
#undef X
};

static const struct builtin_name called[] = {
#define X(name, major, minor, prototype)				\
	{ #name, BUILTIN_##name, IDENTIFIER_ACTION,			\
	    D_VERSION(major, minor, 0), prototype },
	D_CALLED(X)
#undef X
};

struct visiting {
	void (*visit)(void *, const char *name);
	void *arg;
};

static bool
visit_name(void *arg, const struct member *member, uint64_t offset)
{
	const struct visiting *visiting = arg;

	(void)offset;
	visiting->visit(visiting->arg, member->name);
	return (false);
}

/* Visits type names without tags, which follow struct, union and enum only. */
static void
type_names(const struct d_compiler *c, void (*visit)(void *, const char *name),
    void *arg)
{
	const struct type *one;

	for (one = c->types.first; one != NULL; one = one->next)
		if (one->kind == TYPE_TYPEDEF && one->name != NULL)
			visit(arg, one->name);
}

void
d_names(struct d_compiler *c, enum d_unknown what,
    void (*visit)(void *, const char *name), void *arg)
{
	bool functions = what == D_UNKNOWN_FUNCTION, function;
	struct visiting visiting = { visit, arg };
	const struct identifier *one;

	if (what == D_UNKNOWN_TYPE) {
		type_names(c, visit, arg);
		return;
	}
	if (what == D_UNKNOWN_MEMBER) {
		(void)d_type_each_member(c->unknown_in, 0, visit_name,
		    &visiting);
		return;
	}
	for (one = c->globals.first; one != NULL; one = one->next) {
		function = one->kind == IDENTIFIER_FUNCTION || one->kind ==
		    IDENTIFIER_AGGREGATING || one->kind == IDENTIFIER_ACTION;
		if (function == functions && strchr(one->name, '`') == NULL)
			visit(arg, one->name);
	}
	for (one = c->called.first; functions && one != NULL; one = one->next)
		visit(arg, one->name);
}

static void
add_names(struct d_compiler *c, struct table *table,
    const struct builtin_name *list, size_t count)
{
	unsigned version = c->options->version;
	struct identifier *one;
	size_t i;

	for (i = 0; i < count; i++) {
		if (version != 0 && list[i].version > version)
			continue;
		one = d_table_add(c, table, list[i].name, list[i].kind,
		    IDENTIFIER_BUILTIN);
		one->generation = 0;
		one->id = list[i].id;
		one->stability = d_stability_builtin(one->id);
		one->prototype = list[i].prototype;
	}
}

void
d_builtins_init(struct d_compiler *c)
{
	add_names(c, &c->globals, names, sizeof(names) / sizeof(names[0]));
	add_names(c, &c->called, called, sizeof(called) / sizeof(called[0]));
}
