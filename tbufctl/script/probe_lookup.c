/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/description_field.h"
#include "base/messages.h"
#include "base/command_path.h"
#include "base/dtrace_providers.h"
#include "base/string_list.h"
#include "base/suggest.h"
#include "debuginfo/provider_probes.h"
#include "elf/command_function.h"
#include "elf/loads_more.h"
#include "probe_lookup.h"

/* Probes for which functions are looked up by one name. */
#define PLACES_MAX	1000u

char *
known_text(const struct d_description *d)
{
	return (string_format("%s:%s:%s:%s", d->field[D_FIELD_PROVIDER],
	    d->field[D_FIELD_MODULE], d->field[D_FIELD_FUNCTION],
	    d->field[D_FIELD_NAME]));
}

void
known_split(char *copy, struct d_description *d)
{
	const char *fields[4] = { "", "", "", "" };
	unsigned n = 0, i;
	char *end;

	for (; copy != NULL && n < 4; copy = end) {
		fields[n++] = copy;
		end = copy + (field_end(copy) - copy);
		if (*end != '\0')
			*end++ = '\0';
		else
			end = NULL;
	}
	*d = (struct d_description){ .bare = NULL };
	for (i = 0; i < 4; i++)
		d->field[i] = i + n < 4 ? "" : fields[i + n - 4];
}

/* ------------------------------------------------------------ our own */

static const char *const own[KNOWN_FIXED] = { "BEGIN", "END", "ERROR" };

/* A name that is NULL is not known yet, and may be any. */
static bool
field_matches(const char *pattern, const char *name)
{
	return (pattern[0] == '\0' || name == NULL ||
	    fnmatch(pattern, name, 0) == 0);
}

static bool
matches(const struct d_description *d, const char *provider,
    const char *module, const char *function, const char *name)
{
	return ((field_matches(d->field[D_FIELD_PROVIDER], provider) ||
	    (d->bare != NULL && field_matches(d->bare, provider))) &&
	    field_matches(d->field[D_FIELD_MODULE], module) &&
	    field_matches(d->field[D_FIELD_FUNCTION], function) &&
	    field_matches(d->field[D_FIELD_NAME], name));
}

/*
 * Returns true for the whole name of a timer: timers exist when they are named.
 */
static bool
is_timer(const struct d_description *d)
{
	char *text = known_text(d);
	int found = strpbrk(d->field[D_FIELD_NAME], "0123456789") != NULL ?
	    tbuf_consumer_own(text) : 0;

	free(text);
	return (found > 0);
}

bool
known_is_own(const struct d_description *d)
{
	char *text = known_text(d);
	bool found = (*d->field[D_FIELD_PROVIDER] != '\0' ||
	    *d->field[D_FIELD_NAME] != '\0') &&
	    strpbrk(text, "*?[") == NULL && tbuf_consumer_own(text) > 0;

	free(text);
	return (found);
}

unsigned
known_own_list(const struct d_description *d, known_visit *visit, void *arg)
{
	unsigned i, n = 0;

	for (i = 0; i < KNOWN_FIXED; i++)
		if (matches(d, "dtrace", "", "", own[i])) {
			if (visit != NULL)
				visit(arg, "dtrace", own[i], i + 1);
			n++;
		}
	if (n != 0 || !is_timer(d))
		return (n);
	if (visit != NULL)
		visit(arg, "profile", d->field[D_FIELD_NAME], 0);
	return (1);
}

unsigned
known_usual_list(const struct d_description *d, known_visit *visit, void *arg)
{
	static const char *const usual[] = {
		"profile-97", "profile-199", "profile-499", "profile-997",
		"profile-1999", "profile-4001", "profile-4999",
		"tick-1", "tick-10", "tick-100", "tick-500", "tick-1000",
		"tick-5000"
	};
	unsigned i, n = 0;

	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (matches(d, "profile", "", "", usual[i])) {
			visit(arg, "profile", usual[i], 0);
			n++;
		}
	return (n);
}

