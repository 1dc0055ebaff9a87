/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Subroutines on texts.  A length that was measured once bounds all reads, even
 * if the text's end changes meanwhile.
 */
#include "base/optimize_size.h"

#include "machine/internal.h"

/* text(s): a copy. */
int
tbuf_sub_text(struct tbuf_machine *m, struct tbuf_call *c)
{
	return (tbuf_text_make(m, c->text.at, c->text.length, &c->result));
}

int
tbuf_sub_strlen(struct tbuf_machine *m, struct tbuf_call *c)
{
	(void)m;
	c->result = c->text.length;
	return (0);
}

int
tbuf_sub_strjoin(struct tbuf_machine *m, struct tbuf_call *c)
{
	const struct tbuf_characters *a = &c->text;
	struct tbuf_characters b;
	uint32_t more;
	uint8_t *to;
	int answer = tbuf_text_open(m, c->arguments[1], &b);

	if (answer != 0)
		return (answer);
	more = tbuf_minimum(b.length, m->strsize - a->length);
	answer = tbuf_work(m, a->length + more);
	if (answer == 0)
		answer = tbuf_memory_temporary(m,
		    a->length + more + UINT64_C(1), &to, &c->result);
	if (answer != 0)
		return (answer);
	tbuf_bytes_copy(to, a->at, a->length);
	tbuf_bytes_copy(to + a->length, b.at, more);
	tbuf_store(to + a->length + more, 0);
	return (0);
}

/* Makes a text of the rest of the first argument, from a place on. */
static int
rest(struct tbuf_machine *m, struct tbuf_call *c, uint32_t at)
{
	return (tbuf_text_make(m, c->text.at + at, c->text.length - at,
	    &c->result));
}

/* strchr(s, c): c may be NUL, which is at the end. */
int
tbuf_sub_strchr(struct tbuf_machine *m, struct tbuf_call *c)
{
	const struct tbuf_characters *s = &c->text;
	const uint8_t wanted = (uint8_t)c->arguments[1];
	uint32_t n;

	for (n = 0; n < s->length && tbuf_load(s->at + n) != wanted; n++)
		continue;
	return (n == s->length && wanted != 0 ? 0 : rest(m, c, n));
}

int
tbuf_sub_strrchr(struct tbuf_machine *m, struct tbuf_call *c)
{
	const uint8_t wanted = (uint8_t)c->arguments[1];
	uint32_t n = c->text.length;

	if (wanted == 0)
		return (rest(m, c, n));
	while (n-- > 0)
		if (tbuf_load(c->text.at + n) == wanted)
			return (rest(m, c, n));
	return (0);
}

/*
 * Returns the first place of `part` in a text from `at` on, which is tried in
 * steps of 1 or -1, or -1 if there is none.
 */
static int64_t
find(struct tbuf_machine *m, const struct tbuf_characters *s,
    const struct tbuf_characters *part, int64_t at, int step)
{
	for (; at >= 0 && at <= s->length && m->fuel > 0; at += step)
		if (tbuf_text_find(m, s, part, (uint32_t)at))
			return (at);
	return (-1);
}

/* Returns a fault if a search ended as there was no fuel, else 0. */
static int
exhausted(struct tbuf_machine *m)
{
	return (m->fuel > 0 ? 0 : tbuf_fault(m, TBUF_FAULT_SCRATCH, 0));
}

int
tbuf_sub_strstr(struct tbuf_machine *m, struct tbuf_call *c)
{
	struct tbuf_characters part;
	int64_t at;
	int answer = tbuf_text_open(m, c->arguments[1], &part);

	if (answer != 0)
		return (answer);
	at = find(m, &c->text, &part, 0, 1);
	answer = exhausted(m);
	return (answer != 0 || at < 0 ? answer : rest(m, c, (uint32_t)at));
}

/*
 * index(s, part[, from]): as in Perl.  A negative place is the start; from a
 * place after the end only the empty text is found, at the end.
 */
int
tbuf_sub_index(struct tbuf_machine *m, struct tbuf_call *c)
{
	const struct tbuf_characters *s = &c->text;
	struct tbuf_characters part;
	int64_t from = c->count > 2 ? (int64_t)c->arguments[2] : 0;
	int answer = tbuf_text_open(m, c->arguments[1], &part);

	if (answer != 0)
		return (answer);
	if (from < 0)
		from = 0;
	if (from > s->length && part.length == 0)
		from = s->length;
	c->result = (uint64_t)find(m, s, &part, from, 1);
	return (exhausted(m));
}

/*
 * rindex(s, part[, from]): backwards from a place, which may be after the end;
 * from a negative one only the empty text is found, at the start.
 */
