/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Words and probe descriptions of bpftrace, and their equivalents in D.
 */
#ifndef TBUFCTL_BASE_BPFTRACE_WORDS_H
#define TBUFCTL_BASE_BPFTRACE_WORDS_H

#include <stdbool.h>

/* Reports the equivalent of a variable, function or keyword, if it has one. */
bool	bpftrace_tell_word(const char *word);

/*
 * Reports the equivalents of bpftrace's descriptions in a text: a list of
 * descriptions, or a program.  Returns true if there are any.
 */
bool	bpftrace_tell_descriptions(const char *text);

#endif
