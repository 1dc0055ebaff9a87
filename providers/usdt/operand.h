/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Operands of an assembler, which are the places of the arguments of a USDT
 * probe.  They are separated by blanks; each is `N@operand`, where N is the
 * width in bytes, negative if the argument is signed.
 *
 *	-4@$17  8@%rdi  1@%ah  -4@-20(%rbp)  8@8(%rax,%rbx,4)  4@there+8(%rip)
 *	-4@17  8@x0  4@w1  -4@[x29, -20]  8@[x0, x1, lsl 2]
 *	8@[x0, w1, sxtw 2]
 */
#ifndef TBUF_PROVIDERS_USDT_OPERAND_H
#define TBUF_PROVIDERS_USDT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma GCC visibility push(hidden)

enum usdt_place {
	USDT_CONSTANT,		/* value */
	USDT_REGISTER,		/* base, shifted right by `shift` */
	USDT_MEMORY		/* at value + base + index * scale */
};

/* x86-64 has registers 0 to 15, aarch64 0 to 30 and the stack pointer. */
#define USDT_REGISTERS		32
#define USDT_NO_REGISTER	USDT_REGISTERS

enum usdt_extend {
	USDT_WHOLE,		/* the index has 64 bits */
	USDT_UNSIGNED,		/* its low half, unsigned */
	USDT_SIGNED		/* its low half, signed */
};

struct usdt_operand {
	uint8_t place;		/* enum usdt_place */
	uint8_t width;		/* 1, 2, 4 or 8 bytes */
	bool is_signed;
	bool is_float;
	uint8_t base, index;	/* registers */
	uint8_t scale;
	uint8_t extend;		/* enum usdt_extend */
	uint8_t shift;
	int64_t value;
	const char *symbol;	/* its address is still to be added; or NULL */
	size_t length;		/* of the symbol */
	bool low;		/* only the last 12 bits of its address */
};

/* Parses the text after the @, up to `end`; one for each processor. */
typedef bool usdt_place_parse(const char *, const char *end,
	    struct usdt_operand *);
usdt_place_parse usdt_place_aarch64, usdt_place_x86_64;

/*
 * Parses the operand at *text, and moves *text after it and the blanks that
 * follow.  Returns false if it is not understood; *text is unchanged then.
 */
bool	usdt_operand_parse_by(usdt_place_parse *, const char **text,
	    struct usdt_operand *);

/* Returns the text after an operand, understood or not, and its blanks. */
const char *usdt_operand_skip(const char *text);

/* Returns the number of operands, understood or not. */
unsigned usdt_operands_count(const char *text);

/* Takes a number of C, with a sign, at *p, and moves *p after it. */
bool	usdt_take_number(const char **p, const char *end, int64_t *value);

/* Returns true if a symbol's name may have this character. */
bool	usdt_symbol_character(char c);

#pragma GCC visibility pop

static inline bool
usdt_operand_parse(const char **text, struct usdt_operand *o)
{
#if defined(__x86_64__)
	return (usdt_operand_parse_by(usdt_place_x86_64, text, o));
#else
	return (usdt_operand_parse_by(usdt_place_aarch64, text, o));
#endif
}

static inline uint64_t
usdt_operand_load(const void *from, unsigned width)
{
	uint64_t value = 0;

	switch (width) {
	case 1:
		return (*(const volatile uint8_t *)from);
	case 2:
		__builtin_memcpy(&value, from, 2);
		break;
	case 4:
		__builtin_memcpy(&value, from, 4);
		break;
	default:
		__builtin_memcpy(&value, from, 8);
		break;
	}
	return (value);
}

static inline uint64_t
usdt_operand_widen(uint64_t value, const struct usdt_operand *o)
{
	unsigned unused = 64 - 8u * o->width;

	value <<= unused;
	return (o->is_signed ? (uint64_t)((int64_t)value >> unused) :
	    value >> unused);
}

static inline uint64_t
usdt_operand_index(const struct usdt_operand *o, uint64_t value)
{
	if (o->extend == USDT_SIGNED)
		value = (uint64_t)(int64_t)(int32_t)value;
	else if (o->extend == USDT_UNSIGNED)
		value = (uint32_t)value;
	return (value * o->scale);
}

/*
 * Returns the value of an operand, from the registers in the order of their
 * numbers.  Part of a fire.
 */
static inline uint64_t
usdt_operand_value(const struct usdt_operand *o, const uint64_t *registers)
{
	uint64_t value = (uint64_t)o->value;

	/* Most operands are whole registers. */
	if (o->place == USDT_REGISTER && o->width == 8)
		return (registers[o->base]);
	if (o->place == USDT_CONSTANT)
		return (usdt_operand_widen(value, o));
	if (o->place == USDT_REGISTER)
		return (usdt_operand_widen(registers[o->base] >> o->shift, o));
	if (o->base != USDT_NO_REGISTER)
		value += registers[o->base];
	if (o->index != USDT_NO_REGISTER)
		value += usdt_operand_index(o, registers[o->index]);
	return (usdt_operand_widen(usdt_operand_load(
	    (const void *)(uintptr_t)value, o->width), o));
}

#endif
