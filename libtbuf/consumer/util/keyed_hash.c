/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <string.h>

#include "consumer/util/keyed_hash.h"
#include "shared/control_file.h"

struct state {
	uint64_t a, b, c, d;
};

void
tbuf_secret_make(struct tbuf_secret *secret)
{
	secret->words[0] = tbuf_random();
	secret->words[1] = tbuf_random();
}

static uint64_t
turn(uint64_t word, unsigned bits)
{
	return (word << bits | word >> (64 - bits));
}

static void
rounds(struct state *s, unsigned n)
{
	for (; n > 0; n--) {
		s->a += s->b;
		s->c += s->d;
		s->b = turn(s->b, 13) ^ s->a;
		s->d = turn(s->d, 16) ^ s->c;
		s->a = turn(s->a, 32) + s->d;
		s->c += s->b;
		s->d = turn(s->d, 21) ^ s->a;
		s->b = turn(s->b, 17) ^ s->c;
		s->c = turn(s->c, 32);
	}
}

static void
take(struct state *s, uint64_t word)
{
	s->d ^= word;
	rounds(s, 2);
	s->a ^= word;
}

uint64_t
tbuf_keyed_hash(const struct tbuf_secret *secret, uint64_t first,
    uint64_t second, const void *bytes, size_t size)
{
	uint64_t one = secret->words[0] ^ first;
	uint64_t two = secret->words[1] ^ second;
	struct state s = {
		one ^ UINT64_C(0x736f6d6570736575),
		two ^ UINT64_C(0x646f72616e646f6d),
		one ^ UINT64_C(0x6c7967656e657261),
		two ^ UINT64_C(0x7465646279746573)
	};
	const unsigned char *p = bytes;
	uint64_t word, last = (uint64_t)size << 56;
	size_t left = size;
	unsigned i;

	for (; left >= sizeof(word); left -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		take(&s, word);
		p += sizeof(word);
	}
	for (i = 0; i < left; i++)
		last |= (uint64_t)p[i] << 8 * i;
	take(&s, last);
	s.c ^= 0xff;
	rounds(&s, 4);
	return (s.a ^ s.b ^ s.c ^ s.d);
}
