/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the formats have in common.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "messages.h"

void
format_init(struct format *f, struct output *out,
    const struct options *options)
{

	*f = (struct format){ .out = out, .options = options };
	f->ops = options->json ? &format_json : &format_text;
}

/* A probe that is met for the first time. */
static const struct prepared *
prepare(struct format *f, const struct tbuf_probe_info *probe)
{
	size_t n = f->nprobes;

	if (probe->id >= n) {
		f->nprobes = probe->id + 64;
		f->probes = memory_get(f->probes, f->nprobes,
		    sizeof(*f->probes));
		memset(f->probes + n, 0, (f->nprobes - n) *
		    sizeof(*f->probes));
	}
	if (f->probes[probe->id].text == NULL)
		f->ops->prepare(f, probe, &f->probes[probe->id]);
	return (&f->probes[probe->id]);
}

void
format_record(struct format *f, const struct tbuf_record *record)
{
	unsigned id = record->probe->id;
	const struct prepared *p;

	if (id < f->nprobes && f->probes[id].text != NULL)
		p = &f->probes[id];
	else
		p = prepare(f, record->probe);
	f->ops->record(f, record, p);
}

void
format_free(struct format *f)
{
	size_t i;

	for (i = 0; i < f->nprobes; i++)
		free(f->probes[i].text);
	free(f->probes);
}

const char *
signal_name(int number, char *room, size_t size)
{
	const char *name = sigabbrev_np(number);

	if (name != NULL)
		(void)snprintf(room, size, "SIG%s", name);
	else if (number >= SIGRTMIN && number <= SIGRTMAX)
		(void)snprintf(room, size, "SIGRTMIN+%d", number - SIGRTMIN);
	else
		(void)snprintf(room, size, "signal %d", number);
	return (room);
}
