/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Look at everything that a consumer gives.
 */
#include "drain.h"
#include "fuzz.h"

/* Where what was read goes, so that it is read. */
static volatile unsigned sink;

static void
look_probe(const struct tbuf_probe_info *probe)
{
	unsigned i;

	FUZZ_CHECK(probe->nargs <= TBUF_ARGS_MAX && probe->id != 0);
	sink += (unsigned)(strlen(probe->provider) + strlen(probe->module) +
	    strlen(probe->function) + strlen(probe->name));
	for (i = 0; i < probe->nargs; i++) {
		FUZZ_CHECK(probe->types[i] != TBUF_NONE &&
		    probe->types[i] <= TBUF_BINARY);
		sink += (unsigned)strlen(probe->argnames[i]);
	}
}

static void
look_value(const struct tbuf_value *value)
{
	uint32_t i;

	switch (value->type) {
	case TBUF_STRING:
	case TBUF_TEXT:
	case TBUF_BINARY:
		FUZZ_CHECK(!value->null || value->size == 0);
		for (i = 0; i < value->size; i++)
			sink += (unsigned char)value->data[i];
		break;
	default:
		sink += (unsigned)value->u;
	}
}

void
drain(struct tbuf_consumer *c)
{
	const struct tbuf_record *record;
	struct tbuf_event event;
	unsigned i;

	while (tbuf_consumer_next(c, &event) == 1) {
		if (event.type != TBUF_EVENT_RECORD) {
			FUZZ_CHECK(event.type == TBUF_EVENT_EXIT ||
			    event.count != 0);
			continue;
		}
		record = &event.record;
		look_probe(record->probe);
		FUZZ_CHECK(record->nargs == record->probe->nargs);
		for (i = 0; i < record->nargs; i++)
			look_value(&record->args[i]);
	}
}

static int
visit(void *arg, pid_t pid, const struct tbuf_probe_info *probe)
{
	(void)arg;
	(void)pid;
	look_probe(probe);
	return (0);
}

void
drain_list(struct tbuf_consumer *c)
{
	tbuf_consumer_list(c, visit, NULL);
}
