/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bpftrace_words.h"
#include "base/description_field.h"
#include "base/dtrace_providers.h"
#include "base/messages.h"
#include "base/suggest.h"
#include "compile.h"
#include "cpp.h"
#include "elf/pid_report.h"
#include "options/command_line.h"

/* ------------------------------------------------------------ callbacks */

/* The context of callbacks is the `known` of a struct compiled. */
static struct compiled *
compiled_of(void *known)
{
	return ((struct compiled *)((char *)known -
	    offsetof(struct compiled, known)));
}

/* The largest strsize; a run lowers others to it. */
#define STRSIZE_MAX	32768

/* Sets the sizes that a program is compiled for. */
static void
set_sizes(struct compiled *c)
{
	int64_t size = 0;

	if (tbuf_consumer_get(c->known.consumer, "strsize", &size) == 0)
		c->d.strsize = size < STRSIZE_MAX ? (uint64_t)size :
		    STRSIZE_MAX;
	if (tbuf_consumer_get(c->known.consumer, "scratchsize", &size) == 0)
		c->d.scratchsize = (uint64_t)size;
}

/* Copies options that a #pragma D option may change. */
static void
copy_options(struct compiled *c)
{
	const struct d_settings *d = &c->options->d;

	c->d.defaultargs = d->defaultargs;
	c->d.argref = d->argref;
	c->d.version = d->version;
	c->d.least = d->least;
	c->d.zdefs = c->options->unmatched;
	c->d.empty = d->empty;
	c->d.stackframes = d->stackframes;
	c->d.ustackframes = d->ustackframes;
	c->d.jstackframes = d->jstackframes;
	c->d.maxframes = d->maxframes;
	c->d.tregs = d->tregs;
	c->d.raw = d->unwind;
}

/*
 * Sets an option of #pragma D option.  Returns NULL, or why it cannot be set.
 */
static const char *
set_option(void *context, const char *name, const char *value)
{
	struct compiled *c = compiled_of(context);
	bool flow = c->options->flow;
	const char *why;

	if (setting_is_outside(name))
		return (MSG_SET_CONTEXT);
	why = setting_set(c->options, name, value);
	if (c->options->flow && !flow)
		(void)tbuf_consumer_set(c->known.consumer, "temporal", NULL);
	copy_options(c);
	c->d.pspec |= c->options->d.pspec;
	if (why != SETTING_OTHER)
		return (why);
	options_name(c->options, name);
	switch (tbuf_consumer_set(c->known.consumer, name, value)) {
	case 0:
		set_sizes(c);
		return (NULL);
	case -EINVAL:
		return (MSG_SET_VALUE);
	case -ENOTSUP:
		return (MSG_SET_UNSUPPORTED);
	default:
		return (MSG_SET_NAME);
	}
}

static bool
traces(const struct compiled *c, int64_t pid)
{
	size_t i;

	if (c->target != 0 && pid == c->target)
		return (true);
	for (i = 0; i < c->options->npids; i++)
		if (pid == c->options->pids[i])
			return (true);
	return (false);
}

/* Returns true for pidN of another process than the command of -c. */
static bool
is_of_other(const struct compiled *c, const char *provider)
{
	return (missing_is_pid(provider) && (c->target == 0 ||
	    strtoll(provider + strlen("pid"), NULL, 10) != c->target));
}

/*
 * Reports that a provider is pidN of no process that is traced or read, each
 * once.  Returns true if it is.
 */
static bool
tell_process(const struct compiled *c, const char *provider)
{
	static struct words told;

	if (!missing_is_pid(provider) ||
	    (c->target == 0 && strcmp(provider, "pid0") != 0) ||
	    traces(c, strtoll(provider + strlen("pid"), NULL, 10)))
		return (false);
	if (words_have(&told, provider))
		return (true);
	words_add(&told, "%s", provider);
	if (c->target == 0)
		message(MSG_PID_TARGET);
	else
		message(MSG_PID_OTHER, provider);
	return (true);
}

/*
 * Reports pidN in a field after the provider, as that of a description with
 * fewer fields.  Returns true if it is there.
 */
