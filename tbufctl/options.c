/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The command line: dtrace(1)'s flags, and long options for the rest.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tbuf_consumer.h>

#include "command.h"
#include "flag.h"
#include "messages.h"
#include "near.h"
#include "options.h"

enum {
	OPTION_HELP = UCHAR_MAX + 1,
	OPTION_FOLLOW,
	OPTION_FORMAT,
	OPTION_READ,
	OPTION_STAT,
	OPTION_WITH
};

static const struct option long_options[] = {
	{ "follow", no_argument, NULL, OPTION_FOLLOW },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "read", required_argument, NULL, OPTION_READ },
	{ "stat", optional_argument, NULL, OPTION_STAT },
	{ "with", required_argument, NULL, OPTION_WITH },
	{ NULL, 0, NULL, 0 }
};

const char options_usage[] =
"usage: tbufctl [-FqvZ] [-b size] [-c command] [-o file] [-p pid]\n"
"               [-x name[=value]] [--follow] [--format=text|json]\n"
"               [--with=field,...] [-P provider] [-m module] [-f function]\n"
"               [-n name] [-i id]\n"
"       tbufctl --read=file [-FqZ] [-o file] [-x temporal]\n"
"               [--format=text|json] [--with=field,...] [-P provider]\n"
"               [-m module] [-f function] [-n name] [-i id]\n"
"       tbufctl -l [-vZ] [-c command] [-o file] [-p pid] [--read=file]\n"
"               [-P provider] [-m module] [-f function] [-n name] [-i id]\n"
"               [--format=text|json]\n"
"       tbufctl --stat[=interval] [-o file] [-p pid] [--format=text|json]\n"
"       tbufctl -V | --help\n"
"\n"
"  -P, -m, -f, -n, -i  enable probes by provider, module, function, name, id:\n"
"                      [[[provider:]module:]function:]name, with * ? []\n"
"  -p pid              trace a running process (several are possible), or\n"
"                      print what one that has ended has left\n"
"  -c command          run a command and trace it\n"
"                      (neither: all of your processes, later ones included)\n"
"  -b size             size of each buffer, as -x bufsize\n"
"  -x name[=value]     set an option: bufsize, bufpolicy=switch|fill|ring,\n"
"                      bufresize=auto|manual, switchrate, statusrate, strsize,\n"
"                      cpu, temporal, quiet, droptags, flowindent\n"
"  -F                  indent by entry and return of functions\n"
"  -o file             append the output to a file\n"
"  -q                  arguments only, fewer messages\n"
"  -l                  list probes, with -v their arguments, too; a command\n"
"                      of -c ends before its main()\n"
"  -Z                  a description may match nothing\n"
"  -V                  print the version\n"
"  --follow            trace the children of the processes, too\n"
"  --format=text|json  how records, lists and the status are printed\n"
"  --with=field,...    add time, wall, pid, tid to each record\n"
"  --read=file         print what the buffers in a control file hold\n"
"  --stat[=interval]   show the buffers of all sessions\n"
"\n"
"SIGUSR1 prints what the buffers hold now; SIGINT, SIGTERM, SIGHUP and\n"
"SIGQUIT end tracing in the orderly way.\n";

static int
add_setting(struct options *o, const char *given, const char *text)
{
	struct setting *s;
	char *equals;

	o->settings = memory_get(o->settings, o->nsettings + 1,
	    sizeof(*o->settings));
	s = &o->settings[o->nsettings++];
	*s = (struct setting){ .given = given };
	if (given != NULL) {
		s->name = memory_string(text);
		s->value = given;
		return (0);
	}
	s->name = memory_string(text);
	if ((equals = strchr(s->name, '=')) != NULL) {
		*equals = '\0';
		s->value = text + (equals - s->name) + 1;
	}
	return (0);
}

