/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hashes of bytes that a target chooses.  With a secret of the run, a target
 * cannot know which bytes have hashes in one bucket.
 */
#ifndef TBUF_CONSUMER_UTIL_KEYED_HASH_H
#define TBUF_CONSUMER_UTIL_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

struct tbuf_secret {
	uint64_t words[2];
};

void	tbuf_secret_make(struct tbuf_secret *);

/*
 * Computes SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input
 * PRF") over bytes, and over two numbers, which change the secret.
 */
uint64_t tbuf_keyed_hash(const struct tbuf_secret *, uint64_t first,
	    uint64_t second, const void *bytes, size_t size);

#endif