static bool
tell_field(const struct d_description *d)
{
	static const char *const fields[] = {
		[D_FIELD_MODULE] = "module", [D_FIELD_FUNCTION] = "function",
		[D_FIELD_NAME] = "name"
	};
	int i;

	for (i = D_FIELD_PROVIDER; i < D_FIELD_NAME; i++)
		if (*d->field[i] != '\0')
			break;
	if (i == D_FIELD_PROVIDER || !missing_is_pid(d->field[i]))
		return (false);
	message(MSG_PID_FIELDS, d->field[i], fields[i]);
	return (true);
}

/*
 * Reports a provider that only DTrace has.  The pid provider is preloaded into
 * the command, and reports itself why it has no such probe.
 */
static bool
tell_provider(const struct compiled *c, const struct d_description *d)
{
	const char *provider = d->field[D_FIELD_PROVIDER];
	const char *name = d->field[D_FIELD_NAME];

	if (tell_field(d))
		return (true);
	if (tell_process(c, provider))
		return (true);
	if (missing_is_pid(provider) && !missing_name(provider, name) &&
	    (c->options->command != NULL || options_reads(c->options)))
		return (false);
	return (missing_tell(provider, name));
}

/*
 * Returns true if a probe exists, or may exist later.  A command that does not
 * run yet may have all probes but those of pidN of another process, and of
 * providers whose probes are known; -l reports descriptions without a match
 * after its list.
 */
static bool
probe_exists(void *context, const struct d_description *d)
{
	struct compiled *c = compiled_of(context);

	return (known_count(&c->known, d) != 0 ||
	    c->options->mode == MODE_LIST || (c->options->command != NULL &&
	    !is_of_other(c, d->field[D_FIELD_PROVIDER]) &&
	    !missing_name(d->field[D_FIELD_PROVIDER], d->field[D_FIELD_NAME]) &&
	    !known_lacks(&c->known, d)));
}

static bool
probe_is_own(void *context, const struct d_description *d)
{
	(void)context;
	return (known_is_own(d));
}

static bool
is_traced(void *context, int64_t pid)
{
	return (traces(compiled_of(context), pid));
}

/*
 * Adds the processes and the command to those with types that a script can
 * name.
 */
static void
name_types(struct compiled *c)
{
	const struct options *o = c->options;
	size_t i;

	for (i = 0; i < o->npids; i++)
		types_add_process(&c->known.types, o->pids[i]);
	if (o->command != NULL)
		types_add_command(&c->known.types, o->command,
		    &o->pid_objects);
}

/* ------------------------------------------------------------ opening */

static struct d_macro *
make_macros(pid_t target)
{
	const struct d_macro all[] = {
		{ "pid", getpid() }, { "ppid", getppid() },
		{ "uid", getuid() }, { "euid", geteuid() },
		{ "gid", getgid() }, { "egid", getegid() },
		{ "pgid", getpgid(0) }, { "sid", getsid(0) },
		{ "projid", 0 }, { "taskid", 0 }, { "target", target },
		{ NULL, 0 }
	};

	return (memcpy(memory_get(NULL, 1, sizeof(all)), all, sizeof(all)));
}

static void
set_options(struct compiled *c, pid_t target)
{
	c->d = (struct d_options){
		.callbacks = {
			.context = &c->known, .set_option = set_option,
			.probe_exists = probe_exists,
			.probe_is_own = probe_is_own,
			.argument = known_argument, .likely = known_likely,
			.probe_by_id = known_by_id, .others = known_others,
			.type_find = known_type_find,
			.argument_type = known_argument_type,
			.type_same = known_type_same,
			.argument_place = known_argument_place,
			.type_read = known_type_read, .is_traced = is_traced
		},
		.macros = make_macros(target), .ilp32 = c->options->d.ilp32
	};
	set_sizes(c);
	copy_options(c);
}

/* ------------------------------------------------------------ sources */

void
compile_tell_error(const struct description *program, const char *why)
{
	char *title;

	if (program == NULL) {
		message_lines(MSG_COMPILE_LIBRARIES, why);
		return;
	}
	title = description_title(program->flag, program->text);
	message_lines(program->flag == 's' ? MSG_COMPILE : MSG_BAD_PROBE,
	    title, why);
	free(title);
}