unsigned
known_own(const struct d_description *d)
{
	return (known_own_list(d, NULL, NULL));
}

/* ------------------------------------------------------------ targets */

static int
add(void *arg, pid_t pid, const struct tbuf_probe_info *probe)
{
	struct known *k = arg;

	if (!k->files)
		types_add_process(&k->types, pid);
	process_names_add(&k->names, pid, probe);
	/* They are listed by their ids. */
	if (k->count > 0 && k->probes[k->count - 1]->id == probe->id)
		return (0);
	k->probes = memory_get(k->probes, k->count + 1, sizeof(*k->probes));
	k->probes[k->count++] = probe;
	return (0);
}

/* Lists targets once, when a description needs it. */
void
known_list(struct known *k)
{
	if (k->listed || !k->look)
		return;
	k->listed = true;
	if (!k->all || tbuf_consumer_grab_all(k->consumer) == 0)
		(void)tbuf_consumer_list(k->consumer, add, k);
}

/* Returns true if X::Y:name matches a function X::Y of any provider. */
static bool
matches_scoped(const struct d_description *d,
    const struct tbuf_probe_info *probe)
{
	const char *const *f = d->field;
	struct d_description scoped = {
		.field = { "", "", "", f[D_FIELD_NAME] }
	};
	char function[512];
	int n;

	if (*f[D_FIELD_PROVIDER] == '\0' || *f[D_FIELD_MODULE] != '\0' ||
	    *f[D_FIELD_FUNCTION] == '\0' || probe->function == NULL)
		return (false);
	n = snprintf(function, sizeof(function), "%s::%s",
	    f[D_FIELD_PROVIDER], f[D_FIELD_FUNCTION]);
	scoped.field[D_FIELD_FUNCTION] = function;
	return (n > 0 && (size_t)n < sizeof(function) &&
	    matches(&scoped, probe->provider, probe->module, probe->function,
	    probe->name));
}

bool
known_matches(const struct d_description *d,
    const struct tbuf_probe_info *probe)
{
	bool found = matches_scoped(d, probe);

	for (; !found && d != NULL; d = d->others)
		found = matches(d, probe->provider, probe->module,
		    probe->function, probe->name);
	return (found);
}

/* Returns true if a description enables a probe: no elder of it matches. */
static bool
is_chosen(const struct d_description *d, const struct tbuf_probe_info *probe)
{
	bool chosen = known_matches(d, probe);

	while (chosen && (probe = probe->elder) != NULL)
		chosen = !known_matches(d, probe);
	return (chosen);
}

unsigned
known_count(struct known *k, const struct d_description *d)
{
	unsigned n = known_own(d);
	size_t i;

	if (n != 0)
		return (n);
	known_list(k);
	for (i = 0; i < k->count; i++)
		n += is_chosen(d, k->probes[i]);
	return (n);
}

struct counting {
	const struct d_description *d;
	unsigned n;
};

static int
count_one(void *arg, const struct tbuf_probe_info *probe)
{
	struct counting *c = arg;

	c->n += is_chosen(c->d, probe);
	return (0);
}

unsigned
known_count_again(struct known *k, const struct d_description *d)
{
	struct counting c = { d, known_count(k, d) };

	if (c.n == 0)
		(void)tbuf_consumer_probes(k->consumer, count_one, &c);
	return (c.n);
}

enum d_class
known_class(uint8_t type)
{
	switch (type) {
	case TBUF_UINT64:
	case TBUF_POINTER:
		return (D_CLASS_UNSIGNED);
	case TBUF_FLOAT:
	case TBUF_DOUBLE:
		return (D_CLASS_FLOAT);
	case TBUF_STRING:
	case TBUF_STRING_SIZED:
	case TBUF_BINARY:
	case TBUF_STRING_INTERNED:
		return (D_CLASS_TEXT);
	case TBUF_NONE:
		return (D_CLASS_NONE);
	default:
		return (D_CLASS_INTEGER);
	}
}