int
tbuf_sub_rindex(struct tbuf_machine *m, struct tbuf_call *c)
{
	struct tbuf_characters part;
	int64_t from = c->text.length;
	int answer = tbuf_text_open(m, c->arguments[1], &part);

	if (answer != 0)
		return (answer);
	if (c->count > 2 && (int64_t)c->arguments[2] < from)
		from = (int64_t)c->arguments[2];
	if (from < 0 && part.length == 0)
		from = 0;
	c->result = (uint64_t)find(m, &c->text, &part, from, -1);
	return (exhausted(m));
}

/* Limits a number to +-UINT32_MAX, which no length exceeds. */
static int64_t
bounded(uint64_t value)
{
	const int64_t most = UINT32_MAX, number = (int64_t)value;

	return (number > most ? most : number < -most ? -most : number);
}

/*
 * substr(s, from[, size]): as in Perl.  A negative place counts from the end, a
 * negative size is the number of characters left out at the end.  The result is
 * "" if it is outside of the text.
 */
int
tbuf_sub_substr(struct tbuf_machine *m, struct tbuf_call *c)
{
	const int64_t length = c->text.length;
	int64_t from = bounded(c->arguments[1]), end = length;

	if (from < 0)
		from += length;
	if (c->count > 2) {
		end = bounded(c->arguments[2]);
		end += end < 0 ? length : from;
	}
	if (end > length)
		end = length;
	/* A part that begins before the text may end in it. */
	if (from < 0 && end > 0)
		from = 0;
	if (from < 0 || from > end)
		from = end = 0;
	return (tbuf_text_make(m, c->text.at + from, (uint64_t)(end - from),
	    &c->result));
}

/* ------------------------------------------------------------ strtok */

static bool
is_delimiter(const struct tbuf_characters *delimiters, uint8_t c)
{
	uint32_t n;

	for (n = 0; n < delimiters->length; n++)
		if (tbuf_load(delimiters->at + n) == c)
			return (true);
	return (false);
}

/* Returns the first place from `at` on that has, or has not, a delimiter. */
static uint32_t
token_end(struct tbuf_machine *m, const struct tbuf_characters *delimiters,
    uint32_t at, bool wanted)
{
	while (at < m->token.used && m->fuel > 0 && is_delimiter(delimiters,
	    tbuf_load(m->token.bytes + at)) != wanted) {
		(void)tbuf_work(m, delimiters->length + UINT64_C(1));
		at++;
	}
	return (at);
}

/* Copies a text, with which later calls go on. */
static int
token_begin(struct tbuf_machine *m, uint64_t address)
{
	struct tbuf_characters s;
	int answer = tbuf_text_open(m, address, &s);

	if (answer == 0)
		answer = tbuf_work(m, s.length);
	if (answer != 0)
		return (answer);
	if (s.length > m->token.room)
		return (tbuf_fault(m, TBUF_FAULT_SCRATCH, 0));
	tbuf_bytes_copy(m->token.bytes, s.at, s.length);
	m->token.used = s.length;
	m->token_at = 0;
	return (0);
}

int
tbuf_sub_strtok(struct tbuf_machine *m, struct tbuf_call *c)
{
	struct tbuf_characters delimiters;
	uint32_t at, end;
	int answer = tbuf_text_open(m, c->arguments[1], &delimiters);

	if (answer == 0 && c->arguments[0] != 0)
		answer = token_begin(m, c->arguments[0]);
	else if (answer == 0 && m->token_at == TBUF_TOKEN_NONE)
		answer = tbuf_fault(m, TBUF_FAULT_ADDRESS, 0);
	if (answer != 0)
		return (answer);
	at = token_end(m, &delimiters, m->token_at, false);
	end = token_end(m, &delimiters, at, true);
	answer = exhausted(m);
	/* The delimiter stays: the next call may have others, as in DTrace. */
	m->token_at = end;
	if (answer != 0 || at >= m->token.used)
		return (answer);
	return (tbuf_text_make(m, m->token.bytes + at, end - at, &c->result));
}

/* ------------------------------------------------------------ letters */

/* Makes a copy in which `by` is added to the 26 letters from `first` on. */
static int
letters(struct tbuf_machine *m, struct tbuf_call *c, uint8_t first, int by)
{
	const struct tbuf_characters *s = &c->text;
	uint8_t *to, letter;
	uint32_t n;
	int answer = tbuf_memory_temporary(m, s->length + UINT64_C(1), &to,
	    &c->result);

	if (answer != 0)
		return (answer);
	for (n = 0; n < s->length; n++) {
		letter = tbuf_load(s->at + n);
		if ((uint8_t)(letter - first) < 26)
			letter = (uint8_t)(letter + by);
		tbuf_store(to + n, letter);
	}
	tbuf_store(to + n, 0);
	return (0);
}

int
tbuf_sub_toupper(struct tbuf_machine *m, struct tbuf_call *c)
{
	return (letters(m, c, 'a', 'A' - 'a'));
}

int
tbuf_sub_tolower(struct tbuf_machine *m, struct tbuf_call *c)
{
	return (letters(m, c, 'A', 'a' - 'A'));
}
