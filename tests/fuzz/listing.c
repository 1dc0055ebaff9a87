/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Two lists of probes, as files of -l --check, of any contents:
 * one is compared with the other.  A line of `=' alone is between them.
 */
#include "support/fuzz.h"
#include "base/output.h"
#include "commands/check.h"

static void
check_strings(const struct listing *l)
{
	const struct listing_probe *p;
	unsigned i;

	for (p = l->all; p < l->all + l->count; p++) {
		for (i = 0; i < 4; i++)
			FUZZ_CHECK(strlen(p->fields[i]) <= LISTED_NAME);
		FUZZ_CHECK(p->nargs <= LISTED_ARGS);
		for (i = 0; i < p->nargs; i++)
			FUZZ_CHECK(strlen(p->args[i].name) <= LISTED_NAME &&
			    strlen(p->args[i].type) <= LISTED_NAME);
	}
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *second;
	struct listing before = { NULL, 0, 0 }, now = { NULL, 0, 0 };
	struct output out;
	size_t first;

	FUZZ_CHECK(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	second = memmem(text, size, "\n=\n", 3);
	first = second == NULL ? size : (size_t)(second - text);
	text[first] = '\0';
	output_memory(&out);
	if (listing_parse(&before, text, first) == 0 && (second == NULL ||
	    listing_parse(&now, second + 3, size - first - 3) == 0)) {
		check_strings(&before);
		check_strings(&now);
		/* Probes that have not changed break no reader. */
		FUZZ_CHECK(!listing_compare(&before, &before, &out));
		(void)listing_compare(&before, &now, &out);
		FUZZ_CHECK(memchr(out.buffer, '\033', out.used) == NULL);
	}
	free(out.buffer);
	listing_free(&before);
	listing_free(&now);
	free(text);
	return (0);
}
