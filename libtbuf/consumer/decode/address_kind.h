/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which D function recorded an address (ustack, usym, ...): its name in a
 * script's shape, and its number in a control file (enum
 * tbuf_recorded_address).
 */
#ifndef TBUF_CONSUMER_DECODE_ADDRESS_KIND_H
#define TBUF_CONSUMER_DECODE_ADDRESS_KIND_H

#include <stdint.h>

#include "layout/layout.h"
#include "machine/program.h"

/* Returns the number for a piece's shape, which may be NULL. */
uint32_t tbuf_address_of(const struct tbuf_d_shape *);

/*
 * Return the shape and the action for a number out of a file: NULL and trace()
 * if it is not a valid one.
 */
const struct tbuf_d_shape *tbuf_address_shape(uint32_t kind);
enum tbuf_d_action_kind	tbuf_address_action(uint32_t kind);

#endif
