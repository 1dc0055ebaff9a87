/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tests of the parser of a site's text (target/probe/site_text.c).
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/probe/site_text.h"

/*
 * Returns the argument names found in `text` for `nargs` arguments, joined by
 * blanks.
 */
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

START_TEST(a_plain_path_is_called_by_its_last_member)
{
	ck_assert_str_eq(names("kv, request__start, r->id, path, a.b", 3),
	    "id path b");
	ck_assert_str_eq(names("kv, x, a[i].b, p->q[j + 1][0]->r, this->x", 3),
	    "b r x");
	ck_assert_str_eq(names("kv, x, a[f(\"]\", ')')].b, this, ns::a::d, ::c",
	    4), "b this d c");
	ck_assert_str_eq(names("kv, x, _a1 , $, \xc3\xa9", 3),
	    "_a1 $ \xc3\xa9");
}
END_TEST

START_TEST(casts_and_operators_of_addresses_may_stand_before_a_path)
{
	ck_assert_str_eq(names("kv, x, &a, *b, **c, &*d.e, & f", 5),
	    "a b c e f");
	ck_assert_str_eq(names("kv, x, (int)a, (struct s *)b, (T)c, (T)::d", 4),
	    "a b c d");
	ck_assert_str_eq(names("kv, x, (int)(long)a, (uint64_t)(b), (char *)&c",
	    3), "a b c");
	ck_assert_str_eq(names("kv, x, (const T *)*a, (ns::type_t)&b,"
	    "(unsigned long)p->c, (int (*)[4])d, (void (*)(int, char))e", 6),
	    "arg0 arg1 arg2 arg3 arg4 arg5");
	ck_assert_str_eq(names("kv, x, (const T *)*a, (ns::type_t)&b,"
	    "(unsigned long)p->c, (int (*)[4])d, (void (*)(int, char))e", 5),
	    "a b c d e");
	ck_assert_str_eq(names("kv, x, static_cast<int>(a), (long)"
	    "reinterpret_cast<v<int> *>(&b.c), const_cast<char *>(d)->e", 3),
	    "a c e");
	ck_assert_str_eq(names("kv, x, dynamic_cast<decltype(a > b) *>(c), "
	    "static_cast<T>(d + 1), static_cast<v<v<int>>>(e)", 3), "c arg1 e");
}
END_TEST

START_TEST(parentheses_may_stand_around_a_path)
{
	ck_assert_str_eq(names("kv, x, (a), ((b)), (*c).d, ((T *)e)->f", 4),
	    "a b d f");
	ck_assert_str_eq(names("kv, x, (&a[i])->b, (char)(c), *(d), (e[i])", 4),
	    "b c d arg3");
}
END_TEST

START_TEST(a_compound_expression_has_no_name)
{
	ck_assert_str_eq(names("kv, x, n == 3 ? \"yes\" : \"no\", "
	    "ITEM_key(it), sizeof(x->data), now() - t0", 4),
	    "arg0 arg1 arg2 arg3");
	ck_assert_str_eq(names("kv, x, f(), s.size(), a[i], *p++, -a, !b, ~c, "
	    "++d, e--", 9),
	    "arg0 arg1 arg2 arg3 arg4 arg5 arg6 arg7 arg8");
	ck_assert_str_eq(names("kv, x, a + b, a * b, a & b, (a) * b, (a) & b, "
	    "(f)(b), (a)-b, a = b", 8),
	    "arg0 arg1 arg2 arg3 arg4 arg5 arg6 arg7");
	ck_assert_str_eq(names("kv, x, sizeof x, sizeof *x, (int)sizeof x, "
	    "not a, (a) and b, new T, co_await a", 7),
	    "arg0 arg1 arg2 arg3 arg4 arg5 arg6");
	ck_assert_str_eq(names("kv, x, T(a), T{a}, v<int>, ns::v<int>(1), "
	    "a.*b, a->*b, p->f(), f(a)->b", 8),
	    "arg0 arg1 arg2 arg3 arg4 arg5 arg6 arg7");
	ck_assert_str_eq(names("kv, x, (a + b).c, ((struct s){ 1, y }).z, "
	    "({ a; }), []{ return a; }(), (int)-a, (T)(a) + b, a.f(b)", 7),
	    "arg0 arg1 arg2 arg3 arg4 arg5 arg6");
	ck_assert_str_eq(names("kv, x, __extension__ a, &f(a), *f(a), (a, b), "
	    "a..., (), a.", 7), "arg0 arg1 arg2 arg3 arg4 arg5 arg6");
}
END_TEST

