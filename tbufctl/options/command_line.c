/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses the command line: dtrace(1)'s flags, and long options for the rest.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf_consumer.h>
#include <tbuf_text.h>

#include "base/bool_value.h"
#include "base/description_field.h"
#include "base/messages.h"
#include "base/string_list.h"
#include "base/suggest.h"
#include "command_line.h"
#include "elf/usdt_provider_file.h"
#include "split_command.h"
#include "text_option.h"

/* The shortest part of a name that stands for it in a suggestion. */
#define PART_MIN	4

enum {
	OPTION_HELP = UCHAR_MAX + 1,
	OPTION_CHECK,
	OPTION_CORE,
	OPTION_FOLLOW,
	OPTION_FORMAT,
	OPTION_LEFT,
	OPTION_UNITS,
	OPTION_OBJECT,
	OPTION_READ,
	OPTION_RECORD,
	OPTION_REPORT,
	OPTION_SET,
	OPTION_SNAPSHOT,
	OPTION_STAT,
	OPTION_UNWRAP,
	OPTION_WITH
};

static const struct option long_options[] = {
	{ "check", required_argument, NULL, OPTION_CHECK },
	{ "core", required_argument, NULL, OPTION_CORE },
	{ "follow", no_argument, NULL, OPTION_FOLLOW },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "left", optional_argument, NULL, OPTION_LEFT },
	{ "units", optional_argument, NULL, OPTION_UNITS },
	{ "object", required_argument, NULL, OPTION_OBJECT },
	{ "read", required_argument, NULL, OPTION_READ },
	{ "record", required_argument, NULL, OPTION_RECORD },
	{ "report", required_argument, NULL, OPTION_REPORT },
	{ "set", required_argument, NULL, OPTION_SET },
	{ "snapshot", optional_argument, NULL, OPTION_SNAPSHOT },
	{ "stat", optional_argument, NULL, OPTION_STAT },
	{ "unwrap", required_argument, NULL, OPTION_UNWRAP },
	{ "version", no_argument, NULL, 'V' },
	{ "with", required_argument, NULL, OPTION_WITH },
	{ NULL, 0, NULL, 0 }
};

const char options_usage[] =
"usage: tbufctl [-CeFHqSvwZ] [-32|-64] [-b size] [-c command] [-o file]\n"
"               [-p pid] [-x name[=value]] [-D name[=value]] [-U name]\n"
"               [-I dir] [-L dir] [-X a|c|s|t] [--follow]\n"
"               [--format=text|json|log|folded|chrome|perfetto|otlp|\n"
"                         prometheus]\n"
"               [--with=field,...] [--record=dir] [-P provider [clause]]\n"
"               [-m module [clause]] [-f function [clause]]\n"
"               [-n name [clause]] [-i id [clause]] [-s script] "
"[argument ...]\n"
"       tbufctl --read=file|pid | --core=file | --snapshot[=pid] [-FqZ]\n"
"               [-o file] [-x name[=value]]\n"
"               [--format=text|json|log|chrome|perfetto|otlp|prometheus]\n"
"               [--record=dir] [--report=file] [--with=field,...]\n"
"               [-P provider [clause]]\n"
"               [-m module [clause]] [-f function [clause]]\n"
"               [-n name [clause]] [-i id [clause]] [-s script] "
"[argument ...]\n"
"       tbufctl -l [-vZ] [-c command] [-o file] [-p pid] [--read=file|pid]\n"
"               [--core=file] [--format=text|json] [-P provider] [-m module]\n"
"               [-f function] [-n name] [-i id]\n"
"       tbufctl -l --check=file [-c command] [-n name] [-o file] [-p pid]\n"
"               [--read=file|pid] [--core=file]\n"
"       tbufctl -l --object=file [-v] [-o file] [--format=text|json]\n"
"       tbufctl --stat[=interval] [-o file] [-p pid]\n"
"               [--format=text|json|prometheus]\n"
"       tbufctl --set=setting [-p pid]\n"
"       tbufctl --unwrap=file|core|pid [-q] [-o file]\n"
"       tbufctl --left[=remove[=age]] [-o file]\n"
"               [--format=text|json|prometheus]\n"
"       tbufctl --units[=pid[:id]] [-o file] [--format=text|json]\n"
"       tbufctl --units=hung [-o file] [-x unithung=age]\n"
"               [--format=text|json|log]\n"
"       tbufctl --units=stat [-o file] [--format=text|json|prometheus]\n"
"       tbufctl -h | -G [-C] [-D name[=value]] [-I dir] [-o file]\n"
"               -s provider-file\n"
"       tbufctl -V | --version | --help\n"
"\n"
"  -P, -m, -f, -n, -i  enable probes by provider, module, function, name, id:\n"
"                      [[[provider:]module:]function:]name, with * ? []; with\n"
"                      a clause of D, such as 'BEGIN { trace(1); }'\n"
"  -s script           run the D program in a file; arguments are its $1 ...\n"
"  -p pid              trace a running process (several are possible), or\n"
"                      print the records that an ended one has left\n"
"  -c command          run a command and trace it\n"
"                      (without -p and -c: all of your processes, also\n"
"                      those that start later)\n"
"  -b size             size of each buffer, as -x bufsize\n"
"  -x name[=value]     set an option: bufsize, bufpolicy=switch|fill|ring,\n"
"                      bufresize=auto|manual, bufscope=cpu|thread, nbuf,\n"
"                      switchrate, statusrate, dropsoon, strsize, cpu,\n"
"                      temporal, quiet, droptags, flowindent, nunits,\n"
"                      unitsize,\n"
"                      unitpolicy=fill|ring, unitselect=outcome:mask,...,\n"
"                      or unitselect=level,\n"
"                      unitslow=time: retain all of units that last longer,\n"
"                      unithung=age: print older units before they end,\n"
"                      pair=from,to of a slice, otlp=spans|logs,\n"
"                      metric=@aggregation:name:scale:label,...;\n"
"                      metricbounds=low,high, metrickeys of its series,\n"
"                      recordsize of --record: remove its oldest parts,\n"
"                      packetsize of --record=-,\n"
"                      pid=partial: also some returns of a function,\n"
"                      pid=loops: no turns of loops as entries,\n"
"                      pidobject=file: types of an object loaded later,\n"
"                      syscall=all: also calls of code loaded later,\n"
"                      usdt: USDT probes also of code loaded later;\n"
"                      usdt=file: a description of probes' arguments,\n"
"                      text=component[:level],...: the text trace\n"
"  -w                  allow destructive actions of D\n"
"  -e                  compile D, but do not run it\n"
"  -S                  print the code that D is compiled to, on standard\n"
"                      error\n"
"  -C                  run cpp(1) over scripts; -D, -U, -I and -H are for it\n"
"  -L dir              compile the libraries in a directory first\n"
"  -32, -64            width of long and pointers in D (default: 64)\n"
"  -F                  indent by entry and return of functions, by thread\n"
"  -o file             append the output to a file\n"
"  -q                  print only the arguments of probes, and fewer messages\n"
"  -l                  list probes, with -v also their arguments; a command\n"
"                      of -c ends before its main()\n"
"  -v                  print the stability of the interfaces that D programs\n"
"                      use\n"
"  -Z                  a description may match nothing\n"
"  -h, -G              make a header, or an object, of a provider file, as\n"
"                      dtrace does where a program with probes is built\n"
"  -V, --version       print the version\n"
"  --follow            also trace the children of the processes\n"
"  --format=text|json  format of records, lists and the status\n"
"  --format=log        print a record as a line that begins with its time, in\n"
"                      order\n"
"  --format=folded     print aggregations at the end, for flame graphs\n"
"  --format=chrome, --format=perfetto\n"
"                      write slices of time for a viewer; -x pair=FROM,TO\n"
"                      names probes that begin and end one\n"
"  --format=otlp       write slices of time as spans of OpenTelemetry, or with\n"
"                      -x otlp=logs all records as its log records\n"
"  --format=prometheus write metrics; the file of -o is replaced as a whole\n"
"  --with=field,...    add time, wall, date, delta, elapsed, pid, tid, cpu,\n"
"                      name, execname to each record\n"
"  --report=file       write an HTML page that shows the records of --read,\n"
"                      --core or --snapshot as a timeline and as tables\n"
"  --read=file|pid     print the records in a control file, or in those of a\n"
"                      process, dead or alive; the records stay there\n"
"  --core=file         print the records in a core\n"
"  --record=dir        record to a new directory in CTF 1.8, for babeltrace2\n"
"                      and other readers, in place of printing; - records\n"
"                      to a pipe, which --read=- reads on any machine\n"
"  --snapshot[=pid]    print the records of running processes\n"
"  --left[=remove[=age]]\n"
"                      list the files that ended processes have left, or\n"
"                      remove them\n"
"  --object=file       with -l: list the USDT probes of a program or library,\n"
"                      and with -P pid its functions\n"
"  --check=file        with -l: print how the probes differ from an earlier\n"
"                      -l --format=json; status 1: a reader would break\n"
"  --set=setting       set the text trace, without a session: traceFacility=\n"
"                      Off|File|Log|Memory, traceComponents, traceLevel,\n"
"                      traceFilePath, separated by ;\n"
"                      or unitselect=outcome:mask,... or unitslow=time or\n"
"                      unithung=age of work units\n"
"  --stat[=interval]   show the buffers of all sessions\n"
"  --units[=pid]       list work units that have not ended; with pid:id print\n"
"                      the records of one, with hung those of units older\n"
"                      than unithung, with stat figures by kind\n"
"  --unwrap=file       print a text trace in memory in order of time: that of\n"
"                      a file, a core or a process\n"
"\n"
"SIGUSR1 prints the records in the buffers; SIGUSR2 opens the file of -o\n"
"again; SIGINT, SIGTERM, SIGHUP and SIGQUIT end tracing, and print the\n"
"remaining records.\n";

