/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbufctl's command line, and the command that it executes.  The input is
 * arguments separated by NULs.  The first one is also split like that of -c,
 * and the whole input is also a program into which a provider is preloaded.
 */
#include <sys/mman.h>

#include <getopt.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/messages.h"
#include "support/fuzz.h"
#include "options/command_line.h"
#include "options/split_command.h"
#include "run/preload.h"

#define ARGUMENTS_MAX	32

static int program = -1;
static char path[64];

/* Formats a message without printing it. */
static void
tell(const char *format, va_list ap)
{
	char line[256];

	FUZZ_CHECK(vsnprintf(line, sizeof(line), format, ap) >= 0);
}

void
message(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	tell(format, ap);
	va_end(ap);
}

int
fail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	tell(format, ap);
	va_end(ap);
	return (EXIT_FAILED);
}

int
bad_usage(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	tell(format, ap);
	va_end(ap);
	return (EXIT_USAGE);
}

void *
memory_get(void *old, size_t count, size_t size)
{
	void *new = reallocarray(old, count, size);

	FUZZ_CHECK(new != NULL);
	return (new);
}

char *
memory_string(const char *text)
{
	return (strcpy(memory_get(NULL, 1, strlen(text) + 1), text));
}

static void
leave(void)
{
	close(program);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	program = memfd_create("program", MFD_CLOEXEC);
	FUZZ_CHECK(program != -1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", program);
	atexit(leave);
	return (0);
}

static void
split(const char *line)
{
	const char *error = NULL;
	char **argv = command_split(line, &error);
	size_t size = 0;
	unsigned i;

	if (argv == NULL) {
		FUZZ_CHECK(error != NULL);
		return;
	}
	for (i = 0; argv[i] != NULL; i++)
		size += strlen(argv[i]) + 1;
	FUZZ_CHECK(i > 0 && size <= strlen(line) + 1);
	command_free(argv);
}

/* Uses a script's file name as its text. */
static void
read_scripts(struct program *program)
{
	size_t i;

	for (i = 0; i < program->count; i++)
		if (program->all[i].flag == 's')
			program->all[i].script =
			    memory_string(program->all[i].text);
}

static void
parse(int argc, char **argv)
{
	struct options options;
	int status;

	/* Restart getopt(3), for glibc and for the BSDs. */
	optind = 0;
	status = options_parse(&options, argc, argv);
	FUZZ_CHECK(status == 0 || status == EXIT_FAILED ||
	    status == EXIT_USAGE);
	if (status == 0) {
		read_scripts(&options.program);
		preload_wanted(&options.program, "libc");
	}
	options_free(&options);
}

static void
preload(const uint8_t *data, size_t size)
{
	char *setting = NULL;

	FUZZ_CHECK(ftruncate(program, 0) == 0);
	FUZZ_CHECK(pwrite(program, data, size, 0) == (ssize_t)size);
	preload_prepare(path, PRELOAD_LIST | PRELOAD_LIBC, &setting);
	free(setting);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	char name[] = "tbufctl", *argv[ARGUMENTS_MAX + 2] = { name };
	char *owned[ARGUMENTS_MAX];
	int n = 0, i;

	preload(data, size);
	while (in.size > 0 && n < ARGUMENTS_MAX) {
		owned[n] = argv[n + 1] = input_text(&in);
		n++;
	}
	if (n > 0)
		split(argv[1]);
	/* getopt(3) reorders argv. */
	parse(n + 1, argv);
	for (i = 0; i < n; i++)
		free(owned[i]);
	return (0);
}
