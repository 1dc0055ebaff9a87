/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probe descriptions.  The input is a description and the four fields of a
 * probe, separated by NULs.
 */
#include "base/glob.h"
#include "support/fuzz.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

/* Matches the description in a list, after one that matches nothing. */
static bool
match_in_list(const char *description, const struct tbuf_names *names)
{
	static const char nothing[] = "\1:\1:\1:\1,";
	char *list = malloc(sizeof(nothing) + strlen(description));
	bool hit;

	FUZZ_CHECK(list != NULL);
	strcpy(stpcpy(list, nothing), description);
	hit = tbuf_description_match(list, names);
	free(list);
	return (hit);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct tbuf_names names;
	char *text[5];
	unsigned i;
	bool hit;

	for (i = 0; i < 5; i++)
		text[i] = input_text(&in);
	names = (struct tbuf_names){ text[1], text[2], text[3], text[4] };
	hit = tbuf_description_match(text[0], &names);
	if (strchr(text[1], '\1') == NULL)
		FUZZ_CHECK(match_in_list(text[0], &names) == hit);
	tbuf_description_check(text[0]);
	FUZZ_CHECK(tbuf_description_match("", &names));
	FUZZ_CHECK(tbuf_description_match(":*::", &names));
	for (i = 1; i < 5; i++) {
		FUZZ_CHECK(tbuf_glob("*", 1, text[i]));
		tbuf_glob(text[0], strlen(text[0]), text[i]);
	}
	for (i = 0; i < 5; i++)
		free(text[i]);
	return (0);
}
