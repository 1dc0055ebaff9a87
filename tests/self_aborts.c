/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "producer/producer.h"
#include "self_aborts.h"

bool self_aborts;

#define tbuf_rseq_store(...)						\
	(self_aborts ? TBUF_CHANGED : (tbuf_rseq_store)(__VA_ARGS__))
#include "producer/clause_self.c"
