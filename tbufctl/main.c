/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbufctl: trace from the command line.
 *
 * Layers: the command line (command_line.c) -> descriptions of probes
 * (enablings.c), or a script of clauses (compile.c) -> the run (consume.c) ->
 * output (format_text.c, format_json.c, and action.c for clauses).  Buffers are
 * handled in the library only.
 */
#include <sys/resource.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>

#include "base/messages.h"
#include "base/command_path.h"
#include "base/output.h"
#include "base/replace_file.h"
#include "base/signals.h"
#include "base/string_list.h"
#include "commands/commands.h"
#include "elf/syscall_coverage.h"
#include "elf/pid_report.h"
#include "elf/usdt_notes.h"
#include "elf/usdt_provider_file.h"
#include "metrics/prometheus.h"
#include "options/command_line.h"
#include "print/format.h"
#include "run/consume.h"
#include "run/receive_pipe.h"
#include "run/record.h"
#include "run/hints.h"
#include "run/preload.h"
#include "run/read_files.h"
#include "run/unarmed.h"
#include "script/compile.h"

/*
 * Raises the limit of descriptors, as each traced process takes two.  A higher
 * limit than needed costs nothing; the command, which is spawned before, has
 * the old one.
 */
static void
raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

/*
 * Sets variables for providers to report the sites that they have found, or
 * could not arm.
 */
static void
ask(const struct options *o, unsigned modules, const char **environment)
{
	bool lists = o->mode == MODE_LIST;

	if ((modules & PRELOAD_USDT) != 0 &&
	    (*environment = notes_report_begin(lists)) != NULL)
		environment++;
	if ((modules & PRELOAD_PID) != 0 &&
	    (*environment = pid_report_begin(lists)) != NULL)
		environment++;
	if ((modules & PRELOAD_PID) != 0 &&
	    (*environment = pid_types_begin()) != NULL)
		environment++;
	if (lists && (modules & PRELOAD_SYSCALL) != 0 && o->verbose)
		*environment = covered_begin();
}

/*
 * Sets -x syscall=all, if the syscall provider is preloaded and the kernel can
 * do it.
 */
static int
dispatch(unsigned modules, const char **environment)
{
	const char *problem;

	if ((modules & PRELOAD_SYSCALL) == 0)
		return (bad_usage(MSG_NEEDS, "-x syscall",
		    "a description of the syscall provider"));
	if ((problem = preload_dispatch()) != NULL)
		return (fail(MSG_DISPATCH, problem));
	*environment = "TBUF_SYSCALL=all";
	return (0);
}

/* Spawns the command of -c, with the modules in its environment. */
static int
spawn(const struct options *o, struct tbuf_consumer *consumer, pid_t *command)
{
	const char *environment[12] = { NULL };
	char *setting = NULL, *files = notes_file_setting(&o->usdt);
	char *functions = preload_pid_setting(o);
	unsigned modules = preload_modules(o), n = 0;
	int status = 0;

	if ((modules & PRELOAD_USDT) != 0)
		notes_check_installed();
	if (o->syscall_all)
		status = dispatch(modules, &environment[n++]);
	if (status == 0 && modules != 0)
		status = preload_prepare(o->command[0], modules, &setting);
	if (status != 0) {
		free(functions);
		free(files);
		return (status);
	}
	if (setting != NULL)
		environment[n++] = setting;
	if (files != NULL)
		environment[n++] = files;
	if ((modules & PRELOAD_PID) != 0)
		environment[n++] = functions;
	if ((modules & PRELOAD_PID) != 0 && (o->pid_partial || o->pid_loops))
		environment[n++] = !o->pid_loops ? "TBUF_PID_OPTIONS=partial" :
		    !o->pid_partial ? "TBUF_PID_OPTIONS=loops" :
		    "TBUF_PID_OPTIONS=partial,loops";
	ask(o, modules, &environment[n]);
	*command = tbuf_consumer_spawn(consumer, o->command, environment);
	free(setting);
	free(functions);
	free(files);
	if (*command < 0)
		return (fail(MSG_LIBRARY, tbuf_consumer_error(consumer)));
	raise_limit();
	return (0);
}

