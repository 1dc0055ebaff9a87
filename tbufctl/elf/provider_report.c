/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/string_list.h"
#include "provider_report.h"

const char *
report_begin(struct report *t, const char *name)
{
	int fd;

	t->setting = string_format("%s=/tmp/tbufctl.XXXXXX", name);
	t->path = t->setting + strlen(name) + 1;
	fd = mkostemp(t->setting + strlen(name) + 1, O_CLOEXEC);
	t->file = fd == -1 ? NULL : fdopen(fd, "r");
	if (t->file != NULL)
		return (t->setting);
	free(t->setting);
	return (NULL);
}

void
report_look(struct report *t, void (*see)(void *, char *), void *arg)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (t->file == NULL)
		return;
	clearerr(t->file);
	while ((n = getline(&line, &size, t->file)) > 0 &&
	    line[n - 1] == '\n') {
		line[n - 1] = '\0';
		see(arg, line);
	}
	/* A line that is being written is read again. */
	if (n > 0)
		(void)fseek(t->file, -n, SEEK_CUR);
	free(line);
}

void
report_end(struct report *t, void (*see)(void *, char *), void *arg)
{
	if (t->file == NULL)
		return;
	report_look(t, see, arg);
	fclose(t->file);
	t->file = NULL;
	(void)unlink(t->path);
	free(t->setting);
}
