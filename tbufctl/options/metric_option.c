/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bool_value.h"
#include "base/messages.h"
#include "metric_option.h"

#define WRONG_FORM	"not @AGGREGATION:NAME:SCALE:LABEL,... (example: " \
			"@lat:kv_request_seconds:1e-9:op)"
#define WRONG_NAME	"not the name of a metric (letters, digits and _; " \
			"not tbuf_*, *_bucket, *_sum, *_count)"
#define WRONG_SCALE	"not a scale (examples: 1, 1e-9)"
#define WRONG_LABEL	"not the name of a label (letters, digits and _; " \
			"not __*, le, quantile, or one given before)"
#define WRONG_BOUNDS	"not two integers LOW,HIGH (example: 127,1073741823)"
#define WRONG_KEYS	"not a number from 1 to 1000000"

static int
refuse(const char *option, const char *value, const char *wrong)
{
	return (bad_usage(MSG_SET_WRONG, option, value, wrong));
}

static bool
is_word(const char *text)
{
	if (isdigit((unsigned char)*text) || *text == '\0')
		return (false);
	for (; *text != '\0'; text++)
		if (!isalnum((unsigned char)*text) && *text != '_')
			return (false);
	return (true);
}

static bool
ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return (n >= m && strcmp(text + n - m, end) == 0);
}

/* Refuses names of tbufctl's own metrics, and of parts of a histogram. */
static bool
is_metric(const char *name)
{
	return (is_word(name) && strncmp(name, "tbuf_", 5) != 0 &&
	    !ends_in(name, "_bucket") && !ends_in(name, "_sum") &&
	    !ends_in(name, "_count"));
}

static bool
is_label(const char *name, char *const *before, size_t n)
{
	size_t i;

	if (!is_word(name) || strncmp(name, "__", 2) == 0 ||
	    strcmp(name, "le") == 0 || strcmp(name, "quantile") == 0)
		return (false);
	for (i = 0; i < n; i++)
		if (strcmp(name, before[i]) == 0)
			return (false);
	return (true);
}

static bool
parse_scale(const char *text, struct scale *scale)
{
	char power[16], *end;
	int e;

	errno = 0;
	*scale = (struct scale){ .factor = strtod(text, &end) };
	if (!isdigit((unsigned char)*text) || *end != '\0' || errno != 0 ||
	    !isfinite(scale->factor) || scale->factor <= 0)
		return (false);
	for (e = -SCALE_EXPONENT_MAX; e <= SCALE_EXPONENT_MAX; e++) {
		(void)snprintf(power, sizeof(power), "1e%d", e);
		if (strtod(power, NULL) != scale->factor)
			continue;
		scale->decimal = true;
		scale->exponent = e;
	}
	return (true);
}

/* Parses names of labels, with commas between, into the option. */
static int
parse_labels(struct metric_option *option, char *text)
{
	char *label;

	while ((label = strsep(&text, ",")) != NULL) {
		if (!is_label(label, option->labels, option->nlabels))
			return (refuse("metric", label, WRONG_LABEL));
		option->labels = memory_get(option->labels,
		    option->nlabels + 1, sizeof(*option->labels));
		option->labels[option->nlabels++] = label;
	}
	return (0);
}

static int
parse_metric(struct metric_option *option, const char *value)
{
	char *rest, *scale;

	option->text = rest = memory_string(value);
	option->aggregation = strsep(&rest, ":");
	option->name = strsep(&rest, ":");
	if (*option->aggregation++ != '@' || option->name == NULL ||
	    (*option->aggregation != '\0' && !is_word(option->aggregation)))
		return (refuse("metric", value, WRONG_FORM));
	if (!is_metric(option->name))
		return (refuse("metric", option->name, WRONG_NAME));
	option->scale = (struct scale){ .decimal = true };
	if ((scale = strsep(&rest, ":")) != NULL &&
	    !parse_scale(scale, &option->scale))
		return (refuse("metric", scale, WRONG_SCALE));
	return (rest == NULL ? 0 : parse_labels(option, rest));
}

static int
add_metric(struct metric_options *o, const char *value)
{
	if (value == NULL)
		return (refuse("metric", "", WRONG_FORM));
	o->all = memory_get(o->all, o->count + 1, sizeof(*o->all));
	o->all[o->count] = (struct metric_option){ .text = NULL };
	return (parse_metric(&o->all[o->count++], value));
}

static bool
parse_integer(const char *text, char end, int64_t *number, const char **rest)
{
	char *p;

	errno = 0;
	*number = strtoll(text, &p, 0);
	if (errno != 0 || p == text || *p != end ||
	    isspace((unsigned char)*text))
		return (false);
	*rest = p + (end != '\0');
	return (true);
}

static int
set_bounds(struct metric_options *o, const char *value)
{
	const char *rest;

	o->bounded = true;
	if (value == NULL || !parse_integer(value, ',', &o->low, &rest) ||
	    !parse_integer(rest, '\0', &o->high, &rest) || o->low >= o->high)
		return (refuse("metricbounds", value == NULL ? "" : value,
		    WRONG_BOUNDS));
	return (0);
}

static int
set_keys(struct metric_options *o, const char *value)
{
	if (value == NULL || !flag_number(value, METRIC_KEYS_MAX, &o->keys) ||
	    o->keys == 0)
		return (refuse("metrickeys", value == NULL ? "" : value,
		    WRONG_KEYS));
	return (0);
}

int
metric_parse(struct metric_options *o, const char *name, const char *value)
{
	if (strcmp(name, "metric") == 0)
		return (add_metric(o, value));
	if (strcmp(name, "metricbounds") == 0)
		return (set_bounds(o, value));
	return (strcmp(name, "metrickeys") == 0 ? set_keys(o, value) : -1);
}

void
metric_options_free(struct metric_options *o)
{
	size_t i;

	for (i = 0; i < o->count; i++) {
		free(o->all[i].text);
		free(o->all[i].labels);
	}
	free(o->all);
}