static int
add_setting(struct options *o, const char *given, const char *text)
{
	struct setting *s;
	char *equals;

	o->settings = memory_get(o->settings, o->nsettings + 1,
	    sizeof(*o->settings));
	s = &o->settings[o->nsettings++];
	*s = (struct setting){
		.given = given, .name = memory_string(text), .value = given
	};
	if ((equals = strchr(s->name, '=')) != NULL) {
		*equals = '\0';
		s->value = text + (equals - s->name) + 1;
	}
	return (0);
}

/* Reports a wrong value: DTrace's words, and how it is wrong, if known. */
static int
refuse_own(const char *name, const char *value, const char *why)
{
	const char *wrong = setting_wrong(name);

	if (strcmp(why, MSG_SET_VALUE) == 0 && wrong != NULL)
		return (bad_usage(MSG_SET_WRONG, name,
		    value != NULL ? value : "", wrong));
	return (bad_usage(MSG_SET_OTHER, name, why));
}

static int
parse_syscall(struct options *o, const char *value)
{
	if (value == NULL || strcmp(value, "all") != 0)
		return (bad_usage(MSG_SYSCALL, value == NULL ? "" : "=",
		    value == NULL ? "" : value));
	o->syscall_all = true;
	return (0);
}

/* Parses words that are separated by commas. */
static int
parse_pid_option(struct options *o, const char *value)
{
	char *copy = memory_string(value == NULL ? "" : value), *rest = copy;
	const char *word;
	int status = 0;

	while (status == 0 && (word = strsep(&rest, ",")) != NULL)
		if (strcmp(word, "partial") == 0)
			o->pid_partial = true;
		else if (strcmp(word, "loops") == 0)
			o->pid_loops = true;
		else
			status = bad_usage(MSG_SET_WRONG, "pid", word,
			    "not partial or loops");
	free(copy);
	return (status);
}

/* Adds an object that the command loads later, or a folder with such ones. */
static int
parse_pid_object(struct options *o, const char *value)
{
	if (value == NULL || access(value, R_OK) != 0)
		return (bad_usage(MSG_SET_WRONG, "pidobject",
		    value == NULL ? "" : value, "not a file or a folder that "
		    "can be read (example: ./plugin.so)"));
	words_add(&o->pid_objects, "%s", value);
	return (0);
}

/* Parses the names of probes that begin and end a slice. */
static int
parse_pair(struct options *o, const char *value)
{
	const char *comma = value == NULL ? NULL : strchr(value, ',');

	if (comma == NULL || comma == value || comma[1] == '\0' ||
	    strchr(comma + 1, ',') != NULL)
		return (bad_usage(MSG_SET_WRONG, "pair",
		    value == NULL ? "" : value,
		    "not FROM,TO (example: lock,unlock)"));
	if (strncmp(value, comma + 1, (size_t)(comma - value)) == 0 &&
	    strlen(comma + 1) == (size_t)(comma - value))
		return (bad_usage(MSG_SET_WRONG, "pair", value,
		    "one name twice: FROM and TO differ"));
	words_add(&o->pairs, "%s", value);
	return (0);
}

