/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l --object: lists the USDT probes that a program or a library would have.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "commands.h"
#include "elf/usdt_notes.h"
#include "elf/usdt_provider_file.h"
#include "options/command_line.h"
#include "print/format.h"
#include "usdt/probe.h"

struct probes {
	struct usdt_probe *all;
	size_t count;
};

static void
add(struct probes *probes, const struct usdt_note *note)
{
	struct usdt_probe new;
	size_t i;

	for (i = 0; i < probes->count; i++)
		if (usdt_probe_has(&probes->all[i], note)) {
			usdt_probe_add(&probes->all[i], note);
			return;
		}
	if (!usdt_probe_make(&new, note))
		return;
	probes->all = memory_get(probes->all, probes->count + 1, sizeof(new));
	probes->all[probes->count++] = new;
}

static int
compare(const void *a, const void *b)
{
	const struct usdt_probe *one = a, *other = b;
	int order = strcmp(one->provider, other->provider);

	return (order != 0 ? order : strcmp(one->name, other->name));
}

/*
 * Prints the probes.  Their places in the list are used for ids, which they do
 * not have yet.
 */
static void
print(struct format *format, const struct probes *probes, const char *path)
{
	static const char *const places[TBUF_ARGS_MAX] = {
		"arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6",
		"arg7", "arg8", "arg9"
	};
	const struct usdt_probe *p;
	struct tbuf_probe_info info;
	unsigned i;

	for (p = probes->all; p < probes->all + probes->count; p++) {
		info = (struct tbuf_probe_info){
			.id = (unsigned)(p - probes->all) + 1,
			.provider = p->provider, .name = p->name,
			.module = basename(path),
			.function = "", .nargs = p->nargs
		};
		for (i = 0; i < p->nargs; i++) {
			info.types[i] = (uint8_t)p->types[i];
			info.argnames[i] = *p->names[i] != '\0' ?
			    p->names[i] : places[i];
		}
		format->ops->probe(format, 0, &info);
	}
}

static void
tell_site(void *curable, const struct notes_site *site)
{
	if (site->problem == NULL)
		return;
	message("%s", site->line);
	*(bool *)curable |= notes_curable(site->line);
}

/* Reads the notes of a file, and reports the sites that cannot be armed. */
static const char *
read_object(struct usdt_object *object, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool curable = false;
	const char *error;

	if (fd == -1)
		return (strerror(errno));
	if ((error = usdt_object_read(object, fd)) == NULL)
		notes_sites(object, fd, path, tell_site, &curable);
	(void)close(fd);
	if (curable)
		message(MSG_REBUILD);
	return (error);
}

int
list_object(const struct options *o, struct output *out)
{
	struct probes probes = { .count = 0 };
	struct usdt_object object;
	struct usdt_note note;
	struct format format;
	const char *error = read_object(&object, o->object_file);
	size_t at = 0;

	if (error != NULL)
		return (fail(MSG_CORE, o->object_file, error));
	while (usdt_note_next(&object, &at, &note))
		add(&probes, &note);
	usdt_object_free(&object);
	format_init(&format, out, o);
	if (probes.count > 0) {
		notes_check_installed();
		for (at = 0; at < probes.count; at++)
			notes_describe(&probes.all[at], &o->usdt);
		qsort(probes.all, probes.count, sizeof(*probes.all), compare);
		format.ops->list(&format);
		print(&format, &probes, o->object_file);
	} else if (!o->quiet)
		message(MSG_OBJECT_NONE, o->object_file);
	free(probes.all);
	return (EXIT_DONE);
}
