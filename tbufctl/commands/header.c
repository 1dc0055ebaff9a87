/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -h makes a header with two macros for each probe of a provider file:
 * PROVIDER_NAME() fires it, PROVIDER_NAME_ENABLED() tests whether it is traced.
 *
 * -G makes an object with the probes' semaphores, in which other tracers count
 * the consumers of a probe; tbuf does not need them.
 */
#include <sys/wait.h>

#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "commands.h"
#include "options/command_line.h"
#include "options/split_command.h"
#include "script/compile.h"
#include "usdt/description.h"

extern char **environ;

/* ------------------------------------------------------------ texts */

/* First and last lines of a header. */
static const char header_head[] =
"/* Made by tbufctl -h: link with libtbuf and with what tbufctl -G makes. */\n"
"\n"
"#define _SDT_HAS_SEMAPHORES 1\n"
"#define STAP_HAS_SEMAPHORES 1\n"
"#include <tbuf/sys/sdt.h>\n"
"\n"
"#ifdef __cplusplus\n"
"extern \"C\" {\n"
"#endif\n";
static const char header_tail[] =
"\n"
"#ifdef __cplusplus\n"
"}\n"
"#endif\n";

static void
print_semaphore(void *out, const struct usdt_description *d)
{
	fprintf(out, "unsigned short %s_%s_semaphore\n"
	    "    __attribute__((section(\".probes\"), "
	    "visibility(\"hidden\")));\n", d->provider, d->name);
}

/* Prints a macro's name, in capitals and with _ for __. */
static void
print_macro_name(FILE *f, const struct usdt_description *d)
{
	const char *p;

	for (p = d->provider; *p != '\0'; p++)
		putc(toupper((unsigned char)*p), f);
	putc('_', f);
	for (p = d->name; *p != '\0'; p++) {
		putc(toupper((unsigned char)*p), f);
		if (p[0] == '_' && p[1] == '_')
			p++;
	}
}

static void
print_names(FILE *f, unsigned n, const char *before)
{
	unsigned i;

	for (i = 0; i < n; i++)
		fprintf(f, "%sarg%u", i == 0 ? before : ", ", i);
}

static void
print_macros(void *out, const struct usdt_description *d)
{
	FILE *f = out;

	fprintf(f, "\nextern ");
	print_semaphore(f, d);
	fprintf(f, "#define ");
	print_macro_name(f, d);
	fprintf(f, "_ENABLED() \\\n"
	    "\t(__builtin_expect(%s_%s_semaphore, 0) || \\\n"
	    "\tTBUF_SDT_ENABLED(%s, %s))\n#define ", d->provider, d->name,
	    d->provider, d->name);
	print_macro_name(f, d);
	putc('(', f);
	print_names(f, d->nargs, "");
	fprintf(f, ") \\\n\tDTRACE_PROBE");
	if (d->nargs > 0)
		fprintf(f, "%u", d->nargs);
	fprintf(f, "(%s, %s", d->provider, d->name);
	print_names(f, d->nargs, ", ");
	fprintf(f, ")\n");
}

/* ------------------------------------------------------------ files */

/* Visits the probes of all provider files, one file after the other. */
static int
describe(const struct options *o, FILE *f,
    void (*visit)(void *, const struct usdt_description *))
{
	const struct program *p = &o->program;
	const char *error;
	unsigned line;
	size_t i;

	for (i = 0; i < p->count; i++) {
		error = usdt_describe(p->all[i].script, visit, f, &line);
		if (error != NULL)
			return (fail(MSG_PROVIDER_FILE, p->all[i].text, line,
			    error));
	}
	return (0);
}

/* Closes a file, and removes it if it is not whole. */
static int
finish(FILE *f, const char *path, int status)
{
	int error = ferror(f) ? EIO : 0;

	if (fclose(f) != 0)
		error = errno;
	if (status == 0 && error != 0)
		status = fail(MSG_WRITE, path, strerror(error));
	if (status != 0)
		(void)remove(path);
	return (status);
}

static int
make_header(const struct options *o, const char *path)
{
	FILE *f = fopen(path, "we");
	int status;

	if (f == NULL)
		return (fail(MSG_OPEN, path, strerror(errno)));
	fputs(header_head, f);
	status = describe(o, f, print_macros);
	fputs(header_tail, f);
	return (finish(f, path, status));
}

/*
 * Makes the arguments of the compiler: $CC, which may have options, $CFLAGS,
 * and those of an object.  Returns NULL after a message.
 */
static char **
compiler(const char *source, const char *path)
{
	struct words w = { NULL, 0 };
	const char *cc = getenv("CC"), *flags = getenv("CFLAGS"), *error;
	char *line, **words;

	line = string_format("%s %s", cc == NULL || *cc == '\0' ? "cc" : cc,
	    flags == NULL ? "" : flags);
	if ((words = command_split(line, &error)) == NULL) {
		(void)bad_usage(MSG_BAD_COMMAND, line, error);
		free(line);
		return (NULL);
	}
	free(line);
	for (w.all = words; words[w.count] != NULL; w.count++)
		continue;
	words_add(&w, "-fPIC");
	words_add(&w, "-c");
	words_add(&w, "-o");
	words_add(&w, "%s", path);
	words_add(&w, "%s", source);
	return (w.all);
}

static int
compile_source(const char *source, const char *path)
{
	char **arguments = compiler(source, path);
	int status = -1, error;
	pid_t pid;

	if (arguments == NULL)
		return (EXIT_USAGE);
	error = posix_spawnp(&pid, arguments[0], NULL, NULL, arguments,
	    environ);
	while (error == 0 && waitpid(pid, &status, 0) == -1)
		if (errno != EINTR)
			error = errno;
	if (error != 0)
		status = fail(MSG_COMPILER, arguments[0], strerror(error));
	else if (status != 0)
		status = fail(MSG_COMPILER, arguments[0],
		    "it ended with an error");
	command_free(arguments);
	return (status);
}

static int
make_object(const struct options *o, const char *path)
{
	char source[] = "/tmp/tbufctl.XXXXXX.c";
	int fd = mkstemps(source, 2), status;
	FILE *f = fd == -1 ? NULL : fdopen(fd, "w");

	if (f == NULL)
		return (fail(MSG_OPEN, source, strerror(errno)));
	status = finish(f, source, describe(o, f, print_semaphore));
	if (status == 0)
		status = compile_source(source, path);
	(void)unlink(source);
	return (status);
}

/* Returns the provider file's name with another end, in this folder. */
static char *
default_path(const char *script, const char *end)
{
	const char *name = basename(script), *dot = strrchr(name, '.');

	return (string_format("%.*s.%s",
	    dot == NULL || strcmp(dot, ".d") != 0 ? (int)strlen(name) :
	    (int)(dot - name), name, end));
}

int
header_run(struct options *o)
{
	bool object = o->mode == MODE_OBJECT;
	const struct program *p = &o->program;
	char *path;
	size_t i;
	int status;

	if (p->count == 0)
		return (bad_usage(MSG_NEEDS, object ? "-G" : "-h", "-s"));
	for (i = 0; i < p->count; i++)
		if (p->all[i].flag != 's')
			return (bad_usage(MSG_TOGETHER, object ? "-G" : "-h",
			    "a probe description"));
	if ((status = compile_read(o)) != 0)
		return (status);
	path = o->output != NULL ? memory_string(o->output) :
	    default_path(p->all[0].text, object ? "o" : "h");
	status = object ? make_object(o, path) : make_header(o, path);
	free(path);
	return (status);
}
