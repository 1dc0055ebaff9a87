/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpftrace_words.h"
#include "messages.h"
#include "string_list.h"

#define BLANKS	" \t\n\v\f\r"

bool
bpftrace_tell_word(const char *word)
{
	static const struct {
		const char *word, *meant;
	} words[] = {
		{ "buf", "tracemem()" },
		{ "cat", "system(\"cat ...\")" },
		{ "comm", "execname" },
		{ "cpid", "$target" },
		{ "delete", "an assignment of 0" },
		{ "elapsed", "timestamp, less its value in BEGIN" },
		{ "errorf", "printf()" },
		{ "func", "probefunc" },
		{ "hist", "quantize()" },
		{ "kstack", "ustack(): the kernel is not traced" },
		{ "kstr", "copyinstr()" },
		{ "len", "strlen()" },
		{ "lhist", "lquantize()" },
		{ "nsecs", "timestamp" },
		{ "ntop", "inet_ntop()" },
		{ "probe", "probename" },
		{ "reg", "uregs[]" },
		{ "retval", "result, in a return probe" },
		{ "sarg0", "arg6" },
		{ "signal", "raise()" },
		{ "stats", "count(), avg() and sum()" },
		{ "str", "copyinstr()" },
		{ "strcontains", "strstr()" },
		{ "strftime", "printf(\"%Y\", walltimestamp)" },
		{ "strncmp", "== or strstr()" },
		{ "time", "printf(\"%Y\", walltimestamp)" },
		{ "unroll", "an if for each case: D has no loops" },
		{ "username", "uid" },
		{ "zero", "clear()" }
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, word) == 0) {
			message(MSG_BPFTRACE, word, words[i].meant);
			return (true);
		}
	return (false);
}

/* ------------------------------------------------------------ descriptions */

/* The parts of a description, between its colons. */
#define PARTS	5
#define PART_MAX	128

struct parts {
	char part[PARTS][PART_MAX];
	unsigned count;
};

/* Splits a description that ends at a blank, a brace or a comma. */
static void
split(const char *text, struct parts *parts)
{
	size_t length;
	char *part;

	for (parts->count = 0; parts->count < PARTS; text++) {
		length = strcspn(text, ":,{};" BLANKS);
		part = parts->part[parts->count++];
		(void)snprintf(part, PART_MAX, "%.*s", (int)length, text);
		text += length;
		if (*text != ':')
			break;
	}
}

static bool
is_number(const char *text)
{
	return (*text != '\0' && text[strspn(text, "0123456789")] == '\0');
}

/* Returns the timer of interval:s:1, interval:1s or profile:hz:99, or NULL. */
static char *
timer(const struct parts *p)
{
	const char *name = strcmp(p->part[0], "interval") == 0 ? "tick" :
	    "profile";
	const char *unit = p->part[1];

	if (p->count == 2 && isdigit((unsigned char)*unit) &&
	    isalpha((unsigned char)unit[strspn(unit, "0123456789")]))
		return (string_format("%s-%s", name, unit));
	if (p->count != 3 || !is_number(p->part[2]) ||
	    (strcmp(unit, "s") != 0 && strcmp(unit, "ms") != 0 &&
	    strcmp(unit, "us") != 0 && strcmp(unit, "hz") != 0))
		return (NULL);
	return (string_format("%s-%s%s", name, p->part[2], unit));
}

/*
 * Returns the description of usdt:FILE:PROVIDER:NAME or usdt:FILE:NAME, or
 * NULL.  A name of USDT has a dash for two underscores.
 */
static char *
usdt(const struct parts *p)
{
	const char *provider = p->count >= 4 ? p->part[2] : "PROVIDER";
	const char *name = p->count >= 4 ? p->part[3] : p->part[2];
	char *text, *from, *to;

	if (p->count < 3 || *p->part[1] == '\0' || *name == '\0')
		return (NULL);
	text = string_format("%s:::%s", provider, name);
	for (from = to = text; *from != '\0'; from++) {
		if (from[0] == '_' && from[1] == '_')
			*++from = '-';
		*to++ = *from;
	}
	*to = '\0';
	return (text);
}

