/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l --object: lists the USDT probes that a program or a library would have, or
 * those that descriptions match, also of the pid provider.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/description_field.h"
#include "base/dtrace_providers.h"
#include "base/messages.h"
#include "base/string_list.h"
#include "commands.h"
#include "debuginfo/types.h"
#include "elf/command_function.h"
#include "elf/pid_functions.h"
#include "elf/usdt_notes.h"
#include "elf/usdt_provider_file.h"
#include "options/command_line.h"
#include "print/format.h"
#include "usdt/probe.h"

#define FIELDS	4

struct probes {
	struct usdt_probe *all;
	size_t count;
};

/* The list while it is printed. */
struct listing {
	const struct options *options;
	struct format format;
	const char *module;
	unsigned printed;
	struct sites typed;	/* probes of functions, by name; with -v */
	char *function;		/* best name of the function of the aliases */
	bool has_entry, has_return;	/* its probes are done */
	struct near_function *nears;	/* of descriptions */
	size_t nnears;
};

/* ------------------------------------------------------------ descriptions */

static bool
is_module(const char *glob, const char *module)
{
	char *name = description_module(glob, module, true);

	free(name);
	return (name != NULL);
}

static bool
field_matches(const char *glob, unsigned field, const char *const names[])
{
	if (*glob == '\0' || names[field] == NULL)
		return (true);
	return (field == 1 ? is_module(glob, names[1]) :
	    fnmatch(glob, names[field], 0) == 0);
}

/*
 * Returns true if one of the descriptions in a list matches.  Their fields are
 * aligned at the right; a name that is NULL may be any.
 */
static bool
list_matches(const char *list, const char *const names[])
{
	char *copy = memory_string(list), *fields[FIELDS], *p = copy, *end;
	bool matches = false, last = false;
	unsigned n, i;

	while (!matches && !last) {
		for (n = 0, end = p; n < FIELDS; p = end + 1) {
			end = p + (field_end(p) - p);
			fields[n++] = p;
			last = *end == '\0';
			if (*end != ':') {
				p = end + 1;
				break;
			}
			*end = '\0';
		}
		*end = '\0';
		matches = true;
		for (i = 0; i < n; i++)
			matches &= field_matches(fields[i], FIELDS - n + i,
			    names);
	}
	free(copy);
	return (matches);
}

/* Returns true if a probe is to be listed. */
static bool
is_wanted(const struct options *o, const char *const names[])
{
	const struct program *program = &o->program;
	size_t i;

	for (i = 0; i < program->count; i++)
		if (program->all[i].full != NULL &&
		    list_matches(program->all[i].full, names))
			return (true);
	return (program->count == 0);
}

/* ------------------------------------------------------------ USDT */

static void
add(struct probes *probes, const struct usdt_note *note)
{
	struct usdt_probe new;
	size_t i;

	for (i = 0; i < probes->count; i++)
		if (usdt_probe_has(&probes->all[i], note)) {
			usdt_probe_add(&probes->all[i], note);
			return;
		}
	if (!usdt_probe_make(&new, note))
		return;
	probes->all = memory_get(probes->all, probes->count + 1, sizeof(new));
	probes->all[probes->count++] = new;
}

static int
compare(const void *a, const void *b)
{
	const struct usdt_probe *one = a, *other = b;
	int order = strcmp(one->provider, other->provider);

	return (order != 0 ? order : strcmp(one->name, other->name));
}

/*
 * Prints the probes.  Their places in the list are used for ids, which they do
 * not have yet.
 */
static void
print(struct listing *l, const struct probes *probes)
{
	static const char *const places[TBUF_ARGS_MAX] = {
		"arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6",
		"arg7", "arg8", "arg9"
	};
	const struct usdt_probe *p;
	struct tbuf_probe_info info;
	unsigned i;

	for (p = probes->all; p < probes->all + probes->count; p++) {
		const char *const names[FIELDS] = {
			p->provider, l->module, NULL, p->name
		};

		if (!is_wanted(l->options, names))
			continue;
		info = (struct tbuf_probe_info){
			.id = ++l->printed,
			.provider = p->provider, .name = p->name,
			.module = l->module,
			.function = "", .nargs = p->nargs
		};
		for (i = 0; i < p->nargs; i++) {
			info.types[i] = (uint8_t)p->types[i];
			info.argnames[i] = *p->names[i] != '\0' ?
			    p->names[i] : places[i];
		}
		l->format.ops->probe(&l->format, 0, &info);
	}
}

