/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "arch/counter.h"
#include "plan_thread_local_abort.h"
#include "shared/atomic_step.h"
#include "target/clause/plan.h"
#include "target/lane/inflight.h"

bool self_aborts;

#define tbuf_rseq_store(...)						\
	(self_aborts ? TBUF_CHANGED : (tbuf_rseq_store)(__VA_ARGS__))
#include "target/clause/plan_thread_local.c"
