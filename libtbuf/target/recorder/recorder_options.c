/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses the options of a recorder.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/option.h"
#include "target/recorder/recorder.h"

#define WORD_MAX	64	/* bytes of a NAME=VALUE, with the NUL */
#define BUFSIZE		(UINT64_C(4) << 20)
#define STRSIZE		256
#define UNITSIZE	(UINT64_C(64) << 10)

/* The options of sessions that targets build. */
enum {
	BUF_SIZE, BUF_POLICY, BUF_RESIZE, STR_SIZE, ONLY_CPU, FOLLOW, BUF_SCOPE,
	NBUF, N_UNITS, UNIT_SIZE, UNIT_POLICY, UNIT_SLOW
};
static const struct {
	char name[12];
	uint8_t kind;
} known[] = {
	[BUF_SIZE] = { "bufsize", TBUF_OPTION_SIZE },
	[BUF_POLICY] = { "bufpolicy", TBUF_OPTION_POLICY },
	[BUF_RESIZE] = { "bufresize", TBUF_OPTION_RESIZE },
	[STR_SIZE] = { "strsize", TBUF_OPTION_STRSIZE },
	[ONLY_CPU] = { "cpu", TBUF_OPTION_CPU },
	[FOLLOW] = { "follow", TBUF_OPTION_FLAG },
	[BUF_SCOPE] = { "bufscope", TBUF_OPTION_SCOPE },
	[NBUF] = { "nbuf", TBUF_OPTION_NBUF },
	[N_UNITS] = { "nunits", TBUF_OPTION_UNITS },
	[UNIT_SIZE] = { "unitsize", TBUF_OPTION_UNITSIZE },
	[UNIT_POLICY] = { "unitpolicy", TBUF_OPTION_UNITPOLICY },
	[UNIT_SLOW] = { "unitslow", TBUF_OPTION_TIME }
};
#define NKNOWN	(sizeof(known) / sizeof(known[0]))

/*
 * Returns false for a CPU that the system cannot have; others may come later.
 */
static bool
cpu_exists(unsigned cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", cpu);
	return (access(path, F_OK) == 0 ||
	    access("/sys/devices/system/cpu/cpu0", F_OK) != 0);
}

static int
set(struct tbuf_recorder *r, const char *word, unsigned option, int64_t value)
{
	struct tbuf_terms *terms = &r->entry.terms;

	switch (option) {
	case BUF_SIZE:
		if (value < TBUF_BUFSIZE_MIN)
			return (tbuf_recorder_fail(-EINVAL, word,
			    "not a size of 16 or more"));
		terms->bufsize = (uint64_t)value;
		break;
	case BUF_POLICY:
		if (tbuf_policy((uint32_t)value)->live)
			return (tbuf_recorder_fail(-EINVAL, word,
			    "a recorder has no consumer: use ring or fill"));
		terms->policy = (uint32_t)value;
		break;
	case BUF_RESIZE:
		r->entry.flags = value == 0 ? TBUF_BOARD_AUTO : 0;
		break;
	case STR_SIZE:
		terms->strsize = value < TBUF_STRSIZE_MAX ?
		    (uint32_t)value : TBUF_STRSIZE_MAX;
		break;
	case BUF_SCOPE:
		terms->flags &= ~(uint64_t)TBUF_S_THREAD;
		terms->flags |= value != 0 ? TBUF_S_THREAD : 0;
		break;
	case NBUF:
		r->nbuf = (uint32_t)value;
		break;
	case ONLY_CPU:
		if (!cpu_exists((unsigned)value))
			return (tbuf_recorder_fail(-EINVAL, word,
			    tbuf_option_wrong[TBUF_OPTION_CPU]));
		terms->only_cpu = (int32_t)value;
		break;
	case N_UNITS:
		r->nunits = (uint64_t)value;
		break;
	case UNIT_SIZE:
		r->unitsize = (uint64_t)value;
		break;
	case UNIT_SLOW:
		r->unitslow = (uint64_t)value;
		break;
	case UNIT_POLICY:
		terms->flags &= ~(uint64_t)TBUF_S_WRAP;
		terms->flags |= value != 0 ? TBUF_S_WRAP : 0;
		break;
	default:
		r->follow = value != 0;
	}
	return (0);
}

/* Parses a rule of work units; rules have words of their own. */
static int
rule(struct tbuf_recorder *r, const char *word, const char *text)
{
	switch (text == NULL ? -EINVAL : tbuf_option_rules(text, r->rules)) {
	case 0:
		return (0);
	case -E2BIG:
		return (tbuf_recorder_fail(-EINVAL, word,
		    "too many outcomes"));
	default:
		return (tbuf_recorder_fail(-EINVAL, word,
		    "not level or OUTCOME:MASK (example: 0:2)"));
	}
}

