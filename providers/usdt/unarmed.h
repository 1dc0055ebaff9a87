/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The list of the sites that a process has and that are not armed, in memory
 * of the process.  tbufctl -p finds the variable that describes the list by its
 * check word, in the data of libtbuf-usdt.so.
 */
#ifndef TBUF_PROVIDERS_USDT_UNARMED_H
#define TBUF_PROVIDERS_USDT_UNARMED_H

#include <stdint.h>

struct usdt_unarmed {
	uint64_t check;		/* USDT_UNARMED_CHECK ^ its own address */
	uint64_t text;		/* address: lines, as of $TBUF_USDT_LIST */
	uint64_t size;		/* bytes of the lines */
};

#define USDT_UNARMED_CHECK	UINT64_C(0x4be1d08f36a97c5d)

#endif
