/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads libraries of D and sorts each after those that it depends on.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "cpp.h"
#include "library.h"

static void
add(struct libraries *l, const char *directory, const char *name)
{
	struct library *new;

	l->all = memory_get(l->all, l->count + 1, sizeof(*l->all));
	new = &l->all[l->count];
	*new = (struct library){ .path = string_format("%s/%s", directory,
	    name) };
	new->text = text_read(new->path, &new->length);
	if (new->text == NULL) {
		if (errno == EFBIG)
			message(MSG_OPEN_SCRIPT, new->path, strerror(errno));
		free(new->path);
		return;
	}
	new->name = memory_string(name);
	l->count++;
}

static int
is_library(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return (n > 2 && strcmp(entry->d_name + n - 2, ".d") == 0);
}

static void
read_directory(struct libraries *l, const char *path)
{
	struct dirent **entries;
	int i, n;

	n = scandir(path, &entries, is_library, alphasort);
	for (i = 0; i < n; i++) {
		add(l, path, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/*
 * Returns the name after "#pragma D depends_on library" in a line, for the
 * caller to free, or NULL.
 */
static char *
dependency(const char *line)
{
	static const char *const words[] = {
		"#pragma", "D", "depends_on", "library"
	};
	size_t i, n;

	for (i = 0; i < 4; i++) {
		line += strspn(line, " \t");
		n = strlen(words[i]);
		if (strncmp(line, words[i], n) != 0)
			return (NULL);
		line += n;
	}
	line += strspn(line, " \t");
	return (string_format("%.*s", (int)strcspn(line, " \t\r\n"), line));
}

static struct library *
find(struct libraries *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (strcmp(l->all[i].name, name) == 0)
			return (&l->all[i]);
	return (NULL);
}

/*
 * Returns true for a library that DTrace has as a file, and this compiler built
 * in.
 */
static bool
is_built_in(const char *name)
{
	static const char *const names[] = {
		"errno.d", "io.d", "ip.d", "lockstat.d", "net.d", "procfs.d",
		"regs.d", "sched.d", "signal.d", "tcp.d", "types.d", "udp.d",
		"unistd.d"
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return (true);
	return (false);
}

/* Notes an error; only the first one is reported. */
static void
complain(struct libraries *l, const char *problem, const struct library *one,
    const char *how, const char *other)
{
	if (l->wrong == NULL)
		l->wrong = string_format("%s %s%s %s", problem, one->path, how,
		    other);
}

static void
missing(struct libraries *l, const struct library *one, const char *name)
{
	char *path = string_format("%.*s%s",
	    (int)(strlen(one->path) - strlen(one->name)), one->path, name);

	complain(l, "Invalid library dependency in", one, ":", path);
	free(path);
}

/* Appends a library to `sorted`, after those that it depends on. */
static void
visit(struct libraries *l, struct library *one, struct library *sorted,
    size_t *n)
{
	const char *line = one->text;
	struct library *other;
	char *name;

	if (one->visited)
		return;
	one->visited = true;
	for (; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if ((name = dependency(line)) == NULL)
			continue;
		other = find(l, name);
		if (other == NULL && !is_built_in(name))
			missing(l, one, name);
		free(name);
		if (other == NULL)
			continue;
		if (other->visited && !other->sorted)
			complain(l, "Cyclical dependency detected:", one,
			    " =>", other->path);
		visit(l, other, sorted, n);
	}
	one->sorted = true;
	sorted[(*n)++] = *one;
}

void
libraries_read(struct libraries *l, const struct words *directories)
{
	struct library *sorted;
	size_t i, n = 0;

	*l = (struct libraries){ .count = 0 };
	for (i = 0; i < directories->count; i++)
		read_directory(l, directories->all[i]);
	sorted = memory_get(NULL, l->count + 1, sizeof(*sorted));
	for (i = 0; i < l->count; i++)
		visit(l, &l->all[i], sorted, &n);
	free(l->all);
	l->all = sorted;
}

void
libraries_free(struct libraries *l)
{
	size_t i;

	for (i = 0; i < l->count; i++) {
		free(l->all[i].path);
		free(l->all[i].name);
		free(l->all[i].text);
	}
	free(l->all);
	free(l->wrong);
}
