/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads scripts, and preprocesses them with cpp(1) (-C), from a memory file to
 * a pipe.  A text is bounded: a few macros that name each other several times
 * expand to any size.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/helper_process.h"
#include "base/messages.h"
#include "base/signals.h"
#include "cpp.h"
#include "options/d_options.h"

#define CHUNK		65536
#define TEXT_MAX	(16u << 20)
#define LOOK_MS		500	/* until a signal that came early is seen */

extern char **environ;

/* ------------------------------------------------------------ texts */

/* Reads as read(2), but fails with EINTR after a signal that ends the run. */
static ssize_t
read_some(int fd, char *to, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int ready;

	do {
		if (signals_stopping()) {
			errno = EINTR;
			return (-1);
		}
		ready = poll(&p, 1, LOOK_MS);
	} while (ready == 0 || (ready == -1 && errno == EINTR));
	return (ready == -1 ? -1 : read(fd, to, size));
}

/* Returns the bytes until the end, or NULL with errno: EFBIG, ... */
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
		n = read_some(fd, text + used, size - used - 1);
	} while (n > 0 && used + (size_t)n <= TEXT_MAX);
	if (n > 0)
		errno = EFBIG;
	if (n != 0) {
		free(text);
		return (NULL);
	}
	text[used] = '\0';
	*length = used;
	return (text);
}

/* Removes the byte order mark that some editors write before UTF-8. */
static void
remove_mark(char *text, size_t *length)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (strncmp(text, mark, strlen(mark)) != 0)
		return;
	*length -= strlen(mark);
	memmove(text, text + strlen(mark), *length + 1);
}

char *
text_read(const char *path, size_t *length)
{
	char *text;
	int fd, error;

	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return (NULL);
	if ((text = read_all(fd, length)) != NULL)
		remove_mark(text, length);
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

/*
 * Starts cpp, in a process group of its own, as it has a process of its own.
 * Returns NULL, or the text of an error.
 */
static const char *
spawn(char **arguments, int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	(void)posix_spawnattr_init(&attributes);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	(void)posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	error = posix_spawnp(pid, arguments[0], &actions, &attributes,
	    arguments, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)posix_spawnattr_destroy(&attributes);
	return (error == 0 ? NULL :
	    ended(W_EXITCODE(error == ENOENT ? 127 : 126, 0)));
}

/* Returns the text of an error of reading what cpp writes. */
static const char *
unread(int error)
{
	switch (error) {
	case EFBIG:
		return ("Preprocessor output exceeds 16 MiB");
	case EINTR:
		return ("Preprocessor interrupted");
	default:
		return (failed);
	}
}

/* Runs cpp.  Returns its output, or NULL with the text of an error. */
static char *
run(char **arguments, int in, size_t *length, const char **why)
{
	int out[2], status;
	char *made;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) != 0)
		return (NULL);
	*why = spawn(arguments, in, out[1], &pid);
	(void)close(out[1]);
	if (*why != NULL) {
		(void)close(out[0]);
		return (NULL);
	}
	if ((made = read_all(out[0], length)) == NULL) {
		*why = unread(errno);
		(void)kill(-pid, SIGKILL);
	}
	(void)close(out[0]);
	status = reader_wait(pid);
	if (made != NULL && (*why = ended(status)) != NULL) {
		free(made);
		made = NULL;
	}
	return (made);
}

char *
cpp_run(const struct d_settings *d, char *text, size_t *length,
    const char **why)
{
	char **arguments = make_arguments(d, d->cpp_path != NULL ?
	    d->cpp_path : "cpp"), **a, *made = NULL;
	int in = memfd_create("script", MFD_CLOEXEC);
	const char *from = text;

	/* The newline after #! stays, so that lines keep their numbers. */
	if (strncmp(text, "#!", 2) == 0)
		from += strcspn(text, "\n");
	*why = failed;
	if (in != -1 &&
	    reader_write(in, from, *length - (size_t)(from - text)) &&
	    lseek(in, 0, SEEK_SET) == 0)
		made = run(arguments, in, length, why);
	if (in != -1)
		(void)close(in);
	for (a = arguments; *a != NULL; a++)
		free(*a);
	free(arguments);
	free(text);
	return (made);
}
