/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The language of the fake consumer's scripts (fake.h).
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

void
fake_wrong(const struct fake_line *line, const char *why)
{

	errx(99, "script line %u: %s", line->number, why);
}

static void *
get(size_t size)
{
	void *p;

	if ((p = calloc(1, size)) == NULL)
		err(99, NULL);
	return (p);
}

static char *
unescape(char *to, const char **from)
{
	char digits[3] = "";
	const char *p = *from;

	switch (*++p) {
	case 'n':
		*to = '\n';
		break;
	case 't':
		*to = '\t';
		break;
	case 'r':
		*to = '\r';
		break;
	case 'x':
		digits[0] = p[1];
		digits[1] = p[2];
		*to = (char)strtoul(digits, NULL, 16);
		p += 2;
		break;
	default:
		*to = *p;
		break;
	}
	*from = p + 1;
	return (to + 1);
}

/* Reads the word at p; returns where the next one may start. */
static const char *
read_word(struct fake_line *line, const char *p)
{
	struct fake_word *word = &line->words[line->count];
	char *to;

	if (line->count++ == FAKE_WORDS)
		fake_wrong(line, "too many words");
	to = word->text = get(strlen(p) + 1);
	if (*p == '"') {
		for (p++; *p != '\0' && *p != '"';) {
			if (*p == '\\')
				to = unescape(to, &p);
			else
				*to++ = *p++;
		}
		if (*p++ != '"')
			fake_wrong(line, "no closing quote");
		if (strncmp(p, "...", 3) == 0) {
			word->cut = true;
			p += 3;
		}
	} else
		while (*p != '\0' && strchr(" \t\n", *p) == NULL)
			*to++ = *p++;
	word->size = to - word->text;
	return (p);
}

static struct fake_line *
read_line(const char *text, unsigned number)
{
	struct fake_line *line = get(sizeof(*line));
	const char *p = text;

	line->number = number;
	for (;;) {
		p += strspn(p, " \t\n");
		if (*p == '\0' || *p == '#')
			return (line);
		p = read_word(line, p);
	}
}

static void
read_script(struct fake_lines *lines, const char *path)
{
	struct fake_line *line;
	unsigned number = 0;
	size_t size = 0;
	char *text = NULL;
	FILE *f;

	if ((f = fopen(path, "re")) == NULL)
		err(99, "%s", path);
	while (getline(&text, &size, f) != -1) {
		line = read_line(text, ++number);
		if (line->count > 0)
			STAILQ_INSERT_TAIL(lines, line, next);
		else
			free(line);
	}
	free(text);
	(void)fclose(f);
}

struct fake_lines *
fake_script(void)
{
	static struct fake_lines lines = STAILQ_HEAD_INITIALIZER(lines);
	const char *path = getenv("TBUF_FAKE");

	if (STAILQ_EMPTY(&lines) && path != NULL)
		read_script(&lines, path);
	return (&lines);
}

bool
fake_is(const struct fake_line *line, const char *what)
{

	return (strcmp(line->words[0].text, what) == 0);
}

const char *
fake_text(const struct fake_line *line, unsigned word)
{

	if (word >= line->count)
		fake_wrong(line, "a word is missing");
	return (line->words[word].text);
}

int64_t
fake_number(const struct fake_line *line, unsigned word)
{
	const char *text = fake_text(line, word);
	char *end;
	int64_t n;

	n = *text == '-' ? strtoll(text, &end, 0) :
	    (int64_t)strtoull(text, &end, 0);
	if (*text == '\0' || *end != '\0')
		fake_wrong(line, "not a number");
	return (n);
}

int
fake_errno(const struct fake_line *line, unsigned word)
{
	static const int numbers[] = {
		EACCES, EBADMSG, EBUSY, ECANCELED, EINVAL, EMFILE, ENODATA,
		ENOENT, ENOEXEC, ENOMEM, ENOSPC, EOPNOTSUPP, EPERM, EPROTO, ESRCH,
		ETIMEDOUT, EUSERS, EAGAIN
	};
	const char *name = fake_text(line, word);
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(strerrorname_np(numbers[i]), name) == 0)
			return (-numbers[i]);
	fake_wrong(line, "not an error");
}

uint8_t
fake_type(const struct fake_line *line, unsigned word, const char **name)
{
	static const char *const types[] = {
		"none", "int8", "int16", "int32", "int64", "uint8", "uint16",
		"uint32", "uint64", "char", "bool", "float", "double",
		"pointer", "string", "text", "binary"
	};
	const char *text = fake_text(line, word);
	size_t n = strcspn(text, ":"), i;

	if (text[n] == '\0')
		fake_wrong(line, "not TYPE:ARGUMENT");
	*name = text + n + 1;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i]) == n && memcmp(types[i], text, n) == 0)
			return (i);
	fake_wrong(line, "no such type");
}

void
fake_value(const struct fake_line *line, unsigned word, uint8_t type,
    struct tbuf_value *v)
{
	const char *text = fake_text(line, word);

	*v = (struct tbuf_value){ .type = type };
	switch (type) {
	case TBUF_BOOL:
		v->u = strcmp(text, "true") == 0;
		return;
	case TBUF_FLOAT:
		v->d = strtof(text, NULL);
		return;
	case TBUF_DOUBLE:
		v->d = strtod(text, NULL);
		return;
	case TBUF_STRING:
	case TBUF_STRING_SIZED:
	case TBUF_BINARY:
		v->null = strcmp(text, "NULL") == 0;
		v->data = v->null ? NULL : text;
		v->size = v->null ? 0 : line->words[word].size;
		v->cut = line->words[word].cut;
		return;
	default:
		v->i = fake_number(line, word);
		return;
	}
}