static int
parse_record_size(struct options *o, const char *value)
{
	if (value != NULL && tbuf_parse_size(value, &o->record_size) == 0 &&
	    o->record_size >= RECORD_SIZE_LEAST)
		return (0);
	return (bad_usage(MSG_SET_WRONG, "recordsize",
	    value == NULL ? "" : value,
	    "not a size of at least 4m (example: 1g)"));
}

static int
parse_record_block(struct options *o, const char *value)
{
	if (value != NULL && tbuf_parse_size(value, &o->record_block) == 0 &&
	    o->record_block >= RECORD_BLOCK_LEAST &&
	    o->record_block <= RECORD_BLOCK_MOST &&
	    o->record_block % RECORD_BLOCK_LEAST == 0)
		return (0);
	return (bad_usage(MSG_SET_WRONG, "packetsize",
	    value == NULL ? "" : value,
	    "not a multiple of 4k up to 16m (example: 64k)"));
}

static int
parse_otlp(struct options *o, const char *value)
{
	o->otlp = true;
	o->otlp_logs = value != NULL && strcmp(value, "logs") == 0;
	if (!o->otlp_logs && (value == NULL || strcmp(value, "spans") != 0))
		return (bad_usage(MSG_SET_WRONG, "otlp",
		    value == NULL ? "" : value, "neither spans nor logs"));
	return (0);
}

/* Parses -x: some options are tbufctl's, all others are the library's. */
static int
parse_x(struct options *o, const char *text)
{
	size_t n = strcspn(text, "=");
	const char *value = text[n] == '=' ? text + n + 1 : NULL;
	char *name = memory_string(text);
	const char *why;
	int status = 0;

	name[n] = '\0';
	if (strcmp(name, "text") == 0) {
		free(name);
		return (text_add(o, value));
	}
	if (strcmp(name, "syscall") == 0) {
		free(name);
		return (parse_syscall(o, value));
	}
	if (strcmp(name, "pid") == 0) {
		free(name);
		return (parse_pid_option(o, value));
	}
	if (strcmp(name, "pidobject") == 0) {
		free(name);
		return (parse_pid_object(o, value));
	}
	if (strcmp(name, "pair") == 0) {
		free(name);
		return (parse_pair(o, value));
	}
	if (strcmp(name, "otlp") == 0) {
		free(name);
		return (parse_otlp(o, value));
	}
	if (strcmp(name, "recordsize") == 0) {
		free(name);
		return (parse_record_size(o, value));
	}
	if (strcmp(name, "packetsize") == 0) {
		free(name);
		return (parse_record_block(o, value));
	}
	if (strcmp(name, "usdt") == 0) {
		free(name);
		o->usdt_all |= value == NULL;
		return (value == NULL ? 0 : notes_add_file(&o->usdt, value));
	}
	if ((status = metric_parse(&o->metrics, name, value)) != -1) {
		free(name);
		return (status);
	}
	status = 0;
	why = setting_set(o, name, value);
	if (why == SETTING_OTHER)
		status = add_setting(o, NULL, text);
	else if (why != NULL)
		status = refuse_own(name, value, why);
	free(name);
	return (status);
}

/* Parses DTRACE_OPT_NAME=VALUE in the environment. */
static int
parse_environment(struct options *o)
{
	static const char prefix[] = "DTRACE_OPT_";
	char **e, *p;
	int status = 0;

	for (e = environ; *e != NULL && status == 0; e++) {
		if (strncmp(*e, prefix, sizeof(prefix) - 1) != 0)
			continue;
		/* A copy that stays, since settings point into it. */
		p = words_add(&o->environment, "%s", *e + sizeof(prefix) - 1);
		for (; *p != '\0' && *p != '='; p++)
			*p = (char)tolower((unsigned char)*p);
		status = parse_x(o,
		    o->environment.all[o->environment.count - 1]);
	}
	return (status);
}

static int
parse_pid(struct options *o, const char *text)
{
	pid_t pid = pid_parse(text);
	size_t i;

	if (pid == 0)
		return (bad_usage(MSG_BAD_PID, text));
	for (i = 0; i < o->npids; i++)
		if (o->pids[i] == pid)
			return (0);
	o->pids = memory_get(o->pids, o->npids + 1, sizeof(*o->pids));
	o->pids[o->npids++] = pid;
	return (0);
}

/* Refuses an empty name, as of a shell's variable that is not set. */
static int
check_name(const char *option, const char *text)
{
	return (*text != '\0' ? 0 : bad_usage(MSG_NO_ARGUMENT, option));
}

/* Adds the name of a file to those that an option has given. */
static int
add_file(struct words *files, const char *option, const char *name)
{
	if (check_name(option, name) != 0)
		return (EXIT_USAGE);
	words_add(files, "%s", name);
	return (0);
}

static int
parse_command(struct options *o, const char *text)
{
	const char *error;

	if (o->command != NULL)
		return (bad_usage(MSG_TWICE, "-c"));
	if ((o->command = command_split(text, &error)) == NULL)
		return (bad_usage(MSG_BAD_COMMAND, text, error));
	return (0);
}

const char *const with_names[WITH_COUNT] = {
	[WITH_TIME] = "time", [WITH_WALL] = "wall", [WITH_DATE] = "date",
	[WITH_DELTA] = "delta", [WITH_ELAPSED] = "elapsed",
	[WITH_PID] = "pid", [WITH_TID] = "tid", [WITH_CPU] = "cpu",
	[WITH_NAME] = "name", [WITH_EXECNAME] = "execname"
};

static int
parse_with(struct options *o, const char *text)
{
	const char *p = text;
	unsigned i, w;
	size_t n;

	do {
		n = strcspn(p, ",");
		for (w = 0; w < WITH_COUNT; w++)
			if (strlen(with_names[w]) == n &&
			    memcmp(p, with_names[w], n) == 0)
				break;
		if (w == WITH_COUNT)
			return (bad_usage(MSG_BAD_VALUE, "--with", text,
			    "a list of time, wall, date, delta, elapsed, pid, "
			    "tid, cpu, name, execname"));
		for (i = 0; i < o->nwith && o->with[i] != w; i++)
			continue;
		if (i == o->nwith)
			o->with[o->nwith++] = w;
		p += n;
	} while (*p++ == ',');
	return (0);
}

#define FORMAT_IS	"--format="

static const char *const view_names[] = {
	[VIEW_CHROME] = FORMAT_IS "chrome",
	[VIEW_PERFETTO] = FORMAT_IS "perfetto",
	[VIEW_OTLP] = FORMAT_IS "otlp"
};