START_TEST(a_literal_has_no_name)
{
	ck_assert_str_eq(names("kv, x, 0x10u, 1e+5f, .5e-3, 0x1p+3L, true, "
	    "false, nullptr, (char *)\"a\"", 8),
	    "arg0 arg1 arg2 arg3 arg4 arg5 arg6 arg7");
	ck_assert_str_eq(names("kv, x, 1'000'000ull, a, 1+b", 3),
	    "arg0 a arg2");
	ck_assert_str_eq(names("kv, x, \"a, b\", 'c', L\"d\", "
	    "u8\"e\\\",f\"", 4), "arg0 arg1 arg2 arg3");
	ck_assert_str_eq(names("kv, x, ',', ')', '\\'', L'(', b", 5),
	    "arg0 arg1 arg2 arg3 b");
	ck_assert_str_eq(names("kv, x, \"a\"s, \"b\"_sv, c", 3),
	    "arg0 arg1 c");
	ck_assert_str_eq(names("kv, x, \"\\\\\", a", 2), "arg0 a");
	ck_assert_str_eq(names("kv, x, PRI\"a\", b", 2), "arg0 b");
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
	ck_assert_str_eq(names("kv, x, f(a, b), ((c, d)), e", 3),
	    "arg0 arg1 e");
	ck_assert_str_eq(names("kv, x, a[(i, j)].b, c", 2), "b c");
}
END_TEST

START_TEST(commas_in_brackets_and_braces_separate_as_for_the_preprocessor)
{
	ck_assert_str_eq(names("kv, x, a[b, c]", 2), "arg0 arg1");
	ck_assert_str_eq(names("kv, x, s{1, y}", 2), "arg0 arg1");
	ck_assert_str_eq(names("kv, x, t<int, z>", 2), "arg0 arg1");
}
END_TEST

START_TEST(bytes_and_texts_are_called_by_their_pointer)
{
	ck_assert_str_eq(names("kv, x, TBUF_BYTES(p, n), n", 2), "p n");
	ck_assert_str_eq(names("kv, x, TBUF_TEXT(p, n), n", 2), "p n");
	ck_assert_str_eq(names("kv, x, TBUF_BYTES ( r->buf, f(a, b) )", 1),
	    "buf");
	ck_assert_str_eq(names("kv, x, TBUF_BYTES((char *)&a.b, n)", 1), "b");
	ck_assert_str_eq(names("kv, x, TBUF_BYTES(f(q, s), n), c", 2),
	    "arg0 c");
	ck_assert_str_eq(names("kv, x, (TBUF_BYTES(p, n))", 1), "p");
	ck_assert_str_eq(names("kv, x, TBUF_TEXT(\"abc\", n), d", 2),
	    "arg0 d");
}
END_TEST