/* Returns the index of an argument of a probe; nargs if it has none such. */
static unsigned
argument_of(const struct tbuf_probe_info *probe, const char *name,
    uint64_t number)
{
	unsigned n;

	for (n = 0; n < probe->nargs; n++)
		if (name != NULL ? strcmp(probe->argnames[n], name) == 0 :
		    n == number)
			break;
	return (n);
}

/* ------------------------------------------------------------ commands */

static const struct sites *
known_sites(struct known *k)
{
	char *path;

	if (k->read || k->command == NULL)
		return (&k->sites);
	k->read = true;
	types_sites(&k->types, &k->sites);
	if (k->functions != NULL)
		types_functions(&k->types, k->functions, k->provider,
		    &k->sites, &k->function_types);
	sites_add_libc(&k->sites);
	sites_add_syscall(&k->sites);
	path = command_find(k->command);
	k->more = k->more || path == NULL || program_abilities(path) != 0;
	if (path != NULL)
		sites_add_notes(&k->sites, path, k->described);
	free(path);
	return (&k->sites);
}

/* Returns true if the description has the form of a timer, right or wrong. */
static bool
names_timer(const struct d_description *d)
{
	static const char *const timers[] = { "tick-", "profile-" };
	const char *name = d->field[D_FIELD_NAME];
	size_t i;

	for (i = 0; i < sizeof(timers) / sizeof(timers[0]); i++)
		if (strncmp(name, timers[i], strlen(timers[i])) == 0)
			return (*d->field[D_FIELD_PROVIDER] == '\0' &&
			    name[strlen(timers[i])] >= '0' &&
			    name[strlen(timers[i])] <= '9');
	return (false);
}

/*
 * Returns true if the description names a function of the pid provider: its
 * arguments are known, if there is a site of it.
 */
static bool
names_function(const struct d_description *d)
{
	return (missing_is_pid(d->field[D_FIELD_PROVIDER]) &&
	    *d->field[D_FIELD_FUNCTION] != '\0' &&
	    strpbrk(d->field[D_FIELD_FUNCTION], "*?[\\") == NULL);
}