static int
parse_format(struct options *o, const char *text)
{
	o->json = strcmp(text, "json") == 0;
	o->folded = strcmp(text, "folded") == 0;
	o->log = strcmp(text, "log") == 0;
	o->view = VIEW_OTLP;
	while (o->view != VIEW_NONE && strcmp(text,
	    view_names[o->view] + strlen(FORMAT_IS)) != 0)
		o->view--;
	o->prometheus = strcmp(text, "prometheus") == 0;
	if (!o->json && !o->folded && !o->log && o->view == VIEW_NONE &&
	    !o->prometheus && strcmp(text, "text") != 0)
		return (bad_usage(MSG_BAD_VALUE, "--format", text,
		    "text, json, log, folded, chrome, perfetto, otlp or "
		    "prometheus"));
	return (0);
}

static int
parse_stat(struct options *o, const char *text)
{
	o->stat = true;
	o->interval = 0;
	if (text != NULL &&
	    (tbuf_parse_rate(text, &o->interval) < 0 || o->interval == 0))
		return (bad_usage(MSG_BAD_VALUE, "--stat", text,
		    "an interval, such as 1s"));
	return (0);
}

/* Without a pid, processes are searched once all options are known. */
static int
parse_snapshot(struct options *o, const char *text)
{
	if (text == NULL) {
		o->snapshot = true;
		return (0);
	}
	return (pid_parse(text) == 0 ? bad_usage(MSG_BAD_PID, text) :
	    add_file(&o->files, "--read", text));
}

static int
parse_set(struct options *o, const char *text)
{
	const char *wrong, *value;

	if (o->set != NULL)
		return (bad_usage(MSG_TWICE, "--set"));
	o->set = text;
	if (set_of_units(text, &value) == NULL &&
	    tbuf_text_check(text, &wrong) != 0)
		return (bad_usage(MSG_BAD_TEXT, "--set", text, wrong));
	return (0);
}

static int
parse_report(struct options *o, const char *text)
{
	if (o->report != NULL)
		return (bad_usage(MSG_TWICE, "--report"));
	o->report = text;
	return (check_name("--report", text));
}

static int
parse_unwrap(struct options *o, const char *text)
{
	if (o->unwrap != NULL)
		return (bad_usage(MSG_TWICE, "--unwrap"));
	o->unwrap = text;
	return (check_name("--unwrap", text));
}

/* Parses PID, PID:ID (a unit of the process), "hung" or "stat". */
static int
parse_units(struct options *o, const char *text)
{
	char *end;
	unsigned long pid;

	o->units = true;
	o->units_figures = text != NULL && strcmp(text, "stat") == 0;
	o->units_hung = text != NULL && strcmp(text, "hung") == 0;
	if (text == NULL || o->units_figures || o->units_hung)
		return (0);
	errno = 0;
	pid = strtoul(text, &end, 10);
	if (isdigit((unsigned char)*text) && pid > 0 && pid <= INT_MAX) {
		o->units_pid = (pid_t)pid;
		o->units_one = *end == ':';
		if (o->units_one && isdigit((unsigned char)end[1]))
			o->units_id = strtoull(end + 1, &end, 0);
		if (*end == '\0' && errno == 0)
			return (0);
	}
	return (bad_usage(MSG_BAD_VALUE, "--units", text,
	    "pid, pid:id, hung or stat"));
}

static int
parse_left(struct options *o, const char *text)
{
	static const char word[] = "remove";
	size_t n = sizeof(word) - 1;

	o->left = true;
	if (text == NULL)
		return (0);
	o->left_remove = strncmp(text, word, n) == 0;
	if (o->left_remove && (text[n] == '\0' || (text[n] == '=' &&
	    tbuf_parse_rate(text + n + 1, &o->left_age) == 0)))
		return (0);
	return (bad_usage(MSG_BAD_VALUE, "--left", text,
	    "remove or remove=age, such as remove=7d"));
}

/*
 * Returns the option with a part after such a prefix that the word is near to,
 * or NULL.
 */
static const char *
near_part(const char *word, size_t length, const char *const *names,
    size_t count)
{
	static const char *const prefixes[] = {
		"agg", "buf", "clean", "dynvar", "scratch", "spec", "status",
		"str", "switch", "unit"
	};
	unsigned best = NEAR_NEVER, distance;
	const char *near = NULL;
	size_t i, j, n;

	for (i = 0; i < count; i++)
		for (j = 0; j < sizeof(prefixes) / sizeof(prefixes[0]); j++) {
			n = strlen(prefixes[j]);
			if (strncmp(names[i], prefixes[j], n) != 0 ||
			    strlen(names[i]) - n < PART_MIN)
				continue;
			distance = near_distance(word, length, names[i] + n);
			if (distance < best) {
				best = distance;
				near = names[i];
			}
		}
	return (near);
}

const char *
options_near(const char *word, size_t length)
{
	static const char *const names[] = {
		"bufsize", "bufpolicy", "bufresize", "bufscope", "nbuf",
		"switchrate", "statusrate", "dropsoon", "strsize", "cpu",
		"temporal", "follow", "syscall", "usdt", "text", "nunits",
		"unitsize", "unitpolicy", "unitselect", "unitslow", "unithung",
		"dynvarsize", "scratchsize", "nspec", "specsize", "cleanrate",
		"snaprate", "aggsize", "aggrate", "aggsortkey", "aggsortrev",
		"aggsortpos", "aggsortkeypos", "agghist", "aggpack",
		"aggpercpu", "aggzoom", "encoding", "metric", "metricbounds",
		"metrickeys", "otlp", "packetsize", "pair", "pid",
		"pidobject", "recordsize"
	};
	const size_t count = sizeof(names) / sizeof(names[0]);
	const char *near = near_name(word, length, names, count);
	size_t i;

	if (near == NULL)
		near = setting_near(word, length);
	for (i = 0; i < count && near == NULL && length >= PART_MIN; i++)
		if (memmem(names[i], strlen(names[i]), word, length) != NULL)
			near = names[i];
	if (near == NULL && length >= PART_MIN)
		near = near_part(word, length, names, count);
	return (near);
}