static int
compare_provider(void *name, const struct tbuf_probe_info *probe)
{
	return (strcmp(probe->provider, name) == 0);
}

/* The probes of the usdt provider have the providers of the notes. */
static bool
has_provider(const struct options *o, struct tbuf_consumer *consumer,
    char *name)
{
	return (strcmp(name, "usdt") == 0 ? unarmed_has_provider(o) :
	    tbuf_consumer_probes(consumer, compare_provider, name) > 0);
}

/*
 * Reports named providers that running targets lack, and cannot get any more.
 * Returns true if there are any.
 */
static bool
tell_absent(const struct options *o, struct tbuf_consumer *consumer)
{
	char names[][8] = { "libc", "syscall", "usdt" };
	bool told = false;
	size_t i;

	if (o->command != NULL || options_reads(o))
		return (false);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (preload_wanted(&o->program, names[i]) &&
		    !has_provider(o, consumer, names[i])) {
			message(MSG_ABSENT, names[i], names[i]);
			told = true;
		}
	return (told);
}

/* A process of -p has no libtbuf, and its profile probes sample it. */
static bool is_sampled;

/*
 * Returns true if a process that cannot be a target may still be of use: D
 * programs may have profile probes.
 */
static bool
may_sample(const struct options *o, int error)
{
	return (o->mode == MODE_TRACE && o->program.programs > 0 &&
	    o->program.programs == o->program.count && (error == -ENOEXEC ||
	    error == -EPROTO || error == -EOPNOTSUPP || error == -ECANCELED));
}

/* Grabs a process, or opens the file of one that has ended. */
static int
grab(const struct options *o, struct tbuf_consumer *consumer, pid_t pid)
{
	int error = tbuf_consumer_grab(consumer, pid);

	if (may_sample(o, error) && tbuf_consumer_sample(consumer, pid) == 0) {
		is_sampled = error == -ENOEXEC;
		if (!o->quiet)
			message(MSG_SAMPLED, tbuf_consumer_error(consumer));
		return (0);
	}
	if (error != -ESRCH)
		return (error);
	error = tbuf_consumer_open_pid(consumer, pid);
	if (error >= 0 && !o->quiet)
		message(MSG_LEFT, (intmax_t)pid);
	if (error > 1 || (error > 0 && !o->quiet))
		message(MSG_LIBRARY, tbuf_consumer_error(consumer));
	return (error);
}

struct holders {
	struct tbuf_consumer *consumer;
	unsigned count;
};

/*
 * Opens the file of a target.  Most are not traced, and one may have ended
 * meanwhile: such errors are ignored.
 */
static int
snapshot_one(void *arg, pid_t pid, const char *program)
{
	struct holders *holders = arg;

	(void)program;
	holders->count += tbuf_consumer_open_pid(holders->consumer, pid) >= 0;
	return (0);
}

static int
snapshot_all(const struct options *o, struct tbuf_consumer *consumer)
{
	struct holders holders = { consumer, 0 };
	int error = tbuf_targets(snapshot_one, &holders);

	if (error == -ETIMEDOUT)
		message(MSG_TARGETS_LOOK, format_directory(error));
	else if (error < 0)
		return (fail(MSG_TARGETS_LOOK, format_directory(error)));
	return (holders.count == 0 && o->files.count + o->cores.count == 0 ?
	    fail(MSG_NO_SESSION) : 0);
}

/*
 * Finds the targets to trace: -p, -c, or all of them; or the files to read.
 * *command is set to the pid of a command that waits.
 */
