/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * TBUF_PID has descriptions of probes, separated by commas:
 *
 *	pid$target:module:function:name
 *
 * with globs in all fields; an empty one matches everything.  A function's name
 * may have pairs of colons.  pid$target is the
 * process that read the variable first: its descendants, which inherit the
 * variable, have other numbers, and a program that it executes has the same.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "pid.h"

#define SETTING		"TBUF_PID"
#define TARGET		"TBUF_PID_TARGET"
#define OPTIONS		"TBUF_PID_OPTIONS"
#define FIELDS		4u
#define PROGRAM		"a.out"
#define CLONE_MAX	128u	/* bytes of a clone's name that is told */
#define PART_MAX	64u	/* bytes of a part of a glob */

/* Descriptions for this process; the provider has been compared already. */
static struct wanted {
	const char *module, *function, *name;
	bool is_reported;	/* if nothing matches it: not one of a glob */
	bool is_exact;		/* it has one name for a function */
	bool has_module, has_function, has_symbols;
	char clone[CLONE_MAX];	/* a function that may be meant, or "" */
	char part[PART_MAX];	/* each symbol that is matched has it */
} *all;
static size_t count;
static char *text;

/* Returns true if this process is the target; the first one is. */
static bool
is_target(void)
{
	const char *value = getenv(TARGET);
	char number[32];

	(void)snprintf(number, sizeof(number), "%jd", (intmax_t)getpid());
	if (value == NULL)
		provider_setenv(TARGET, number);
	return (value == NULL || strcmp(value, number) == 0);
}

static bool
is_this(const char *provider)
{
	const char *end = strchr(provider, '$');
	char name[32];

	if (end != NULL && strcmp(end, "$target") == 0) {
		(void)snprintf(name, sizeof(name), "%.*s",
		    (int)(end - provider), provider);
		return (fnmatch(name, "pid", 0) == 0 && is_target());
	}
	(void)snprintf(name, sizeof(name), "pid%jd", (intmax_t)getpid());
	return (*provider == '\0' || fnmatch(provider, name, 0) == 0);
}

/* Returns the colon before the last field; that of the first two is before. */
static char *
last_colon(char *description, unsigned field)
{
	char *colon = strrchr(description, ':'), *first;

	if (colon == NULL || field != FIELDS - 2 ||
	    (first = strchr(description, ':')) == colon)
		return (colon);
	return (strchr(first + 1, ':'));
}

/*
 * Finds the longest part of a glob that a function's symbol has in any case.  A
 * scoped name consists of parts of the symbol, colons, tildes and names of the
 * standard library for which the symbol has letters.
 */
static void
find_part(const char *glob, char part[PART_MAX])
{
	static const char lettered[] = "std allocator basic_string "
	    "basic_istream basic_ostream basic_iostream";
	char run[PART_MAX];
	size_t length;

	*part = '\0';
	for (; *glob != '\0' && *glob != '['; glob += length + (length == 0)) {
		length = strcspn(glob, "*?\\[:~");
		(void)snprintf(run, sizeof(run), "%.*s", (int)length, glob);
		if (strlen(run) > strlen(part) &&
		    strstr(lettered, run) == NULL)
			memcpy(part, run, sizeof(run));
	}
}

static bool
is_text(const char *field)
{
	return (*field != '\0' && strpbrk(field, "*?[\\") == NULL);
}

/* Adds one description.  Its fields are aligned at the right. */
static void
add(char *description)
{
	const char *fields[FIELDS] = { "", "", "", "" };
	struct wanted *more;
	unsigned i = FIELDS;
	char *colon;

	while (i-- > 0) {
		colon = last_colon(description, i);
		fields[i] = colon == NULL ? description : colon + 1;
		if (colon == NULL)
			break;
		*colon = '\0';
	}
	if (!is_this(fields[0]) ||
	    (more = reallocarray(all, count + 1, sizeof(*all))) == NULL)
		return;
	all = more;
	all[count++] = (struct wanted){
		.module = fields[1], .function = fields[2], .name = fields[3],
		.is_reported = strpbrk(fields[0], "*?[") == NULL &&
		    *fields[0] != '\0',
		.is_exact = is_text(fields[1]) && is_text(fields[2])
	};
	find_part(fields[2], all[count - 1].part);
}

