/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The list of sites that the usdt provider has not armed, in the memory of a
 * process (usdt/unarmed.h), which can say anything.
 */
#include <sys/types.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "usdt/unarmed.h"
#include "usdt_notes.h"

#define PROVIDER	"libtbuf-usdt.so"
#define DATA_MAX	(UINT64_C(1) << 20)	/* bytes of its data */
#define TEXT_MAX	(UINT64_C(256) << 10)	/* bytes of lines */
#define TRIES		3	/* while objects are loaded */

/* ------------------------------------------------------------ memory */

static bool
memory_read(int fd, void *data, uint64_t size, uint64_t at)
{
	return (at <= INT64_MAX && pread(fd, data, size, (off_t)at) ==
	    (ssize_t)size);
}

/* Finds the variable in a range of data.  Returns its address, or 0. */
static uint64_t
find_in(int fd, uint64_t start, uint64_t end)
{
	uint64_t *words, at, found = 0;

	if (end <= start || end - start > DATA_MAX)
		return (0);
	words = memory_get(NULL, end - start, 1);
	if (memory_read(fd, words, end - start, start))
		for (at = start; at < end && found == 0; at += sizeof(*words))
			if (words[(at - start) / sizeof(*words)] ==
			    (USDT_UNARMED_CHECK ^ at) &&
			    end - at >= sizeof(struct usdt_unarmed))
				found = at;
	free(words);
	return (found);
}

/* Finds the variable in the provider's data.  Returns its address, or 0. */
static uint64_t
find(pid_t pid, int fd)
{
	char path[4096], access[5], *line = NULL;
	uint64_t start, end, found = 0;
	size_t size = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%jd/maps", (intmax_t)pid);
	if ((f = fopen(path, "re")) == NULL)
		return (0);
	while (found == 0 && getline(&line, &size, f) > 0)
		if (sscanf(line, "%" SCNx64 "-%" SCNx64
		    " %4s %*x %*s %*u %4095[^\n]", &start, &end, access,
		    path) == 4 && strncmp(access, "rw", 2) == 0 &&
		    strcmp(basename(path), PROVIDER) == 0)
			found = find_in(fd, start, end);
	free(line);
	fclose(f);
	return (found);
}

/* Reads the lines.  Returns NULL if the list has changed meanwhile. */
static char *
text_read(int fd, uint64_t at)
{
	struct usdt_unarmed list, again;
	uint64_t size;
	char *text;

	if (!memory_read(fd, &list, sizeof(list), at))
		return (NULL);
	size = list.size > TEXT_MAX ? TEXT_MAX : list.size;
	text = memory_get(NULL, size + 1, 1);
	text[size] = '\0';
	if (list.text != 0 && memory_read(fd, text, size, list.text) &&
	    memory_read(fd, &again, sizeof(again), at) &&
	    memcmp(&list, &again, sizeof(list)) == 0)
		return (text);
	free(text);
	return (NULL);
}

static char *
list_read(pid_t pid)
{
	char path[64], *text = NULL;
	unsigned try;
	uint64_t at;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%jd/mem", (intmax_t)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return (NULL);
	at = find(pid, fd);
	for (try = 0; at != 0 && text == NULL && try < TRIES; try++)
		text = text_read(fd, at);
	(void)close(fd);
	return (text);
}

/* ------------------------------------------------------------ lines */

/* Returns the end of a line's PROVIDER:MODULE:FUNCTION:NAME, or NULL. */
static char *
names_end(char *names)
{
	char *end = strstr(names, " at 0x");

	return (end != NULL && strstr(end, ": not armed: ") != NULL ? end :
	    NULL);
}

/* Visits the site of a line; a line of a whole file has no names. */
static void
visit_line(const char *line, notes_site_visit *visit, void *arg)
{
	char *names = string_format("%s", line), *end = names_end(names);
	struct notes_site site = { .provider = "", .name = "", .line = line };
	char *colon;

	if (end != NULL) {
		*end = '\0';
		if ((colon = strchr(names, ':')) != NULL) {
			site.name = strrchr(names, ':') + 1;
			*colon = '\0';
			site.provider = names;
		}
	}
	if (end != NULL || strstr(line, ": not armed: ") != NULL)
		visit(arg, &site);
	free(names);
}

bool
notes_unarmed(pid_t pid, notes_site_visit *visit, void *arg)
{
	char *text = list_read(pid), *line = text, *end;

	if (text == NULL)
		return (false);
	for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		*end = '\0';
		visit_line(line, visit, arg);
	}
	free(text);
	return (true);
}