/* Parses one NAME=VALUE, or a NAME alone. */
static int
setting(struct tbuf_recorder *r, const char *word)
{
	size_t n = strcspn(word, "=");
	const char *text = word[n] == '=' ? word + n + 1 : NULL;
	int64_t value;
	unsigned i;

	if (n == strlen("unitselect") && memcmp(word, "unitselect", n) == 0)
		return (rule(r, word, text));
	for (i = 0; i < NKNOWN; i++)
		if (strlen(known[i].name) == n &&
		    memcmp(known[i].name, word, n) == 0)
			break;
	if (i == NKNOWN)
		return (tbuf_recorder_fail(-EINVAL, word,
		    "not an option of a recorder"));
	if (tbuf_option_value(known[i].kind, text, &value) != 0)
		return (tbuf_recorder_fail(-EINVAL, word,
		    tbuf_option_wrong[known[i].kind]));
	return (set(r, word, i, value));
}

/* Copies a part of the options, cut for a message. */
static bool
part(char *to, size_t size, const char *from, size_t length)
{
	size_t n = length < size ? length : size - 1;

	memcpy(to, from, n);
	to[n] = '\0';
	return (n == length);
}

/* Adds one enabling; an empty one is ignored. */
static int
probe(struct tbuf_board_entry *entry, const char *text, size_t length)
{
	char *to = entry->patterns + entry->patterns_size;
	size_t room = sizeof(entry->patterns) - entry->patterns_size;

	while (length > 0 && (*text == ' ' || *text == '\n'))
		text++, length--;
	while (length > 0 && strchr(" \n", text[length - 1]) != NULL)
		length--;
	if (length == 0)
		return (0);
	if (!part(to, room, text, length))
		return (tbuf_recorder_fail(-EINVAL, "probes",
		    "too long"));
	if (strpbrk(to, "/{}") != NULL)
		return (tbuf_recorder_fail(-EINVAL, to,
		    "a recorder takes no clauses"));
	if (tbuf_description_check(to) != 0)
		return (tbuf_recorder_fail(-EINVAL, to,
		    "not a probe description"));
	entry->patterns_size += (uint32_t)length + 1;
	entry->npatterns++;
	return (0);
}

/* Adds the enablings, which are the rest of the options. */
static int
probes(struct tbuf_board_entry *entry, const char *p)
{
	size_t n;
	int error;

	for (;; p += n + 1) {
		n = strcspn(p, ";");
		if ((error = probe(entry, p, n)) != 0)
			return (error);
		if (p[n] == '\0')
			break;
	}
	return (entry->npatterns != 0 ? 0 : tbuf_recorder_fail(-EINVAL,
	    "probes", "no probe is named"));
}

static void
defaults(struct tbuf_recorder *r)
{
	struct tbuf_terms *terms = &r->entry.terms;

	memset(r, 0, sizeof(*r));
	r->entry.budget = UINT64_MAX;
	r->entry.flags = TBUF_BOARD_AUTO;
	r->nbuf = TBUF_THREAD_LANES_FIRST;
	terms->bufsize = BUFSIZE;
	terms->flags = TBUF_S_KEEP;
	terms->policy = TBUF_RING;
	terms->strsize = STRSIZE;
	terms->only_cpu = -1;
	r->unitsize = UNITSIZE;
	tbuf_unit_rules_init(r->rules);
	terms->owner_uid = geteuid();
	memcpy(terms->owner, "recorder", sizeof("recorder"));
}

int
tbuf_recorder_parse(const char *p, struct tbuf_recorder *r)
{
	static const char last[] = "probes=";
	char word[WORD_MAX];
	size_t n;
	int error;

	for (defaults(r); strncmp(p, last, strlen(last)) != 0; p += n + 1) {
		n = strcspn(p, ",");
		if (!part(word, sizeof(word), p, n))
			return (tbuf_recorder_fail(-EINVAL, word,
			    "not an option of a recorder"));
		if ((error = n == 0 ? 0 : setting(r, word)) != 0)
			return (error);
		if (p[n] == '\0')
			return (tbuf_recorder_fail(-EINVAL, "",
			    "probes= is missing; it has to be last"));
	}
	if ((r->entry.terms.flags & TBUF_S_THREAD) != 0)
		r->entry.terms.flags |=
		    (uint64_t)(r->nbuf + 1) << TBUF_S_THREAD_LANES;
	r->entry.terms.flags |= tbuf_terms_unit_flags(r->nunits, r->unitsize);
	return (probes(&r->entry, p + strlen(last)));
}
