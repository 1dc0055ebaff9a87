/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "arch/counter.h"
#include "common/step.h"
#include "producer/clause_kept.h"
#include "producer/hold.h"
#include "self_aborts.h"

bool self_aborts;

#define tbuf_rseq_store(...)						\
	(self_aborts ? TBUF_CHANGED : (tbuf_rseq_store)(__VA_ARGS__))
#include "producer/clause_self.c"
