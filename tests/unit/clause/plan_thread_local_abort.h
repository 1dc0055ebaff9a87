/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lets a target abort the sections of plan_thread_local.c that store a thread's
 * number.
 */
#ifndef TESTS_UNIT_CLAUSE_PLAN_THREAD_LOCAL_ABORT_H
#define TESTS_UNIT_CLAUSE_PLAN_THREAD_LOCAL_ABORT_H

#include <stdbool.h>

extern bool self_aborts;

#endif