bool
pid_wanted_begin(void)
{
	const char *setting = getenv(SETTING);
	char *rest, *description;

	if (setting == NULL || (text = rest = strdup(setting)) == NULL)
		return (false);
	while ((description = strsep(&rest, ",")) != NULL)
		if (*description != '\0')
			add(description);
	return (count > 0);
}

/* A name that the provider does not have is refused elsewhere. */
static bool
is_name(const char *name)
{
	return (*name == '\0' || fnmatch(name, "entry", 0) == 0 ||
	    fnmatch(name, "return", 0) == 0);
}

#define NO_FUNCTION	"the module has no function of this name"

/* Returns why a description matches no function, perhaps in the buffer. */
static const char *
absence(const struct wanted *w, char *buffer, size_t size)
{
	if (!w->has_module)
		return ("no module of this name is loaded when main() begins");
	if (!w->has_symbols)
		return ("the module is stripped: most of its functions are "
		    "called by their offsets (-l lists them)");
	if (*w->clone == '\0')
		return (NO_FUNCTION);
	(void)snprintf(buffer, size, NO_FUNCTION " (did you mean '%s'?)",
	    w->clone);
	return (buffer);
}

void
pid_wanted_tell(pid_tell *tell)
{
	char buffer[sizeof(NO_FUNCTION) + CLONE_MAX + 32];
	const struct wanted *w;

	for (w = all; w < all + count; w++)
		if (w->is_reported && !w->has_function && is_name(w->name))
			tell(w->module, w->function, w->name, absence(w,
			    buffer, sizeof(buffer)));
}

/* The program is there from the start. */
bool
pid_wanted_later(void)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(all[i].module, PROGRAM) != 0)
			return (true);
	return (false);
}

bool
pid_option(const char *word)
{
	const char *p = getenv(OPTIONS);
	size_t length = strlen(word);

	for (; p != NULL && *p != '\0'; p += strcspn(p, ",")) {
		p += *p == ',';
		if (strncmp(p, word, length) == 0 &&
		    (p[length] == ',' || p[length] == '\0'))
			return (true);
	}
	return (false);
}

void
pid_wanted_end(void)
{
	free(all);
	free(text);
	all = NULL;
	text = NULL;
	count = 0;
}

static bool
matches(const char *glob, const char *field)
{
	return (*glob == '\0' || fnmatch(glob, field, 0) == 0);
}

/* A module's name is also each part of it before a dot, or a.out. */
static bool
module_matches(const char *glob, const char *module, bool is_program,
    char name[PID_MODULE])
{
	char *dot = name;

	(void)snprintf(name, PID_MODULE, "%s", module);
	if (matches(glob, module))
		return (true);
	if (is_program && matches(glob, PROGRAM)) {
		(void)snprintf(name, PID_MODULE, PROGRAM);
		return (true);
	}
	while ((dot = strchr(dot + 1, '.')) != NULL) {
		*dot = '\0';
		if (matches(glob, name))
			return (true);
		*dot = '.';
	}
	return (false);
}

bool
pid_wanted_module(const char *module, bool is_program, char name[PID_MODULE])
{
	char unused[PID_MODULE];
	bool wanted = false;
	size_t i;

	for (i = 0; i < count; i++)
		if (module_matches(all[i].module, module, is_program,
		    wanted ? unused : name))
			wanted = all[i].has_module = true;
	return (wanted);
}

void
pid_wanted_found(const char *module, bool is_program, bool is_refused,
    bool has_symbols)
{
	char unused[PID_MODULE];
	size_t i;

	for (i = 0; i < count; i++) {
		if (!module_matches(all[i].module, module, is_program, unused))
			continue;
		all[i].has_function |= is_refused;
		all[i].has_symbols |= has_symbols;
	}
}

/*
 * Returns the name by which a description matches a function, as
 * pid_name_match() does.  Most functions have not even the part.
 */
static const char *
match(const struct wanted *w, const char *function, char scoped[PID_SCOPED])
{
	return (strstr(function, w->part) == NULL ? NULL :
	    pid_name_match(w->function, function, scoped));
}

/* Returns true for a hexadecimal number. */
static bool
is_offset(const char *name)
{
	if (name[0] == '0' && name[1] == 'x')
		name += 2;
	return (*name != '\0' &&
	    name[strspn(name, "0123456789abcdefABCDEF")] == '\0');
}