/* -x: some names are about this program, the rest is the library's. */
static int
parse_x(struct options *o, const char *text)
{
	const struct {
		const char *name;
		bool *flag;
	} own[] = {
		{ "quiet", &o->quiet },
		{ "flowindent", &o->flow },
		{ "zdefs", &o->unmatched },
		{ "droptags", &o->tags }
	};
	size_t i, n = strcspn(text, "=");
	const char *value = text[n] == '=' ? text + n + 1 : NULL;

	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strlen(own[i].name) == n &&
		    memcmp(own[i].name, text, n) == 0) {
			if (flag_parse(value, own[i].flag) == 0)
				return (0);
			return (bad_usage(MSG_SET_FLAG, own[i].name, value));
		}
	return (add_setting(o, NULL, text));
}

static int
parse_pid(struct options *o, const char *text)
{
	const char *error;
	pid_t pid;
	size_t i;

	pid = strtonum(text, 1, INT_MAX, &error);
	if (error != NULL)
		return (bad_usage(MSG_BAD_PID, text));
	for (i = 0; i < o->npids; i++)
		if (o->pids[i] == pid)
			return (0);
	o->pids = memory_get(o->pids, o->npids + 1, sizeof(*o->pids));
	o->pids[o->npids++] = pid;
	return (0);
}

static int
parse_read(struct options *o, const char *text)
{

	o->files = memory_get(o->files, o->nfiles + 1, sizeof(*o->files));
	o->files[o->nfiles++] = text;
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

static int
parse_with(struct options *o, const char *text)
{
	static const char *const names[WITH_COUNT] = {
		[WITH_TIME] = "time", [WITH_WALL] = "wall",
		[WITH_PID] = "pid", [WITH_TID] = "tid"
	};
	const char *p = text;
	unsigned i, w;
	size_t n;

	do {
		n = strcspn(p, ",");
		for (w = 0; w < WITH_COUNT; w++)
			if (strlen(names[w]) == n &&
			    memcmp(p, names[w], n) == 0)
				break;
		if (w == WITH_COUNT)
			return (bad_usage(MSG_BAD_VALUE, "--with", text,
			    "a list of time, wall, pid, tid"));
		for (i = 0; i < o->nwith && o->with[i] != w; i++)
			continue;
		if (i == o->nwith)
			o->with[o->nwith++] = w;
		p += n;
	} while (*p++ == ',');
	return (0);
}

static int
parse_format(struct options *o, const char *text)
{

	o->json = strcmp(text, "json") == 0;
	if (!o->json && strcmp(text, "text") != 0)
		return (bad_usage(MSG_BAD_VALUE, "--format", text,
		    "text or json"));
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

/* A long option of ours that was probably meant by an unknown one. */
static const char *
near_option(const char *given)
{
	const char *names[sizeof(long_options) / sizeof(long_options[0])];
	size_t n;

	if (strncmp(given, "--", 2) != 0)
		return (NULL);
	for (n = 0; long_options[n].name != NULL; n++)
		names[n] = long_options[n].name;
	return (near_name(given + 2, strcspn(given + 2, "="), names, n));
}

/* What getopt_long() found wrong. */
static int
parse_error(int c, char **argv)
{
	char meant[32];
	const char *near;
	char flag[] = { '-', optopt, '\0' };
	const char *name = flag;

	if (optopt == 0 || optopt > UCHAR_MAX)
		name = argv[optind - 1];
	if (c == ':')
		return (bad_usage(MSG_NO_ARGUMENT, name));
	if (optopt > UCHAR_MAX)
		return (bad_usage(MSG_NOT_WANTED, name));
	if ((near = near_option(name)) == NULL)
		return (bad_usage(MSG_BAD_OPTION, name));
	(void)snprintf(meant, sizeof(meant), "--%s", near);
	return (bad_usage(MSG_BAD_OPTION_NEAR, name, meant));
}

static int
parse_one(struct options *o, int c)
{
	char flag[] = { '-', c, '\0' };

	switch (c) {
	case 'P':
	case 'm':
	case 'f':
	case 'n':
	case 'i':
		return (program_add(&o->program, c, optarg));
	case 'p':
		return (parse_pid(o, optarg));
	case 'c':
		return (parse_command(o, optarg));
	case 'b':
		return (add_setting(o, optarg, "bufsize"));
	case 'x':
		return (parse_x(o, optarg));
	case 'o':
		o->output = optarg;
		return (0);
	case 'q':
		o->quiet = true;
		return (0);
	case 'F':
		o->flow = true;
		return (0);
	case 'v':
		o->verbose = true;
		return (0);
	case 'Z':
		o->unmatched = true;
		return (0);
	case 'l':
		o->list = true;
		return (0);
	case OPTION_FOLLOW:
		return (add_setting(o, NULL, "follow"));
	case OPTION_FORMAT:
		return (parse_format(o, optarg));
	case OPTION_READ:
		return (parse_read(o, optarg));
	case OPTION_STAT:
		return (parse_stat(o, optarg));
	case OPTION_WITH:
		return (parse_with(o, optarg));
	default:	/* -e -G -h -s -S -w */
		return (bad_usage(MSG_D_PROGRAM, flag));
	}
}

/* What --stat does not go with, or NULL. */
static const char *
not_with_stat(const struct options *o)
{

	if (o->list)
		return ("-l");
	if (o->command != NULL)
		return ("-c");
	if (o->nfiles > 0)
		return ("--read");
	return (o->program.count > 0 ? "a probe description" : NULL);
}

/* Choose the mode; what has no meaning together, or not alone, is refused. */
static int
choose_mode(struct options *o)
{
	const char *other;

	if (o->nfiles > 0 && (o->command != NULL || o->npids > 0))
		return (bad_usage(MSG_TOGETHER, "--read",
		    o->command != NULL ? "-c" : "-p"));
	if (o->stat) {
		o->mode = MODE_STAT;
		if ((other = not_with_stat(o)) != NULL)
			return (bad_usage(MSG_TOGETHER, "--stat", other));
	} else if (o->list)
		o->mode = MODE_LIST;
	else if (o->flow && o->json)
		return (bad_usage(MSG_TOGETHER, "-F", "--format=json"));
	return (0);
}

int
options_parse(struct options *o, int argc, char **argv)
{
	int c, status;

	*o = (struct options){ .mode = MODE_TRACE };
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":b:c:ef:FGhi:lm:n:o:p:P:qsSvVwx:Z",
	    long_options, NULL)) != -1) {
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
	if (optind < argc)
		return (bad_usage(MSG_EXTRA, argv[optind]));
	return (choose_mode(o));
}

