/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Messages.  A message is formatted once; then its probe fires, and the text
 * trace gets a line:
 *
 *	2026-11-22T11:04:05.123456Z 1234:1240 store warning: the message
 *
 * Control characters become blanks, so that it is always one line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "text/text.h"

/* Room on the stack, enough for most messages. */
#define PREFIX	128	/* bytes before the message */
#define ROOM	1024	/* bytes of the message */
#define NAME	64	/* most bytes of a component's name */

/* A message, with PREFIX bytes before its text and a byte after its NUL. */
struct message {
	struct tbuf_component *component;
	unsigned level;
	bool signals;	/* only async-signal-safe calls */
	char *text;
	size_t size;
};

/* ------------------------------------------------------------ the line */

static char *
digits(char *p, uint64_t value, unsigned n)
{
	unsigned i;

	for (i = n; i > 0; i--, value /= 10)
		p[i - 1] = (char)('0' + value % 10);
	return (p + n);
}

static char *
number(char *p, uint32_t value)
{
	unsigned n = 1;
	uint32_t rest;

	for (rest = value; rest >= 10; rest /= 10)
		n++;
	return (digits(p, value, n));
}

/*
 * Writes days since 1970 as a date of the Gregorian calendar: by eras of 400
 * years that begin in March, so that a leap day is the last of its year.
 */
static char *
date(char *p, uint64_t days)
{
	uint64_t era, day, year, month;

	days += 719468;
	era = days / 146097;
	day = days % 146097;
	year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	day -= 365 * year + year / 4 - year / 100;
	month = (5 * day + 2) / 153;
	day -= (153 * month + 2) / 5;
	month = month < 10 ? month + 3 : month - 9;
	p = digits(p, year + era * 400 + (month <= 2), 4);
	*p++ = '-';
	p = digits(p, month, 2);
	*p++ = '-';
	return (digits(p, day + 1, 2));
}

static char *
moment(char *p)
{
	struct timespec now;
	uint64_t s;

	clock_gettime(CLOCK_REALTIME, &now);
	s = (uint64_t)now.tv_sec;
	p = date(p, s / 86400);
	*p++ = 'T';
	p = digits(p, s / 3600 % 24, 2);
	*p++ = ':';
	p = digits(p, s / 60 % 60, 2);
	*p++ = ':';
	p = digits(p, s % 60, 2);
	*p++ = '.';
	p = digits(p, (uint64_t)now.tv_nsec / 1000, 6);
	*p++ = 'Z';
	return (p);
}

static char *
word(char *p, const char *text)
{
	size_t n = strnlen(text, NAME);

	*p++ = ' ';
	memcpy(p, text, n);
	return (p + n);
}

/* Writes the prefix just before the message.  Returns the line's beginning. */
static char *
line_begin(const struct message *m)
{
	char prefix[PREFIX], *p = moment(prefix);
	size_t n;

	*p++ = ' ';
	p = number(p, tbuf_text_pid());
	*p++ = ':';
	p = number(p, tbuf_text_tid());
	p = word(p, m->component->name);
	p = word(p, tbuf_text_level_name(m->level));
	*p++ = ':';
	*p++ = ' ';
	n = (size_t)(p - prefix);
	return (memcpy(m->text - n, prefix, n));
}

/* ------------------------------------------------------------ destinations */

static void
record(const struct message *m)
{
	const uint64_t values[] = {
		(uint64_t)(uintptr_t)m->component->name,
		(uint64_t)(uintptr_t)tbuf_text_level_name(m->level),
		(uint64_t)(uintptr_t)m->text
	};

	tbuf_probe_fire(&m->component->sites[m->level - 1], values);
}

/* Writes to the trace in memory; a forked child begins its own one first. */
static bool
to_memory(const struct message *m, char *line, size_t size)
{
	if (tbuf_load(&tbuf_text_own->trace) == NULL &&
	    (m->signals || !tbuf_text_restart()))
		return (false);
	return (tbuf_trace_write(line, size));
}

