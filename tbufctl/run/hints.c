/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdlib.h>

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
