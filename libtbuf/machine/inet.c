/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Network addresses as texts, and network byte order.
 */
#include "base/optimize_size.h"

#include "machine/internal.h"

/*
 * A text that grows, with room for any of these addresses.  It has no
 * initializer, which may become a call of memset(3).
 */
struct line {
	uint32_t size;
	uint8_t bytes[64];
};

static void
line_put(struct line *line, uint8_t c)
{
	if (line->size < sizeof(line->bytes))
		line->bytes[line->size++] = c;
}

/* Adds a number with at least `least` digits. */
static void
line_number(struct line *line, unsigned value, unsigned base, unsigned least)
{
	uint8_t digits[5];
	unsigned n = 0;

	do
		digits[n++] = (uint8_t)"0123456789abcdef"[value % base];
	while (((value /= base) != 0 || n < least) && n < sizeof(digits));
	while (n > 0)
		line_put(line, digits[--n]);
}

/* Copies bytes from an address of any kind. */
static int
fetch(struct tbuf_machine *m, uint64_t address, uint8_t *to, unsigned size)
{
	const uint8_t *from;
	int answer;

	if (!tbuf_address_is(address))
		return (tbuf_memory_copyin(m, address, to, size));
	answer = tbuf_memory_bytes(m, address, size, &from);
	if (answer == 0)
		tbuf_bytes_copy(to, from, size);
	return (answer);
}

static void
line_ip4(struct line *line, const uint8_t *ip)
{
	unsigned n;

	for (n = 0; n < 4; n++) {
		if (n > 0)
			line_put(line, '.');
		line_number(line, ip[n], 10, 1);
	}
}

#define GROUPS	8	/* 16-bit groups of an IPv6 address */

struct run {
	unsigned at;
	unsigned length;
};

/* Returns the longest sequence of groups that are 0, the first of several. */
static struct run
zeroes(const uint16_t *groups)
{
	struct run best = { 0, 0 }, run = { 0, 0 };
	unsigned n;

	for (n = 0; n < GROUPS; n++) {
		if (groups[n] != 0) {
			run.length = 0;
			continue;
		}
		if (run.length++ == 0)
			run.at = n;
		if (run.length > best.length)
			best = run;
	}
	return (best);
}

static void
line_groups(struct line *line, const uint16_t *groups, struct run hidden)
{
	unsigned n;

	for (n = 0; n < GROUPS; n++) {
		if (hidden.length > 1 && n == hidden.at) {
			line_put(line, ':');
			n += hidden.length - 1;
			if (n == GROUPS - 1)
				line_put(line, ':');
			continue;
		}
		if (n > 0)
			line_put(line, ':');
		line_number(line, groups[n], 16, 1);
	}
}

/* The prefix of an IPv4 address within an IPv6 one. */
enum prefix {
	PREFIX_NONE,		/* 1.2.3.4 */
	PREFIX_COLONS,		/* ::1.2.3.4 */
	PREFIX_WHOLE		/* ::ffff:1.2.3.4, or ::1.2.3.4 */
};

static void
line_ip6(struct line *line, const uint8_t *ip, enum prefix prefix)
{
	static const char mapped[] = "::ffff:";
	uint16_t groups[GROUPS];
	struct run hidden;
	unsigned n, length;
	bool maps;

	for (n = 0; n < GROUPS; n++)
		groups[n] = (uint16_t)(ip[2 * n] << 8 | ip[2 * n + 1]);
	hidden = zeroes(groups);
	maps = hidden.at == 0 && hidden.length == 5 && groups[5] == 0xffff;
	if (!maps && (hidden.at != 0 || hidden.length != 6)) {
		line_groups(line, groups, hidden);
		return;
	}
	length = prefix == PREFIX_NONE ? 0 :
	    prefix == PREFIX_WHOLE && maps ? sizeof(mapped) - 1 : 2;
	for (n = 0; n < length; n++)
		line_put(line, (uint8_t)mapped[n]);
	line_ip4(line, ip + 12);
}

static int
ntoa(struct tbuf_machine *m, uint64_t address, uint64_t *result)
{
	struct line line;
	uint8_t ip[4];
	int answer = fetch(m, address, ip, sizeof(ip));

	if (answer != 0)
		return (answer);
	line.size = 0;
	line_ip4(&line, ip);
	return (tbuf_text_make(m, line.bytes, line.size, result));
}

static int
ntoa6(struct tbuf_machine *m, uint64_t address, enum prefix prefix,
    uint64_t *result)
{
	struct line line;
	uint8_t ip[2 * GROUPS];
	int answer = fetch(m, address, ip, sizeof(ip));

	if (answer != 0)
		return (answer);
	line.size = 0;
	line_ip6(&line, ip, prefix);
	return (tbuf_text_make(m, line.bytes, line.size, result));
}

int
tbuf_sub_inet_ntoa(struct tbuf_machine *m, struct tbuf_call *c)
{
	return (ntoa(m, c->arguments[0], &c->result));
}

/* inet_ntoa6(address[, strict]) */
int
tbuf_sub_inet_ntoa6(struct tbuf_machine *m, struct tbuf_call *c)
{
	return (ntoa6(m, c->arguments[0], c->count > 1 && c->arguments[1] != 0 ?
	    PREFIX_COLONS : PREFIX_NONE, &c->result));
}

#define FAMILY_INET	2	/* Linux's AF_INET, AF_INET6 */
#define FAMILY_INET6	10

/* inet_ntop(family, address) */
int
tbuf_sub_inet_ntop(struct tbuf_machine *m, struct tbuf_call *c)
{
	if (c->arguments[0] == FAMILY_INET)
		return (ntoa(m, c->arguments[1], &c->result));
	if (c->arguments[0] != FAMILY_INET6)
		return (tbuf_illegal(m));
	return (ntoa6(m, c->arguments[1], PREFIX_WHOLE, &c->result));
}

#define HARDWARE_ETHERNET	1	/* Linux's ARPHRD_ETHER */
#define HARDWARE_INFINIBAND	32

/* link_ntop(hardware, address) */
int
tbuf_sub_link_ntop(struct tbuf_machine *m, struct tbuf_call *c)
{
	struct line line;
	uint8_t bytes[20];
	unsigned n, size = c->arguments[0] == HARDWARE_ETHERNET ? 6 : 20;
	int answer;

	if (size != 6 && c->arguments[0] != HARDWARE_INFINIBAND)
		return (tbuf_illegal(m));
	answer = fetch(m, c->arguments[1], bytes, size);
	if (answer != 0)
		return (answer);
	line.size = 0;
	for (n = 0; n < size; n++) {
		if (n > 0)
			line_put(&line, ':');
		line_number(&line, bytes[n], 16, 2);
	}
	return (tbuf_text_make(m, line.bytes, line.size, &c->result));
}

/* htons(n); configure accepts little-endian machines only. */
int
tbuf_sub_htons(struct tbuf_machine *m, struct tbuf_call *c)
{
	(void)m;
	c->result = __builtin_bswap16((uint16_t)c->arguments[0]);
	return (0);
}

int
tbuf_sub_htonl(struct tbuf_machine *m, struct tbuf_call *c)
{
	(void)m;
	c->result = __builtin_bswap32((uint32_t)c->arguments[0]);
	return (0);
}

int
tbuf_sub_htonll(struct tbuf_machine *m, struct tbuf_call *c)
{
	(void)m;
	c->result = __builtin_bswap64(c->arguments[0]);
	return (0);
}