/* Returns true if all probes that may match are known before the run. */
static bool
is_whole(struct known *k, const struct d_description *d)
{
	static const char *const whole[] = {
		"dtrace", "profile", "libc", "syscall"
	};
	const struct sites *sites = known_sites(k);
	const char *provider = d->field[D_FIELD_PROVIDER];
	size_t i;

	/* Most functions have no debug information. */
	if (strpbrk(provider, "*?[\\") != NULL || missing_is_pid(provider))
		return (false);
	for (i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (strcmp(provider, whole[i]) == 0)
			return (true);
	if (k->more)
		return (false);
	for (i = 0; i < sites->count; i++)
		if (strcmp(provider, sites->all[i].provider) == 0)
			return (true);
	return (names_timer(d));
}

/* Returns true if no probe matches that a command is known to have. */
static bool
is_absent(struct known *k, const struct d_description *d)
{
	const struct sites *sites;
	size_t i;

	if (k->command == NULL || known_own(d) != 0)
		return (false);
	sites = known_sites(k);
	for (i = 0; i < sites->count; i++)
		if (known_matches(d, &sites->all[i]))
			return (false);
	return (true);
}

bool
known_lacks(struct known *k, const struct d_description *d)
{
	return (is_absent(k, d) && is_whole(k, d));
}

bool
known_absent(struct known *k, const struct d_description *d, bool early)
{
	return (is_absent(k, d) && (!early || !k->more));
}

int
known_all(void *known, int (*visit)(void *, const struct tbuf_probe_info *),
    void *arg)
{
	struct known *k = known;
	const struct sites *sites = known_sites(k);
	struct tbuf_probe_info probe = {
		.provider = "dtrace", .module = "", .function = ""
	};
	size_t i;

	for (i = 0; i < KNOWN_FIXED; i++) {
		probe.name = own[i];
		(void)visit(arg, &probe);
	}
	for (i = 0; i < sites->count; i++)
		(void)visit(arg, &sites->all[i]);
	return (tbuf_consumer_probes(k->consumer, visit, arg));
}

/* Functions of C++ have colons; the library reads these. */
static bool
ask(struct known *k, const char *description, bool (*is)(struct known *,
    const struct d_description *))
{
	char *copy = memory_string(description);
	struct d_description d;
	bool result;

	known_split(copy, &d);
	result = field_count(description) <= 4 && is(k, &d);
	free(copy);
	return (result);
}

static bool
lacks(void *known, const char *description)
{
	return (ask(known, description, known_lacks));
}

static bool
absent(void *known, const char *description)
{
	return (ask(known, description, is_absent));
}

void
known_hint(struct known *k, const struct program *program, bool early)
{
	if (k->command == NULL)
		return;
	(void)known_sites(k);
	if (!early || !k->more)
		program_hint(program, k->consumer, absent, known_near, k);
}

bool
known_refuses(struct known *k, const struct program *program)
{
	return (program_lacking(program, lacks, known_near, k));
}

char *
known_near(void *known, const char *description)
{
	struct known *k = known;
	char *near = NULL;

	if (k->command != NULL)
		near = command_function(k->command, description, known_all, k);
	return (near != NULL ? near : near_description(description, known_all,
	    k));
}

/* ------------------------------------------------------------ arguments */

/*
 * Returns the class of an argument that a command's probes will have.  It may
 * be any if other probes can match.
 */
static enum d_class
expected_argument(struct known *k, const struct d_description *d,
    const char *name, uint64_t number)
{
	const struct sites *sites = known_sites(k);
	size_t i;

	if (is_whole(k, d) || !k->more || names_function(d))
		for (i = 0; i < sites->count; i++)
			if (known_matches(d, &sites->all[i]))
				return (known_likely(k, d, name, number));
	return (D_CLASS_ANY);
}

enum d_class
known_argument(void *known, const struct d_description *d,
    const char *name, uint64_t number)
{
	struct known *k = known;
	const struct tbuf_probe_info *probe;
	size_t i;
	unsigned n;

	if (known_own(d) != 0)
		return (D_CLASS_NONE);
	if (!k->look)
		return (expected_argument(k, d, name, number));
	known_list(k);
	for (i = 0; i < k->count; i++) {
		probe = k->probes[i];
		if (!known_matches(d, probe))
			continue;
		if ((n = argument_of(probe, name, number)) < probe->nargs)
			return (known_class(probe->types[n]));
	}
	return (D_CLASS_NONE);
}

enum d_class
known_likely(void *known, const struct d_description *d, const char *name,
    uint64_t number)
{
	const struct sites *sites = known_sites(known);
	const struct tbuf_probe_info *probe;
	unsigned n;
	size_t i;

	for (i = 0; i < sites->count; i++) {
		probe = &sites->all[i];
		if (known_matches(d, probe) &&
		    (n = argument_of(probe, name, number)) < probe->nargs)
			return (known_class(probe->types[n]));
	}
	return (D_CLASS_NONE);
}

static void
visit_names(const struct d_description *d,
    const struct tbuf_probe_info *probe, void (*visit)(void *,
    const char *name), void *arg)
{
	unsigned n;

	for (n = 0; known_matches(d, probe) && n < probe->nargs; n++)
		visit(arg, probe->argnames[n]);
}

void
known_names(struct known *k, const struct d_description *d,
    void (*visit)(void *, const char *name), void *arg)
{
	const struct sites *sites = known_sites(k);
	size_t i;

	for (i = 0; i < k->count; i++)
		visit_names(d, k->probes[i], visit, arg);
	for (i = 0; i < sites->count; i++)
		visit_names(d, &sites->all[i], visit, arg);
}

void
known_each(struct known *k, const struct d_description *d,
    void (*visit)(void *, const struct tbuf_probe_info *), void *arg)
{
	const struct sites *sites = known_sites(k);
	size_t i;

	for (i = 0; i < k->count; i++)
		if (known_matches(d, k->probes[i]))
			visit(arg, k->probes[i]);
	for (i = 0; i < sites->count; i++)
		if (known_matches(d, &sites->all[i]))
			visit(arg, &sites->all[i]);
}

static uint64_t
type_of(struct known *k, const struct d_description *d,
    const struct tbuf_probe_info *probe, const char *name, uint64_t number)
{
	unsigned n = argument_of(probe, name, number);

	if (n == probe->nargs || probe->types[n] != TBUF_POINTER ||
	    !known_matches(d, probe))
		return (0);
	if (!missing_is_pid(probe->provider))
		return (types_argument(&k->types, probe->module,
		    probe->function, probe->argnames[n]));
	if (strcmp(probe->name, "return") == 0)
		return (types_result(&k->types, probe->module,
		    probe->function));
	return (types_parameter(&k->types, probe->module, probe->function,
	    probe->argnames[n]));
}

/* An argument, and the type that its probes have agreed on so far. */
struct pointed {
	const struct d_description *d;
	const char *name;
	uint64_t number, id;
	const char *function;	/* the first that has it */
	bool differs;
};

/* Remembers two functions that do not agree in the type of an argument. */
static void
differ(struct known *k, const char *function, const char *other)
{

	k->differing = k->pointed;
	k->differing_in[0] = function;
	k->differing_in[1] = other;
}

static void
agree_on_type(struct known *k, const struct tbuf_probe_info *probe,
    struct pointed *p)
{
	uint64_t id = p->differs ? 0 : type_of(k, p->d, probe, p->name,
	    p->number);

	if (id == 0)
		return;
	if (id == TYPES_DIFFER || (p->id != 0 &&
	    !types_same(&k->types, id, p->id))) {
		p->differs = true;
		differ(k, id == TYPES_DIFFER ? NULL : p->function,
		    probe->function);
	} else if (p->id == 0) {
		p->id = id;
		p->function = probe->function;
	}
}

uint64_t
known_argument_type(void *known, const struct d_description *d,
    const char *name, uint64_t number)
{
	struct pointed p = { .d = d, .name = name, .number = number };
	struct known *k = known;
	const struct sites *sites = known_sites(k);
	size_t i;

	k->pointed.name = name;
	k->pointed.number = number;
	for (i = 0; i < k->count; i++)
		agree_on_type(k, k->probes[i], &p);
	for (i = 0; i < sites->count; i++)
		agree_on_type(k, &sites->all[i], &p);
	k->pointed_in[0] = k->pointed_in[1];
	k->pointed_in[1] = p.function;
	return (p.differs ? 0 : p.id);
}

bool
known_type_same(void *known, uint64_t id, uint64_t other)
{
	struct known *k = known;
	bool same = types_same(&k->types, id, other);

	if (!same)
		differ(k, k->pointed_in[0], k->pointed_in[1]);
	return (same);
}

const struct lack *
known_lack(struct known *k, const struct d_description *d, const char *name)
{
	const struct function_types *t = &k->function_types;
	size_t i;

	for (i = 0; i < t->nlacks; i++)
		if (strcmp(t->lacks[i].name, name) == 0 &&
		    matches(d, k->provider, NULL, t->lacks[i].function,
		    "entry"))
			return (&t->lacks[i]);
	return (NULL);
}

const char *
known_no_file(const struct known *k, const struct d_description *d)
{
	const char *module = d->field[D_FIELD_MODULE];

	return (words_have(&k->function_types.unknown, module) ? module :
	    NULL);
}

const char *
known_function_table(struct known *k)
{
	if (k->functions == NULL)
		return ("");
	(void)known_sites(k);
	return (k->function_types.table == NULL ? "" :
	    k->function_types.table);
}

/* An argument of the pid provider that has no type of its own. */
static bool
is_word(const struct tbuf_probe_info *probe, uint64_t number)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "arg%ju", (uintmax_t)number);
	return (missing_is_pid(probe->provider) && number < probe->nargs &&
	    probe->types[number] == TBUF_INT64 &&
	    strcmp(probe->argnames[number], name) == 0);
}

