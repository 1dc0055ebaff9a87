/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "elf/usdt_notes.h"
#include "elf/usdt_provider_file.h"
#include "libc/functions.h"
#include "probe_sites.h"
#include "provider_probes.h"
#include "syscall/syscall.h"
#include "usdt/probe.h"

/* Returns the type that has this name in a provider's table. */
static enum tbuf_type
type_of(const char *name)
{
	static const struct {
		const char *name;
		enum tbuf_type type;
	} types[] = {
		{ "i32", TBUF_INT32 }, { "u32", TBUF_UINT32 },
		{ "i64", TBUF_INT64 }, { "u64", TBUF_UINT64 },
		{ "str", TBUF_STRING }
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(name, types[i].name) == 0)
			return (types[i].type);
	return (TBUF_POINTER);
}

static void
add_argument(struct tbuf_probe_info *to, const char *name,
    enum tbuf_type type)
{
	to->types[to->nargs] = (uint8_t)type;
	to->argnames[to->nargs++] = memory_string(name);
}

/* Adds a probe that has no arguments yet. */
static struct tbuf_probe_info *
add(struct sites *sites, const char *provider, const char *module,
    const char *function, const char *name)
{
	struct tbuf_probe_info *to = sites_add(sites);

	*to = (struct tbuf_probe_info){
		.provider = memory_string(provider),
		.module = module == NULL ? NULL : memory_string(module),
		.function = function == NULL ? NULL : memory_string(function),
		.name = memory_string(name)
	};
	return (to);
}

/*
 * Adds the arguments "name:type name:type" of a table; of a system call's
 * return only the paths, which are strings there.
 */
static void
add_arguments(struct tbuf_probe_info *to, const char *written, bool paths)
{
	char *copy = memory_string(written), *rest = copy, *name, *type;

	while ((name = strsep(&rest, " ")) != NULL && *name != '\0' &&
	    to->nargs < TBUF_ARGS_MAX) {
		type = name + strcspn(name, ":");
		*type++ = '\0';
		if (!paths)
			add_argument(to, name, type_of(type));
		else if (strcmp(type, "path") == 0)
			add_argument(to, name, TBUF_STRING);
	}
	free(copy);
}

/* A function's module is the file that has it, which may be any. */
static void
add_libc(struct sites *sites, const char *function, const char *name,
    const char *arguments)
{
	if (arguments != NULL)
		add_arguments(add(sites, "libc", NULL, function, name),
		    arguments, false);
}

void
sites_add_libc(struct sites *sites)
{
#define ROW(name, entry, leave)		{ #name, entry, leave },
#define EVENT(number, function, name, arguments)			\
	add_libc(sites, #function, name, arguments);
	static const struct {
		const char *name, *entry, *leave;
	} rows[] = {
		MEMORY_FUNCTIONS(ROW) FILE_FUNCTIONS(ROW)
		SOCKET_FUNCTIONS(ROW) THREAD_FUNCTIONS(ROW)
		PROCESS_FUNCTIONS(ROW)
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		add_libc(sites, rows[i].name, "entry", rows[i].entry);
		add_libc(sites, rows[i].name, "return", rows[i].leave);
	}
	THREAD_EVENTS(EVENT)
}

void
sites_add_syscall(struct sites *sites)
{
	struct tbuf_probe_info *leave;
	const char *name, *arguments;
	unsigned i;

	for (i = 0; i < SYSCALL_NUMBERS; i++) {
		if ((name = syscall_name(i)) == NULL)
			continue;
		arguments = syscall_arguments(name);
		add_arguments(add(sites, "syscall", "", name, "entry"),
		    arguments, false);
		leave = add(sites, "syscall", "", name, "return");
		add_arguments(leave, "result:i64 errno:i32", false);
		add_arguments(leave, arguments, true);
	}
}

/* ------------------------------------------------------------ notes */

struct noted {
	struct sites *sites;
	const struct words *files;
};

/* A note's function is known when the symbols of its file are read. */
static void
add_note(void *arg, const char *path, const struct usdt_note *note)
{
	const char *slash = strrchr(path, '/');
	const struct noted *noted = arg;
	struct tbuf_probe_info *to;
	struct usdt_probe probe;
	char place[16];
	unsigned i;

	if (!usdt_probe_make(&probe, note))
		return;
	notes_describe(&probe, noted->files);
	to = add(noted->sites, probe.provider, slash == NULL ? path :
	    slash + 1, NULL, probe.name);
	for (i = 0; i < probe.nargs; i++) {
		(void)snprintf(place, sizeof(place), "arg%u", i);
		add_argument(to, *probe.names[i] == '\0' ? place :
		    probe.names[i], probe.types[i]);
	}
}

void
sites_add_notes(struct sites *sites, const char *program,
    const struct words *files)
{
	struct noted noted = { sites, files };

	notes_visit(program, add_note, &noted);
}