/* Returns the option that a long name stands for in other tools, or NULL. */
static const char *
other_option(const char *name, size_t length)
{
	static const struct {
		const char *name, *meant;
	} others[] = {
		{ "bufsize", "-b" },
		{ "buffer", "-b" },
		{ "children", "--follow" },
		{ "command", "-c" },
		{ "define", "-D" },
		{ "destructive", "-w" },
		{ "exec", "-c" },
		{ "file", "-s" },
		{ "flow", "-F" },
		{ "flowindent", "-F" },
		{ "folded", "--format=folded" },
		{ "function", "-f" },
		{ "id", "-i" },
		{ "json", "--format=json" },
		{ "list", "-l" },
		{ "module", "-m" },
		{ "name", "-n" },
		{ "option", "-x" },
		{ "output", "-o" },
		{ "pid", "-p" },
		{ "probe", "-n" },
		{ "provider", "-P" },
		{ "quiet", "-q" },
		{ "script", "-s" },
		{ "size", "-b" },
		{ "verbose", "-v" }
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strlen(others[i].name) == length &&
		    memcmp(others[i].name, name, length) == 0)
			return (others[i].meant);
	return (NULL);
}

/*
 * Returns the option that an unknown one was probably meant to be, for the
 * caller to free, or NULL.
 */
static char *
near_option(const char *given)
{
	const char *names[sizeof(long_options) / sizeof(long_options[0])];
	const char *near, *name = given + 2;
	size_t n, length;

	if (strncmp(given, "--", 2) != 0)
		return (NULL);
	length = strcspn(name, "=");
	if ((near = other_option(name, length)) != NULL)
		return (memory_string(near));
	for (n = 0; long_options[n].name != NULL; n++)
		names[n] = long_options[n].name;
	if ((near = near_name(name, length, names, n)) != NULL)
		return (string_format("--%s", near));
	if ((near = options_near(name, length)) != NULL)
		return (string_format("-x %s%s", near, name + length));
	return (NULL);
}

/* Reports an option that is the beginning of several ones. */
static bool
tell_ambiguous(const char *given)
{
	const char *found[2] = { NULL, NULL };
	size_t length = strcspn(given, "="), n, i = 0;

	if (length <= 2 || strncmp(given, "--", 2) != 0)
		return (false);
	for (n = 0; long_options[n].name != NULL && i < 2; n++)
		if (strncmp(long_options[n].name, given + 2, length - 2) == 0)
			found[i++] = long_options[n].name;
	if (i == 2)
		(void)bad_usage(MSG_AMBIGUOUS, given, found[0], found[1]);
	return (i == 2);
}

/* Reports an error of getopt_long(). */
static int
parse_error(int c, char **argv)
{
	char flag[] = { '-', optopt, '\0' }, *near;
	const char *name = flag;

	if (optopt == 0 || optopt > UCHAR_MAX)
		name = argv[optind - 1];
	if (c == ':')
		return (bad_usage(MSG_NO_ARGUMENT, name));
	if (optopt > UCHAR_MAX)
		return (bad_usage(MSG_NOT_WANTED, name));
	if (tell_ambiguous(name))
		return (EXIT_USAGE);
	if ((near = near_option(name)) == NULL)
		return (bad_usage(MSG_BAD_OPTION, name));
	(void)bad_usage(MSG_BAD_OPTION_NEAR, name, near);
	free(near);
	return (EXIT_USAGE);
}

/* Returns the flag that an option without an argument sets, or NULL. */
static bool *
flag_of(struct options *o, int c)
{
	switch (c) {
	case 'C':
		return (&o->d.cpp);
	case 'e':
		return (&o->d.compile_only);
	case 'F':
		return (&o->flow);
	case 'G':
		return (&o->object);
	case 'h':
		return (&o->header);
	case 'H':
		return (&o->d.headers);
	case 'l':
		return (&o->list);
	case 'q':
		return (&o->quiet);
	case 'S':
		return (&o->d.disassemble);
	case 'v':
		return (&o->verbose);
	case 'w':
		return (&o->d.destructive);
	case 'Z':
		return (&o->unmatched);
	}
	return (NULL);
}

static int
parse_long(struct options *o, int c)
{
	switch (c) {
	case OPTION_CHECK:
		o->check = optarg;
		return (check_name("--check", optarg));
	case OPTION_CORE:
		return (add_file(&o->cores, "--core", optarg));
	case OPTION_FOLLOW:
		return (add_setting(o, NULL, "follow"));
	case OPTION_FORMAT:
		return (parse_format(o, optarg));
	case OPTION_LEFT:
		return (parse_left(o, optarg));
	case OPTION_UNITS:
		return (parse_units(o, optarg));
	case OPTION_OBJECT:
		o->object_file = optarg;
		return (check_name("--object", optarg));
	case OPTION_READ:
		if (strcmp(optarg, "-") == 0 && o->read_pipe)
			return (bad_usage(MSG_TWICE, "--read=-"));
		o->read_pipe |= strcmp(optarg, "-") == 0;
		return (add_file(&o->files, "--read", optarg));
	case OPTION_RECORD:
		o->record = optarg;
		o->record_pipe = strcmp(optarg, "-") == 0;
		return (check_name("--record", optarg));
	case OPTION_REPORT:
		return (parse_report(o, optarg));
	case OPTION_SET:
		return (parse_set(o, optarg));
	case OPTION_SNAPSHOT:
		return (parse_snapshot(o, optarg));
	case OPTION_STAT:
		return (parse_stat(o, optarg));
	case OPTION_UNWRAP:
		return (parse_unwrap(o, optarg));
	case OPTION_WITH:
		return (parse_with(o, optarg));
	}
	return (0);
}

static int
parse_libraries(struct options *o, const char *name)
{
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return (bad_usage(MSG_BAD_DIRECTORY, "-L", name,
		    strerror(errno)));
	(void)close(fd);
	words_add(&o->d.libraries, "%s", name);
	return (0);
}

void
options_name(struct options *o, const char *setting)
{
	words_add(&o->named, "%.*s", (int)strcspn(setting, "="), setting);
}

static int
parse_one(struct options *o, int c)
{
	char name[] = { '-', c, '\0' };
	bool *flag = flag_of(o, c);

	if (c < GIVEN_COUNT)
		o->given[c] = true;
	if (flag != NULL) {
		*flag = true;
		return (0);
	}
	if (c > UCHAR_MAX)
		return (parse_long(o, c));
	if ((c == 's' || c == 'o') && check_name(name, optarg) != 0)
		return (EXIT_USAGE);
	switch (c) {
	case 'P':
	case 'm':
	case 'f':
	case 'n':
	case 'i':
	case 's':
		return (program_add(&o->program, c, optarg));
	case 'p':
		return (parse_pid(o, optarg));
	case 'c':
		return (parse_command(o, optarg));
	case 'b':
		return (add_setting(o, optarg, "bufsize"));
	case 'x':
		options_name(o, optarg);
		return (parse_x(o, optarg));
	case 'o':
		o->output = optarg;
		return (0);
	case 'X':
		if (setting_set(o, "stdc", optarg) == NULL)
			return (0);
		return (bad_usage(MSG_BAD_VALUE, "-X", optarg, "a, c, s or t"));
	case '3':
	case '6':
		o->d.ilp32 = c == '3';
		if (strcmp(optarg, o->d.ilp32 ? "2" : "4") == 0)
			return (0);
		return (bad_usage(MSG_BAD_VALUE, name, optarg,
		    o->d.ilp32 ? "-32" : "-64"));
	case 'L':
		return (parse_libraries(o, optarg));
	case 'D':
	case 'I':
	case 'U':
		words_add(&o->d.cpp_words, "-%c%s", c, optarg);
		return (0);
	default:	/* -a, -A and -B */
		return (bad_usage(MSG_NO_MEANING, name));
	}
}

