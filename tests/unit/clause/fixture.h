/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scripts made by hand, for probes of real targets: the test's own program is
 * the target, too.
 */
#ifndef TESTS_UNIT_CLAUSE_FIXTURE_H
#define TESTS_UNIT_CLAUSE_FIXTURE_H

#include "lib/machine_word.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "unit/live/fixture.h"

/* Records of a number, of a string, and of the first name's argument. */
extern const struct tbuf_d_shape made_integer, made_string;
extern const struct tbuf_d_record made_number, made_text, made_name,
	    made_argument;

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

/* Lets the clause use this argument by name, with these classes. */
void	made_name_set(struct made *, struct tbuf_d_clause *, const char *name,
	    uint8_t classes);

/*
 * The events of a run, one line each: "PROBE VALUE ..." for a record, other
 * words for other events.
 */
extern char clause_log[16384];
void	clause_run(struct tbuf_consumer *, struct made *);
void	clause_begin(struct tbuf_consumer *, struct made *);
/* Works once, and logs the events.  Returns 0 after the end. */
int	clause_work(struct tbuf_consumer *);
void	clause_expect(const char *text);

/*
 * Makes this program fire, as a command:
 *	numbers COUNT	test:::number n, for n below COUNT
 *	values		test:::values with arguments of many types
 *	widths COUNT	test:::widths and named, of several types
 *	texts COUNT	test:::text path, bytes
 *	keys COUNT	test:::key number, text, and test:::again with the same
 *	marks COUNT	marked:::number, then marks with the greatest number of
 *			marks during one of these fires
 *	pause		test:::number 0, and then it waits
 */
pid_t	clause_spawn(struct tbuf_consumer *, const char *mode,
	    const char *count);

/* Made for each test. */
extern struct tbuf_consumer *consumer;
extern struct made made;

void	clause_set_up(void);
void	clause_tear_down(void);
/* Returns a case that runs its tests with these. */
TCase	*clause_case(const char *name);
/* Makes cases with rseq, and without it, where lock lanes get all records. */
Suite	*clause_suite(const char *name, TCase *(*cases)(const char *name));

int	clause_main(int argc, char *argv[], Suite *(*make)(void));

#endif