static int
find_targets(const struct options *o, struct tbuf_consumer *consumer,
    pid_t *command)
{
	size_t i;
	int error = 0, status;
	bool told;

	if (o->command == NULL)
		raise_limit();
	if (o->snapshot && (status = snapshot_all(o, consumer)) != 0)
		return (status);
	if ((status = files_open(consumer, o)) != 0)
		return (status);
	for (i = 0; i < o->npids; i++)
		if ((error = grab(o, consumer, o->pids[i])) < 0)
			goto fail;
	if (o->command != NULL)
		return (spawn(o, consumer, command));
	/* A script with only tbufctl's own probes needs no targets. */
	if (o->npids == 0 && !options_reads(o) &&
	    o->program.programs < o->program.count + (o->mode == MODE_LIST) &&
	    tbuf_consumer_grab_all(consumer) < 0)
		goto fail;
	return (0);
fail:
	status = fail(MSG_LIBRARY, tbuf_consumer_error(consumer));
	/* If -c had started it, it could have the provider that was named. */
	if (error == -ENOEXEC) {
		told = tell_absent(o, consumer);
		told |= unarmed_tell(o, consumer);
		hints_tell_process(false, told);
	}
	return (status);
}

static int
trace(struct options *o, struct tbuf_consumer *consumer, struct output *out,
    pid_t command, struct compiled *compiled)
{
	bool is_script = o->program.programs > 0;
	int status = options_check(o, consumer);

	if (status != 0)
		return (status);
	if (is_script && tbuf_consumer_script(consumer, compiled->script) < 0)
		return (fail(MSG_LIBRARY, tbuf_consumer_error(consumer)));
	status = metrics_check(o, is_script ? compiled->script : NULL);
	if (status != 0)
		return (status);
	status = record_check(o, consumer, is_script ? compiled->script : NULL);
	if (status != 0)
		return (status);
	status = program_enable(&o->program, consumer,
	    command != 0 || o->npids > 0 || options_reads(o));
	if (status == 0 && is_script && o->verbose && !o->json)
		stability_print(compiled, out);
	if (status != 0 || o->d.compile_only)
		return (status);
	return (consume(consumer, o, out, command,
	    is_script ? compiled : NULL, &compiled->known));
}

/* Sets *target to the process of all probes, or to -1 if there are several. */
static int
find_process(void *target, pid_t pid, const struct tbuf_probe_info *probe)
{
	pid_t *found = target;

	(void)probe;
	*found = *found == 0 || *found == pid ? pid : -1;
	return (0);
}

/*
 * Returns the process that $target is: the command, the first of -p, or the one
 * whose files are read; else 0.
 */
static pid_t
find_target(const struct options *o, struct tbuf_consumer *consumer,
    pid_t command)
{
	pid_t target = 0;

	if (command != 0 || o->npids > 0)
		return (command != 0 ? command : o->pids[0]);
	if (options_reads(o))
		(void)tbuf_consumer_list(consumer, find_process, &target);
	return (target > 0 ? target : 0);
}

/* Finds the targets, compiles the programs, then lists or traces. */
static int
trace_or_list(struct options *o, struct tbuf_consumer *consumer,
    struct output *out, struct compiled *compiled)
{
	pid_t command = 0;
	char *functions;
	int status;

	if ((status = find_targets(o, consumer, &command)) != 0)
		return (status);
	(void)unarmed_tell(o, consumer);
	functions = preload_wants_pid(o) ?
	    preload_pid_setting(o) : NULL;
	compile_begin(compiled, o, consumer,
	    find_target(o, consumer, command), functions == NULL ? NULL :
	    strchr(functions, '=') + 1);
	if (command != 0)
		pid_types_write(known_function_table(&compiled->known));
	if (o->program.programs > 0 || o->d.compile_only)
		status = compile_all(compiled);
	if (status == 0 && o->mode == MODE_TRACE && !o->unmatched &&
	    known_refuses(&compiled->known, &o->program))
		status = EXIT_FAILED;
	program_extend(&o->program, known_others_text, &compiled->known);
	if (status == 0 && o->mode == MODE_LIST)
		status = list(consumer, o, out, compiled->script);
	else if (status == 0)
		status = trace(o, consumer, out, command, compiled);
	if (status == EXIT_FAILED && !tell_absent(o, consumer) &&
	    is_sampled && compiled->unmatched)
		hints_tell_process(true, false);
	compiled->known.functions = NULL;
	free(functions);
	return (status);
}

