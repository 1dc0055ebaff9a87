/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <string.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "pid_report.h"
#include "provider_report.h"

static struct report report;
static struct words told;		/* lines */
static bool is_followed;

const char *
pid_report_begin(bool lists, bool follows)
{
	is_followed = follows;
	return (report_begin(&report, lists ? "TBUF_PID_LIST" :
	    "TBUF_PID_MISSED"));
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
	words_free(&told);
}