/* ------------------------------------------------------------ functions */

static int
by_names(const void *a, const void *b)
{
	const struct tbuf_probe_info *one = a, *other = b;
	int order = strcmp(one->function, other->function);

	return (order != 0 ? order : strcmp(one->name, other->name));
}

/* Reads the arguments of the file's functions from its debug information. */
static void
read_types(struct listing *l)
{
	struct function_types unused = { .nlacks = 0 };
	char *path = realpath(l->options->object_file, NULL);
	struct types types = { .first = NULL };

	if (path != NULL) {
		types_add_command(&types, (char *[]){ path, NULL }, NULL);
		types_functions(&types, "pid:a.out::", "pid", &l->typed,
		    &unused);
	}
	function_types_free(&unused);
	types_free(&types);
	free(path);
	if (l->typed.count > 0)
		qsort(l->typed.all, l->typed.count, sizeof(*l->typed.all),
		    by_names);
}

/* Gives a probe its arguments, if they are known. */
static void
add_types(const struct listing *l, struct tbuf_probe_info *info)
{
	const struct tbuf_probe_info *typed = l->typed.count == 0 ? NULL :
	    bsearch(info, l->typed.all, l->typed.count, sizeof(*info),
	    by_names);

	if (typed == NULL)
		return;
	info->nargs = typed->nargs;
	memcpy(info->types, typed->types, sizeof(info->types));
	memcpy(info->argnames, typed->argnames, sizeof(info->argnames));
}

/* Lists a probe of a function, or reports why it cannot be armed. */
static void
print_function(struct listing *l, const char *name, const char *problem)
{
	struct tbuf_probe_info info = { .provider = "pid",
	    .module = l->module, .function = l->function, .name = name };

	if (problem != NULL)
		message(MSG_FUNCTION, l->module, l->function, name, problem);
	else {
		info.id = ++l->printed;
		add_types(l, &info);
		l->format.ops->probe(&l->format, 0, &info);
	}
}

/* Does so if an alias of the function matches, and then returns true. */
static bool
add_function(struct listing *l, const char *alias, const char *name,
    const char *problem)
{
	const char *const names[FIELDS] = { "pid", l->module, alias, name };

	if (!is_wanted(l->options, names))
		return (false);
	print_function(l, name, problem);
	return (true);
}

/* Visits the offsets in descriptions that match a function. */
static void
visit_offsets(void *listing, const char *function, void (*visit)(void *,
    const char *name), void *arg)
{
	const struct listing *l = listing;
	const struct program *program = &l->options->program;
	const char *const names[FIELDS] = { "pid", l->module, function, NULL };
	char *list, *rest, *item, *name;
	size_t i;

	for (i = 0; i < program->count; i++) {
		if (program->all[i].full == NULL)
			continue;
		list = rest = memory_string(program->all[i].full);
		while ((item = strsep(&rest, ",")) != NULL)
			if ((name = strrchr(item, ':')) != NULL &&
			    missing_is_offset(++name) &&
			    list_matches(item, names))
				visit(arg, name);
		free(list);
	}
}

/* Begins to look for names that descriptions may mean. */
static void
begin_nears(struct listing *l)
{
	const struct program *program = &l->options->program;
	const struct description *d = program->all;
	struct near_function *near;
	char *list, *rest, *item;

	for (; d < program->all + program->count; d++) {
		if (d->full == NULL)
			continue;
		list = rest = memory_string(d->full);
		while ((item = strsep(&rest, ",")) != NULL) {
			l->nears = memory_get(l->nears, l->nnears + 1,
			    sizeof(*l->nears));
			near = &l->nears[l->nnears];
			if (near_function_begin(near, item) &&
			    near_function_module(near, l->module, true))
				l->nnears++;
			else
				free(near_function_end(near));
			if (rest == NULL)
				near->cut = strlen(description_suffix(d->flag));
		}
		free(list);
	}
}