static uint64_t
place_of(struct known *k, const struct tbuf_probe_info *probe,
    const char *name, uint64_t *number, uint64_t *shift)
{
	bool returns = strcmp(probe->name, "return") == 0;
	uint64_t id, word = *number;

	if ((name == NULL && !is_word(probe, word)) ||
	    (returns && (name != NULL || word != 1)))
		return (0);
	*shift = 0;
	id = returns ? types_result(&k->types, probe->module,
	    probe->function) : types_place(&k->types, probe->module,
	    probe->function, name, &word, shift);
	if (id == 0 || !is_word(probe, word))
		return (0);
	*number = word;
	return (id);
}

/* Returns false if a description can match no probe of the pid provider. */
static bool
may_be_pid(const struct d_description *d)
{
	const char *provider = d->field[D_FIELD_PROVIDER];

	return ((*provider == '\0' || strpbrk(provider, "*?[") != NULL ||
	    missing_is_pid(provider)) && known_own(d) == 0);
}

/* A place that all probes have to agree on. */
struct agreed {
	const char *name;
	uint64_t number, shift, id;
	unsigned asked;
	bool differs;
};

static void
agree(struct known *k, const struct d_description *d,
    const struct tbuf_probe_info *probe, struct agreed *a)
{
	uint64_t id, word = a->number, shift = 0;

	if (a->differs || !missing_is_pid(probe->provider) ||
	    !known_matches(d, probe))
		return;
	id = ++a->asked > PLACES_MAX ? 0 :
	    place_of(k, probe, a->name, &word, &shift);
	a->differs = id == 0 || (a->id != 0 && (word != a->number ||
	    shift != a->shift));
	a->id = a->id == 0 ? id : a->id;
	a->number = word;
	a->shift = shift;
}

