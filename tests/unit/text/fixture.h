/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Common functions of the tests of the text trace.  The test's own process is
 * the target.
 */
#ifndef TESTS_UNIT_TEXT_FIXTURE_H
#define TESTS_UNIT_TEXT_FIXTURE_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/text.h"

extern struct tbuf_component text_store;
extern char text_directory[256];	/* the runtime directory */

/* Messages for syslog(3), which is replaced. */
extern char text_logged[8][1200];
extern int text_priorities[8];
extern unsigned text_nlogged;

/* Runs the tests, each in its own runtime directory; the body of main(). */
int	text_main(const TTest *const *tests, size_t n);

/* Returns the random seed: SEED, or another one each time. */
unsigned text_seed(void);
void	text_set(const char *setting);
/* Returns the path of a file in the runtime directory. */
const char *text_file_path(const char *name);
void	text_set_file(const char *name);
/* Returns a file's bytes with a NUL after them; "" if there is no file. */
const char *text_file_text(const char *name);
/* Returns the number of traces in memory in the runtime directory. */
unsigned text_chunks(void);

/* Reads the text of the trace in order, by its header alone. */
extern char text_held[2 << 20];
extern size_t text_held_size;
void	text_hold(void);

/*
 * Lines with bytes that follow from their number: "NUMBER LENGTH ccc...".  The
 * lines found must be the last ones written, without gaps.
 */
void	text_message(uint32_t number, unsigned length, char *text);
extern char text_line[9000];	/* the last printed line */
void	text_print(uint32_t number, unsigned length);
/* Checks that all lines are such lines, with numbers `first' to `last'. */
unsigned text_lines_good(uint32_t *first, uint32_t *last);
/* Returns true if the whole mark is where the next line begins. */
bool	text_mark_stands(void);

#endif
