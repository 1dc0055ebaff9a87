/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l --object: lists the USDT probes that a program or a library would have, or
 * those that descriptions match, also of the pid provider.
 */
#include <sys/stat.h>

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
#include "base/suggest.h"
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

/* The search for a name that one of the descriptions in a list may mean. */
struct near_item {
	struct near_function functions;
	char *item;		/* NULL: the search has ended */
};

/* The list while it is printed. */
struct listing {
	const struct options *options;
	const struct probes *probes;
	struct format format;
	const char *module;
	unsigned printed;
	struct sites typed;	/* probes of functions, by name; with -v */
	char *function;		/* best name of the function of the aliases */
	struct words aliases;	/* its names so far */
	bool has_entry, has_return;	/* its probes are done */
	bool *matched;		/* for each description */
	struct near_item *nears;	/* of descriptions of functions */
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

/* Returns true if a probe of these names may be listed. */
static bool
is_wanted(const struct options *o, const char *const names[])
{
	const struct program *program = &o->program;
	size_t i;

	for (i = 0; i < program->count; i++)
		if (list_matches(program->all[i].full, names))
			return (true);
	return (program->count == 0);
}

/* Does so for a probe of the file, and notes which descriptions match it. */
static bool
takes(struct listing *l, const char *const names[])
{
	const struct program *program = &l->options->program;
	bool wanted = program->count == 0;
	size_t i;

	for (i = 0; i < program->count; i++)
		if (list_matches(program->all[i].full, names))
			wanted = l->matched[i] = true;
	return (wanted);
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

static const char *const places[TBUF_ARGS_MAX] = {
	"arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8",
	"arg9"
};

/* Sets the names and arguments of a probe. */
static void
inform(const struct listing *l, const struct usdt_probe *p,
    struct tbuf_probe_info *info)
{
	unsigned i;

	*info = (struct tbuf_probe_info){
		.provider = p->provider, .module = l->module, .function = "",
		.name = p->name, .nargs = p->nargs
	};
	for (i = 0; i < p->nargs; i++) {
		info->types[i] = (uint8_t)p->types[i];
		info->argnames[i] = *p->names[i] != '\0' ?
		    p->names[i] : places[i];
	}
}

/*
 * Prints the probes.  Their places in the list are used for ids, which they do
 * not have yet.
 */
static void
print(struct listing *l)
{
	const struct usdt_probe *p = l->probes->all;
	struct tbuf_probe_info info;

	for (; p < l->probes->all + l->probes->count; p++) {
		const char *const names[FIELDS] = {
			p->provider, l->module, NULL, p->name
		};

		if (!takes(l, names))
			continue;
		inform(l, p, &info);
		info.id = ++l->printed;
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

	if (!takes(l, names))
		return (false);
	print_function(l, name, problem);
	return (true);
}

/*
 * Calls one() for each offset of each description, with the whole item of its
 * list.
 */
static void
each_offset(struct listing *l, void (*one)(struct listing *, size_t i,
    const char *item, const char *offset, void *arg), void *arg)
{
	const struct program *program = &l->options->program;
	char *list, *rest, *item, *name;
	size_t i;

	for (i = 0; i < program->count; i++) {
		list = rest = memory_string(program->all[i].full);
		while ((item = strsep(&rest, ",")) != NULL)
			if ((name = strrchr(item, ':')) != NULL &&
			    missing_is_offset(++name))
				one(l, i, item, name, arg);
		free(list);
	}
}

/* An offset that may be wanted of a function. */
struct wanted {
	const char *function;
	void (*visit)(void *, const char *name);
	void *arg;
};

static void
visit_offset(struct listing *l, size_t i, const char *item, const char *offset,
    void *arg)
{
	const struct wanted *wanted = arg;
	const char *const names[FIELDS] = {
		"pid", l->module, wanted->function, NULL
	};

	(void)i;
	if (list_matches(item, names))
		wanted->visit(wanted->arg, offset);
}

/*
 * Visits the offsets in descriptions that match a function.  The helper process
 * calls it, so that it notes nothing.
 */
static void
visit_offsets(void *listing, const char *function, void (*visit)(void *,
    const char *name), void *arg)
{
	struct wanted wanted = { function, visit, arg };

	each_offset(listing, visit_offset, &wanted);
}

/* Notes that a description matches an offset of the present function. */
static void
note_offset(struct listing *l, size_t i, const char *item, const char *offset,
    void *found)
{
	const char *names[FIELDS] = { "pid", l->module, NULL, NULL };
	size_t j;

	if (strcmp(offset, found) != 0)
		return;
	/* The function's own offset is no name of it, but finds it, too. */
	if (strstr(item, ":+") != NULL)
		l->matched[i] |= list_matches(item, names);
	for (j = 0; j < l->aliases.count; j++) {
		names[2] = l->aliases.all[j];
		l->matched[i] |= list_matches(item, names);
	}
}

/* Ends the search.  Returns a description for the caller to free, or NULL. */
static char *
end_near(struct near_item *near)
{
	free(near->item);
	near->item = NULL;
	return (near_function_end(&near->functions));
}

/* Begins to look for names that descriptions may mean. */
static void
begin_nears(struct listing *l)
{
	const struct program *program = &l->options->program;
	const struct description *d = program->all;
	char *list, *rest, *item;
	struct near_item *near;

	for (; d < program->all + program->count; d++) {
		list = rest = memory_string(d->full);
		while ((item = strsep(&rest, ",")) != NULL) {
			l->nears = memory_get(l->nears, l->nnears + 1,
			    sizeof(*l->nears));
			near = &l->nears[l->nnears];
			near->item = memory_string(item);
			if (near_function_begin(&near->functions, item) &&
			    near_function_module(&near->functions, l->module,
			    true))
				l->nnears++;
			else
				free(end_near(near));
		}
		free(list);
	}
}

static void
end_nears(struct listing *l)
{
	size_t i;

	for (i = 0; i < l->nnears; i++)
		if (l->nears[i].item != NULL)
			free(end_near(&l->nears[i]));
	free(l->nears);
}

/* Passes the USDT probes of the file to `visit`. */
static int
near_listed(void *listing, int (*visit)(void *,
    const struct tbuf_probe_info *), void *arg)
{
	const struct listing *l = listing;
	const struct usdt_probe *p = l->probes->all;
	struct tbuf_probe_info info;
	int stopped = 0;

	for (; p < l->probes->all + l->probes->count && stopped == 0; p++) {
		inform(l, p, &info);
		stopped = visit(arg, &info);
	}
	return (stopped);
}

/* Suggests a function or a USDT probe of the file for a description. */
static char *
suggest(void *listing, const char *description)
{
	struct listing *l = listing;
	struct near_item *near = l->nears;

	for (; near < l->nears + l->nnears; near++)
		if (near->item != NULL && strcmp(near->item, description) == 0)
			return (end_near(near));
	return (near_description(description, near_listed, l));
}

/* Reports descriptions that match nothing.  Returns true if there is one. */
static bool
tell_unmatched(struct listing *l)
{
	const struct program *program = &l->options->program;
	bool found = false;
	size_t i;

	for (i = 0; i < program->count; i++)
		if (!l->matched[i]) {
			program_tell_nothing(&program->all[i], suggest, l);
			found = true;
		}
	return (found);
}

static void
visit_function(void *listing, const struct pid_function *f)
{
	struct listing *l = listing;
	size_t i;

	for (i = 0; f->offset == NULL && i < l->nnears; i++)
		near_function_add(&l->nears[i].functions, f->name);
	if (f->offset != NULL) {
		if (l->function != NULL) {
			each_offset(l, note_offset, (char *)f->offset);
			print_function(l, f->offset, f->entry_problem);
		}
		return;
	}
	if (!f->is_alias || l->function == NULL) {
		free(l->function);
		words_free(&l->aliases);
		l->aliases = (struct words){ .count = 0 };
		l->function = memory_string(f->name);
		l->has_entry = l->has_return = false;
	}
	words_add(&l->aliases, "%s", f->name);
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
	sites_free(&l->typed);
	free(l->function);
	words_free(&l->aliases);
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

/*
 * Returns how a path is no file with a program, or NULL.  It is asked before
 * the path is opened, as devices may do something at that.
 */
static const char *
kind_problem(const char *path)
{
	struct stat st;

	if (stat(path, &st) == -1)
		return (strerror(errno));
	if (S_ISDIR(st.st_mode))
		return ("it is a directory (name a program or a library)");
	if (S_ISFIFO(st.st_mode))
		return ("it is a FIFO (name a program or a library)");
	if (S_ISSOCK(st.st_mode))
		return ("it is a socket (name a program or a library)");
	if (!S_ISREG(st.st_mode))
		return ("it is a device (name a program or a library)");
	return (st.st_size == 0 ? "it is empty" : NULL);
}

/* Reads the notes of a file, and reports the sites that cannot be armed. */
static const char *
read_object(struct usdt_object *object, const char *path)
{
	const char *error = kind_problem(path);
	bool curable = false;
	int fd;

	if (error != NULL)
		return (error);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) == -1)
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

/* Prints the list.  Returns an exit status. */
static int
show(struct listing *l)
{
	const struct options *o = l->options;
	int status;

	if (l->probes->count > 0 || o->program.count > 0)
		l->format.ops->list(&l->format);
	else if (!o->quiet)
		message(MSG_OBJECT_NONE, o->object_file);
	print(l);
	if ((status = list_functions(l)) != 0)
		return (status);
	return (!o->unmatched && tell_unmatched(l) ? EXIT_FAILED : EXIT_DONE);
}

int
list_object(const struct options *o, struct output *out)
{
	struct probes probes = { .count = 0 };
	struct listing listing = { .options = o, .probes = &probes,
	    .module = basename(o->object_file) };
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
	listing.matched = memory_get(NULL, o->program.count + 1, sizeof(bool));
	memset(listing.matched, 0, o->program.count * sizeof(bool));
	status = show(&listing);
	end_nears(&listing);
	free(listing.matched);
	free(probes.all);
	return (status);
}
