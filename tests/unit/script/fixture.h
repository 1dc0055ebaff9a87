/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A consumer, scripts for it that are made by hand, and a log of its events.
 */
#ifndef TESTS_UNIT_SCRIPT_FIXTURE_H
#define TESTS_UNIT_SCRIPT_FIXTURE_H

#include <check.h>

#include "lib/machine_word.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "tbuf_consumer.h"

/* ------------------------------------------------------------ scripts */

#define MADE_CLAUSES	8

struct made {
	struct tbuf_d_script script;
	struct tbuf_d_clause clauses[MADE_CLAUSES];
	struct tbuf_d_program programs[MADE_CLAUSES];
	const char *descriptions[MADE_CLAUSES];
	const char *names[MADE_CLAUSES];	/* one of each, or NULL */
};

/* Adds a clause; without code, its records are default ones. */
struct tbuf_d_clause *made_clause(struct made *, const char *description,
	    const uint64_t *code, uint32_t length,
	    const struct tbuf_d_record *, uint32_t nrecords);

#define CLAUSE(made, description, record, ...) __extension__ ({		\
	static const uint64_t code_[] = { __VA_ARGS__ };		\
									\
	made_clause((made), (description), code_,			\
	    sizeof(code_) / sizeof(code_[0]), (record),			\
	    (record) != NULL);						\
})

/* ------------------------------------------------------------ runs */

extern struct tbuf_consumer *consumer;

/* Makes the consumer, and clears the log. */
void	consumer_set_up(void);
void	consumer_tear_down(void);
void	set(const char *name, const char *value);

/* These functions fail the test if they do not succeed. */
void	script_load(struct tbuf_consumer *, const struct tbuf_d_script *);
void	script_go(struct tbuf_consumer *);
/* Works once, and logs the events.  Returns 0 after the end. */
int	script_work(struct tbuf_consumer *);

/* ------------------------------------------------------------ the log */

/*
 * One line for each event: "PROBE VALUE ..." for a record, other words for
 * other events, nothing for the end of a target.
 */
extern char log_text[16384];
/* Records begin with their EPID. */
extern bool log_epids;

void	log_clear(void);
void	note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void	expect(const char *text);

#endif