/*
 * A provider that was preloaded without tbufctl knows no parameters, and none
 * knows those that are structures.  A parameter of all probes has to be in one
 * place, as a clause reads one argument.
 */
uint64_t
known_argument_place(void *known, const struct d_description *d,
    const char *name, uint64_t *number, uint64_t *shift)
{
	struct agreed a = { .name = name, .number = *number };
	const struct sites *sites;
	struct known *k = known;
	size_t i;

	if (k->files || !may_be_pid(d))
		return (0);
	known_list(k);
	for (i = 0; i < k->count; i++)
		agree(k, d, k->probes[i], &a);
	if (name != NULL && strchr(name, '.') != NULL) {
		sites = known_sites(k);
		for (i = 0; i < sites->count; i++)
			agree(k, d, &sites->all[i], &a);
	}
	*number = a.number;
	*shift = a.shift;
	return (a.differs ? 0 : a.id);
}

bool
known_by_id(void *known, uint64_t id, struct d_description *d)
{
	struct known *k = known;
	size_t i;

	if (id >= 1 && id <= KNOWN_FIXED) {
		*d = (struct d_description){ .field = { "dtrace", "", "",
		    own[id - 1] } };
		return (true);
	}
	known_list(k);
	for (i = 0; i < k->count; i++)
		if (k->probes[i]->id == id) {
			*d = (struct d_description){ .field = {
			    k->probes[i]->provider, k->probes[i]->module,
			    k->probes[i]->function, k->probes[i]->name } };
			return (true);
		}
	return (false);
}

uint64_t
known_type_find(void *known, const char *module, enum d_import_kind kind,
    const char *name)
{
	struct known *k = known;

	return (types_find(&k->types, module, kind, name));
}

bool
known_type_read(void *known, uint64_t id, struct d_import *type)
{
	struct known *k = known;

	return (types_read(&k->types, id, type));
}

void
known_free(struct known *k)
{
	free(k->probes);
	types_free(&k->types);
	sites_free(&k->sites);
	function_types_free(&k->function_types);
}
