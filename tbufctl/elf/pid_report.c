/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdio.h>
#include <string.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "pid_report.h"
#include "provider_report.h"

#define ABSENT	": absent: "

static struct report report, types;
static struct words told, absent;	/* lines */
static bool is_list;

const char *
pid_report_begin(bool lists)
{
	is_list = lists;
	return (report_begin(&report, lists ? "TBUF_PID_LIST" :
	    "TBUF_PID_MISSED"));
}

const char *
pid_types_begin(void)
{
	return (report_begin(&types, "TBUF_PID_TYPES"));
}

void
pid_types_write(const char *table)
{
	if (types.file != NULL)
		(void)dprintf(fileno(types.file), "%s", table);
}

static void
add(struct words *words, const char *line)
{
	if (!words_have(words, line))
		words_add(words, "%s", line);
}

/* Each process with the object reports the same lines: prints each once. */
static void
tell_line(void *unused, char *line)
{
	bool is_absent = strstr(line, ABSENT) != NULL;

	(void)unused;
	if (is_absent && !is_list)
		add(&absent, line);
	else if ((is_absent || strstr(line, ": not armed: ") != NULL ||
	    strstr(line, ": armed in part: ") != NULL ||
	    strstr(line, ": without types: ") != NULL) &&
	    !words_have(&told, line)) {
		words_add(&told, "%s", line);
		message("%s", line);
	}
}

void
pid_report_absent(const char *description)
{
	size_t i, n = strlen(description);

	pid_report_look();
	for (i = 0; i < absent.count; i++)
		if (strncmp(absent.all[i], description, n) == 0 &&
		    strncmp(absent.all[i] + n, ABSENT, strlen(ABSENT)) == 0)
			message("%s", absent.all[i]);
}

void
pid_report_look(void)
{
	report_look(&report, tell_line, NULL);
}

void
pid_report_end(void)
{
	report_end(&report, tell_line, NULL);
	report_end(&types, tell_line, NULL);
	words_free(&told);
	words_free(&absent);
}