/* What the library has against a setting; -b is an option of our own. */
static int
refuse_setting(const struct setting *s, int number, const char *error)
{
	static const char *const names[] = {
		"bufsize", "bufpolicy", "bufresize", "switchrate",
		"statusrate", "strsize", "cpu", "temporal", "follow", "quiet",
		"flowindent", "zdefs", "droptags"
	};
	const char *why = strstr(error, MSG_SET_VALUE), *near;

	if (number == -ENOENT && (near = near_name(s->name, strlen(s->name),
	    names, sizeof(names) / sizeof(names[0]))) != NULL)
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

	for (i = 0; i < o->nsettings; i++) {
		s = &o->settings[i];
		error = tbuf_consumer_set(consumer, s->name, s->value);
		if (error < 0)
			return (refuse_setting(s, error,
			    tbuf_consumer_error(consumer)));
	}
	/* What was given is looked at before what was not. */
	if (o->mode == MODE_TRACE && o->program.count == 0 && o->nfiles == 0)
		return (bad_usage(MSG_NOTHING));
	return (0);
}

void
options_free(struct options *o)
{
	size_t i;

	for (i = 0; i < o->nsettings; i++)
		free(o->settings[i].name);
	free(o->settings);
	free(o->pids);
	free(o->files);
	command_free(o->command);
	program_free(&o->program);
}
