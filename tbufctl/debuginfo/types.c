/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Asks a helper process for types of programs, one question after the other.
 * Without an answer there is no such type.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean_text.h"
#include "base/helper_process.h"
#include "base/messages.h"
#include "types.h"
#include "types_server.h"

#define SOURCES_MAX	64	/* processes to read */

/* --- the helper process --------------------------------------------------- */

/* Waits for the helper process.  Returns its status as of wait(2). */
static int
end(struct types *t)
{
	int status;

	(void)close(t->fd);
	status = reader_wait(t->reader);
	t->reader = 0;
	return (status);
}

/* The socket fails only when the helper process ends: end() does not block. */
static void
fail_once(struct types *t)
{
	t->failed = true;
	message(MSG_TYPES, reader_why(end(t)));
}

static struct parcel *
ask(struct types *t, enum types_question question)
{
	if (t->reader == 0 && !t->failed) {
		if ((t->reader = reader_start(&t->fd)) == 0)
			types_answer(t->first, t->fd);
		t->failed = t->reader == -1;
		if (t->failed)
			t->reader = 0;
	}
	t->question.used = 0;
	parcel_put(&t->question, question);
	return (&t->question);
}

static struct parcel *
hear(struct types *t, struct parcel *answer)
{
	answer->used = answer->at = 0;
	if (!t->failed && (!parcel_send(&t->question, t->fd) ||
	    !parcel_receive(answer, t->fd)))
		fail_once(t);
	return (answer);
}

/* --- sources -------------------------------------------------------------- */

static struct types_source *
add(struct types *t)
{
	struct types_source *one = memory_get(NULL, 1, sizeof(*one));

	*one = (struct types_source){ .next = NULL };
	if (t->last == NULL)
		t->last = &t->first;
	*t->last = one;
	t->last = &one->next;
	return (one);
}

void
types_add_process(struct types *t, pid_t pid)
{
	const struct types_source *one;
	unsigned n = 0;

	for (one = t->first; one != NULL; one = one->next, n++)
		if (one->pid == pid)
			return;
	if (n >= SOURCES_MAX)
		return;
	add(t)->pid = pid;
	if (t->reader == 0)
		return;
	parcel_put(ask(t, TYPES_ADD), (uint64_t)pid);
	(void)hear(t, &t->answer);
}

void
types_add_command(struct types *t, char *const *command,
    const struct words *files)
{
	struct types_source *one = add(t);

	one->command = command;
	one->files = files;
}

void
types_free(struct types *t)
{
	struct types_source *one, *next;

	if (t->reader > 0) {
		(void)kill(t->reader, SIGKILL);
		(void)end(t);
	}
	for (one = t->first; one != NULL; one = next) {
		next = one->next;
		free(one);
	}
	parcel_free(&t->question);
	parcel_free(&t->answer);
	parcel_free(&t->names);
	free(t->members);
}

/* --- asking --------------------------------------------------------------- */

uint64_t
types_find(struct types *t, const char *module, enum d_import_kind kind,
    const char *name)
{
	struct parcel *p = ask(t, TYPES_FIND);

	parcel_put_text(p, module);
	parcel_put(p, kind);
	parcel_put_text(p, name);
	return (parcel_take(hear(t, &t->answer)));
}

static uint64_t
ask_type(struct types *t, enum types_question question, const char *module,
    const char *function, const char *name)
{
	struct parcel *p = ask(t, question);

	parcel_put_text(p, module);
	parcel_put_text(p, function);
	parcel_put_text(p, name);
	return (parcel_take(hear(t, &t->answer)));
}

uint64_t
types_argument(struct types *t, const char *module, const char *function,
    const char *name)
{
	return (ask_type(t, TYPES_ARGUMENT, module, function, name));
}

uint64_t
types_parameter(struct types *t, const char *module, const char *function,
    const char *name)
{
	return (ask_type(t, TYPES_PARAMETER, module, function, name));
}

bool
types_same(struct types *t, uint64_t a, uint64_t b)
{
	struct parcel *p;

	if (a == b)
		return (true);
	p = ask(t, TYPES_SAME);
	parcel_put(p, a);
	parcel_put(p, b);
	return (parcel_take(hear(t, &t->answer)) != 0);
}

uint64_t
types_place(struct types *t, const char *module, const char *function,
    const char *name, uint64_t *word, uint64_t *shift)
{
	struct parcel *p = ask(t, TYPES_PLACE);
	uint64_t id;

	parcel_put_text(p, module);
	parcel_put_text(p, function);
	parcel_put_text(p, name);
	parcel_put(p, *word);
	id = parcel_take(hear(t, &t->answer));
	*word = parcel_take(&t->answer);
	*shift = parcel_take(&t->answer);
	return (id);
}