/* Returns the function of the C library that a uprobe or uretprobe is in. */
static char *
function(const struct parts *p)
{
	const char *point = strcmp(p->part[0], "uprobe") == 0 ? "entry" :
	    "return";

	if (p->count < 3 || strstr(p->part[1], "libc") == NULL ||
	    *p->part[2] == '\0')
		return (NULL);
	return (string_format("libc::%s:%s", p->part[2], point));
}

/* Returns the system call of a tracepoint or of a function of a kernel. */
static char *
system_call(const struct parts *p)
{
	static const struct {
		const char *prefix, *point;
	} prefixes[] = {
		{ "sys_enter_", "entry" }, { "sys_exit_", "return" },
		{ "__x64_sys_", NULL }, { "__arm64_sys_", NULL },
		{ "sys_", NULL }
	};
	const char *name = p->part[p->count - 1], *point;
	size_t i, length;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		length = strlen(prefixes[i].prefix);
		if (strncmp(name, prefixes[i].prefix, length) != 0 ||
		    name[length] == '\0')
			continue;
		point = strstr(p->part[0], "ret") != NULL ||
		    strcmp(p->part[0], "fexit") == 0 ? "return" : "entry";
		if (prefixes[i].point != NULL)
			point = prefixes[i].point;
		return (string_format("syscall::%s:%s", name + length,
		    point));
	}
	return (NULL);
}

static const struct kind {
	const char *name;
	char *(*meant)(const struct parts *);
	const char *otherwise;		/* NULL: it may not be bpftrace's */
} kinds[] = {
	{ "interval", timer, "tick-1s" },
	{ "profile", timer, NULL },
	{ "usdt", usdt, NULL },
	{ "uprobe", function, MSG_BPFTRACE_FUNCTION },
	{ "uretprobe", function, MSG_BPFTRACE_FUNCTION },
	{ "kprobe", system_call, MSG_BPFTRACE_KERNEL },
	{ "kretprobe", system_call, MSG_BPFTRACE_KERNEL },
	{ "kfunc", system_call, MSG_BPFTRACE_KERNEL },
	{ "kretfunc", system_call, MSG_BPFTRACE_KERNEL },
	{ "fentry", system_call, MSG_BPFTRACE_KERNEL },
	{ "fexit", system_call, MSG_BPFTRACE_KERNEL },
	{ "tracepoint", system_call, MSG_BPFTRACE_KERNEL },
	{ "rawtracepoint", system_call, MSG_BPFTRACE_KERNEL },
	{ "software", NULL, "profile-97" },
	{ "hardware", NULL, "profile-97" }
};

/* Reports a description's equivalent, if it is one of bpftrace. */
static bool
tell_description(const char *text)
{
	const struct kind *kind = kinds;
	struct parts parts;
	char *meant = NULL;

	split(text, &parts);
	while (strcmp(kind->name, parts.part[0]) != 0)
		if (++kind == kinds + sizeof(kinds) / sizeof(kinds[0]))
			return (false);
	if (parts.count < 2)
		return (false);
	if (kind->meant != NULL)
		meant = kind->meant(&parts);
	if (meant == NULL && kind->otherwise == NULL)
		return (false);
	message(MSG_BPFTRACE_PROBE, kind->name,
	    meant != NULL ? meant : kind->otherwise);
	free(meant);
	return (true);
}

/* Returns the end of a string or a comment at p, or p. */
static const char *
skip(const char *p)
{
	const char *end = p;

	if (*p == '"')
		for (end = p + 1; *end != '\0' && *end != '"'; end++)
			end += *end == '\\' && end[1] != '\0';
	else if (p[0] == '/' && p[1] == '*')
		end = strstr(p + 2, "*/");
	else if (p[0] == '/' && p[1] == '/')
		end = strchr(p, '\n');
	return (end == NULL ? p + strlen(p) - 1 : *end == '\0' ? end - 1 :
	    end);
}

bool
bpftrace_tell_descriptions(const char *text)
{
	bool found = false, begins = true;
	int depth = 0;

	for (; *text != '\0'; text++) {
		if (depth == 0 && begins && isalpha((unsigned char)*text))
			found |= tell_description(text);
		/* Empty fields of a description may be before it. */
		begins = strchr(",};" BLANKS, *text) != NULL ||
		    (begins && *text == ':');
		text = skip(text);
		depth += (*text == '{') - (*text == '}');
	}
	return (found);
}