/*
 * Returns the first option that was given, of those that the letters stand for,
 * or NULL.  The letter P stands for all options of D programs.
 */
static const char *
first_given(const struct options *o, const char *letters)
{
	const struct {
		char letter;
		bool given;
		const char *name;
	} all[] = {
		{ 'P', o->given['e'], "-e" },
		{ 'P', o->given['S'], "-S" },
		{ 'P', o->given['C'], "-C" },
		{ 'P', o->given['D'], "-D" },
		{ 'P', o->given['U'], "-U" },
		{ 'P', o->given['I'], "-I" },
		{ 'P', o->given['H'], "-H" },
		{ 'P', o->given['L'], "-L" },
		{ 'P', o->given['X'], "-X" },
		{ 'P', o->given['3'], "-32" },
		{ 'P', o->given['6'], "-64" },
		{ 'I', o->given['F'], "-F" },
		{ 'y', o->given['w'], "-w" },
		{ 'n', o->given['i'], "-i" },
		{ 'v', o->given['v'], "-v" },
		{ 'Z', o->given['Z'], "-Z" },
		{ 'k', o->check != NULL, "--check" },
		{ 'c', o->command != NULL, "-c" },
		{ 'l', o->list, "-l" },
		{ 'p', o->npids > 0, "-p" },
		{ 'd', o->program.count > 0, "a probe description" },
		{ 'C', o->cores.count > 0, "--core" },
		{ 'J', o->json, "--format=json" },
		{ 'F', o->log, "--format=log" },
		{ 'V', o->view != VIEW_NONE, view_names[o->view] },
		{ 'L', o->left, "--left" },
		{ 'M', o->prometheus, "--format=prometheus" },
		{ 'O', o->object_file != NULL, "--object" },
		{ 'D', o->record != NULL, "--record" },
		{ 'f', o->folded, "--format=folded" },
		{ 'i', o->flow, "-F" },
		{ 'w', o->nwith > 0, "--with" },
		{ 'o', o->output != NULL, "-o" },
		{ 'h', o->header, "-h" },
		{ 'H', o->object, "-G" },
		{ 's', o->set != NULL, "--set" },
		{ 'R', o->files.count > 0, "--read" },
		{ 'S', o->snapshot, "--snapshot" },
		{ 'T', o->stat, "--stat" },
		{ 'U', o->units, "--units" },
		{ 'W', o->unwrap != NULL, "--unwrap" }
	};
	size_t i;

	for (; *letters != '\0'; letters++)
		for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			if (all[i].letter == *letters && all[i].given)
				return (all[i].name);
	return (NULL);
}

/* Refuses the first given option of those that `name` does not go with. */
static int
exclude(const struct options *o, const char *name, const char *letters)
{
	const char *other = first_given(o, letters);

	return (other == NULL ? 0 : bad_usage(MSG_TOGETHER, name, other));
}

/*
 * Refuses the first option of the command line that sets one of the library's
 * options in the array, or any option if there is no array.  Options of
 * environment variables are for all runs, and no error where they have no
 * effect.
 */
static int
exclude_settings(const struct options *o, const char *name,
    const char *const names[])
{
	const struct setting *s = o->settings + o->nenvironment;
	size_t i;

	for (i = 0; names == NULL && i < o->named.count; i++)
		if (setting_is_known(o->named.all[i]) &&
		    strcmp(o->named.all[i], "quiet") != 0 &&
		    strcmp(o->named.all[i], "zdefs") != 0)
			return (bad_usage(MSG_TOGETHER_SET, name,
			    o->named.all[i]));
	for (; s < o->settings + o->nsettings; s++) {
		for (i = 0; names != NULL && names[i] != NULL; i++)
			if (strcmp(names[i], s->name) == 0)
				break;
		if (names != NULL && names[i] == NULL)
			continue;
		if (s->given != NULL)
			return (bad_usage(MSG_TOGETHER, name, "-b"));
		if (s->value == NULL && strcmp(s->name, "follow") == 0)
			return (bad_usage(MSG_TOGETHER, name, "--follow"));
		return (bad_usage(MSG_TOGETHER_SET, name, s->name));
	}
	return (0);
}

static const char *const follow_name[] = { "follow", NULL };

/* Options of the sessions that a run begins, and that files do not have. */
static const char *const session_names[] = {
	"bufsize", "bufresize", "bufscope", "nbuf", "switchrate", "cpu",
	"follow", "nunits", "unitsize", "unitpolicy", "unitselect", "unitslow",
	NULL
};

/* Options of runs and of lists, for modes that have neither. */
#define OF_RUNS	"PIyvZfFwk"

static int
choose_text(struct options *o)
{
	const char *name = o->set != NULL ? "--set" : "--unwrap";
	int status = o->set != NULL ?
	    exclude(o, name, "WTLUJMVlcRCSdDo" OF_RUNS) :
	    exclude(o, name, "TLUJMVplcRCSdD" OF_RUNS);

	o->mode = o->set != NULL ? MODE_SET : MODE_UNWRAP;
	return (status != 0 ? status : exclude_settings(o, name, NULL));
}

/* Chooses -l --object, which reads a file and no process. */
static int
choose_object(struct options *o)
{
	int status;

	o->mode = MODE_LIST_OBJECT;
	if (!o->list)
		return (bad_usage(MSG_NEEDS, "--object", "-l"));
	if (o->program.programs > 0)
		return (bad_usage(MSG_TOGETHER, "--object", "a D program"));
	status = exclude(o, "--object", "TLUpcRCSVMDPIyfFwn");
	return (status != 0 ? status : exclude_settings(o, "--object", NULL));
}

/*
 * Chooses -h or -G, which make files to build a program with.  Short options of
 * runs are ignored: files of other systems' builds may have them.
 */