void
pid_wanted_offsets(const char *module, bool is_program, const char *function,
    void (*visit)(void *, uint64_t offset, const char *name), void *arg)
{
	char unused[PID_MODULE], scoped[PID_SCOPED];
	size_t i;

	for (i = 0; i < count; i++)
		if (is_offset(all[i].name) &&
		    match(&all[i], function, scoped) != NULL &&
		    module_matches(all[i].module, module, is_program, unused))
			visit(arg, strtoull(all[i].name, NULL, 16),
			    all[i].name);
}

/* Returns the name of a function's entry or exits. */
static const char *
name_of(enum pid_kind kind)
{
	return (kind == PID_ENTRY ? "entry" : "return");
}

bool
pid_wanted(const char *module, bool is_program, const char *function,
    enum pid_kind kind)
{
	char unused[PID_MODULE], scoped[PID_SCOPED];
	bool wanted = false;
	size_t i;

	for (i = 0; i < count; i++) {
		if (match(&all[i], function, scoped) == NULL ||
		    !module_matches(all[i].module, module, is_program, unused))
			continue;
		all[i].has_function = true;
		wanted |= matches(all[i].name, name_of(kind));
	}
	return (wanted);
}

/* ------------------------------------------------------------ names */

/* Returns true if a description matches a name. */
static bool
has(const struct wanted *w, const struct pid_called *called)
{
	return (matches(w->name, called->name) &&
	    matches(w->module, called->module) &&
	    matches(w->function, pid_called_function(called)));
}

static bool
is_named(const struct wanted *w, const struct pid_names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (has(w, &names->all[i]))
			return (true);
	return (false);
}

static bool
is_kind(const struct wanted *w, const struct pid_callee *callee,
    enum pid_kind kind)
{
	return (kind != PID_SPOT ? matches(w->name, name_of(kind)) :
	    is_offset(w->name) &&
	    strtoull(w->name, NULL, 16) == callee->offset);
}

/* Gets the name by which a description calls a place, if it matches it. */
static bool
call(const struct wanted *w, const struct pid_callee *callee,
    enum pid_kind kind, struct pid_called *called)
{
	const char *function = NULL;
	size_t i;

	for (i = 0; i < callee->naliases && function == NULL; i++)
		function = match(w, callee->aliases[i].name, called->scoped);
	if (function == NULL || !is_kind(w, callee, kind))
		return (false);
	called->symbol = function == called->scoped ? NULL : function;
	called->name = kind == PID_SPOT ? w->name : name_of(kind);
	called->description = (size_t)(w - all);
	return (module_matches(w->module, callee->module, callee->is_program,
	    called->module));
}

static int
by_description(const void *a, const void *b)
{
	const struct pid_called *left = a, *right = b;

	return (left->description < right->description ? -1 : 1);
}

void
pid_wanted_names(const struct pid_callee *callee, enum pid_kind kind,
    struct pid_names *names)
{
	const struct wanted *w;
	int globs;

	names->n = 0;
	for (globs = 0; globs < 2; globs++)
		for (w = all; w < all + count && names->n < PID_NAMES_MAX; w++)
			if (w->is_exact == (globs == 0) &&
			    call(w, callee, kind, &names->all[names->n]) &&
			    !is_named(w, names))
				names->n++;
	if (names->n > 1)
		qsort(names->all, names->n, sizeof(names->all[0]),
		    by_description);
}

/* Returns true for a function that compilers have made of the wanted one. */
static bool
is_clone(const struct wanted *w, const char *function)
{
	size_t length = strlen(w->function);

	return (strncmp(function, w->function, length) == 0 &&
	    function[length] == '.');
}

bool
pid_wanted_some(const char *module, bool is_program, const char *function)
{
	char unused[PID_MODULE], scoped[PID_SCOPED];
	bool some;
	size_t i;

	for (i = 0; i < count; i++) {
		some = match(&all[i], function, scoped) != NULL;
		if ((!some && !is_clone(&all[i], function)) ||
		    !module_matches(all[i].module, module, is_program, unused))
			continue;
		if (some)
			return (true);
		(void)snprintf(all[i].clone, sizeof(all[i].clone), "%s",
		    function);
	}
	return (false);
}
