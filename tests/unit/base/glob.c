/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Globs and descriptions: globs are checked against fnmatch(3) for every short
 * pattern, and a description's fields end where its globs allow it.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "base/glob.h"
#include "lib/check_main.h"

#define PATTERN_MAX	7
#define TEXT_MAX	3

/* Writes the n-th word over an alphabet.  Returns false if it is too long. */
static bool
word(unsigned n, const char *alphabet, unsigned max, char *text)
{
	unsigned letters = (unsigned)strlen(alphabet), length, count = 1, i;

	for (length = 0; n >= count; length++) {
		n -= count;
		count *= letters;
	}
	for (i = 0; i < length && i < max; i++, n /= letters)
		text[i] = alphabet[n % letters];
	text[i] = '\0';
	return (length <= max);
}

/* No alphabet can form a named class: they lack a colon, a dot and '='. */
static void
compare_all(const char *letters, const char *texts, unsigned max)
{
	char pattern[PATTERN_MAX + 1], text[TEXT_MAX + 1];
	unsigned n, m, matches = 0;
	bool hit;

	for (n = 1; word(n, letters, max, pattern); n++) {
		if (tbuf_description_check(pattern) != 0)
			continue;
		for (m = 0; word(m, texts, TEXT_MAX, text); m++) {
			hit = tbuf_glob(pattern, strlen(pattern), text);
			matches += hit;
			if (hit != (fnmatch(pattern, text, 0) == 0))
				ck_abort_msg("'%s' and '%s': %d", pattern,
				    text, hit);
		}
	}
	ck_assert_uint_gt(matches, 0);
}

START_TEST(globs_are_those_of_fnmatch)
{
	static const struct {
		const char *letters, *texts;
		unsigned max;
	} alphabets[] = {
		{ "ab*?", "ab", PATTERN_MAX },
		{ "[]\\-", "[]\\-a", PATTERN_MAX },
		{ "a[]b-", "ab-]c", PATTERN_MAX },
		{ "a[]!^\\", "a!^]\\", PATTERN_MAX },
		{ "b[]a-*\\?!", "ab]-*", 5 },
	};

	compare_all(alphabets[_i].letters, alphabets[_i].texts,
	    alphabets[_i].max);
}
END_TEST

static const struct {
	const char *description;
	bool good;
	const char *name;	/* matches the function f; or NULL */
} descriptions[] = {
	{ "f:[]:]", true, ":" },
	{ "f:[]:]", true, "]" },
	{ "f:[!]]", true, "a" },
	{ "f:[\\]:]", true, ":" },
	{ "f:[a\\]b]c", true, "]c" },
	{ "f:[,]", true, "," },
	{ "x,f:[]a]", true, "a" },
	{ "f:\\[a", true, "[a" },
	{ "f:a\\,b", true, "a,b" },
	{ "f:a\\:b", true, "a:b" },
	{ "f:[a", false, NULL },
	{ "f:[]", false, NULL },
	{ "f:[!]", false, NULL },
	{ "f:[a\\]", false, NULL },
	{ "f:a\\", false, NULL },
	{ "f:a\\\\", true, "a\\" },
	{ "a:b:c:d:e", false, NULL },
	{ "a:b:c:[:]", true, NULL },
	{ "a b", false, NULL },
	{ "", true, "anything" },
};

START_TEST(fields_end_where_globs_do)
{
	const struct tbuf_names names = {
		"p", "m", "f", descriptions[_i].name
	};
	const char *text = descriptions[_i].description;

	ck_assert_int_eq(tbuf_description_check(text),
	    descriptions[_i].good ? 0 : -EINVAL);
	if (names.name != NULL)
		ck_assert_msg(tbuf_description_match(text, &names), "%s",
		    text);
}
END_TEST