static int
choose_header(struct options *o)
{
	o->mode = o->header ? MODE_HEADER : MODE_OBJECT;
	if (o->header && o->object)
		return (bad_usage(MSG_TOGETHER, "-h", "-G"));
	return (exclude(o, o->header ? "-h" : "-G", "TLUOlpcRCSMVDJfFwk"));
}

/*
 * Chooses --units; the records of one unit are printed as by --read, those of
 * hung ones as by --snapshot.
 */
static int
choose_units(struct options *o)
{
	int status = exclude(o, "--units", "lcSdTLpDPyvZf");

	if (status != 0)
		return (status);
	if (!o->units_figures && (status = exclude(o, "--units", "M")) != 0)
		return (status);
	if (!o->units_one && !o->units_hung) {
		o->mode = MODE_UNITS;
		status = exclude(o, "--units", "VIFw");
		return (status != 0 ? status :
		    exclude_settings(o, "--units", NULL));
	}
	if (o->units_hung && (status = exclude(o, "--units", "V")) != 0)
		return (status);
	if (o->units_hung)
		o->snapshot = o->files.count + o->cores.count == 0;
	else if (o->files.count + o->cores.count == 0)
		words_add(&o->files, "%jd", (intmax_t)o->units_pid);
	return (exclude_settings(o, "--units", session_names));
}

/*
 * Only a command (-c) and -l --object read provider files, and calls can be
 * dispatched (-x syscall=all) only in a command.
 */
static int
check_providers(const struct options *o)
{
	if (o->syscall_all && o->command == NULL)
		return (bad_usage(MSG_NEEDS, "-x syscall", "-c"));
	if ((o->pid_partial || o->pid_loops) && o->command == NULL &&
	    o->mode != MODE_LIST_OBJECT)
		return (bad_usage(MSG_NEEDS, "-x pid", "-c"));
	if (o->pid_objects.count > 0 && o->command == NULL)
		return (bad_usage(MSG_NEEDS, "-x pidobject", "-c"));
	if ((!o->usdt_all && o->usdt.count == 0) || o->command != NULL ||
	    o->mode == MODE_LIST_OBJECT)
		return (0);
	return (bad_usage(MSG_NEEDS, "-x usdt", "-c"));
}

/* Chooses --report, which shows the records read and has no other output. */
static int
choose_report(struct options *o)
{
	int status = exclude(o, "--report", "hHslcpTLUWOJFVMDfiow");
	const char *reads = first_given(o, "SRC");

	if (status == 0 && reads == NULL)
		status = bad_usage(MSG_NEEDS, "--report",
		    "--read, --core or --snapshot");
	o->view = VIEW_REPORT;	/* it has no name in first_given() */
	return (status != 0 ? status :
	    exclude_settings(o, reads, session_names));
}

static int
choose_left(struct options *o)
{
	int status = exclude(o, "--left", "lcRCSdTpVD" OF_RUNS);

	o->mode = MODE_LEFT;
	return (status != 0 ? status : exclude_settings(o, "--left", NULL));
}

/* Chooses --stat, which checks options of buffers. */
static int
choose_stat(struct options *o)
{
	int status = exclude(o, "--stat", "lcRCSdVD" OF_RUNS);

	o->mode = MODE_STAT;
	return (status != 0 ? status :
	    exclude_settings(o, "--stat", follow_name));
}

/*
 * Chooses -l, which may be added to the command line of a run to see its
 * probes: options of buffers and programs are accepted, as by dtrace(1).  Those
 * that would list more, or print more of each, are not.
 */
static int
choose_list(struct options *o)
{
	int status = exclude(o, "-l", "VMDfFw");

	o->mode = MODE_LIST;
	return (status != 0 ? status : exclude_settings(o, "-l", follow_name));
}

/* Chooses a run, or records that are read as by one. */
static int
choose_trace(struct options *o, const char *reads)
{
	int status = 0;

	if (reads != NULL)
		status = exclude_settings(o, reads, session_names);
	if (status == 0 && o->record_pipe)
		status = exclude(o, "--record=-", "o");
	if (status != 0)
		return (status);
	if (o->record != NULL)
		return (exclude(o, "--record", "JFVMfiwo"));
	if (o->nwith > 0 && (status = exclude(o, "--with", "VM")) != 0)
		return (status);
	return (o->flow ? exclude(o, "-F", "JFVM") : 0);
}

/* Chooses the mode, and refuses options that exclude or need each other. */
static int
choose_mode(struct options *o)
{
	const char *reads = first_given(o, "SRC");

	if (o->report != NULL)
		return (choose_report(o));
	if (o->set != NULL || o->unwrap != NULL)
		return (choose_text(o));
	if (o->header || o->object)
		return (choose_header(o));
	if (o->check != NULL && !o->list)
		return (bad_usage(MSG_NEEDS, "--check", "-l"));
	if (o->check != NULL && exclude(o, "--check", "OJF") != 0)
		return (EXIT_USAGE);
	if (o->object_file != NULL)
		return (choose_object(o));
	if (reads != NULL && first_given(o, "cp") != NULL)
		return (exclude(o, reads, "cp"));
	if (o->units)
		return (choose_units(o));
	if (o->left)
		return (choose_left(o));
	if (o->stat)
		return (choose_stat(o));
	return (o->list ? choose_list(o) : choose_trace(o, reads));
}

/* Some options change one format of output, and no other. */
static int
check_format(const struct options *o)
{
	const struct {
		const char *option, *format;
		bool lacks;
	} all[] = {
		{ "--format=folded", "a D program with aggregations",
		    o->folded && o->mode == MODE_TRACE &&
		    o->program.programs == 0 },
		{ "-x aggtop", "a D program with aggregations",
		    words_have(&o->named, "aggtop") &&
		    o->mode == MODE_TRACE && o->program.programs == 0 },
		{ "-x metric", "--format=prometheus",
		    o->metrics.count > 0 && !o->prometheus },
		{ "-x metric", "a D program",
		    o->metrics.count > 0 && o->mode != MODE_TRACE },
		{ "-x metricbounds", "-x metric",
		    o->metrics.bounded && o->metrics.count == 0 },
		{ "-x metrickeys", "-x metric",
		    o->metrics.keys != 0 && o->metrics.count == 0 },
		{ "-x otlp", "--format=otlp", o->otlp && o->view != VIEW_OTLP },
		{ "-x recordsize", "--record",
		    o->record_size != 0 && o->record == NULL },
		{ "-x recordsize", "--record=DIR",
		    o->record_size != 0 && o->record_pipe },
		{ "-x packetsize", "--record=-",
		    o->record_block != 0 && !o->record_pipe },
		{ "-x pair", "--format=chrome, perfetto or otlp",
		    o->pairs.count > 0 && o->view == VIEW_NONE }
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].lacks)
			return (bad_usage(MSG_NEEDS, all[i].option,
			    all[i].format));
	return (0);
}

