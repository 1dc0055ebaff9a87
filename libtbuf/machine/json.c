/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * json(): finds a value in a text of JSON.  The text is read once, forwards,
 * and not checked after the value.
 */
#include "base/optimize_size.h"

#include "machine/internal.h"

/* A text that is read. */
struct reader {
	struct tbuf_characters s;
	uint32_t n;	/* place */
	uint8_t c;	/* character there; 0: at the end, or after an error */
};

static uint8_t
next(struct reader *r)
{
	r->n++;
	r->c = r->n < r->s.length ? tbuf_load(r->s.at + r->n) : 0;
	return (r->c);
}

/* Ends the text here, after an error. */
static __attribute__((noinline)) void
fail(struct reader *r)
{
	r->s.length = 0;
	r->c = 0;
}

/* Goes to the next character that is no blank, and returns it. */
static uint8_t
skip(struct reader *r)
{
	while (next(r) == ' ' || (uint8_t)(r->c - '\t') < 5)
		continue;
	return (r->c);
}

/* Skips blanks; the character after them has to be this one. */
static void
expect(struct reader *r, uint8_t c)
{
	if (skip(r) != c)
		fail(r);
}

static bool
is_digit(uint8_t c)
{
	return ((uint8_t)(c - '0') < 10);
}

static bool
is_letter(uint8_t c, unsigned letters)
{
	return ((uint8_t)((c | 0x20) - 'a') < letters);
}

/* Goes from a string's first quote to its last one. */
static void
read_string(struct reader *r)
{
	unsigned i;

	while (next(r) != '"' && r->c != 0)
		if (r->c == '\\' && next(r) == 'u')
			for (i = 0; i < 4; i++)
				if (!is_digit(next(r)) && !is_letter(r->c, 6))
					fail(r);
}

#define WORD(a, b, c, d)						\
	((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))

/* Reads a number, or true, false or null, and the character after it. */
static void
read_plain(struct reader *r)
{
	uint64_t word = 0;
	bool letters = false;

	for (; is_letter(r->c, 26) || ((uint8_t)(r->c - '+') <= '9' - '+' &&
	    r->c != ','); next(r)) {
		word = word << 8 | r->c;
		letters |= r->c > '9' && (r->c | 0x20) != 'e';
	}
	r->n--;
	if (word == 0 || (letters && word != WORD('t', 'r', 'u', 'e') &&
	    word != WORD('n', 'u', 'l', 'l') &&
	    word != ((uint64_t)'f' << 32 | WORD('a', 'l', 's', 'e'))))
		fail(r);
}

/*
 * Goes to a value's last character.  If it is not a whole one, or the text ends
 * with it, the text ends here.
 */
static void
read_value(struct reader *r)
{
	unsigned depth = 0;
	uint8_t c;

	for (;; next(r)) {
		/* [ and ] differ from { and } in this bit only. */
		c = r->c | 0x20;
		if (r->c == '"')
			read_string(r);
		else if (c == '{')
			depth++;
		else if (depth == 0)
			read_plain(r);
		else if (c == '}')
			depth--;
		if (depth == 0 || r->c == 0)
			return;
	}
}

/*
 * Goes to the member of the object or array that c->text names, or to the
 * text's end.
 */
static void
find_member(struct tbuf_machine *m, struct tbuf_call *c, struct reader *r)
{
	uint8_t kind = r->c;
	uint32_t begin;
	bool found;

	c->count = 1;
	(void)tbuf_sub_strtoll(m, c);
	if ((kind | 0x20) != '{')
		fail(r);
	do {
		found = c->result-- == 0;
		if (kind == '{') {
			expect(r, '"');
			begin = r->n + 1;
			read_string(r);
			found = r->n - begin == c->text.length &&
			    tbuf_text_find(m, &r->s, &c->text, begin);
			expect(r, ':');
		}
		skip(r);
		if (found)
			return;
		read_value(r);
	} while (skip(r) == ',');
	fail(r);
}

/*
 * json(text, path): the names and indexes of the path stand between `.' or
 * brackets.  Returns a string's characters as they are written, or NULL.
 */
int
tbuf_sub_json(struct tbuf_machine *m, struct tbuf_call *c)
{
	struct reader r, p;
	uint32_t begin, quotes;
	int answer = tbuf_text_open(m, c->arguments[1], &p.s);

	if (answer != 0)
		return (answer);
	r.s = c->text;
	r.n = p.n = UINT32_MAX;
	skip(&r);
	if (next(&p) == '[')
		next(&p);
	do {
		begin = p.n;
		c->text.at = p.s.at + begin;
		while (p.c != 0 && p.c != '.' && p.c != '[' && p.c != ']')
			next(&p);
		c->text.length = p.n - begin;
		if (p.c == ']')
			next(&p);
		find_member(m, c, &r);
	} while (p.c != 0 && next(&p) != 0);
	begin = r.n;
	quotes = r.c == '"';
	read_value(&r);
	c->result = 0;
	return (r.c == 0 ? 0 : tbuf_text_make(m, r.s.at + begin + quotes,
	    r.n + 1 - begin - 2 * quotes, &c->result));
}
