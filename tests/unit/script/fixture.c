/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scripts made by hand, and the log of their events.  See fixture.h.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "unit/script/fixture.h"

/* ------------------------------------------------------------ scripts */

static const char constants[] = "hello\0kvd";

struct tbuf_d_clause *
made_clause(struct made *made, const char *description, const uint64_t *code,
    uint32_t length, const struct tbuf_d_record *records, uint32_t nrecords)
{
	uint32_t n = made->script.nclauses++;

	made->descriptions[n] = description;
	made->programs[n] = (struct tbuf_d_program){
		.code = code, .length = length, .constants = constants,
		.constants_size = sizeof(constants)
	};
	made->clauses[n] = (struct tbuf_d_clause){
		.descriptions = &made->descriptions[n], .ndescriptions = 1,
		.programs = &made->programs[n], .nprograms = code != NULL,
		.records = records, .nrecords = nrecords
	};
	made->script.clauses = made->clauses;
	return (&made->clauses[n]);
}

/* ------------------------------------------------------------ the log */

char log_text[16384];
bool log_epids;

void
log_clear(void)
{
	log_text[0] = '\0';
}

void
note(const char *format, ...)
{
	size_t used = strlen(log_text);
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(log_text + used, sizeof(log_text) - used, format, ap);
	va_end(ap);
}

void
expect(const char *text)
{
	ck_assert_str_eq(log_text, text);
}

static void
note_value(const struct tbuf_value *v)
{
	switch (v->type) {
	case TBUF_STRING:
	case TBUF_STRING_SIZED:
	case TBUF_BINARY:
		note(" '%.*s'", (int)v->size, v->data);
		break;
	case TBUF_FLOAT:
	case TBUF_DOUBLE:
		note(" %g", v->d);
		break;
	default:
		note(" %" PRId64, v->i);
	}
}

static void
note_probe(const struct tbuf_record *r)
{
	if (log_epids)
		note("%u ", r->epid);
	note("%s", r->probe->name);
}

static void
note_record(const struct tbuf_record *r)
{
	unsigned i;

	note_probe(r);
	for (i = 0; i < r->npieces; i++)
		note_value(&r->pieces[i]);
	if (r->nargs != 0)
		note(" default");
	for (i = 0; i < r->nargs; i++)
		note_value(&r->args[i]);
	note("\n");
}

static void
note_fault(const struct tbuf_event *e)
{
	note("fault %u (%" PRIx64 ") in %u of ", e->fault, e->address,
	    e->action);
	note_probe(&e->record);
	note(" at %u\n", e->offset);
}

static void
note_event(const struct tbuf_event *e)
{
	switch (e->type) {
	case TBUF_EVENT_RECORD:
		note_record(&e->record);
		break;
	case TBUF_EVENT_FAULT:
		note_fault(e);
		break;
	case TBUF_EVENT_DROPS:
		note("%" PRIu64 " drops\n", e->count);
		break;
	case TBUF_EVENT_OVERWRITTEN:
		note("%" PRIu64 " overwritten\n", e->count);
		break;
	case TBUF_EVENT_DYNAMIC:
		note("%" PRIu64 " dynamic\n", e->count);
		break;
	case TBUF_EVENT_AGGREGATION:
		note("%" PRIu64 " aggregation drops\n", e->count);
		break;
	case TBUF_EVENT_ERRORS:
		note("%" PRIu64 " errors\n", e->count);
		break;
	case TBUF_EVENT_UNFIT:
		note("%" PRIu64 " unfit\n", e->count);
		break;
	case TBUF_EVENT_EXIT:
		break;
	default:
		note("event %d: %" PRIu64 "\n", (int)e->type, e->count);
	}
}

/* ------------------------------------------------------------ runs */

struct tbuf_consumer *consumer;

void
consumer_set_up(void)
{
	log_clear();
	ck_assert_ptr_nonnull(consumer = tbuf_consumer_new());
}

void
consumer_tear_down(void)
{
	tbuf_consumer_close(consumer);
}

void
set(const char *name, const char *value)
{
	ck_assert_msg(tbuf_consumer_set(consumer, name, value) == 0, "%s",
	    tbuf_consumer_error(consumer));
}

void
script_load(struct tbuf_consumer *c, const struct tbuf_d_script *script)
{
	ck_assert_msg(tbuf_consumer_script(c, script) == 0, "%s",
	    tbuf_consumer_error(c));
}

void
script_go(struct tbuf_consumer *c)
{
	ck_assert_msg(tbuf_consumer_go(c) == 0, "%s", tbuf_consumer_error(c));
}

int
script_work(struct tbuf_consumer *c)
{
	struct tbuf_event e;
	int more = tbuf_consumer_work(c);

	ck_assert_msg(more >= 0, "%s", tbuf_consumer_error(c));
	while (tbuf_consumer_next(c, &e) > 0)
		note_event(&e);
	return (more);
}