START_TEST(a_name_can_be_given)
{
	ck_assert_str_eq(names("kv, done, TBUF_NAMED(latency, now() - t0)", 1),
	    "latency");
	ck_assert_str_eq(names("kv, x, TBUF_NAMED(body, TBUF_BYTES(p, n)), "
	    "TBUF_NAMED(s, TBUF_TEXT(p, n)), p", 3), "body s p");
	ck_assert_str_eq(names("kv, x, ( TBUF_NAMED ( a , f(b, c) ) )", 1),
	    "a");
	ck_assert_str_eq(names("kv, x, TBUF_BYTES(TBUF_NAMED(a, b), n)", 1),
	    "a");
	/*
	 * An explicit name is used; an equal name that was derived is replaced.
	 */
	ck_assert_str_eq(names("kv, x, r->a, TBUF_NAMED(a, 1), a", 3),
	    "arg0 a arg2");
	ck_assert_str_eq(names("kv, x, TBUF_NAMED(a, 1), TBUF_NAMED(a, 2)", 2),
	    "a arg1");
	ck_assert_str_eq(names("kv, x, TBUF_NAMED(arg1, b), c + 1", 2),
	    "arg0 arg1");
	ck_assert_str_eq(names("kv, x, TBUF_NAMED(1, b), TBUF_NAMED(a), "
	    "TBUF_NAMED(a + b, c), TBUF_NAMED(, c), TBUF_NAMED", 5),
	    "arg0 arg1 arg2 arg3 TBUF_NAMED");
}
END_TEST

START_TEST(deep_parentheses_end)
{
	char text[6 + 2 * 100000 + 2] = "k, n, ";
	unsigned n;

	for (n = 0; n < 100000; n++) {
		text[6 + n] = '(';
		text[6 + 100000 + 1 + n] = ')';
	}
	text[6 + 100000] = 'a';
	ck_assert_str_eq(names(text, 1), "arg0");
	for (n = 0; n < 100000; n++)
		text[6 + n] = "(t)*"[n % 4];
	ck_assert_str_eq(names(text, 1), "arg0");
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
	/* Two names that differ after the truncation only are the same. */
	snprintf(text, sizeof(text), "kv, x, 1, %sb, %sc", expected, expected);
	ck_assert_ptr_nonnull(strstr(names(text, 3), "a arg2"));
	/* A name is not truncated within a character. */
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
	/* The limit applies to the stored bytes. */
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
	ck_assert_str_eq(names("kv, x, f(a, b", 1), "arg0");
	ck_assert_str_eq(names("kv, x, a), b", 2), "arg0 b");
	ck_assert_str_eq(names("kv, x, \"a, b", 1), "arg0");
	ck_assert_str_eq(names("kv, x, \"a\\", 1), "arg0");
	ck_assert_str_eq(names("kv, x, R\"d(a)\", b", 1), "arg0");
	ck_assert_str_eq(names("kv, x, R\"d", 1), "arg0");
	ck_assert_str_eq(names("kv, x, TBUF_BYTES", 1), "TBUF_BYTES");
	ck_assert_str_eq(names("kv, x, TBUF_BYTES(", 1), "arg0");
	ck_assert_str_eq(names("kv, x, 1e", 1), "arg0");
	ck_assert_str_eq(names("kv, x, ", 1), "arg0");
}
END_TEST

