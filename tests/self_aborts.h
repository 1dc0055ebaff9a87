/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * plan_thread_local.c as it is, but that a target may have sections aborted which
 * store a thread's number.
 */
#ifndef TBUF_TESTS_SELF_ABORTS_H
#define TBUF_TESTS_SELF_ABORTS_H

#include <stdbool.h>

extern bool self_aborts;

#endif