static bool
to_facility(uint32_t facility, const struct message *m, char *line, size_t size)
{
	switch (facility) {
	case TBUF_FACILITY_FILE:
		return (tbuf_textfile_append(tbuf_text_path(), line, size) ==
		    0);
	case TBUF_FACILITY_LOG:
		tbuf_textlog_write(m->level, m->component->name, m->text,
		    m->size);
		return (true);
	case TBUF_FACILITY_MEMORY:
		return (to_memory(m, line, size));
	default:
		return (true);
	}
}

/*
 * Writes the line; its newline replaces the NUL, so the text is not a string
 * afterwards.  A line that Memory no longer takes goes to the new facility.
 */
static void
trace(const struct message *m)
{
	uint32_t facility = tbuf_text_facility(), now;
	char *line = line_begin(m);
	size_t size = (size_t)(m->text - line) + m->size + 1;

	m->text[m->size] = '\n';
	if (to_facility(facility, m, line, size))
		return;
	now = tbuf_text_facility();
	if (facility != TBUF_FACILITY_MEMORY || now == facility ||
	    !to_facility(now, m, line, size))
		tbuf_text_lose();
}

/* Replaces characters that end a line or move a terminal's cursor by blanks. */
static void
make_one_line(struct message *m)
{
	size_t i;

	while (m->size > 0 && m->text[m->size - 1] == '\n')
		m->size--;
	m->text[m->size] = '\0';
	for (i = 0; i < m->size; i++)
		if ((unsigned char)m->text[i] < ' ' || m->text[i] == '\177')
			m->text[i] = ' ';
}

static void
send(struct message *m)
{
	make_one_line(m);
	record(m);
	if (tbuf_component_traced(m->component, m->level))
		trace(m);
}

/* ------------------------------------------------------------ the calls */

static bool
wanted(const struct tbuf_component *c, unsigned level)
{
	return (level >= TBUF_SEVERE && level <= TBUF_FLOW &&
	    (tbuf_component_traced(c, level) ||
	    tbuf_probe_enabled(&c->sites[level - 1])));
}

/* Sends a message longer than ROOM by malloc(3); without memory it is cut. */
static void
send_long(struct message *m, const char *format, va_list arguments,
    size_t size)
{
	char *more = malloc(PREFIX + size + 2);

	if (more == NULL) {
		m->size = tbuf_text_cut(m->text, ROOM - 1);
		send(m);
		return;
	}
	m->text = more + PREFIX;
	m->size = size;
	vsnprintf(m->text, size + 1, format, arguments);
	m->size = strnlen(m->text, size);
	send(m);
	free(more);
}

void
tbuf_text_vprint(struct tbuf_component *c, int level, const char *format,
    va_list arguments)
{
	struct message m = { c, (unsigned)level, false, NULL, 0 };
	char room[PREFIX + ROOM + 1];
	int saved = errno, n;
	va_list again;

	tbuf_text_order_take();
	if (!wanted(c, m.level))
		goto out;
	m.text = room + PREFIX;
	va_copy(again, arguments);
	errno = saved;		/* for %m */
	n = vsnprintf(m.text, ROOM, format, arguments);
	if (n >= ROOM) {
		errno = saved;
		send_long(&m, format, again, (size_t)n);
	} else if (n >= 0) {
		m.size = (size_t)n;
		send(&m);
	} else
		tbuf_text_lose();
	va_end(again);
out:
	errno = saved;
}

void
tbuf_text_print(struct tbuf_component *c, int level, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	tbuf_text_vprint(c, level, format, arguments);
	va_end(arguments);
}

/* Copies a text up to ROOM; newlines at its end are not counted as cut. */
static void
copy(struct message *m, const char *text)
{
	m->size = strnlen(text, ROOM - 1);
	memcpy(m->text, text, m->size);
	text += m->size;
	if (text[strspn(text, "\n")] != '\0')
		m->size = tbuf_text_cut(m->text, m->size);
}

void
tbuf_text_string(struct tbuf_component *c, int level, const char *text)
{
	char room[PREFIX + ROOM + 1];
	struct message m = { c, (unsigned)level, true, room + PREFIX, 0 };
	int saved = errno;

	if (wanted(c, m.level)) {
		copy(&m, text == NULL ? "(null)" : text);
		send(&m);
	}
	errno = saved;
}
