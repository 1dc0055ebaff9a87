/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stddef.h>

#include "base/string_list.h"
#include "elf/usdt_notes.h"
#include "elf/usdt_provider_file.h"
#include "options/command_line.h"
#include "preload.h"

/*
 * The providers of the command's notes and of provider files count, too, as it
 * may load such an object later.  -l without descriptions wants all its notes.
 */
unsigned
preload_modules(const struct options *o)
{
	bool lists = o->mode == MODE_LIST;
	unsigned modules = preload_providers(o);
	struct words notes = { NULL, 0 };
	char path[PATH_MAX];
	const char *unused;
	size_t i;

	if (o->usdt_all)
		modules |= PRELOAD_USDT;
	if (preload_program(o->command[0], path, &unused))
		notes_providers(path, &notes);
	if (lists && notes.count > 0 && o->program.count == 0)
		modules |= PRELOAD_USDT;
	notes_described(&o->usdt, &notes);
	for (i = 0; i < notes.count; i++)
		if (preload_wanted(&o->program, notes.all[i]))
			modules |= PRELOAD_USDT;
	words_free(&notes);
	return (lists ? modules | PRELOAD_LIST : modules);
}
