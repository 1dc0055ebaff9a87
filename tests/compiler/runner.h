/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Scripts that the compiler has made, run on a machine of their own.
 */
#ifndef TESTS_COMPILER_RUNNER_H
#define TESTS_COMPILER_RUNNER_H

#include <stdbool.h>
#include <stdio.h>

#include "machine/program.h"

/*
 * Run the clauses in their order, once, as if one probe had fired with the
 * arguments id -5, path "/usr/lib", bytes 4096 (unsigned) and load 1.5, and
 * write what they do.  False if the verifier refuses a program, or it was an
 * illegal operation that no value explains.
 */
bool	runner_run(const struct tbuf_d_script *script, FILE *out);

#endif
