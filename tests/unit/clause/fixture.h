/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scripts made by hand, for probes of real targets: the test's own program is
 * the target, too.
 */
#ifndef TESTS_UNIT_CLAUSE_FIXTURE_H
#define TESTS_UNIT_CLAUSE_FIXTURE_H

#include "unit/live/fixture.h"
#include "unit/script/fixture.h"

/* Records of a number, of a string, and of the first name's argument. */
extern const struct tbuf_d_shape made_integer, made_string;
extern const struct tbuf_d_record made_number, made_text, made_name,
	    made_argument;

/* Lets the clause use this argument by name, with these classes. */
void	made_name_set(struct made *, struct tbuf_d_clause *, const char *name,
	    uint8_t classes);

/* Starts the run of a script, with an empty log; clause_run() also ends it. */
void	clause_begin(struct tbuf_consumer *, struct made *);
void	clause_run(struct tbuf_consumer *, struct made *);

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
extern struct made made;

void	clause_set_up(void);
/* Returns a case that runs its tests with these. */
TCase	*clause_case(const char *name);
/* Makes cases with rseq, and without it, where lock lanes get all records. */
Suite	*clause_suite(const char *name, TCase *(*cases)(const char *name));

int	clause_main(int argc, char *argv[], Suite *(*make)(void));

#endif