/* C++ functions against descriptions; the probe is kv:m:FUNCTION:done. */
static const struct {
	const char *function;
	const char *description;
	bool hit;
} scopes[] = {
	{ "ns::C::get", "ns::C::get:done", true },
	{ "ns::C::get", "m:ns::C::get:done", true },
	{ "ns::C::get", "kv:m:ns::C::get:done", true },
	{ "ns::C::get", "kv::ns::C::get:done", true },
	{ "ns::C::get", "kv:m:ns::C::get:", true },
	{ "ns::C::get", "ns\\:\\:C\\:\\:get:done", true },
	{ "ns::C::get", "ns[:][:]C::get:done", true },
	{ "ns::C::get", "ns::*:done", true },
	{ "ns::C::get", "*get:done", true },
	{ "ns::C::get", "x,kv::*::get:", true },
	{ "ns::C::get", "ns::C:done", false },
	{ "ns::C::get", "C::get:done", false },
	{ "ns::C::get", "x:ns::C::get:done", false },
	{ "ns::C::get", "kv:x:ns::C::get:done", false },
	{ "ns::C::get", "ns::C::get:start", false },
	{ "ns::C::get", "get:done", false },
	{ "ns::C::get", "kv:::done", true },
	{ "ns::C::get", "kv:::", true },
	{ "ns::C::get", "m::", true },
	{ "ns::C::get", ":::done", true },
	{ "ns::C::get", "::done", true },
	{ "ns::C::get", "kv::ns:done", false },
	/* A name matches as a scope and as a provider or module. */
	{ "kv::get", "kv::get:done", true },
	{ "get", "kv::get:done", true },
	{ "get", "m:get:done", true },
	{ "get", "x::get:done", false },
};

START_TEST(a_function_may_have_its_scope_in_front)
{
	const struct tbuf_names names = {
		"kv", "m", scopes[_i].function, "done"
	};

	ck_assert_int_eq(tbuf_description_check(scopes[_i].description), 0);
	ck_assert_msg(tbuf_description_match(scopes[_i].description,
	    &names) == scopes[_i].hit, "%s", scopes[_i].description);
}
END_TEST

/* Reading a description beforehand changes no answer. */
START_TEST(a_plain_description_matches_as_it_does_in_a_list)
{
	static const struct {
		const char *text;
		bool plain;
	} lists[] = {
		{ ":::", true }, { "kv:::", true }, { "kv:::do*", true },
		{ "kv:m:f:done", true }, { "kv:m:[fg]:done=3", true },
		{ "kv:m:f\\:\\:g:done", true }, { ":m::", true },
		{ "kv::f:done", false }, { "f:done", false },
		{ "kv:m:f:done,kv:::", false }, { "kv:m:f::g:done", false },
		{ "", true }, { "done", true }, { "\\:", true },
		{ "d*,do", false }, { "kv:m:[f:done", false }, { "[d", false }
	};
	static const struct tbuf_names names[] = {
		{ "kv", "m", "f", "done" }, { "kv", "", "f::g", "done" },
		{ "kw", "m", "g", "do" }
	};
	struct tbuf_plain plain;
	const char *text, *end;
	size_t i, j;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		text = lists[i].text;
		end = strchr(text, '\0');
		ck_assert_msg(tbuf_plain_read(text, end, &plain) ==
		    lists[i].plain, "%s", text);
		for (j = 0; lists[i].plain && j < 3; j++)
			ck_assert_msg(tbuf_plain_match(&plain, &names[j]) ==
			    tbuf_description_match_to(text, end, &names[j]),
			    "%s, %zu", text, j);
	}
}
END_TEST

