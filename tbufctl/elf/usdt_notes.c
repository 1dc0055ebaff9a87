/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "base/open_regular.h"
#include "base/string_list.h"
#include "needed_libraries.h"
#include "provider_report.h"
#include "usdt/note.h"
#include "usdt_notes.h"

#define FILES_MAX	512
#define NOT_ARMED	": not armed: "

struct search {
	struct words seen;		/* files */
	notes_visit_one *visit;
	void *arg;
};

/* ------------------------------------------------------------ providers */

static void
read_notes(struct search *s, int fd)
{
	struct usdt_object object;
	struct usdt_note note;
	size_t at = 0;

	if (usdt_object_read(&object, fd) != NULL)
		return;
	while (!object.has_sites && usdt_note_next(&object, &at, &note))
		s->visit(s->arg, s->seen.all[s->seen.count - 1], &note);
	usdt_object_free(&object);
}

static void
visit(void *arg, const char *path)
{
	struct search *s = arg;
	Elf *elf;
	int fd;

	if (words_have(&s->seen, path) || s->seen.count == FILES_MAX)
		return;
	words_add(&s->seen, "%s", path);
	if ((fd = regular_open_path(path)) == -1)
		return;
	read_notes(s, fd);
	if ((elf = elf_begin(fd, ELF_C_READ, NULL)) != NULL) {
		(void)needed_visit(elf, path, visit, s);
		elf_end(elf);
	}
	close(fd);
}

void
notes_visit(const char *program, notes_visit_one *one, void *arg)
{
	struct search s = { .visit = one, .arg = arg };

	(void)elf_version(EV_CURRENT);
	visit(&s, program);
	words_free(&s.seen);
}

static void
add_provider(void *providers, const char *path, const struct usdt_note *note)
{
	(void)path;
	if (!words_have(providers, note->provider))
		words_add(providers, "%s", note->provider);
}

void
notes_providers(const char *program, struct words *providers)
{
	notes_visit(program, add_provider, providers);
}

/* ------------------------------------------------------------ sites */

static struct report report;
static struct words told;		/* lines */

const char *
notes_report_begin(bool lists)
{
	return (report_begin(&report, lists ? "TBUF_USDT_LIST" :
	    "TBUF_USDT_MISSED"));
}

/* Each process with the object reports the same lines: prints each once. */
static void
tell_once(const char *line)
{
	if (words_have(&told, line))
		return;
	words_add(&told, "%s", line);
	message("%s", line);
}

bool
notes_curable(const char *line)
{
	static const char *const others[] = {
		"its names are no fields of a description",
		"it is not in an executable segment",
		"its sections are damaged",
		"it is not an ELF file",
		"it is for another machine",
		"its probe could not be registered",
		"out of memory",
		"see TBUF_USDT_LIST in tbuf_usdt(7)"
	};
	const char *why = strstr(line, NOT_ARMED);
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (why == NULL ||
		    strcmp(why + sizeof(NOT_ARMED) - 1, others[i]) == 0)
			return (false);
	return (true);
}

void
notes_tell(const char *line)
{
	tell_once(line);
	if (notes_curable(line))
		tell_once(MSG_REBUILD);
}

static void
tell_line(void *found, char *line)
{
	if (strstr(line, NOT_ARMED) == NULL)
		return;
	*(bool *)found |= notes_curable(line);
	tell_once(line);
}

/* Reports a remedy, after the sites that need it. */
static void
tell_remedy(bool found)
{
	if (found)
		tell_once(MSG_REBUILD);
}

void
notes_report_look(void)
{
	bool found = false;

	report_look(&report, tell_line, &found);
	tell_remedy(found);
}

void
notes_report_end(void)
{
	bool found = false;

	report_end(&report, tell_line, &found);
	tell_remedy(found);
	words_free(&told);
}
