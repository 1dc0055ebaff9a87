/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Taking apart the text of a site (target/sitetext.c).
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/sitetext.h"

/* The argument names that `text` gives `nargs` arguments, joined by blanks. */
static const char *
names(const char *text, unsigned nargs)
{
	static char joined[TBUF_NARGS * TBUF_SITETEXT_ARGUMENT];
	struct tbuf_sitetext site;
	unsigned n;

	memset(&site, 'x', sizeof(site));
	ck_assert_int_eq(tbuf_sitetext_parse(text, nargs, &site), 0);
	joined[0] = '\0';
	for (n = 0; n < nargs; n++) {
		if (n > 0)
			strcat(joined, " ");
		strcat(joined, site.arguments[n]);
	}
	for (; n < TBUF_NARGS; n++)
		ck_assert_str_eq(site.arguments[n], "");
	return (joined);
}

static int
status(const char *text, unsigned nargs)
{
	struct tbuf_sitetext site;

	return (tbuf_sitetext_parse(text, nargs, &site));
}

static void
expect_fields(const char *text, const char *provider, const char *name)
{
	struct tbuf_sitetext site;

	ck_assert_int_eq(tbuf_sitetext_parse(text, 0, &site), 0);
	ck_assert_str_eq(site.provider, provider);
	ck_assert_str_eq(site.name, name);
}

START_TEST(two_underscores_become_a_dash_in_the_name_only)
{
	expect_fields("kv, request__start", "kv", "request-start");
	expect_fields("my__app, a_b", "my__app", "a_b");
	expect_fields("kv, a___b", "kv", "a-_b");
	expect_fields("kv, a____b__", "kv", "a--b-");
	expect_fields("kv, __init", "kv", "-init");
	expect_fields("kv, _", "kv", "_");
	expect_fields(" kv ,  x ", "kv", "x");
	expect_fields("kv, x-y.z", "kv", "x-y.z");
}
END_TEST

START_TEST(an_argument_is_called_by_its_last_identifier)
{
	ck_assert_str_eq(names("kv, request__start, r->id, path, *bytes", 3),
	    "id path bytes");
	ck_assert_str_eq(names("kv, x, a[i], (int)b, &c.d, f(e), g()", 5),
	    "i b d e g");
	ck_assert_str_eq(names("kv, x, a ? b : c, s.size(), ns::v<int>(1)", 3),
	    "c size int");
	ck_assert_str_eq(names("kv, x, _a1 , b2 + 1, $", 3), "_a1 b2 $");
}
END_TEST

START_TEST(numbers_hold_no_identifiers)
{
	ck_assert_str_eq(names("kv, x, 0x10u, 1e+5f, .5e-3, 0x1p+3L", 4),
	    "arg0 arg1 arg2 arg3");
	ck_assert_str_eq(names("kv, x, 1'000'000ull, a + 0b1, 1+b", 3),
	    "arg0 a b");
}
END_TEST

START_TEST(literals_hold_no_identifiers_and_no_commas)
{
	ck_assert_str_eq(names("kv, x, \"a, b\", 'c', L\"d\", u8\"e\\\",f\"", 4),
	    "arg0 arg1 arg2 arg3");
	ck_assert_str_eq(names("kv, x, ',', ')', '\\'', L'(', b", 5),
	    "arg0 arg1 arg2 arg3 b");
	ck_assert_str_eq(names("kv, x, \"a\"s, \"b\"_sv, c + \"d\"", 3),
	    "arg0 arg1 c");
	ck_assert_str_eq(names("kv, x, \"\\\\\", a", 2), "arg0 a");
	ck_assert_str_eq(names("kv, x, PRI\"a\", b", 2), "PRI b");
}
END_TEST

START_TEST(raw_strings_end_at_their_delimiter)
{
	ck_assert_str_eq(names("kv, x, R\"(a\", b)\", c", 2), "arg0 c");
	ck_assert_str_eq(names("kv, x, u8R\"-(a)\", )-, )-\", c", 2), "arg0 c");
	ck_assert_str_eq(names("kv, x, LR\"(\\)\", c", 2), "arg0 c");
	ck_assert_str_eq(names("kv, x, XR, c", 2), "XR c");
}
END_TEST

START_TEST(commas_in_parentheses_separate_nothing)
{
	ck_assert_str_eq(names("kv, x, f(a, b), ((c, d)), e", 3), "b d e");
	ck_assert_str_eq(names("kv, x, ((struct s){ 1, y }).z", 1), "z");
}
END_TEST

