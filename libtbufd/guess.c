/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clauses for probes that do not exist yet: the classes of named arguments are
 * unknown.  Such a clause is an error only if each choice of classes is; the
 * first choice without an error is used.
 */
#include <string.h>

#include "check.h"

#define TRIES_MAX	4096

struct guess {
	struct guess *next;
	const char *name;		/* NULL: an argument by number */
	uint64_t number;
	unsigned first, tried;		/* indexes of classes[] */
};

static const enum d_class classes[] = {
	D_CLASS_INTEGER, D_CLASS_TEXT, D_CLASS_UNSIGNED, D_CLASS_FLOAT,
};

#define CLASSES		(sizeof(classes) / sizeof(classes[0]))

static unsigned
first_class(struct d_compiler *c, const char *name, uint64_t number)
{
	const struct d_callbacks *calls = &c->options->callbacks;
	enum d_class likely = calls->likely == NULL ? D_CLASS_NONE :
	    calls->likely(calls->context, c->description, name, number);
	unsigned i;

	for (i = 0; i < CLASSES; i++)
		if (classes[i] == likely)
			return (i);
	return (0);
}

static enum d_class
class_of(const struct guess *one)
{
	return (classes[(one->first + one->tried) % CLASSES]);
}

enum d_class
d_guess(struct d_compiler *c, const char *name, uint64_t number)
{
	struct guess **one = &c->guesses;

	for (; *one != NULL; one = &(*one)->next)
		if (name == NULL || (*one)->name == NULL ?
		    name == (*one)->name && (*one)->number == number :
		    strcmp((*one)->name, name) == 0)
			return (class_of(*one));
	*one = d_allocate(c, sizeof(**one));
	(*one)->name = name;
	(*one)->number = number;
	(*one)->first = first_class(c, name, number);
	return (class_of(*one));
}

/* Moves to the next choice of classes; false after the last one. */
static bool
next(struct guess *one)
{
	for (; one != NULL; one = one->next) {
		if (++one->tried < CLASSES)
			return (true);
		one->tried = 0;
	}
	return (false);
}

/* --- saving the state that a check changes -------------------------------- */

#define TABLES	4

struct snapshot {
	struct table tables[TABLES];
	struct identifier *identifiers[TABLES];
	unsigned counts[TABLES];
};

static struct table *
table(struct d_compiler *c, unsigned n)
{
	struct table *const tables[TABLES] = {
		&c->globals, &c->threads, &c->locals, &c->aggregations,
	};

	return (tables[n]);
}

static void
save(struct d_compiler *c, struct snapshot *s)
{
	const struct identifier *one;
	unsigned n, i;

	for (n = 0; n < TABLES; n++) {
		s->tables[n] = *table(c, n);
		s->identifiers[n] = d_allocate(c, (s->tables[n].count + 1) *
		    sizeof(*one));
		i = 0;
		for (one = s->tables[n].first; one != NULL; one = one->next)
			s->identifiers[n][i++] = *one;
		s->counts[n] = i;
	}
}

static void
restore(struct d_compiler *c, const struct snapshot *s)
{
	struct identifier *one;
	unsigned n, i;

	for (n = 0; n < TABLES; n++) {
		*table(c, n) = s->tables[n];
		one = s->tables[n].first;
		for (i = 0; i < s->counts[n]; i++) {
			*one = s->identifiers[n][i];
			one = one->next;
		}
	}
}

static struct d_node *
copy_one(struct d_compiler *c, const struct d_node *node)
{
	struct d_node *to = d_allocate(c, sizeof(*to));

	*to = *node;
	to->last = NULL;
	to->condition = d_tree_copy(c, node->condition);
	to->left = d_tree_copy(c, node->left);
	to->right = d_tree_copy(c, node->right);
	to->arguments = d_tree_copy(c, node->arguments);
	return (to);
}

struct d_node *
d_tree_copy(struct d_compiler *c, const struct d_node *list)
{
	struct d_node *first = NULL, **last = &first;

	for (; list != NULL; list = list->next) {
		*last = copy_one(c, list);
		last = &(*last)->next;
		*last = NULL;
	}
	return (first);
}

/* --- trying --------------------------------------------------------------- */

/* Checks a clause with the current choice.  Returns false after an error. */
static bool
try(struct d_compiler *c, struct d_node *clause, const struct d_node *body,
    const struct d_node *condition,
    void (*check)(struct d_compiler *, struct d_node *))
{
	jmp_buf *escape = c->escape, here;
	bool good = false;

	clause->arguments = d_tree_copy(c, body);
	clause->condition = d_tree_copy(c, condition);
	d_table_init(&c->arguments);
	if (setjmp(here) == 0) {
		c->escape = &here;
		check(c, clause);
		good = true;
	}
	c->escape = escape;
	return (good);
}

/* True if the arguments of the clause's probes are unknown. */
static bool
is_unknown(struct d_compiler *c)
{
	const struct d_callbacks *calls = &c->options->callbacks;

	return (calls->argument != NULL && calls->argument(calls->context,
	    c->description, NULL, 0) == D_CLASS_ANY);
}

void
d_check_guessing(struct d_compiler *c, struct d_node *clause,
    void (*check)(struct d_compiler *, struct d_node *))
{
	const struct d_node *body = clause->arguments;
	const struct d_node *condition = clause->condition;
	struct d_error first;
	struct snapshot snapshot;
	unsigned tries = 0;
	int line = c->line;

	c->guesses = NULL;
	if (!is_unknown(c)) {
		check(c, clause);
		return;
	}
	save(c, &snapshot);
	if (try(c, clause, body, condition, check))
		return;
	first = *c->error;
	while (c->guesses != NULL && next(c->guesses) &&
	    tries++ < TRIES_MAX) {
		restore(c, &snapshot);
		c->region = NULL;
		c->line = line;
		if (try(c, clause, body, condition, check))
			return;
	}
	*c->error = first;
	longjmp(*c->escape, 1);
}
