/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of a site.  The first byte is the number of arguments, the rest is
 * the text and the function.
 */
#include "support/fuzz.h"
#include "target/probe/site_text.h"
#include "target/probe/site_token.h"

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

/*
 * True if the name is argN, an identifier of the text, or one after tbuf_name_.
 * A name is cut at 63 bytes.
 */
static bool
is_from(const char *text, const char *name, unsigned n)
{
	static const char given[] = "tbuf_name_";
	const char arg[] = { 'a', 'r', 'g', (char)('0' + n), '\0' };
	const size_t length = strlen(name), mark = sizeof(given) - 1;
	const char *p, *end;

	if (strcmp(name, arg) == 0)
		return (true);
	for (p = text; (p = strstr(p, name)) != NULL; p++) {
		for (end = p; tbuf_site_word(*end); end++)
			continue;
		if ((p == text || !tbuf_site_word(p[-1]) ||
		    ((size_t)(p - text) >= mark &&
		    memcmp(p - mark, given, mark) == 0)) &&
		    (end == p + length || end - p >= TBUF_SITETEXT_ARGUMENT))
			return (true);
	}
	return (false);
}

/* Checks that every argument has a name, and no two have the same. */
static void
check_names(const char *text, const struct tbuf_sitetext *site, unsigned nargs)
{
	unsigned i, j;

	for (i = 0; i < TBUF_NARGS; i++) {
		FUZZ_CHECK(ends(site->arguments[i], TBUF_SITETEXT_ARGUMENT));
		FUZZ_CHECK((*site->arguments[i] != '\0') == (i < nargs));
		FUZZ_CHECK(i >= nargs || is_from(text, site->arguments[i], i));
		for (j = 0; j < i && i < nargs; j++)
			FUZZ_CHECK(strcmp(site->arguments[i],
			    site->arguments[j]) != 0);
	}
}

static bool
colons_paired(const char *field)
{
	for (; (field = strchr(field, ':')) != NULL; field += 2)
		if (field[1] != ':')
			return (false);
	return (true);
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
		check_names(text, &site, nargs);
	}
	memset(field, 'x', sizeof(field));
	tbuf_sitetext_function(function, field);
	FUZZ_CHECK(ends(field, sizeof(field)));
	FUZZ_CHECK(*field != '\0' && strpbrk(field, " \t\n\v\f\r,") == NULL);
	FUZZ_CHECK(colons_paired(field));
	free(text);
	free(function);
	return (0);
}