/* Reports an error in DTrace's words; a list of types keeps its lines. */
static int
refuse(struct compiled *c, const struct description *program,
    const struct d_error *error)
{
	char *why = NULL, *near = NULL;
	size_t size;
	FILE *f;

	if ((f = open_memstream(&why, &size)) == NULL)
		exit(fail(MSG_MEMORY));
	d_error_print(error, c->options->d.errtags, f);
	(void)fclose(f);
	compile_tell_error(program, why);
	if ((program == NULL || !explain_bpftrace(program, error)) &&
	    (near = hint(c, error)) != NULL)
		message(MSG_HINT, near);
	explain_arguments(c, error);
	explain_module(c, error->description);
	explain_timer(error);
	if (error->unknown == D_UNKNOWN_PROBE && !(error->description != NULL &&
	    tell_provider(c, error->description)) &&
	    near == NULL)
		c->unmatched = true;
	free(near);
	free(why);
	return (EXIT_FAILED);
}

/* Compiles the libraries for the first program, or NULL if there is none. */
static int
compile_libraries(struct compiled *c, const struct description *program)
{
	struct d_error error;
	size_t i;

	if (c->libraries.wrong != NULL) {
		compile_tell_error(program, c->libraries.wrong);
		return (EXIT_FAILED);
	}
	for (i = 0; i < c->libraries.count; i++) {
		const struct library *l = &c->libraries.all[i];
		const struct d_source source = {
			.text = l->text, .length = l->length,
			.is_script = true, .has_lines = true,
			.is_library = true,
			.name = l->path, .field = D_FIELD_NAME
		};

		if (d_compile(c->compiler, &source, &error) == NULL)
			return (refuse(c, program, &error));
	}
	return (0);
}

static enum d_field
last_field(int flag)
{
	switch (flag) {
	case 'P':
		return (D_FIELD_PROVIDER);
	case 'm':
		return (D_FIELD_MODULE);
	case 'f':
		return (D_FIELD_FUNCTION);
	default:
		return (D_FIELD_NAME);
	}
}

static int
read_script(const struct options *o, struct description *program)
{
	const char *why;

	program->script = text_read(program->text, &program->length);
	if (program->script == NULL && errno == EINTR)
		return (fail(MSG_INTERRUPTED));
	if (program->script == NULL)
		return (fail(MSG_OPEN_SCRIPT, program->text,
		    strerror(errno)));
	if (o->d.cpp && (program->script =
	    cpp_run(&o->d, program->script, &program->length, &why)) == NULL)
		return (fail(MSG_COMPILE, program->text, why));
	return (0);
}

int
compile_read(struct options *o)
{
	struct program *p = &o->program;
	int status = 0;
	size_t i;

	for (i = 0; i < p->count && status == 0; i++)
		if (p->all[i].flag == 's')
			status = read_script(o, &p->all[i]);
	return (status);
}

static int
compile_one(struct compiled *c, size_t i)
{
	struct options *o = c->options;
	struct description *program = &o->program.all[i];
	struct d_source source = {
		.is_script = program->flag == 's',
		.has_lines = program->flag == 's' ||
		    *description_cut(program->text) != '\0',
		.name = program->text,
		.field = last_field(program->flag),
		.argc = o->nwords, .argv = o->words
	};
	struct d_error error;

	o->words[0] = program->flag == 's' ? program->text : o->name;
	/* On the command line a name outside of clauses is a probe. */
	c->d.pspec = program->flag != 's' || o->d.pspec;
	/* -i takes a number, or a description as -n does. */
	source.text = program->flag == 's' ? program->script : program->text;
	source.length = program->flag == 's' ? program->length :
	    strlen(program->text);
	c->programs[i] = d_compile(c->compiler, &source, &error);
	return (c->programs[i] != NULL ? 0 : refuse(c, program, &error));
}

/*
 * Lists targets if a description needs it; the compiler may not have, as with
 * -Z.
 */
static void
look_for_targets(struct compiled *c)
{
	const struct tbuf_d_clause *clause = c->script->clauses;
	const struct tbuf_d_clause *end = clause + c->script->nclauses;
	uint32_t i;

	for (; clause < end; clause++)
		for (i = 0; i < clause->ndescriptions; i++)
			if (tbuf_consumer_own(clause->descriptions[i]) <= 0)
				known_list(&c->known);
}

