/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "usdt/file.h"
#include "usdt_provider_file.h"

static void
ignore(void *arg, const struct usdt_description *d)
{
	(void)arg;
	(void)d;
}

/* Reports errors in the file; the provider in the command reads it again. */
static int
check(const char *path)
{
	unsigned line;
	const char *error = usdt_file_read(path, ignore, NULL, &line);

	if (error == NULL)
		return (0);
	if (line == 0)
		return (fail(MSG_CORE, path, error));
	return (fail(MSG_PROVIDER_FILE, path, line, error));
}

int
notes_add_file(struct words *files, const char *path)
{
	char full[PATH_MAX];

	if (path == NULL || *path == '\0')
		return (bad_usage(MSG_NEEDS, "-x usdt", "a file"));
	if (realpath(path, full) == NULL)
		return (fail(MSG_CORE, path, strerror(errno)));
	if (strchr(full, ':') != NULL)
		return (bad_usage(MSG_BAD_VALUE, "-x usdt", full,
		    "a path without a colon"));
	words_add(files, "%s", full);
	return (check(full));
}

char *
notes_file_setting(const struct words *files)
{
	const char *old = getenv("TBUF_USDT_FILES");
	char *setting, *longer;
	size_t i;

	if (files->count == 0)
		return (NULL);
	setting = string_format("TBUF_USDT_FILES=%s", old == NULL ? "" : old);
	for (i = 0; i < files->count; i++) {
		longer = string_format("%s:%s", setting, files->all[i]);
		free(setting);
		setting = longer;
	}
	return (setting);
}

static void
add_provider(void *providers, const struct usdt_description *d)
{
	struct words *words = providers;

	if (words->count == 0 ||
	    strcmp(words->all[words->count - 1], d->provider) != 0)
		words_add(words, "%s", d->provider);
}

void
notes_described(const struct words *files, struct words *providers)
{
	unsigned line;
	size_t i;

	usdt_files_installed(add_provider, providers);
	for (i = 0; i < files->count; i++)
		(void)usdt_file_read(files->all[i], add_provider, providers,
		    &line);
}

void
notes_check_installed(void)
{
	const char *directory = usdt_files_directory();

	if (access(directory, R_OK | X_OK) != 0)
		message(MSG_PROVIDER_FILES, directory, strerror(errno));
}

static void
describe(void *probe, const struct usdt_description *d)
{
	usdt_probe_describe(probe, d);
}

void
notes_describe(struct usdt_probe *probe, const struct words *files)
{
	unsigned line;
	size_t i;

	usdt_file_installed(probe->provider, describe, probe);
	for (i = 0; i < files->count; i++)
		(void)usdt_file_read(files->all[i], describe, probe, &line);
}