START_TEST(colons_that_are_no_scope_are_fields)
{
	static const char *const bad[] = {
		"a:b:c:d:e", "a:b:c:::d", "::::", "a::::", "a:b:::c:d",
		"a::b:c:d", "p:m::f:n:x", "a:::b:c:d", "p:m:f:::n",
		"x::y,a::::"
	};
	char deep[3 * 20 + 8] = "a", whole[sizeof(deep) + 4] = "p:m:";
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(tbuf_description_check(bad[i]) == -EINVAL,
		    "%s", bad[i]);
	for (i = 1; i <= 16; i++)
		strcat(deep, "::a");
	strcat(deep, ":n");
	ck_assert_int_eq(tbuf_description_check(deep), 0);
	strcat(whole, deep);
	ck_assert_int_eq(tbuf_description_check(whole), 0);
	ck_assert_int_eq(tbuf_description_check(whole + 2), 0);
	/* The first name may also be a provider. */
	memmove(deep + 3, deep, strlen(deep) + 1);
	memcpy(deep, "a::", 3);
	ck_assert_int_eq(tbuf_description_check(deep), 0);
	strcpy(whole + 4, deep);
	ck_assert_int_eq(tbuf_description_check(whole), -EINVAL);
	memmove(deep + 3, deep, strlen(deep) + 1);
	ck_assert_int_eq(tbuf_description_check(deep), -EINVAL);
}
END_TEST

START_TEST(a_selection_stands_behind_all_of_it)
{
	static const struct {
		const char *text;
		uint64_t selection;
		size_t length;		/* of the text before the selection */
	} good[] = {
		{ "p:m:f:n", 0, 7 }, { "n=3", TBUF_SELECTION_SET | 3, 1 },
		{ "n=0", TBUF_SELECTION_SET, 1 },
		{ "a,b=0xFfffffff", TBUF_SELECTION_SET | UINT32_MAX, 3 },
		{ "n\\=3", 0, 4 }, { "n[=3]", 0, 5 }, { "n=", 0, 2 },
		{ "n=x", 0, 3 }, { "f=4:n", 0, 5 },
		{ "=7", TBUF_SELECTION_SET | 7, 0 },
		{ "a=1=2", TBUF_SELECTION_SET | 2, 3 }
	};
	static const char *const bad[] = {
		"n=4294967296", "n=1x", "n=0x", "n=0x100000000", "a=1,b"
	};
	const struct tbuf_names names = { "p", "m", "f", "n" };
	uint64_t selection;
	const char *end, *text;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		text = good[i].text;
		end = tbuf_description_end(text, strchr(text, '\0'),
		    &selection);
		ck_assert_msg(selection == good[i].selection &&
		    (size_t)(end - text) == good[i].length, "%s: %zd, %#jx",
		    text, end - text, (uintmax_t)selection);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(tbuf_description_check(bad[i]) == -EINVAL,
		    "%s", bad[i]);
	ck_assert(tbuf_description_match("x,n=0x10", &names));
	ck_assert(!tbuf_description_match("x=0x10", &names));
}
END_TEST

/* Unchecked patterns do not read past their end, and may match anything. */
START_TEST(open_ends_match_nothing_but_themselves)
{
	ck_assert(!tbuf_glob("a\\", 2, "a\\"));
	ck_assert(!tbuf_glob("\\", 1, ""));
	ck_assert(tbuf_glob("[a", 2, "[a"));
	ck_assert(!tbuf_glob("[a", 2, "a"));
	/* The class ends after the end of the glob. */
	ck_assert(!tbuf_glob("[ab]", 3, "a"));
	ck_assert(tbuf_glob("[ab]", 4, "a"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("match");
	TCase *t = tcase_create("match");
	int n = sizeof(descriptions) / sizeof(descriptions[0]);

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, globs_are_those_of_fnmatch, 0, 5);
	tcase_add_loop_test(t, fields_end_where_globs_do, 0, n);
	tcase_add_loop_test(t, a_function_may_have_its_scope_in_front, 0,
	    (int)(sizeof(scopes) / sizeof(scopes[0])));
	tcase_add_test(t, a_plain_description_matches_as_it_does_in_a_list);
	tcase_add_test(t, colons_that_are_no_scope_are_fields);
	tcase_add_test(t, a_selection_stands_behind_all_of_it);
	tcase_add_test(t, open_ends_match_nothing_but_themselves);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
