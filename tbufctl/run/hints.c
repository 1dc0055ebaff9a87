/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdlib.h>
#include <string.h>

#include <tbuf_consumer.h>

#include "base/command_path.h"
#include "base/messages.h"
#include "elf/loads_more.h"
#include "hints.h"
#include "options/command_line.h"
#include "preload.h"

void
hints_tell_command(const struct options *o, struct tbuf_consumer *consumer,
    bool of_functions)
{
	char *path = o->command == NULL ? NULL : command_find(o->command[0]);
	unsigned abilities;
	int64_t follow = 0;

	if (path == NULL)
		return;
	abilities = program_abilities(path);
	free(path);
	(void)tbuf_consumer_get(consumer, "follow", &follow);
	if ((abilities & PROGRAM_EXECUTES) != 0 && follow == 0)
		message(MSG_HINT_FOLLOW, o->command[0]);
	if ((abilities & PROGRAM_LOADS) != 0 && !of_functions &&
	    (preload_modules(o) & PRELOAD_USDT) == 0)
		message(MSG_HINT_USDT, o->command[0]);
}

void
hints_tell_process(bool sampled, bool told)
{
	if (!sampled)
		message(MSG_HINT_SAMPLES);
	if (!told)
		message(MSG_HINT_START);
}

int
hints_fail(const struct tbuf_consumer *consumer, int error)
{
	static const char *const ends[] = {
		"runtime directory cannot be used",
		"cannot create a file in the runtime directory"
	};
	const char *text = tbuf_consumer_error(consumer);
	size_t i, length = strlen(text), end;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		end = strlen(ends[i]);
		if (length >= end && strcmp(text + length - end, ends[i]) == 0)
			return (fail(MSG_DIRECTORY_CAUSE, text,
			    strerror(-error)));
	}
	return (fail(MSG_LIBRARY, text));
}
