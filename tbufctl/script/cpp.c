/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -C: preprocesses scripts with cpp(1), from one memory file to another.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper_process.h"
#include "base/messages.h"
#include "cpp.h"
#include "options/d_options.h"

#define CHUNK	65536

extern char **environ;

/* ------------------------------------------------------------ texts */

static char *
read_all(int fd, size_t *length)
{
	char *text = NULL;
	size_t size = 0, used = 0;
	ssize_t n = 0;

	do {
		used += (size_t)n;
		if (size - used < CHUNK) {
			size = 2 * size + 2 * CHUNK;
			text = memory_get(text, 1, size);
		}
		n = read(fd, text + used, size - used - 1);
	} while (n > 0 || (n == -1 && errno == EINTR && (n = 0) == 0));
	if (n == -1) {
		free(text);
		return (NULL);
	}
	text[used] = '\0';
	*length = used;
	return (text);
}

char *
text_read(const char *path, size_t *length)
{
	char *text;
	int fd, error;

	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return (NULL);
	text = read_all(fd, length);
	error = errno;
	(void)close(fd);
	errno = error;
	return (text);
}

/* ------------------------------------------------------------ cpp */

static const char failed[] = "Preprocessor failed to process input program";

/* Macros of the platform, which every script has. */
static const char *const fixed[] = {
	"-D__linux", "-D__unix", "-D__SVR4",
#if defined(__x86_64__)
	"-D__amd64",
#elif defined(__aarch64__)
	"-D__aarch64",
#endif
	"-D__SUNW_D=1",
	"-D__SUNW_D_VERSION=0x02000000", "-U__GNUC__", "-U__GNUC_MINOR__",
	"-U__GNUC_PATCHLEVEL__"
};

/* Makes the arguments: the fixed ones, then the user's, then the file. */
static char **
make_arguments(const struct d_settings *d, const char *path)
{
	struct words w = { NULL, 0 };
	size_t i;

	words_add(&w, "%s", path);
	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		words_add(&w, "%s", fixed[i]);
	if (d->ilp32)
		words_add(&w, "-U_LP64");
	words_add(&w, "%s", d->ilp32 ? "-D_ILP32" : "-D_LP64");
	words_add(&w, "%s", d->ilp32 ? "-D__SUNW_D_32" : "-D__SUNW_D_64");
	if (d->headers)
		words_add(&w, "-H");
	for (i = 0; i < d->cpp_words.count; i++)
		words_add(&w, "%s", d->cpp_words.all[i]);
	words_add(&w, "%s", d->stdc == 's' ? "-traditional-cpp" :
	    "-std=c99");
	words_add(&w, "/dev/stdin");
	return (w.all);
}

/*
 * Returns an error's text for an exit status, NULL for success; 126 and 127
 * mean the same as in a shell.
 */
static const char *
ended(int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	switch (code) {
	case 0:
		return (NULL);
	case 126:
		return ("Failed to exec preprocessor");
	case 127:
		return ("Preprocessor not found");
	default:
		return (failed);
	}
}

/* Runs cpp.  Returns NULL, or the text of an error. */
static const char *
spawn(char **arguments, int in, int out)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status, error;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	(void)posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	error = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments,
	    environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (error != 0)
		return (ended(W_EXITCODE(error == ENOENT ? 127 : 126, 0)));
	while (waitpid(pid, &status, 0) == -1)
		if (errno != EINTR)
			return (failed);
	return (ended(status));
}

char *
cpp_run(const struct d_settings *d, char *text, size_t *length,
    const char **why)
{
	char **arguments = make_arguments(d, d->cpp_path != NULL ?
	    d->cpp_path : "cpp"), **a, *made = NULL;
	int in = memfd_create("script", MFD_CLOEXEC);
	int out = memfd_create("preprocessed", MFD_CLOEXEC);
	const char *from = text;

	/* The newline after #! stays, so that lines keep their numbers. */
	if (strncmp(text, "#!", 2) == 0)
		from += strcspn(text, "\n");
	*why = failed;
	if (in != -1 && out != -1 &&
	    reader_write(in, from, *length - (size_t)(from - text)) &&
	    lseek(in, 0, SEEK_SET) == 0 &&
	    (*why = spawn(arguments, in, out)) == NULL &&
	    lseek(out, 0, SEEK_SET) == 0)
		made = read_all(out, length);
	if (in != -1)
		(void)close(in);
	if (out != -1)
		(void)close(out);
	for (a = arguments; *a != NULL; a++)
		free(*a);
	free(arguments);
	free(text);
	if (made == NULL && *why == NULL)
		*why = failed;
	return (made);
}