START_TEST(commas_in_brackets_and_braces_separate_as_for_the_preprocessor)
{
	ck_assert_str_eq(names("kv, x, a[b, c]", 2), "b c");
	ck_assert_str_eq(names("kv, x, s{1, y}", 2), "s y");
	ck_assert_str_eq(names("kv, x, t<int, z>", 2), "int z");
}
END_TEST

START_TEST(bytes_are_called_by_their_pointer)
{
	ck_assert_str_eq(names("kv, x, TBUF_BYTES(p, n), n", 2), "p n");
	ck_assert_str_eq(names("kv, x, TBUF_BYTES ( r->buf, f(a, b) )", 1),
	    "buf");
	ck_assert_str_eq(names("kv, x, TBUF_BYTES(f(q, s), n), c", 2), "s c");
	ck_assert_str_eq(names("kv, x, (TBUF_BYTES(p, n))", 1), "p");
	ck_assert_str_eq(names("kv, x, TBUF_BYTES(\"abc\", n), d", 2),
	    "arg0 d");
}
END_TEST

START_TEST(a_repeated_name_gives_way_to_argN)
{
	ck_assert_str_eq(names("kv, x, a->id, b->id, c", 3), "id arg1 c");
	ck_assert_str_eq(names("kv, x, id, id, id", 3), "id arg1 arg2");
}
END_TEST

START_TEST(no_two_arguments_have_one_name)
{
	ck_assert_str_eq(names("kv, x, arg1, arg0", 2), "arg1 arg0");
	ck_assert_str_eq(names("kv, x, arg1, 5", 2), "arg0 arg1");
	ck_assert_str_eq(names("kv, x, 5, arg0", 2), "arg0 arg1");
	ck_assert_str_eq(names("kv, x, arg2, arg0, arg1, 1, arg3", 5),
	    "arg2 arg0 arg1 arg3 arg4");
	ck_assert_str_eq(names("kv, x, arg1, arg2, 5", 3), "arg0 arg1 arg2");
}
END_TEST

START_TEST(all_are_argN_where_the_text_has_another_number_of_arguments)
{
	ck_assert_str_eq(names("kv, x, PAIR", 2), "arg0 arg1");
	ck_assert_str_eq(names("kv, x, a, b, c", 2), "arg0 arg1");
	ck_assert_str_eq(names("kv, x", 1), "arg0");
	ck_assert_str_eq(names("kv, x, a, b, c, d, e, f, g, h, i, j, k", 10),
	    "arg0 arg1 arg2 arg3 arg4 arg5 arg6 arg7 arg8 arg9");
}
END_TEST

START_TEST(a_long_argument_name_is_cut_at_63_bytes)
{
	char text[256], expected[64];

	memset(expected, 'a', sizeof(expected));
	expected[63] = '\0';
	snprintf(text, sizeof(text), "kv, x, %s", expected);
	ck_assert_str_eq(names(text, 1), expected);
	snprintf(text, sizeof(text), "kv, x, %sb", expected);
	ck_assert_str_eq(names(text, 1), expected);
	/* Two that differ behind the cut only are the same. */
	snprintf(text, sizeof(text), "kv, x, 1, %sb, %sc", expected, expected);
	ck_assert_ptr_nonnull(strstr(names(text, 3), "a arg2"));
	/* Not within a character. */
	snprintf(text, sizeof(text), "kv, x, %.62s\xc3\xa9", expected);
	expected[62] = '\0';
	ck_assert_str_eq(names(text, 1), expected);
}
END_TEST

START_TEST(provider_and_name_have_at_most_255_bytes)
{
	char long_name[257], text[600];
	struct tbuf_sitetext site;

	memset(long_name, 'n', sizeof(long_name));
	long_name[256] = '\0';
	snprintf(text, sizeof(text), "kv, %s", long_name);
	ck_assert_int_eq(status(text, 0), -EINVAL);
	snprintf(text, sizeof(text), "%s, x", long_name);
	ck_assert_int_eq(status(text, 0), -EINVAL);
	/* It is what is stored that counts. */
	long_name[0] = long_name[1] = '_';
	snprintf(text, sizeof(text), "kv, %s", long_name);
	ck_assert_int_eq(tbuf_sitetext_parse(text, 0, &site), 0);
	ck_assert_uint_eq(strlen(site.name), 255);
}
END_TEST

