/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdio.h>
#include <string.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "pid_report.h"
#include "provider_report.h"

static struct report report, types;
static struct words told;		/* lines */
static bool is_followed;

const char *
pid_report_begin(bool lists, bool follows)
{
	is_followed = follows;
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

/* Each process with the object reports the same lines: prints each once. */
static void
tell_line(void *unused, char *line)
{
	bool tells = strstr(line, ": not armed: ") != NULL ||
	    (strstr(line, ": absent: ") != NULL && !is_followed);

	(void)unused;
	if (!tells || words_have(&told, line))
		return;
	words_add(&told, "%s", line);
	message("%s", line);
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
}