/* names of functions as gcc and clang write them, and as fields */
static const char *const functions[][2] = {
	{ "main", "main" },
	{ "int main(int, char**)", "main" },
	{ "static U* ns::C<T>::s(U) [with U = char; T = int]", "ns::C::s" },
	{ "static U *ns::C<int>::s(U) [T = int, U = char]", "ns::C::s" },
	{ "std::function<void (int)> ns::g(const char **)", "ns::g" },
	{ "ns::C<T>::C() [with T = std::pair<int, char>]", "ns::C::C" },
	{ "ns::C<std::pair<int, char>>::~C() [T = int]", "ns::C::~C" },
	{ "void ns::L::v() const && [with T = int]", "ns::L::v" },
	{ "int (* ns::C<T>::ret(int))(char) [with T = int]", "ns::C::ret" },
	{ "int (*ns::C<int>::ret(int) [T = int])(char)", "ns::C::ret" },
	{ "decltype(auto) ns::da()", "ns::da" },
	{ "decltype (a > b) f(A, B) [with A = int]", "f" },
	{ "std::enable_if_t<(N > 3), int> ns::f()", "ns::f" },
	{ "void ns::f(T) [with T = int]::Local::m() const", "ns::f::Local::m" },
	{ "void ns::S::f(int) const::Local::m()", "ns::S::f::Local::m" },
	{ "void {anonymous}::S::f()", "S::f" },
	{ "void (anonymous namespace)::S::f()", "S::f" },
	{ "void ns::{anonymous}::f()", "ns::f" },
	{ "void ns::(anonymous namespace)::f()", "ns::f" },
	{ "void<unnamed struct>::f()", "f" },
	{ "void (anonymous struct)::f()", "f" },
	{ "ns::C<int>::f()::<lambda(auto:1)>::<lambda()>",
	    "ns::C::f::lambda::lambda" },
	{ "auto ns::C<int>::f()::(anonymous class)::operator()(int)::"
	    "(anonymous class)::operator()() const [T = int]",
	    "ns::C::f::lambda::lambda" },
	{ "auto f()::(lambda at a.cc:1:2)::operator()(int) const",
	    "f::lambda" },
	{ "<lambda(int)>", "lambda" },
	{ "void ns::C<T>::operator()(int) [with T = int]",
	    "ns::C::operator()" },
	{ "bool ns::operator<(const A&, const A&)", "ns::operator<" },
	{ "A& ns::operator<<(A&, int)", "ns::operator<<" },
	{ "A *A::operator->()", "A::operator->" },
	{ "int A::operator[](int)", "A::operator[]" },
	{ "void A::operator,(int)", "A::operator_" },
	{ "A::operator bool() const", "A::operator_bool" },
	{ "A::operator std::vector<int>() const", "A::operator_std::vector" },
	{ "static void *A::operator new[](size_t)", "A::operator_new[]" },
	{ "int ns::operator\"\"_x(unsigned long long)",
	    "ns::operator\"\"_x" },
	{ "__vector(4) int f(int)", "f" },
	{ "void ns\xc3\xa9::f()", "ns\xc3\xa9::f" },
	{ "", "unknown" }, { "(", "unknown" }, { "a::", "a" },
	{ "f(", "f" }, { "operator", "operator" }, { "a:b", "b" }
};

START_TEST(a_function_is_called_by_its_qualified_name)
{
	char field[TBUF_SITETEXT_FIELD];

	tbuf_sitetext_function(functions[_i][0], field);
	ck_assert_str_eq(field, functions[_i][1]);
}
END_TEST

START_TEST(a_function_has_at_most_255_bytes)
{
	char field[TBUF_SITETEXT_FIELD], long_name[600];

	memset(long_name, 'f', sizeof(long_name));
	long_name[299] = '\0';
	tbuf_sitetext_function(long_name, field);
	ck_assert_uint_eq(strlen(field), 255);
	/*
	 * A name is not truncated within a character or between colons, and the
	 * rest is dropped.
	 */
	memcpy(long_name + 254, "\xc3\xa9()", 5);
	tbuf_sitetext_function(long_name, field);
	ck_assert_uint_eq(strlen(field), 254);
	memcpy(long_name + 254, "::g()", 6);
	tbuf_sitetext_function(long_name, field);
	ck_assert_uint_eq(strlen(field), 254);
	/* The part that is too long may be the result's type. */
	memcpy(long_name + 298, " a::b()", 8);
	memset(long_name, 'f', 298);
	tbuf_sitetext_function(long_name, field);
	ck_assert_str_eq(field, "a::b");
}
END_TEST

/* texts around a path: of those in `compound`, the result is no path */
struct frame {
	const char *before;
	const char *behind;
};

static const struct frame plain[] = {
	{ "(", ")" }, { "&", "" }, { "*", "" }, { "(int)(", ")" },
	{ "(struct s)(", ")" }, { "(const T *)", "" },
	{ "static_cast<v<int>>(", ")" }, { " ", " " }, { "(t_t)*", "" },
	{ "(", ")[i].last" }, { "(*", ").last" }, { "((T *)", ")->last" },
	{ "TBUF_NAMED(last, ", ")" }, { "(", ")[f(a, ']')][\"]\"]->last" }
}, compound[] = {
	{ "", " + 1" }, { "-", "" }, { "!", "" }, { "f(", ")" }, { "", "()" },
	{ "", "[0]" }, { "", "++" }, { "", " ? 1 : 2" }, { "sizeof(", ")" },
	{ "sizeof ", "" }, { "n * ", "" }, { "(n) & ", "" }, { "(n)(", ")" },
	{ "T{", "}" }, { "(0, ", ")" }, { "", ".f()" }, { "\"\" ", "" }
};