const struct description *
compile_program(const struct compiled *c, unsigned n)
{
	const struct program *p = &c->options->program;
	size_t i;

	for (i = 0; i < p->count; i++)
		if (c->programs[i] != NULL && n-- == 0)
			return (&p->all[i]);
	return (NULL);
}

static void
tell_lowered(const struct compiled *c)
{
	const char *note;
	unsigned n;

	for (n = 0; (note = d_lowered(c->compiler, n)) != NULL; n++)
		message("%s", note);
}

static int
generate(struct compiled *c)
{
	struct d_node **programs;
	const struct program *p = &c->options->program;
	struct d_error error;
	unsigned n = 0;
	size_t i;

	programs = memory_get(NULL, p->count + 1, sizeof(*programs));
	for (i = 0; i < p->count; i++)
		if (c->programs[i] != NULL)
			programs[n++] = c->programs[i];
	c->script = d_generate(c->compiler, programs, n, &error);
	free(programs);
	if (c->script == NULL)
		return (refuse(c, compile_program(c, error.program), &error));
	if (c->options->d.disassemble)
		d_disassemble(c->script, stderr);
	look_for_targets(c);
	if (!c->options->quiet)
		tell_lowered(c);
	return (0);
}

void
compile_begin(struct compiled *c, struct options *o,
    struct tbuf_consumer *consumer, pid_t target, const char *functions)
{
	int64_t follow = 0;

	*c = (struct compiled){ .options = o, .target = target };
	(void)tbuf_consumer_get(consumer, "follow", &follow);
	c->known = (struct known){
		.consumer = consumer, .look = o->command == NULL,
		.files = options_reads(o),
		.all = o->npids == 0 && !options_reads(o),
		.command = o->command == NULL ? NULL : o->command[0],
		.described = &o->usdt, .more = follow != 0,
		.functions = functions
	};
	(void)snprintf(c->known.provider, sizeof(c->known.provider), "pid%jd",
	    (intmax_t)target);
	name_types(c);
}

int
compile_all(struct compiled *c)
{
	struct options *o = c->options;
	const struct program *p = &o->program;
	bool first = true;
	int status;
	size_t i;

	set_options(c, c->target);
	c->programs = memory_get(NULL, p->count, sizeof(*c->programs));
	memset(c->programs, 0, p->count * sizeof(*c->programs));
	if (!o->d.no_libraries)
		libraries_read(&c->libraries, &o->d.libraries);
	if ((c->compiler = d_open(&c->d)) == NULL)
		return (fail(MSG_MEMORY));
	for (i = 0; i < p->count; i++) {
		if (!p->all[i].is_program)
			continue;
		if (first && (status = compile_libraries(c, &p->all[i])) != 0)
			return (status);
		first = false;
		if ((status = compile_one(c, i)) != 0)
			return (status);
	}
	return (first ? compile_libraries(c, NULL) : generate(c));
}

void
compile_free(struct compiled *c)
{
	if (c->options == NULL)
		return;
	if (c->compiler != NULL)
		d_close(c->compiler);
	libraries_free(&c->libraries);
	known_others_free(&c->known);
	known_free(&c->known);
	free(c->programs);
	words_free(&c->hinted);
	free(c->unfit_told);
	free((void *)(uintptr_t)c->d.macros);
}

/* ------------------------------------------------------------ notices */

/*
 * Returns the number of probes that a program matches by now.  Each description
 * of each clause counts, and each part of a clause with an if.  Without `all`
 * it is 0 for a program with descriptions of targets' probes until one of those
 * matches: a command has its probes only after tbufctl's own have fired.
 */
static unsigned
count(struct compiled *c, const struct d_node *program, bool all)
{
	const struct d_description *d;
	unsigned i, own = 0, others = 0, parts;
	bool waits = false;

	for (i = 0; (d = d_program_description(program, i, &parts)) != NULL;
	    i++) {
		if (known_own(d) != 0) {
			own += known_own(d) * parts;
			continue;
		}
		others += known_count_again(&c->known, d) * parts;
		waits = !all;
	}
	return (waits && others == 0 ? 0 : own + others);
}

