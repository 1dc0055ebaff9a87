/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of the library's replacement (fake.h).
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "target/probe/site_text.h"

#define SITES_MAX	1024

/* A registered site, with the names that the fire below looks up. */
struct entry {
	struct tbuf_site *site;
	struct tbuf_sitetext text;
	char function[TBUF_SITETEXT_FIELD];
};

struct fake_fire fake_last;

static struct entry entries[SITES_MAX];
static unsigned nentries, nfires, nexpected, nfailed;
static uint32_t on_word = 1;

static struct entry *
entry_find(const struct tbuf_site *site)
{
	unsigned n;

	for (n = 0; n < nentries; n++) {
		if (entries[n].site == site)
			return (&entries[n]);
	}
	return (NULL);
}

/* Copies the bytes of a string or bytes argument. */
static void
argument_copy(struct fake_argument *argument)
{
	const struct tbuf_bytes *bytes = (const void *)argument->value;
	const char *string = (const void *)argument->value;

	if (argument->type == TBUF_STRING && string != NULL) {
		argument->size = strlen(string);
	} else if (argument->type == TBUF_STRING_SIZED ||
	    argument->type == TBUF_BINARY) {
		argument->size = bytes->size;
		string = bytes->data;
	} else {
		return;
	}
	memcpy(argument->bytes, string, argument->size < FAKE_BYTES ?
	    argument->size : FAKE_BYTES);
}

static void
site_fire(struct tbuf_site *site, const uint64_t *values)
{
	struct entry *entry = entry_find(site);
	struct fake_argument *argument;
	unsigned n;

	nfires++;
	memset(&fake_last, 0, sizeof(fake_last));
	fake_last.provider = entry->text.provider;
	fake_last.name = entry->text.name;
	fake_last.function = entry->function;
	fake_last.code = site->packing;
	fake_last.nargs = site->nargs;
	for (n = 0; n < site->nargs; n++) {
		argument = &fake_last.arguments[n];
		argument->name = entry->text.arguments[n];
		argument->type = site->types[n];
		argument->value = values[n];
		argument_copy(argument);
	}
}

/* Checks a site as the assembler wrote it. */
static void
site_check(struct tbuf_site *site)
{
	EXPECT(site->enabled == &site->zero && *site->hot == &site->zero);
	EXPECT(site->fire == NULL);
	EXPECT(site->function != NULL && site->function[0] != '\0');
	EXPECT_INTEGER(site->version, TBUF_SITE_VERSION);
	EXPECT(site->kind <= TBUF_SITE_TEST);
	EXPECT(site->index == 0 && site->state == 0);
	EXPECT(site->zero == 0);
	EXPECT(site->nargs <= TBUF_ARGS_MAX);
	EXPECT(site->nargs == TBUF_ARGS_MAX || site->types[site->nargs] == 0);
}

/* Checks that the hot words of an object are contiguous, one for each site. */
static void
hot_check(struct tbuf_site *start, struct tbuf_site *stop)
{
	const struct tbuf_site *site, *other;
	const uint32_t **low = start->hot, **high = start->hot;

	for (site = start; site < stop; site++) {
		low = site->hot < low ? site->hot : low;
		high = site->hot > high ? site->hot : high;
		for (other = start; other < site; other++)
			EXPECT(other->hot != site->hot);
	}
	EXPECT_INTEGER(high - low + 1, stop - start);
}

void
tbuf_sites_register(struct tbuf_site *start, struct tbuf_site *stop)
{
	struct tbuf_site *site;
	struct entry *entry;

	EXPECT(start < stop);
	hot_check(start, stop);
	for (site = start; site < stop; site++) {
		if (entry_find(site) != NULL)
			continue;
		site_check(site);
		if (nentries == SITES_MAX)
			abort();
		entry = &entries[nentries++];
		entry->site = site;
		EXPECT_INTEGER(tbuf_sitetext_parse(site->text, site->nargs,
		    &entry->text), 0);
		tbuf_sitetext_function(site->function, entry->function);
		site->fire = site_fire;
	}
}

void
tbuf_sites_unregister(struct tbuf_site *start, struct tbuf_site *stop)
{
	unsigned n, kept = 0;

	for (n = 0; n < nentries; n++) {
		if (entries[n].site < start || entries[n].site >= stop)
			entries[kept++] = entries[n];
	}
	nentries = kept;
}

unsigned
fake_sites(const char *name, const char *function)
{
	unsigned n, count = 0;

	for (n = 0; n < nentries; n++) {
		if (strcmp(entries[n].text.name, name) == 0 &&
		    (function == NULL ||
		    strcmp(entries[n].function, function) == 0))
			count++;
	}
	return (count);
}

unsigned
fake_enable(const char *name, int on)
{
	struct tbuf_site *site;
	unsigned n, count = 0;

	for (n = 0; n < nentries; n++) {
		site = entries[n].site;
		if (strcmp(entries[n].text.name, name) != 0)
			continue;
		*site->hot = on ? &on_word : &site->zero;
		count++;
	}
	return (count);
}

unsigned
fake_fires(void)
{
	unsigned count = nfires;

	nfires = 0;
	return (count);
}

long long
fake_value(unsigned n)
{
	return ((long long)fake_last.arguments[n].value);
}

void
fake_expect(int holds, const char *file, int line, const char *what)
{
	nexpected++;
	if (holds)
		return;
	nfailed++;
	fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what);
}

void
fake_expect_integer(long long got, long long expected, const char *file,
    int line, const char *what)
{
	nexpected++;
	if (got == expected)
		return;
	nfailed++;
	fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", file, line, what,
	    got, expected);
}

void
fake_expect_string(const char *got, const char *expected, const char *file,
    int line, const char *what)
{
	nexpected++;
	if (got != NULL && strcmp(got, expected) == 0)
		return;
	nfailed++;
	fprintf(stderr, "%s:%d: %s is '%s', not '%s'\n", file, line, what,
	    got != NULL ? got : "(null)", expected);
}

void
fake_expect_argument(unsigned n, const char *name, unsigned type,
    uint64_t value, const char *file, int line)
{
	const struct fake_argument *argument = &fake_last.arguments[n];

	fake_expect(n < fake_last.nargs, file, line, "argument exists");
	fake_expect_string(argument->name, name, file, line, "name");
	fake_expect_integer(argument->type, type, file, line, name);
	fake_expect_integer((long long)argument->value, (long long)value,
	    file, line, name);
}

void
fake_expect_bytes(unsigned n, const char *name, unsigned type,
    const char *bytes, size_t size, const char *file, int line)
{
	const struct fake_argument *argument = &fake_last.arguments[n];

	fake_expect(n < fake_last.nargs, file, line, "argument exists");
	fake_expect_string(argument->name, name, file, line, "name");
	fake_expect_integer(argument->type, type, file, line, name);
	fake_expect_integer((long long)argument->size, (long long)size, file,
	    line, name);
	fake_expect(memcmp(argument->bytes, bytes, size) == 0, file, line,
	    "bytes are the same");
}

int
fake_end(void)
{
	if (nfailed > 0 || nexpected == 0) {
		fprintf(stderr, "%u of %u checks failed\n", nfailed,
		    nexpected);
		return (EXIT_FAILURE);
	}
	return (EXIT_SUCCESS);
}