static void
surround(char *text, size_t size, const struct frame *frame)
{
	char *copy = strdup(text);

	ck_assert_ptr_nonnull(copy);
	snprintf(text, size, "%s%s%s", frame->before, copy, frame->behind);
	free(copy);
}

/*
 * Tests random paths with the name `last`, then expressions that are not paths.
 */
START_TEST(a_path_has_a_name_whatever_is_around_it_and_nothing_else_has)
{
	const unsigned seed = 20261121;
	char text[1024];
	const struct frame *frame;
	int i;
	long n;

	srandom(seed);
	for (i = 0; i < 20000; i++) {
		strcpy(text, random() % 2 ? "last" : "a[i].b->last");
		for (n = random() % 8; n > 0; n--)
			surround(text, sizeof(text), &plain[(size_t)random() %
			    (sizeof(plain) / sizeof(plain[0]))]);
		surround(text, sizeof(text), &(struct frame){ "k, n, ", "" });
		ck_assert_msg(strcmp(names(text, 1), "last") == 0,
		    "seed %u, text '%s': %s", seed, text, names(text, 1));
		frame = &compound[(size_t)random() %
		    (sizeof(compound) / sizeof(compound[0]))];
		memmove(text, text + 6, strlen(text + 6) + 1);
		surround(text, sizeof(text), frame);
		surround(text, sizeof(text), &(struct frame){ "k, n, ", "" });
		ck_assert_msg(strcmp(names(text, 1), "arg0") == 0,
		    "seed %u, text '%s': %s", seed, text, names(text, 1));
	}
}
END_TEST

/* With a sanitizer or valgrind this finds a read beyond the end. */
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
	tcase_add_test(tc, a_plain_path_is_called_by_its_last_member);
	tcase_add_test(tc,
	    casts_and_operators_of_addresses_may_stand_before_a_path);
	tcase_add_test(tc, parentheses_may_stand_around_a_path);
	tcase_add_test(tc, a_compound_expression_has_no_name);
	tcase_add_test(tc, a_literal_has_no_name);
	tcase_add_test(tc, raw_strings_end_at_their_delimiter);
	tcase_add_test(tc, commas_in_parentheses_separate_nothing);
	tcase_add_test(tc,
	    commas_in_brackets_and_braces_separate_as_for_the_preprocessor);
	tcase_add_test(tc, bytes_and_texts_are_called_by_their_pointer);
	tcase_add_test(tc, a_name_can_be_given);
	tcase_add_test(tc, deep_parentheses_end);
	tcase_add_test(tc, a_repeated_name_gives_way_to_argN);
	tcase_add_test(tc, no_two_arguments_have_one_name);
	tcase_add_test(tc,
	    all_are_argN_where_the_text_has_another_number_of_arguments);
	tcase_add_test(tc, a_long_argument_name_is_cut_at_63_bytes);
	tcase_add_test(tc, provider_and_name_have_at_most_255_bytes);
	tcase_add_test(tc, nonsense_is_refused);
	tcase_add_test(tc, unfinished_text_ends_where_it_ends);
	tcase_add_loop_test(tc, a_function_is_called_by_its_qualified_name, 0,
	    (int)(sizeof(functions) / sizeof(functions[0])));
	tcase_add_test(tc, a_function_has_at_most_255_bytes);
	tcase_add_test(tc,
	    a_path_has_a_name_whatever_is_around_it_and_nothing_else_has);
	tcase_add_test(tc, any_text_is_read_within_its_bounds);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return (failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}