static int
run_with_consumer(struct options *o, struct output *out)
{
	struct compiled compiled = { .options = NULL };
	struct tbuf_consumer *consumer;
	int status;

	if ((consumer = tbuf_consumer_new()) == NULL)
		return (fail(MSG_START, strerror(errno)));
	if (o->mode == MODE_TRACE)
		signals_take(consumer);
	if ((status = options_apply(o, consumer)) == 0 &&
	    (status = compile_read(o)) == 0)
		status = trace_or_list(o, consumer, out, &compiled);
	notes_report_end();
	pid_report_end();
	covered_end();
	signals_mend(NULL);
	tbuf_consumer_close(consumer);
	compile_free(&compiled);
	return (status);
}

/*
 * Refuses a command that cannot be executed, before anything is written.  The
 * kernel's error for a script without its interpreter is that of a missing
 * command.
 */
static int
check_command(const char *name)
{
	char path[PATH_MAX], *file, *last;
	int error = command_error(name), status = 0;

	if (error != 0)
		return (fail(MSG_EXECUTE, name, strerror(error)));
	file = command_find(name);
	if (file != NULL && script_interpreter(file, path) &&
	    access(path, F_OK) == -1 && errno == ENOENT) {
		if ((last = strrchr(path, '\r')) != NULL && last[1] == '\0') {
			*last = '\0';
			status = fail(MSG_INTERPRETER_CR, name, path);
		} else
			status = fail(MSG_INTERPRETER, name, path);
	}
	free(file);
	return (status);
}

static int
run(struct options *o, struct output *out)
{
	int error;

	if (o->command != NULL && (error = check_command(o->command[0])) != 0)
		return (error);
	if (o->mode == MODE_HEADER || o->mode == MODE_OBJECT)
		return (header_run(o));
	if (o->output != NULL && (error = o->prometheus ?
	    replace_file_check(o->output) :
	    output_append(out, o->output)) < 0)
		return (fail(MSG_OPEN, o->output, strerror(-error)));
	if (pipe_is_copied(o))
		return (pipe_record(o));
	if (o->record != NULL && (error = record_open(o)) != 0)
		return (error);
	if (o->report != NULL && (error = replace_file_check(o->report)) < 0)
		return (fail(MSG_OPEN, o->report, strerror(-error)));
	switch (o->mode) {
	case MODE_HELP:
		output_printf(out, "%s", options_usage);
		return (EXIT_DONE);
	case MODE_VERSION:
		output_printf(out, "tbufctl %s, D 2.0\n", tbuf_version());
		return (EXIT_DONE);
	case MODE_STAT:
		return (stat_run(o, out));
	case MODE_SET:
		return (set_run(o));
	case MODE_UNWRAP:
		return (unwrap_run(o, out));
	case MODE_LIST_OBJECT:
		return (list_object(o, out));
	case MODE_LEFT:
		return (left_run(o, out));
	case MODE_UNITS:
		return (units_run(o, out));
	default:
		return (run_with_consumer(o, out));
	}
}

/* Flushes the output.  A lost reader is no error; a full disk is. */
static int
finish(const struct options *o, struct output *out, int status)
{
	output_flush(out);
	if (out->error == 0 || out->error == EPIPE || status != EXIT_DONE)
		return (status);
	return (fail(MSG_WRITE, output_failed(out, o->output),
	    strerror(out->error)));
}

static void
flush(void *out)
{
	output_flush(out);
}

int
main(int argc, char **argv)
{
	struct options options;
	struct output out;
	int status;

	output_guard();
	output_init(&out, STDOUT_FILENO);
	messages_init(flush, &out);
	signals_init();
	if ((status = options_parse(&options, argc, argv)) == 0)
		status = finish(&options, &out, run(&options, &out));
	options_free(&options);
	free(out.buffer);
	free(out.diverted);
	free(out.failed);
	return (status);
}