void
compile_tell(struct compiled *c, bool *reported, bool all)
{
	const struct program *p = &c->options->program;
	const struct description *d;
	bool had_if = false, error;
	unsigned n;
	size_t i;

	for (i = 0; i < p->count; i++) {
		d = &p->all[i];
		if (c->programs[i] == NULL)
			continue;
		error = !had_if && d_program_has_if(c->programs[i]);
		had_if = had_if || error;
		if (reported[i])
			continue;
		n = count(c, c->programs[i], all);
		if (n == 0 && !all)
			continue;
		n += error;
		reported[i] = true;
		if (d->flag == 's')
			message(MSG_SCRIPT_MATCHED, d->text, n, PLURAL(n));
		else
			message(MSG_CLAUSE_MATCHED,
			    (int)strcspn(d->text, "{/;"), d->text, n,
			    PLURAL(n));
	}
}

static int
is_match(void *description, const struct tbuf_probe_info *probe)
{
	return (known_matches(description, probe));
}

static bool
is_unmatched(struct compiled *c, const struct d_description *d)
{
	struct d_description copy = *d;

	return (known_own(d) == 0 &&
	    tbuf_consumer_probes(c->known.consumer, is_match, &copy) <= 0);
}

/* Reports a description once, even if several clauses have it. */
static enum unmatched
tell_unmatched(struct compiled *c, const struct description *program,
    const struct d_description *d, struct words *reported)
{
	char *text = known_text(d), *near, *why;
	bool explained;

	if (words_have(reported, text)) {
		free(text);
		return (UNMATCHED_NONE);
	}
	words_add(reported, "%s", text);
	why = string_format(MSG_NO_PROBE, "", (int)strlen(text), text);
	message(program->flag == 's' ? MSG_COMPILE : MSG_BAD_PROBE,
	    program->text, why);
	free(why);
	pid_report_absent(text);
	explained = words_have(&c->hinted, text);
	near = explained ? NULL : known_near(&c->known, text);
	if (near != NULL)
		message(MSG_HINT, near);
	explained |= near != NULL;
	free(near);
	explained |= bpftrace_tell_descriptions(text);
	explained |= description_tell_timer(text);
	free(text);
	explained |= tell_provider(c, d);
	if (explained)
		return (UNMATCHED_EXPLAINED);
	return (missing_is_pid(d->field[D_FIELD_PROVIDER]) ?
	    UNMATCHED_FUNCTION : UNMATCHED_PLAIN);
}

static void
hint_one(struct compiled *c, const struct d_description *d)
{
	char *text = known_text(d), *near = NULL;

	if (!words_have(&c->hinted, text))
		near = known_near(&c->known, text);
	if (near != NULL) {
		message(MSG_MATCHED, text, 0u, PLURAL(0));
		message(MSG_HINT, near);
		words_add(&c->hinted, "%s", text);
	}
	free(near);
	free(text);
}

void
compile_hint(struct compiled *c, bool early)
{
	const struct d_description *d;
	unsigned j, parts;
	size_t i;

	for (i = 0; i < c->options->program.count; i++)
		for (j = 0; c->programs[i] != NULL && (d =
		    d_program_description(c->programs[i], j, &parts)) != NULL;
		    j++)
			if (known_absent(&c->known, d, early) &&
			    is_unmatched(c, d))
				hint_one(c, d);
}

enum unmatched
compile_unmatched(struct compiled *c)
{
	const struct description *p;
	const struct d_description *d;
	enum unmatched most = UNMATCHED_NONE, one;
	struct words reported = { NULL, 0 };
	unsigned j, parts;
	size_t i;

	for (i = 0, p = c->options->program.all;
	    i < c->options->program.count; i++, p++)
		for (j = 0; c->programs[i] != NULL && (d =
		    d_program_description(c->programs[i], j, &parts)) != NULL;
		    j++) {
			if (!is_unmatched(c, d))
				continue;
			one = tell_unmatched(c, p, d, &reported);
			most = one > most ? one : most;
		}
	words_free(&reported);
	return (most);
}
