/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The end of main() in test programs that use Check.
 */
#ifndef TESTS_LIB_CHECK_MAIN_H
#define TESTS_LIB_CHECK_MAIN_H

#include <check.h>
#include <stdlib.h>

/* Runs the tests, and frees them.  Returns the exit status. */
static inline int
run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return (failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

#endif
