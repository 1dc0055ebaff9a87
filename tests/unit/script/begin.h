/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A script with one clause of BEGIN, which a test writes instruction by
 * instruction, and with aggregations that the clause updates.
 */
#ifndef TESTS_UNIT_SCRIPT_BEGIN_H
#define TESTS_UNIT_SCRIPT_BEGIN_H

#include "machine/machine.h"
#include "machine/program.h"

#define BEGIN_AGGREGATIONS	12

extern struct tbuf_d_script script;
extern struct tbuf_d_program program;
extern struct tbuf_d_aggregation aggregations[BEGIN_AGGREGATIONS];

/* Empties the script; its aggregations will have keys from this table. */
void	begin_set_up(const struct tbuf_d_piece *keys);

void	op(unsigned operation, unsigned a, unsigned b, unsigned c, uint32_t i);
void	number(unsigned to, int64_t value);
/* Adds a constant, and loads its address into register 4. */
void	load_bytes(const char *, uint32_t size);

/* Adds an aggregation with `nkeys` of the keys, from `first` on. */
uint32_t aggregation(enum tbuf_aggregator, uint64_t parameter, unsigned first,
	    unsigned nkeys);

/* A tuple of keys begins with begin_key(); a NULL text is a null pointer. */
void	begin_key(void);
void	key_number(int64_t value);
void	key_text(const char *);
/* Updates the aggregation at that tuple. */
void	update(uint32_t id, int64_t value, int64_t weight);
/* Do @[key] = f(value). */
void	by_number(uint32_t id, int64_t key, int64_t value);
void	by_text(uint32_t id, const char *key, int64_t value);

#endif