START_TEST(nonsense_is_refused)
{
	ck_assert_int_eq(status(NULL, 0), -EINVAL);
	ck_assert_int_eq(status("", 0), -EINVAL);
	ck_assert_int_eq(status("kv", 0), -EINVAL);
	ck_assert_int_eq(status("kv,", 0), -EINVAL);
	ck_assert_int_eq(status(", x", 0), -EINVAL);
	ck_assert_int_eq(status("k v, x", 0), -EINVAL);
	ck_assert_int_eq(status("k:v, x", 0), -EINVAL);
	ck_assert_int_eq(status("kv, \"x\"", 0), -EINVAL);
	ck_assert_int_eq(status("kv, x*", 0), -EINVAL);
	ck_assert_int_eq(status("kv, x, a", TBUF_NARGS + 1), -EINVAL);
}
END_TEST

START_TEST(unfinished_text_ends_where_it_ends)
{
	ck_assert_str_eq(names("kv, x, f(a, b", 1), "b");
	ck_assert_str_eq(names("kv, x, a), b", 2), "a b");
	ck_assert_str_eq(names("kv, x, \"a, b", 1), "arg0");
	ck_assert_str_eq(names("kv, x, \"a\\", 1), "arg0");
	ck_assert_str_eq(names("kv, x, R\"d(a)\", b", 1), "arg0");
	ck_assert_str_eq(names("kv, x, R\"d", 1), "arg0");
	ck_assert_str_eq(names("kv, x, TBUF_BYTES", 1), "arg0");
	ck_assert_str_eq(names("kv, x, TBUF_BYTES(", 1), "arg0");
	ck_assert_str_eq(names("kv, x, 1e", 1), "arg0");
	ck_assert_str_eq(names("kv, x, ", 1), "arg0");
}
END_TEST

START_TEST(a_function_is_made_a_field)
{
	char field[TBUF_SITETEXT_FIELD], long_name[300];

	tbuf_sitetext_function("main", field);
	ck_assert_str_eq(field, "main");
	tbuf_sitetext_function("operator std::string", field);
	ck_assert_str_eq(field, "operator_std__string");
	tbuf_sitetext_function("operator,", field);
	ck_assert_str_eq(field, "operator_");
	tbuf_sitetext_function("~operator()", field);
	ck_assert_str_eq(field, "~operator()");
	memset(long_name, 'f', sizeof(long_name));
	long_name[299] = '\0';
	tbuf_sitetext_function(long_name, field);
	ck_assert_uint_eq(strlen(field), 255);
}
END_TEST

/* With a sanitizer or valgrind this finds a step behind the end. */
START_TEST(any_text_is_read_within_its_bounds)
{
	static const char alphabet[] = "aR_0\"'(),.\\ eL<T\xc3";
	const unsigned seed = 20250611;
	struct tbuf_sitetext site;
	char *text;
	int i, j, length;

	srandom(seed);
	for (i = 0; i < 20000; i++) {
		length = (int)(random() % 40);
		text = malloc((size_t)length + 7);
		ck_assert_ptr_nonnull(text);
		strcpy(text, "k, n, ");
		for (j = 6; j < length + 6; j++)
			text[j] = alphabet[(size_t)random() %
			    (sizeof(alphabet) - 1)];
		text[j] = '\0';
		ck_assert_msg(tbuf_sitetext_parse(text,
		    (unsigned)i % (TBUF_NARGS + 1), &site) == 0,
		    "seed %u, text '%s'", seed, text);
		free(text);
	}
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("sitetext");
	TCase *tc = tcase_create("parse");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, two_underscores_become_a_dash_in_the_name_only);
	tcase_add_test(tc, an_argument_is_called_by_its_last_identifier);
	tcase_add_test(tc, numbers_hold_no_identifiers);
	tcase_add_test(tc, literals_hold_no_identifiers_and_no_commas);
	tcase_add_test(tc, raw_strings_end_at_their_delimiter);
	tcase_add_test(tc, commas_in_parentheses_separate_nothing);
	tcase_add_test(tc,
	    commas_in_brackets_and_braces_separate_as_for_the_preprocessor);
	tcase_add_test(tc, bytes_are_called_by_their_pointer);
	tcase_add_test(tc, a_repeated_name_gives_way_to_argN);
	tcase_add_test(tc, no_two_arguments_have_one_name);
	tcase_add_test(tc,
	    all_are_argN_where_the_text_has_another_number_of_arguments);
	tcase_add_test(tc, a_long_argument_name_is_cut_at_63_bytes);
	tcase_add_test(tc, provider_and_name_have_at_most_255_bytes);
	tcase_add_test(tc, nonsense_is_refused);
	tcase_add_test(tc, unfinished_text_ends_where_it_ends);
	tcase_add_test(tc, a_function_is_made_a_field);
	tcase_add_test(tc, any_text_is_read_within_its_bounds);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return (failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
