/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that all formats share.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "base/signals.h"
#include "format.h"

/*
 * A record's share of the output, by its size, is more than an ordinary record
 * needs.  All records of a drain may have SPARE bytes more, one RECORD_SPARE
 * bytes.
 */
#define SHARE(size)	(1024 + 64 * (size))
#define SPARE		((size_t)64 << 20)
#define RECORD_SPARE	((size_t)16 << 20)

void
format_init(struct format *f, struct output *out,
    const struct options *options)
{
	*f = (struct format){
		.out = out, .options = options, .quiet = options->quiet,
		.indent = options->flow,
		.more = options->log || options->nwith > 0,
		.rawbytes = options->d.rawbytes,
		.noerror = options->d.noerror,
		.printsize = options->d.printsize, .objects = options->json
	};
	f->ops = options->json ? &format_json : &format_text;
	format_drain(f);
}

void
format_drain(struct format *f)
{
	f->spare = SPARE;
}

void
format_bound(struct format *f, struct output *out, size_t size)
{
	f->share = SHARE(size);
	f->most = f->share +
	    (f->spare < RECORD_SPARE ? f->spare : RECORD_SPARE);
	output_bound(out, f->most);
}

void
format_unbound(struct format *f, struct output *out)
{
	size_t used = f->most - output_unbound(out);

	if (used > f->share)
		f->spare -= used - f->share;
	if (!out->cut)
		return;
	output_printf(out, "...\n");
	if (!f->cut)
		message(MSG_CUT);
	f->cut = true;
}

/* Prepares the records of a probe that is new. */
static void
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
	f->ops->prepare(f, probe, &f->probes[probe->id]);
}

struct prepared *
format_find(struct format *f, const struct tbuf_probe_info *probe)
{
	if (probe->id >= f->nprobes || f->probes[probe->id].text == NULL)
		prepare(f, probe);
	f->last = probe;
	f->last_prepared = &f->probes[probe->id];
	return (f->last_prepared);
}

void
format_free(struct format *f)
{
	size_t i;

	for (i = 0; i < f->nprobes; i++)
		free(f->probes[i].text);
	free(f->probes);
	free(f->printed);
	flow_forget_all(&f->flow);
}

void
format_row_end(struct format *f)
{
	const struct output *out = f->out;

	/* As a line of a log the row ends only once. */
	if (f->options->log && out->used > 0 &&
	    out->buffer[out->used - 1] == '\n')
		return;
	if (!f->quiet || f->options->log)
		output_printf(f->out, "\n");
}

const char *
format_type(unsigned type)
{
	static const char *const names[] = {
		[TBUF_NONE] = "none",
		[TBUF_INT8] = "int8_t",
		[TBUF_INT16] = "int16_t",
		[TBUF_INT32] = "int32_t",
		[TBUF_INT64] = "int64_t",
		[TBUF_UINT8] = "uint8_t",
		[TBUF_UINT16] = "uint16_t",
		[TBUF_UINT32] = "uint32_t",
		[TBUF_UINT64] = "uint64_t",
		[TBUF_CHAR] = "char",
		[TBUF_BOOL] = "bool",
		[TBUF_FLOAT] = "float",
		[TBUF_DOUBLE] = "double",
		[TBUF_POINTER] = "pointer",
		[TBUF_STRING] = "string",
		[TBUF_STRING_SIZED] = "string",
		[TBUF_BINARY] = "bytes",
		[TBUF_STRING_INTERNED] = "string"
	};

	return (type < sizeof(names) / sizeof(names[0]) ? names[type] :
	    names[TBUF_NONE]);
}

const char *
format_policy(int policy)
{
	static const char *const names[] = { "switch", "fill", "ring" };

	return (policy >= 0 && policy < 3 ? names[policy] : "?");
}

const char *
format_cause(enum tbuf_cause cause)
{
	static const char *const names[] = {
		[TBUF_CAUSE_FULL] = "full",
		[TBUF_CAUSE_LARGE] = "large",
		[TBUF_CAUSE_NOLANE] = "nolane"
	};

	return (names[cause]);
}

const char *
format_orphan_end(const struct tbuf_left *file, char *room, size_t size)
{
	if (file->end == TBUF_LEFT_SIGNAL)
		return (signal_name(file->signal, room, size));
	return (file->end == TBUF_LEFT_EXIT ? "exit" :
	    file->end == TBUF_LEFT_EXEC ? "exec" :
	    file->end == TBUF_LEFT_SAVED ? "saved" : NULL);
}

const char *
format_directory(int error)
{
	switch (error) {
	case -ENOTDIR:
	case -ELOOP:
		return (MSG_DIRECTORY_LINK);
	case -EPERM:
		return (MSG_DIRECTORY_OTHERS);
	case -EDOM:
		return (MSG_DIRECTORY_RELATIVE);
	case -ENAMETOOLONG:
		return (MSG_DIRECTORY_LONG);
	case -ETIMEDOUT:
		return (MSG_DIRECTORY_LATE);
	default:
		return (strerror(-error));
	}
}