uint64_t
types_result(struct types *t, const char *module, const char *function)
{
	return (ask_type(t, TYPES_RESULT, module, function, NULL));
}

/* Takes a name out of a program's file.  It may be NULL. */
static const char *
take_name(struct parcel *p)
{
	return (name_clean((char *)(uintptr_t)parcel_take_text(p)));
}

void
types_names(struct types *t, enum d_import_kind kind,
    void (*visit)(void *, const char *name), void *arg)
{
	const char *name;

	parcel_put(ask(t, TYPES_NAMES), kind == D_IMPORT_TYPEDEF);
	(void)hear(t, &t->names);
	while ((name = take_name(&t->names)) != NULL)
		visit(arg, name);
}

/* Returns a copy, empty for a missing string, as sites_free() frees it. */
static char *
take_copy(struct parcel *p)
{
	const char *text = take_name(p);

	return (memory_string(text == NULL ? "" : text));
}

static void
take_site(struct parcel *p, struct tbuf_probe_info *site)
{
	unsigned i;

	*site = (struct tbuf_probe_info){ .provider = take_copy(p) };
	site->module = take_copy(p);
	site->function = take_copy(p);
	site->name = take_copy(p);
	site->nargs = (unsigned)parcel_take(p);
	if (site->nargs > TBUF_ARGS_MAX)
		site->nargs = TBUF_ARGS_MAX;
	for (i = 0; i < site->nargs; i++) {
		site->types[i] = (enum tbuf_type)parcel_take(p);
		site->argnames[i] = take_copy(p);
	}
}

void
types_sites(struct types *t, struct sites *sites)
{
	struct parcel *p;

	if (t->first == NULL)
		return;
	(void)ask(t, TYPES_SITES);
	p = hear(t, &t->answer);
	while (parcel_more(p))
		take_site(p, sites_add(sites));
}

static void
take_lacks(struct parcel *p, struct function_types *functions)
{
	uint64_t n = parcel_take(p);
	struct lack *one;

	for (; n > 0 && parcel_more(p); n--) {
		functions->lacks = memory_get(functions->lacks,
		    functions->nlacks + 1, sizeof(*functions->lacks));
		one = &functions->lacks[functions->nlacks++];
		one->function = take_copy(p);
		one->name = take_copy(p);
		one->why = take_copy(p);
	}
}

/* Reports files that serve for nothing, and takes the modules without one. */
static void
take_objects(struct parcel *p, struct function_types *functions)
{
	uint64_t n = parcel_take(p);
	char *file, *why;

	for (; n > 0 && parcel_more(p); n--) {
		file = take_copy(p);
		why = take_copy(p);
		message(MSG_OBJECT, file, why);
		free(file);
		free(why);
	}
	for (n = parcel_take(p); n > 0 && parcel_more(p); n--) {
		file = take_copy(p);
		words_add(&functions->unknown, "%s", file);
		free(file);
	}
}

void
types_functions(struct types *t, const char *wanted, const char *provider,
    struct sites *sites, struct function_types *functions)
{
	const char *table;
	struct parcel *p;

	if (t->first == NULL)
		return;
	p = ask(t, TYPES_FUNCTIONS);
	parcel_put_text(p, wanted);
	parcel_put_text(p, provider);
	p = hear(t, &t->answer);
	if ((table = parcel_take_text(p)) != NULL)
		functions->table = memory_string(table);
	take_lacks(p, functions);
	take_objects(p, functions);
	while (parcel_more(p))
		take_site(p, sites_add(sites));
}

static void
take_members(struct types *t, struct parcel *p, struct d_import *to)
{
	struct d_import_member *member;

	while (parcel_more(p)) {
		t->members = memory_get(t->members, to->nmembers + 1,
		    sizeof(*t->members));
		member = &t->members[to->nmembers++];
		member->name = take_name(p);
		member->type = parcel_take(p);
		member->offset = parcel_take(p);
		member->bit = (unsigned)parcel_take(p);
		member->bits = (unsigned)parcel_take(p);
		member->value = (int64_t)parcel_take(p);
	}
	to->members = t->members;
}

bool
types_read(struct types *t, uint64_t id, struct d_import *to)
{
	struct parcel *p = ask(t, TYPES_READ);

	parcel_put(p, id);
	p = hear(t, &t->answer);
	if (!parcel_more(p))
		return (false);
	memset(to, 0, sizeof(*to));
	to->kind = (enum d_import_kind)parcel_take(p);
	to->is_signed = parcel_take(p) != 0;
	to->is_character = parcel_take(p) != 0;
	to->name = take_name(p);
	to->size = parcel_take(p);
	to->of = parcel_take(p);
	to->count = parcel_take(p);
	take_members(t, p, to);
	return (true);
}
