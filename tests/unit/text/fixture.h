/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the tests of the text trace have in common.  The test's own process is
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

/* What has come to syslog(3), in place of the C library's. */
extern char text_logged[8][1200];
extern int text_priorities[8];
extern unsigned text_nlogged;

/* The whole of main(): the tests, each in a runtime directory of its own. */
int	text_main(const TTest *const *tests, size_t n);

/* What is drawn at random begins with this: SEED, or another each time. */
unsigned text_seed(void);
void	text_set(const char *setting);
/* In the runtime directory. */
const char *text_file_path(const char *name);
void	text_set_file(const char *name);
/* A file's bytes, with a NUL behind them; "" without one. */
const char *text_file_text(const char *name);
/* Traces in memory in the runtime directory. */
unsigned text_chunks(void);

/* What the trace has, by its header alone, in order. */
extern char text_held[2 << 20];
extern size_t text_held_size;
void	text_hold(void);

/*
 * Lines whose bytes follow from their number: "NUMBER LENGTH ccc...".  The
 * expected ones are all that were written last.
 */
void	text_message(uint32_t number, unsigned length, char *text);
extern char text_line[9000];	/* the last one that was printed */
void	text_print(uint32_t number, unsigned length);
/* Each line is one of these; their numbers rise by 1, `first' to `last'. */
unsigned text_lines_good(uint32_t *first, uint32_t *last);
/* The mark is where the next line begins, whole. */
bool	text_mark_stands(void);

#endif