/* Takes $1 and so on; words[0] is set to $0 for each program. */
static void
take_words(struct options *o, int argc, char **argv)
{
	int i;

	o->words = memory_get(NULL, (size_t)argc + 1, sizeof(*o->words));
	o->words[0] = o->name;
	for (i = 0; i < argc; i++)
		o->words[i + 1] = argv[i];
	o->nwords = argc + 1;
}

/* Refuses a word that no option takes; an option of -x may lack its -x. */
static int
refuse_extra(const char *word)
{
	size_t length = strcspn(word, "=");
	const char *near;

	if (word[length] != '=' || (near = options_near(word, length)) == NULL)
		return (bad_usage(MSG_EXTRA, word));
	return (bad_usage(MSG_EXTRA_NEAR, word, near, word + length));
}

/*
 * Refuses words after descriptions without clauses.  If the last one looks like
 * a clause, the message is DTrace's for an unused macro argument.
 */
static int
refuse_words(const struct options *o, int n, char **words)
{
	const char *last = words[n - 1];
	char *why, *title;

	if (o->program.count == 0 || strchr(last, '{') == NULL ||
	    o->d.argref || o->d.defaultargs)
		return (refuse_extra(words[0]));
	why = string_format(
	    "%sextraneous argument '%s' ($%d is not referenced)",
	    o->d.errtags ? "[D_MACRO_UNUSED] " : "", last, n);
	title = description_title('n', o->program.all[0].text);
	(void)fail(MSG_BAD_PROBE, title, why);
	free(title);
	free(why);
	return (EXIT_FAILED);
}

int
options_parse(struct options *o, int argc, char **argv)
{
	int c, status;

	*o = (struct options){ .mode = MODE_TRACE, .name = argv[0] };
	opterr = 0;
	if ((status = parse_environment(o)) != 0)
		return (status);
	o->nenvironment = o->nsettings;
	while ((c = getopt_long(argc, argv, ":3:6:aAb:Bc:CD:ef:FGhHi:I:lL:m:n:"
	    "o:p:P:qs:SU:vVwx:X:Z", long_options, NULL)) != -1) {
		if (c == ':' || c == '?')
			return (parse_error(c, argv));
		if (c == 'V' || c == OPTION_HELP) {
			o->mode = c == 'V' ? MODE_VERSION : MODE_HELP;
			return (0);
		}
		if ((status = parse_one(o, c)) != 0)
			return (status);
	}
	if (o->stat && o->interval == 0 && optind < argc &&
	    (status = parse_stat(o, argv[optind++])) != 0)
		return (status);
	if (optind < argc && o->program.programs == 0)
		return (refuse_words(o, argc - optind, argv + optind));
	take_words(o, argc - optind, argv + optind);
	status = choose_mode(o);
	if (status == 0)
		status = check_format(o);
	if (o->record_block == 0)
		o->record_block = RECORD_BLOCK;
	return (status == 0 ? check_providers(o) : status);
}

/* Reports why the library refuses a setting, or a size of -b. */
static int
refuse_setting(const struct setting *s, int number, const char *error)
{
	const char *why = strstr(error, MSG_SET_VALUE), *near;

	near = options_near(s->name, strlen(s->name));
	if (number == -ENOENT && near != NULL)
		return (bad_usage(MSG_LIBRARY MSG_NEAR, error, near));
	if (s->given != NULL && why != NULL)
		return (bad_usage(MSG_SET_SIZE, s->given, why));
	return (bad_usage(MSG_LIBRARY, error));
}

int
options_apply(const struct options *o, struct tbuf_consumer *consumer)
{
	const struct setting *s;
	size_t i;
	int error;

	/*
	 * Depths of calls, a log and slices need an order, and to know in time
	 * that records are missing; -x temporal may differ.
	 */
	if (o->flow || o->log || o->view != VIEW_NONE)
		(void)tbuf_consumer_set(consumer, "temporal", NULL);
	if (o->flow || o->view != VIEW_NONE)
		(void)tbuf_consumer_set(consumer, "dropsoon", NULL);
	for (i = 0; i < o->nsettings; i++) {
		s = &o->settings[i];
		error = tbuf_consumer_set(consumer, s->name, s->value);
		if (error < 0)
			return (refuse_setting(s, error,
			    tbuf_consumer_error(consumer)));
	}
	/* Errors in options are reported before a missing description. */
	if (o->mode == MODE_TRACE && o->program.count == 0 &&
	    !o->d.compile_only && !options_reads(o))
		return (bad_usage(MSG_NOTHING));
	return (0);
}

int
options_check(const struct options *o, struct tbuf_consumer *consumer)
{
	static const struct {
		const char *name, *option, *other, *needs;
	} all[] = {
		{ "unitsize", "-x unitsize", "nunits", "-x nunits" },
		{ "unitpolicy", "-x unitpolicy", "nunits", "-x nunits" },
		{ "unitselect", "-x unitselect", "nunits", "-x nunits" },
		{ "unitslow", "-x unitslow", "nunits", "-x nunits" },
		{ "unithung", "-x unithung", "nunits", "-x nunits" },
		{ "nbuf", "-x nbuf", "bufscope", "-x bufscope=thread" }
	};
	int64_t value;
	size_t i;

	if (options_reads(o))
		return (0);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (words_have(&o->named, all[i].name) &&
		    !words_have(&o->named, all[i].other) &&
		    tbuf_consumer_get(consumer, all[i].other, &value) == 0 &&
		    value == 0)
			return (bad_usage(MSG_NEEDS, all[i].option,
			    all[i].needs));
	return (0);
}

bool
options_reads(const struct options *o)
{
	return (o->files.count + o->cores.count > 0 || o->snapshot);
}

void
options_free(struct options *o)
{
	size_t i;

	for (i = 0; i < o->nsettings; i++)
		free(o->settings[i].name);
	free(o->settings);
	words_free(&o->files);
	words_free(&o->cores);
	words_free(&o->environment);
	words_free(&o->named);
	words_free(&o->texts);
	words_free(&o->usdt);
	words_free(&o->pid_objects);
	words_free(&o->pairs);
	metric_options_free(&o->metrics);
	words_free(&o->d.cpp_words);
	words_free(&o->d.libraries);
	free(o->words);
	free(o->pids);
	command_free(o->command);
	program_free(&o->program);
}
