/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The wire format of Protocol Buffers: functions that write a field from p on
 * and return its end.
 *
 * Source: "Encoding", protobuf.dev.
 */
#ifndef TBUFCTL_VIEW_PROTOBUF_H
#define TBUFCTL_VIEW_PROTOBUF_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Most bytes of a number, and of a field with one. */
#define PROTOBUF_NUMBER	10
#define PROTOBUF_FIELD	(PROTOBUF_NUMBER + 5)

enum protobuf_wire {
	PROTOBUF_VARINT = 0,
	PROTOBUF_64 = 1,
	PROTOBUF_LENGTH = 2
};

/* Seven bits a byte, the lowest first; all but the last byte have bit 0x80. */
static inline char *
protobuf_varint(char *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = (char)(value | 0x80);
	*p++ = (char)value;
	return (p);
}

static inline char *
protobuf_tag(char *p, unsigned field, enum protobuf_wire wire)
{
	return (protobuf_varint(p, field << 3 | wire));
}

static inline char *
protobuf_number(char *p, unsigned field, uint64_t value)
{
	return (protobuf_varint(protobuf_tag(p, field, PROTOBUF_VARINT),
	    value));
}

static inline char *
protobuf_double(char *p, unsigned field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = htole64(bits);
	p = protobuf_tag(p, field, PROTOBUF_64);
	memcpy(p, &bits, sizeof(bits));
	return (p + sizeof(bits));
}

/* Writes the head of a field that has `size` bytes. */
static inline char *
protobuf_length(char *p, unsigned field, size_t size)
{
	return (protobuf_varint(protobuf_tag(p, field, PROTOBUF_LENGTH),
	    size));
}

static inline char *
protobuf_bytes(char *p, unsigned field, const void *bytes, size_t size)
{
	p = protobuf_length(p, field, size);
	memcpy(p, bytes, size);
	return (p + size);
}

#endif
