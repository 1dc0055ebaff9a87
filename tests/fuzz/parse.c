/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sizes, rates, options and names of files, each as a text.
 */
#include "support/fuzz.h"
#include "shared/control_file.h"
#include "tbuf_consumer.h"

static struct tbuf_consumer *consumer;

static void
leave(void)
{
	tbuf_consumer_close(consumer);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	consumer = tbuf_consumer_new();
	FUZZ_CHECK(consumer != NULL);
	atexit(leave);
	return (0);
}

static void
parse_option(const char *name, const char *value)
{
	int64_t number;
	int error;

	if (tbuf_consumer_set(consumer, name, value) != 0) {
		FUZZ_CHECK(*tbuf_consumer_error(consumer) != '\0');
		return;
	}
	/* A rule is not a number. */
	error = tbuf_consumer_get(consumer, name, &number);
	FUZZ_CHECK(error == 0 ? number >= -1 :
	    strcmp(name, "unitselect") == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	char *name = input_text(&in), *value = input_text(&in);
	char again[TBUF_NAME_MAX];
	uint64_t number;
	pid_t pid;

	tbuf_parse_size(name, &number);
	if (tbuf_parse_rate(name, &number) == 0)
		FUZZ_CHECK(number > 0);
	parse_option(name, NULL);
	parse_option(name, value);
	if (tbuf_control_name_parse(name, &pid, &number)) {
		tbuf_control_name(again, pid, number);
		FUZZ_CHECK(pid > 0 && strcmp(name, again) == 0);
	}
	free(name);
	free(value);
	return (0);
}
