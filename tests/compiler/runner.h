/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Runs compiled scripts on a machine of their own.
 */
#ifndef TESTS_COMPILER_RUNNER_H
#define TESTS_COMPILER_RUNNER_H

#include <stdbool.h>
#include <stdio.h>

#include "machine/program.h"

/*
 * Runs each clause once, in order, as if a probe had fired with the arguments
 * id -5, path "/usr/lib", bytes 4096 (unsigned) and load 1.5, and prints the
 * effects.  Returns false if the verifier refuses a program, or if an operation
 * was illegal for any value.
 */
bool	runner_run(const struct tbuf_d_script *script, FILE *out);

#endif