static void
end_nears(struct listing *l, bool tells)
{
	char *near;
	size_t i;

	for (i = 0; i < l->nnears; i++) {
		near = near_function_end(&l->nears[i]);
		if (near != NULL && tells)
			message(MSG_HINT, near);
		free(near);
	}
	free(l->nears);
}

static void
visit_function(void *listing, const struct pid_function *f)
{
	struct listing *l = listing;
	size_t i;

	for (i = 0; f->offset == NULL && i < l->nnears; i++)
		near_function_add(&l->nears[i], f->name);
	if (f->offset != NULL) {
		if (l->function != NULL)
			print_function(l, f->offset, f->entry_problem);
		return;
	}
	if (!f->is_alias || l->function == NULL) {
		free(l->function);
		l->function = memory_string(f->name);
		l->has_entry = l->has_return = false;
	}
	if (!l->has_entry)
		l->has_entry = add_function(l, f->name, "entry",
		    f->entry_problem);
	if (f->returns && !l->has_return)
		l->has_return = add_function(l, f->name, "return",
		    f->return_problem);
}

/* Lists functions if a description asks for the provider pid. */
static int
list_functions(struct listing *l)
{
	const char *const names[FIELDS] = { "pid", NULL, NULL, NULL };
	const struct options *o = l->options;
	const char *problem;

	if (o->program.count == 0 || !is_wanted(o, names))
		return (0);
	if (o->verbose || o->json)
		read_types(l);
	begin_nears(l);
	problem = pid_functions_visit(o->object_file,
	    (o->pid_partial ? PID_PARTIAL : 0) |
	    (o->pid_loops ? PID_LOOPS : 0), visit_offsets, visit_function, l);
	end_nears(l, problem == NULL);
	sites_free(&l->typed);
	free(l->function);
	return (problem == NULL ? 0 : fail(MSG_CORE, o->object_file,
	    problem));
}

/* ------------------------------------------------------------ sites */

static void
tell_site(void *curable, const struct notes_site *site)
{
	if (site->problem == NULL)
		return;
	message("%s", site->line);
	*(bool *)curable |= notes_curable(site->line);
}

/* Reads the notes of a file, and reports the sites that cannot be armed. */
static const char *
read_object(struct usdt_object *object, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool curable = false;
	const char *error;

	if (fd == -1)
		return (strerror(errno));
	if ((error = usdt_object_read(object, fd)) == NULL)
		notes_sites(object, fd, path, tell_site, &curable);
	(void)close(fd);
	if (curable)
		message(MSG_REBUILD);
	return (error);
}

static void
sort(struct probes *probes, const struct options *o)
{
	size_t i;

	notes_check_installed();
	for (i = 0; i < probes->count; i++)
		notes_describe(&probes->all[i], &o->usdt);
	qsort(probes->all, probes->count, sizeof(*probes->all), compare);
}

int
list_object(const struct options *o, struct output *out)
{
	struct listing listing = { .options = o,
	    .module = basename(o->object_file) };
	struct probes probes = { .count = 0 };
	struct usdt_object object;
	struct usdt_note note;
	const char *error = read_object(&object, o->object_file);
	size_t at = 0;
	int status;

	if (error != NULL)
		return (fail(MSG_CORE, o->object_file, error));
	while (usdt_note_next(&object, &at, &note))
		add(&probes, &note);
	usdt_object_free(&object);
	format_init(&listing.format, out, o);
	if (probes.count > 0)
		sort(&probes, o);
	if (probes.count > 0 || o->program.count > 0)
		listing.format.ops->list(&listing.format);
	else if (!o->quiet)
		message(MSG_OBJECT_NONE, o->object_file);
	print(&listing, &probes);
	status = list_functions(&listing);
	free(probes.all);
	return (status == 0 ? EXIT_DONE : status);
}
