/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Addresses of programs in records, by what they were asked for by: the word of
 * a script's shape, and the number that a file has for it (enum tbuf_asked).
 */
#ifndef TBUF_CONSUMER_DECODE_ADDRESS_KIND_H
#define TBUF_CONSUMER_DECODE_ADDRESS_KIND_H

#include <stdint.h>

#include "layout/layout.h"
#include "machine/program.h"

/* Of what a script says of a piece, which may be nothing (NULL). */
uint32_t tbuf_asked_kind(const struct tbuf_d_shape *);

/* What a file has may be any number: NULL, and trace(), if it is none. */
const struct tbuf_d_shape *tbuf_asked_shape(uint32_t kind);
enum tbuf_d_action_kind	tbuf_asked_action(uint32_t kind);

#endif
