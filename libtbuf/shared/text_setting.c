/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Settings of the text trace, with the names of PEP 316: PROPERTY=VALUE;...
 */
#include "base/optimize_size.h"

#include <string.h>
#include <strings.h>

#include "base/glob.h"
#include "layout/text_trace.h"
#include "shared/text_setting.h"

/* A part of a text. */
struct word {
	const char *at;
	size_t length;
};

static bool
word_is(const struct word *w, const char *name)
{
	return (strlen(name) == w->length &&
	    strncasecmp(w->at, name, w->length) == 0);
}

static const char *const level_names[] = {
	"off", "severe", "warning", "info", "debug", "flow"
};
#define NLEVELS	(sizeof(level_names) / sizeof(level_names[0]))

const char *
tbuf_text_level_name(unsigned level)
{
	return (level < NLEVELS ? level_names[level] : "unknown");
}

int
tbuf_text_level_parse(const char *text, size_t length)
{
	const struct word w = { text, length };
	unsigned i;

	for (i = 0; i < NLEVELS; i++)
		if (word_is(&w, level_names[i]) ||
		    (length == 1 && *text == (char)('0' + i)))
			return ((int)i);
	return (-1);
}

static const char *
take_facility(struct tbuf_text_setting *s, const struct word *value)
{
	static const char *const names[] = {
		[TBUF_FACILITY_OFF] = "Off", [TBUF_FACILITY_FILE] = "File",
		[TBUF_FACILITY_LOG] = "Log", [TBUF_FACILITY_MEMORY] = "Memory"
	};
	uint32_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (word_is(value, names[i])) {
			s->facility = i;
			return (NULL);
		}
	return ("traceFacility must be one of Off, File, Log, Memory");
}

static const char *
take_level(struct tbuf_text_setting *s, const struct word *value)
{
	int level = tbuf_text_level_parse(value->at, value->length);

	if (level < 0)
		return ("traceLevel must be one of off, severe, warning, info, "
		    "debug, flow, or 0 to 5");
	s->level = (uint32_t)level;
	return (NULL);
}

/* Parses digits; the sum stops growing once it is too large. */
static const char *
take_kbytes(struct tbuf_text_setting *s, const struct word *value)
{
	static const char wrong[] =
	    "traceMemoryBufferKbytes must be a number from 16 to 1048576";
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < value->length; i++) {
		if (value->at[i] < '0' || value->at[i] > '9')
			return (wrong);
		if (n <= TBUF_TRACE_KB_MAX)
			n = n * 10 + (uint64_t)(value->at[i] - '0');
	}
	if (n < TBUF_TRACE_KB_MIN || n > TBUF_TRACE_KB_MAX)
		return (wrong);
	s->kbytes = (uint32_t)n;
	return (NULL);
}

static const char *
take_path(struct tbuf_text_setting *s, const struct word *value)
{
	if (value->length >= sizeof(s->path))
		return ("traceFilePath is too long");
	if (value->length > 0 && *value->at != '/')
		return ("traceFilePath is not absolute");
	if (value->length > 0 && value->at[value->length - 1] == '/')
		return ("traceFilePath is a directory");
	memcpy(s->path, value->at, value->length);
	s->path[value->length] = '\0';
	return (NULL);
}

/* An element of a list: NAME or NAME:LEVEL. */
struct element {
	struct word name;
	struct word level;	/* empty: none */
};

static const char *
element_next(const char *p, struct element *e)
{
	size_t length = strcspn(p, ",");
	const char *colon = memchr(p, ':', length);

	e->name = (struct word){ p, length };
	e->level = (struct word){ p, 0 };
	if (colon != NULL) {
		e->name.length = (size_t)(colon - p);
		e->level = (struct word){ colon + 1,
		    length - e->name.length - 1 };
	}
	return (p[length] == '\0' ? NULL : p + length + 1);
}

static const char *
element_wrong(const struct element *e)
{
	size_t i;

	if (e->name.length == 0)
		return ("traceComponents has an empty name");
	for (i = 0; i < e->name.length; i++)
		if ((unsigned char)e->name.at[i] <= ' ')
			return ("traceComponents has a blank");
	if (e->name.at + e->name.length != e->level.at - 1)
		return (NULL);
	return (tbuf_text_level_parse(e->level.at, e->level.length) >= 0 ?
	    NULL : "traceComponents has an unknown level");
}

static const char *
take_components(struct tbuf_text_setting *s, const struct word *value)
{
	const char *p = s->components, *wrong;
	struct element e;

	if (value->length >= sizeof(s->components))
		return ("traceComponents is too long");
	memcpy(s->components, value->at, value->length);
	s->components[value->length] = '\0';
	if (value->length == 0)
		return (NULL);
	while (p != NULL) {
		p = element_next(p, &e);
		if ((wrong = element_wrong(&e)) != NULL)
			return (wrong);
	}
	return (NULL);
}

unsigned
tbuf_text_setting_level(const char *components, unsigned level,
    const char *name)
{
	const char *p = *components == '\0' ? NULL : components;
	unsigned found = 0;
	struct element e;

	while (p != NULL) {
		p = element_next(p, &e);
		if (word_is(&e.name, "ALL") ||
		    tbuf_glob(e.name.at, e.name.length, name))
			found = e.level.length == 0 ? level : (unsigned)
			    tbuf_text_level_parse(e.level.at, e.level.length);
	}
	return (found);
}

static const struct {
	const char *name;
	unsigned bit;
	const char *(*take)(struct tbuf_text_setting *, const struct word *);
} properties[] = {
	{ "traceFacility", TBUF_TEXT_FACILITY, take_facility },
	{ "traceComponents", TBUF_TEXT_COMPONENTS, take_components },
	{ "traceLevel", TBUF_TEXT_LEVEL, take_level },
	{ "traceFilePath", TBUF_TEXT_PATH, take_path },
	{ "traceMemoryBufferKbytes", TBUF_TEXT_KBYTES, take_kbytes }
};

static const char *
take_property(struct tbuf_text_setting *s, const char *p, size_t length)
{
	const char *equals = memchr(p, '=', length);
	struct word name = { p, length }, value;
	size_t i;

	if (equals == NULL)
		return ("a property has no value");
	name.length = (size_t)(equals - p);
	value = (struct word){ equals + 1, length - name.length - 1 };
	for (i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
		if (word_is(&name, properties[i].name)) {
			s->present |= properties[i].bit;
			return (properties[i].take(s, &value));
		}
	return ("a property is not one of traceFacility, traceComponents, "
	    "traceLevel, traceFilePath, traceMemoryBufferKbytes");
}

const char *
tbuf_text_setting_parse(const char *text, struct tbuf_text_setting *s)
{
	const char *wrong = NULL;
	size_t length;

	memset(s, 0, sizeof(*s));
	if (text == NULL)
		text = "";
	if (strnlen(text, TBUF_TEXT_SETTING_MAX) == TBUF_TEXT_SETTING_MAX)
		return ("the setting is too long");
	while (*text != '\0' && wrong == NULL) {
		length = strcspn(text, ";");
		if (length > 0)
			wrong = take_property(s, text, length);
		text += length + (text[length] == ';');
	}
	if (wrong == NULL && s->present == 0)
		wrong = "no property is set";
	return (wrong);
}
