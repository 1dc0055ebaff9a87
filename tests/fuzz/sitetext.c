/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of a site.  The first byte is the number of arguments, then come
 * the text and the function.
 */
#include "fuzz.h"
#include "target/sitetext.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

static bool
ends(const char *text, size_t size)
{
	return (memchr(text, '\0', size) != NULL);
}

/* Every argument has a name, and no two the same one. */
static void
check_names(const struct tbuf_sitetext *site, unsigned nargs)
{
	unsigned i, j;

	for (i = 0; i < TBUF_NARGS; i++) {
		FUZZ_CHECK(ends(site->arguments[i], TBUF_SITETEXT_ARGUMENT));
		FUZZ_CHECK((*site->arguments[i] != '\0') == (i < nargs));
		for (j = 0; j < i && i < nargs; j++)
			FUZZ_CHECK(strcmp(site->arguments[i],
			    site->arguments[j]) != 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned nargs = (unsigned)input_take(&in, 1) % (TBUF_NARGS + 2);
	char *text = input_text(&in), *function = input_text(&in);
	char field[TBUF_SITETEXT_FIELD];
	struct tbuf_sitetext site;

	memset(&site, 'x', sizeof(site));
	if (tbuf_sitetext_parse(text, nargs, &site) == 0) {
		FUZZ_CHECK(nargs <= TBUF_NARGS);
		FUZZ_CHECK(ends(site.provider, sizeof(site.provider)));
		FUZZ_CHECK(ends(site.name, sizeof(site.name)));
		check_names(&site, nargs);
	}
	memset(field, 'x', sizeof(field));
	tbuf_sitetext_function(function, field);
	FUZZ_CHECK(ends(field, sizeof(field)));
	FUZZ_CHECK(strpbrk(field, " \t\n\v\f\r:,") == NULL);
	free(text);
	free(function);
	return (0);
}
