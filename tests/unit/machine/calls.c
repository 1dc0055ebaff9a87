/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The machine's strings and subroutines.  Strings have at most 32 characters
 * here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fixture.h"

/* A string of 32 characters, and a longer one. */
#define FULL	"abcdefghijklmnopqrstuvwxyz012345"
#define LONG	FULL "6789"

static struct fixture f;

static void
setup(void)
{
	fixture_begin(&f);
}

static void
teardown(void)
{
	fixture_end(&f);
}

#define IS_TEXT(want, ...)						\
	ck_assert_pstr_eq(text_of(&f, __VA_ARGS__), want)
#define IS_NUMBER(want, ...)						\
	ck_assert_int_eq((int64_t)call_with(&f, __VA_ARGS__), want)
#define IS_FAULT(fault, address, ...)					\
	call_faults(&f, fault, address, __VA_ARGS__)

#define N(n)	((int64_t)(n))

START_TEST(lengths_and_copies)
{
	IS_NUMBER(0, TBUF_SUB_STRLEN, "s", "");
	IS_NUMBER(3, TBUF_SUB_STRLEN, "s", "abc");
	IS_NUMBER(32, TBUF_SUB_STRLEN, "s", FULL);
	IS_NUMBER(32, TBUF_SUB_STRLEN, "s", LONG);
	IS_TEXT("", TBUF_SUB_TEXT, "s", "");
	IS_TEXT(FULL, TBUF_SUB_TEXT, "s", LONG);
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_STRLEN, "s", NULL);
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_TEXT, "s", NULL);
	IS_FAULT(TBUF_FAULT_ADDRESS, 0x1000, TBUF_SUB_STRLEN, "n", N(0x1000));
}
END_TEST

START_TEST(strjoin_cuts_at_strsize)
{
	IS_TEXT("", TBUF_SUB_STRJOIN, "ss", "", "");
	IS_TEXT("ab", TBUF_SUB_STRJOIN, "ss", "a", "b");
	IS_TEXT("a", TBUF_SUB_STRJOIN, "ss", "a", "");
	IS_TEXT(FULL, TBUF_SUB_STRJOIN, "ss", LONG, "x");
	IS_TEXT(FULL, TBUF_SUB_STRJOIN, "ss", "abcdefghijklmnopqrstuvwxyz",
	    "0123456789");
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_STRJOIN, "ss", "a", NULL);
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_STRJOIN, "ss", NULL, "a");
}
END_TEST

START_TEST(characters_are_found)
{
	IS_TEXT("bcb", TBUF_SUB_STRCHR, "sn", "abcb", N('b'));
	IS_TEXT("b", TBUF_SUB_STRRCHR, "sn", "abcb", N('b'));
	IS_TEXT(NULL, TBUF_SUB_STRCHR, "sn", "abcb", N('x'));
	IS_TEXT(NULL, TBUF_SUB_STRRCHR, "sn", "abcb", N('x'));
	IS_TEXT(NULL, TBUF_SUB_STRCHR, "sn", "", N('x'));
	IS_TEXT(NULL, TBUF_SUB_STRRCHR, "sn", "", N('x'));
	IS_TEXT("", TBUF_SUB_STRCHR, "sn", "abcb", N(0));
	IS_TEXT("", TBUF_SUB_STRRCHR, "sn", "abcb", N(0));
	IS_TEXT("abcb", TBUF_SUB_STRCHR, "sn", "abcb", N(0x100 + 'a'));
	IS_TEXT("5", TBUF_SUB_STRRCHR, "sn", LONG, N('5'));
	IS_TEXT(NULL, TBUF_SUB_STRCHR, "sn", LONG, N('6'));
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_STRCHR, "sn", NULL, N('a'));
}
END_TEST

START_TEST(texts_are_found_in_texts)
{
	IS_TEXT("bcd", TBUF_SUB_STRSTR, "ss", "abcd", "bc");
	IS_TEXT("abcd", TBUF_SUB_STRSTR, "ss", "abcd", "");
	IS_TEXT("", TBUF_SUB_STRSTR, "ss", "", "");
	IS_TEXT(NULL, TBUF_SUB_STRSTR, "ss", "abcd", "bd");
	IS_TEXT(NULL, TBUF_SUB_STRSTR, "ss", "abcd", "abcde");
	IS_TEXT("aab", TBUF_SUB_STRSTR, "ss", "aaaab", "aab");
	IS_NUMBER(1, TBUF_SUB_INDEX, "ss", "abcbc", "bc");
	IS_NUMBER(3, TBUF_SUB_RINDEX, "ss", "abcbc", "bc");
	IS_NUMBER(-1, TBUF_SUB_INDEX, "ss", "abcbc", "x");
	IS_NUMBER(-1, TBUF_SUB_RINDEX, "ss", "abcbc", "x");
	IS_NUMBER(3, TBUF_SUB_INDEX, "ssn", "abcbc", "bc", N(2));
	IS_NUMBER(1, TBUF_SUB_INDEX, "ssn", "abcbc", "bc", N(-9));
	IS_NUMBER(-1, TBUF_SUB_INDEX, "ssn", "abcbc", "bc", N(4));
	IS_NUMBER(-1, TBUF_SUB_INDEX, "ssn", "abcbc", "bc", INT64_MAX);
	IS_NUMBER(1, TBUF_SUB_INDEX, "ssn", "abcbc", "bc", INT64_MIN);
	IS_NUMBER(1, TBUF_SUB_RINDEX, "ssn", "abcbc", "bc", N(2));
	IS_NUMBER(3, TBUF_SUB_RINDEX, "ssn", "abcbc", "bc", N(99));
	IS_NUMBER(3, TBUF_SUB_RINDEX, "ssn", "abcbc", "bc", INT64_MAX);
	IS_NUMBER(-1, TBUF_SUB_RINDEX, "ssn", "abcbc", "a", N(-1));
	IS_NUMBER(0, TBUF_SUB_RINDEX, "ssn", "abcbc", "a", N(0));
	/* The empty string is found everywhere. */
	IS_NUMBER(0, TBUF_SUB_INDEX, "ss", "abc", "");
	IS_NUMBER(3, TBUF_SUB_RINDEX, "ss", "abc", "");
	IS_NUMBER(3, TBUF_SUB_INDEX, "ssn", "abc", "", N(99));
	IS_NUMBER(2, TBUF_SUB_INDEX, "ssn", "abc", "", N(2));
	IS_NUMBER(0, TBUF_SUB_INDEX, "ssn", "abc", "", N(-1));
	IS_NUMBER(0, TBUF_SUB_RINDEX, "ssn", "abc", "", N(-1));
	IS_NUMBER(3, TBUF_SUB_RINDEX, "ssn", "abc", "", N(99));
	IS_NUMBER(0, TBUF_SUB_INDEX, "ssn", "", "", N(5));
	IS_NUMBER(0, TBUF_SUB_RINDEX, "ssn", "", "", N(-5));
}
END_TEST

START_TEST(substr_is_perls)
{
	IS_TEXT("cde", TBUF_SUB_SUBSTR, "sn", "abcde", N(2));
	IS_TEXT("", TBUF_SUB_SUBSTR, "sn", "abcde", N(5));
	IS_TEXT("", TBUF_SUB_SUBSTR, "sn", "abcde", N(6));
	IS_TEXT("de", TBUF_SUB_SUBSTR, "sn", "abcde", N(-2));
	IS_TEXT("abcde", TBUF_SUB_SUBSTR, "sn", "abcde", N(-9));
	IS_TEXT("cd", TBUF_SUB_SUBSTR, "snn", "abcde", N(2), N(2));
	IS_TEXT("cde", TBUF_SUB_SUBSTR, "snn", "abcde", N(2), N(99));
	IS_TEXT("", TBUF_SUB_SUBSTR, "snn", "abcde", N(2), N(0));
	IS_TEXT("cd", TBUF_SUB_SUBSTR, "snn", "abcde", N(2), N(-1));
	IS_TEXT("", TBUF_SUB_SUBSTR, "snn", "abcde", N(2), N(-3));
	IS_TEXT("", TBUF_SUB_SUBSTR, "snn", "abcde", N(2), N(-9));
	IS_TEXT("d", TBUF_SUB_SUBSTR, "snn", "abcde", N(-2), N(1));
	IS_TEXT("d", TBUF_SUB_SUBSTR, "snn", "abcde", N(-2), N(-1));
	IS_TEXT("ab", TBUF_SUB_SUBSTR, "snn", "abcde", N(-7), N(4));
	IS_TEXT("", TBUF_SUB_SUBSTR, "snn", "abcde", N(-7), N(2));
	IS_TEXT("", TBUF_SUB_SUBSTR, "snn", "abcde", INT64_MIN, INT64_MIN);
	IS_TEXT("", TBUF_SUB_SUBSTR, "snn", "abcde", INT64_MAX, INT64_MAX);
	IS_TEXT("bcde", TBUF_SUB_SUBSTR, "snn", "abcde", N(1), INT64_MAX);
	IS_TEXT("abcde", TBUF_SUB_SUBSTR, "snn", "abcde", N(-99), INT64_MAX);
	IS_TEXT("", TBUF_SUB_SUBSTR, "sn", "", N(0));
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_SUBSTR, "sn", NULL, N(0));
}
END_TEST

START_TEST(strtok_goes_on)
{
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_STRTOK, "ss", NULL, ",");
	IS_TEXT("a", TBUF_SUB_STRTOK, "ss", ",;a,b;;c,", ",;");
	IS_TEXT("b", TBUF_SUB_STRTOK, "ss", NULL, ",;");
	IS_TEXT(";;c", TBUF_SUB_STRTOK, "ss", NULL, ",");
	IS_TEXT(",", TBUF_SUB_STRTOK, "ss", NULL, "x");
	IS_TEXT(NULL, TBUF_SUB_STRTOK, "ss", NULL, ",");
	IS_TEXT(NULL, TBUF_SUB_STRTOK, "ss", "", ",");
	IS_TEXT(NULL, TBUF_SUB_STRTOK, "ss", ",,", ",");
	IS_TEXT("a,b", TBUF_SUB_STRTOK, "ss", "a,b", "");
	IS_TEXT(FULL, TBUF_SUB_STRTOK, "ss", LONG, ",");
	IS_TEXT(NULL, TBUF_SUB_STRTOK, "ss", NULL, ",");
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_STRTOK, "ss", "a", NULL);
	f.m.token.room = 3;
	IS_FAULT(TBUF_FAULT_SCRATCH, 0, TBUF_SUB_STRTOK, "ss", "abcd", ",");
}
END_TEST

START_TEST(letters_change_case)
{
	IS_TEXT("@AZ[`AZ{09\xe4", TBUF_SUB_TOUPPER, "s",
	    "@AZ[`az{09\xe4");
	IS_TEXT("@az[`az{09\xc4", TBUF_SUB_TOLOWER, "s",
	    "@AZ[`az{09\xc4");
	IS_TEXT("", TBUF_SUB_TOLOWER, "s", "");
}
END_TEST

START_TEST(values_of_json)
{
	IS_TEXT("5", TBUF_SUB_JSON, "ss", "{\"a\":[1,{\"b\":5}]}", "a[1].b");
	IS_TEXT("{\"b\":5}", TBUF_SUB_JSON, "ss", "[{\"b\":5}]", "0");
	IS_TEXT("\\\"\\u00e4", TBUF_SUB_JSON, "ss", "[\"\\\"\\u00e4\"]", "0");
	IS_TEXT(NULL, TBUF_SUB_JSON, "ss", "[\"\\u00", "0");
	IS_TEXT(NULL, TBUF_SUB_JSON, "ss", "[\"\\", "0");
	IS_TEXT(NULL, TBUF_SUB_JSON, "ss", "{\"a\"", "a");
	IS_TEXT(NULL, TBUF_SUB_JSON, "ss", "", "");
	/* The text is cut after 32 characters. */
	IS_TEXT("34", TBUF_SUB_JSON, "ss",
	    "[\"aaaaaaaaaaaaaaaaaaaaaaaaa\",34]", "1");
	IS_TEXT(NULL, TBUF_SUB_JSON, "ss",
	    "[\"aaaaaaaaaaaaaaaaaaaaaaaaaa\",34]", "1");
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_JSON, "ss", NULL, "a");
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_JSON, "ss", "[1]", NULL);
}
END_TEST

/* Any bytes are read within the text, and each text ends. */
START_TEST(json_of_any_bytes)
{
	static const char letters[] = "{}[]\",:\\u0atrue-.e ";
	const char *set = getenv("SEED");
	unsigned seed = set != NULL ? (unsigned)strtoul(set, NULL, 0) :
	    (unsigned)time(NULL), i, n;
	char text[32], path[8];

	fprintf(stderr, "SEED=%u\n", seed);
	for (i = 0; i < 20000; i++) {
		memset(text, 0, sizeof(text));
		memset(path, 0, sizeof(path));
		for (n = 0; n < (unsigned)rand_r(&seed) % sizeof(text); n++)
			text[n] = letters[(unsigned)rand_r(&seed) %
			    (sizeof(letters) - 1)];
		for (n = 0; n < (unsigned)rand_r(&seed) % sizeof(path); n++)
			path[n] = "a.0[]u"[rand_r(&seed) % 6];
		(void)text_of(&f, TBUF_SUB_JSON, "ss", text, path);
	}
}
END_TEST

START_TEST(numbers_from_texts)
{
	IS_NUMBER(0, TBUF_SUB_STRTOLL, "s", "");
	IS_NUMBER(-12, TBUF_SUB_STRTOLL, "s", " \t\n-12x");
	IS_NUMBER(12, TBUF_SUB_STRTOLL, "s", "+12");
	IS_NUMBER(0, TBUF_SUB_STRTOLL, "s", "-+1");
	IS_NUMBER(0, TBUF_SUB_STRTOLL, "s", "0x1f");
	IS_NUMBER(31, TBUF_SUB_STRTOLL, "sn", "0x1f", N(16));
	IS_NUMBER(31, TBUF_SUB_STRTOLL, "sn", "0X1Fg", N(16));
	IS_NUMBER(-31, TBUF_SUB_STRTOLL, "sn", "-1f", N(16));
	IS_NUMBER(0, TBUF_SUB_STRTOLL, "sn", "0xg", N(16));
	IS_NUMBER(15, TBUF_SUB_STRTOLL, "sn", "017", N(8));
	IS_NUMBER(5, TBUF_SUB_STRTOLL, "sn", "1012", N(2));
	IS_NUMBER(35 * 36 + 35, TBUF_SUB_STRTOLL, "sn", "zZ{", N(36));
	IS_NUMBER(INT64_MAX, TBUF_SUB_STRTOLL, "s", "9223372036854775807");
	IS_NUMBER(INT64_MIN, TBUF_SUB_STRTOLL, "s", "9223372036854775808");
	IS_NUMBER(1, TBUF_SUB_STRTOLL, "s", "18446744073709551617");
	IS_FAULT(TBUF_FAULT_ILLEGAL, 0, TBUF_SUB_STRTOLL, "sn", "1", N(1));
	IS_FAULT(TBUF_FAULT_ILLEGAL, 0, TBUF_SUB_STRTOLL, "sn", "1", N(37));
	IS_FAULT(TBUF_FAULT_ILLEGAL, 0, TBUF_SUB_STRTOLL, "sn", "1", N(-10));
}
END_TEST

START_TEST(texts_of_numbers)
{
	IS_TEXT("0", TBUF_SUB_LLTOSTR, "n", N(0));
	IS_TEXT("-1", TBUF_SUB_LLTOSTR, "n", N(-1));
	IS_TEXT("9223372036854775807", TBUF_SUB_LLTOSTR, "n", INT64_MAX);
	IS_TEXT("-9223372036854775808", TBUF_SUB_LLTOSTR, "n", INT64_MIN);
	IS_TEXT("0x1f", TBUF_SUB_LLTOSTR, "nn", N(31), N(16));
	IS_TEXT("0x0", TBUF_SUB_LLTOSTR, "nn", N(0), N(16));
	IS_TEXT("0xffffffffffffffff", TBUF_SUB_LLTOSTR, "nn", N(-1), N(16));
	IS_TEXT("037", TBUF_SUB_LLTOSTR, "nn", N(31), N(8));
	IS_TEXT("0", TBUF_SUB_LLTOSTR, "nn", N(0), N(2));
	IS_TEXT("3w5e11264sgsf", TBUF_SUB_LLTOSTR, "nn", N(-1), N(36));
	f.m.strsize = 64;
	IS_TEXT("1111111111111111111111111111111111111111111111111111111111111"
	    "111", TBUF_SUB_LLTOSTR, "nn", N(-1), N(2));
	f.m.strsize = 3;
	IS_TEXT("-12", TBUF_SUB_LLTOSTR, "n", N(-1234));
	IS_FAULT(TBUF_FAULT_ILLEGAL, 0, TBUF_SUB_LLTOSTR, "nn", N(1), N(0));
	IS_FAULT(TBUF_FAULT_ILLEGAL, 0, TBUF_SUB_LLTOSTR, "nn", N(1), N(37));
}
END_TEST

START_TEST(paths)
{
	static const char *const table[][4] = {
		/* path, basename, dirname, cleanpath */
		{ "", ".", ".", "" },
		{ "/", "/", "/", "/" },
		{ "///", "/", "/", "/" },
		{ ".", ".", ".", "." },
		{ "..", "..", ".", ".." },
		{ "a", "a", ".", "a" },
		{ "a/", "a", ".", "a" },
		{ "/a", "a", "/", "/a" },
		{ "/a/", "a", "/", "/a" },
		{ "//a//", "a", "/", "/a" },
		{ "a/b", "b", "a", "a/b" },
		{ "a//b//", "b", "a", "a/b" },
		{ "/a/b/c", "c", "/a/b", "/a/b/c" },
		{ "a/..", "..", "a", "." },
		{ "/a/..", "..", "/a", "/" },
		{ "/..", "..", "/", "/" },
		{ "/../a", "a", "/..", "/a" },
		{ "../a", "a", "..", "../a" },
		{ "../../a/..", "..", "../../a", "../.." },
		{ "a/../../b", "b", "a/../..", "../b" },
		{ "a/./b/.//../c", "c", "a/./b/.//..", "a/c" },
		{ "/a/b/../../c/.", ".", "/a/b/../../c", "/c" },
		{ "...", "...", ".", "..." },
		{ "a/.../b", "b", "a/...", "a/.../b" },
		{ ".a/..b/c..", "c..", ".a/..b", ".a/..b/c.." },
		{ "./", ".", ".", "." },
	};
	unsigned i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		IS_TEXT(table[i][1], TBUF_SUB_BASENAME, "s", table[i][0]);
		IS_TEXT(table[i][2], TBUF_SUB_DIRNAME, "s", table[i][0]);
		IS_TEXT(table[i][3], TBUF_SUB_CLEANPATH, "s", table[i][0]);
	}
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_BASENAME, "s", NULL);
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_CLEANPATH, "s", NULL);
}
END_TEST

/* Returns the text of an address of some bytes, which are put into scratch. */
static const char *
net(unsigned subroutine, const char *hex, unsigned first, unsigned count)
{
	unsigned i, byte, size = (unsigned)strlen(hex) / 2;

	fixture_clear(&f);
	f.m.scratch.used = 0;
	number(&f, 2, size);
	op(&f, TBUF_OP_CALL, 4, 2, 1, TBUF_SUB_ALLOCA);
	for (i = 0; i < size; i++) {
		ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
		number(&f, 3, byte);
		op(&f, TBUF_OP_ST1, 3, 4, 0, i);
	}
	number(&f, 3, first);
	number(&f, 5, first);
	op(&f, TBUF_OP_CALL, 1, count == 3 ? 4 : subroutine ==
	    TBUF_SUB_INET_NTOP || subroutine == TBUF_SUB_LINK_NTOP ? 3 : 4,
	    count == 3 ? 2 : count, subroutine);
	return (text_at(&f, returns(&f, 1)));
}

START_TEST(addresses_of_networks)
{
	static const char *const table[][4] = {
		/* bytes, inet_ntoa6, strictly, inet_ntop */
		{ "fe8000000000000002144ffffe0b76c8",
		    "fe80::214:4fff:fe0b:76c8", NULL, NULL },
		{ "108000000000000000000808000c417a",
		    "1080::808:c:417a", NULL, NULL },
		{ "00000000000000000000000000000001", "::1", NULL, NULL },
		{ "00000000000000000000000000000000", "::", NULL, NULL },
		{ "0000000000000000000000007f000001", "127.0.0.1",
		    "::127.0.0.1", "::127.0.0.1" },
		{ "00000000000000000000ffff7f000001", "127.0.0.1",
		    "::127.0.0.1", "::ffff:127.0.0.1" },
		{ "00000000000000000000fffe7f000001", "::fffe:7f00:1", NULL,
		    NULL },
		{ "fe123456789abcde0214000000000000",
		    "fe12:3456:789a:bcde:214::", NULL, NULL },
		{ "fe123456789abcde02144fff00000000",
		    "fe12:3456:789a:bcde:214:4fff::", NULL, NULL },
		{ "fe123456789abcde02144ffffe0b0000",
		    "fe12:3456:789a:bcde:214:4fff:fe0b:0", NULL, NULL },
		{ "00010000000000020000000000000003", "1:0:0:2::3", NULL,
		    NULL },
		{ "00010000000000020003000000000004", "1::2:3:0:0:4", NULL,
		    NULL },
		{ "ffffffffffffffffffffffffffffffff",
		    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL, NULL },
	};
	unsigned i;

	f.m.strsize = 64;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const char *const *row = table[i];

		ck_assert_str_eq(net(TBUF_SUB_INET_NTOA6, row[0], 0, 1),
		    row[1]);
		ck_assert_str_eq(net(TBUF_SUB_INET_NTOA6, row[0], 0, 2),
		    row[1]);
		ck_assert_str_eq(net(TBUF_SUB_INET_NTOA6, row[0], 1, 2),
		    row[2] == NULL ? row[1] : row[2]);
		ck_assert_str_eq(net(TBUF_SUB_INET_NTOP, row[0], 10, 2),
		    row[3] == NULL ? row[1] : row[3]);
	}
	ck_assert_str_eq(net(TBUF_SUB_INET_NTOA, "c0a80117", 0, 1),
	    "192.168.1.23");
	ck_assert_str_eq(net(TBUF_SUB_INET_NTOP, "ffffff00", 2, 2),
	    "255.255.255.0");
	ck_assert_str_eq(net(TBUF_SUB_LINK_NTOP, "0a1b2c3d4eff", 1, 2),
	    "0a:1b:2c:3d:4e:ff");
	ck_assert_str_eq(net(TBUF_SUB_LINK_NTOP,
	    "000102030405060708090a0b0c0d0e0f10111213", 32, 2),
	    "00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f:10:11:12:13");
	IS_FAULT(TBUF_FAULT_ILLEGAL, 0, TBUF_SUB_INET_NTOP, "nn", N(1),
	    N(0x1000));
	IS_FAULT(TBUF_FAULT_ILLEGAL, 0, TBUF_SUB_LINK_NTOP, "nn", N(2),
	    N(0x1000));
	IS_FAULT(TBUF_FAULT_ADDRESS, 1, TBUF_SUB_INET_NTOA, "n", N(1));
	/* The address may be in the program's memory, where "prog" is. */
	IS_TEXT("112.114.111.103", TBUF_SUB_INET_NTOA, "n", N(0x1000));
}
END_TEST

START_TEST(bytes_in_the_order_of_networks)
{
	IS_NUMBER(0x3412, TBUF_SUB_HTONS, "n", N(0xff1234));
	IS_NUMBER(0x78563412, TBUF_SUB_HTONL, "n", N(0xff12345678));
	IS_NUMBER(N(0xefcdab8967452301), TBUF_SUB_HTONLL, "n",
	    N(0x0123456789abcdef));
	IS_NUMBER(0x801, TBUF_SUB_GETMAJOR, "n", N(0x80100005));
	IS_NUMBER(5, TBUF_SUB_GETMINOR, "n", N(0x80100005));
}
END_TEST

static uint64_t
scratch(uint32_t offset)
{
	return (tbuf_address(TBUF_OBJECT_SCRATCH, 0, offset));
}

START_TEST(alloca_counts_bytes)
{
	ck_assert_uint_eq(call(&f, TBUF_SUB_ALLOCA, 1, UINT64_C(3)),
	    scratch(0));
	ck_assert_uint_eq(call(&f, TBUF_SUB_ALLOCA, 1, UINT64_C(1)),
	    scratch(8));
	/* alloca(0) returns an address, too. */
	ck_assert_uint_eq(call(&f, TBUF_SUB_ALLOCA, 1, UINT64_C(0)),
	    scratch(16));
	ck_assert_uint_eq(f.m.scratch.used, 9);
	IS_FAULT(TBUF_FAULT_SCRATCH, 0, TBUF_SUB_ALLOCA, "n", N(49));
	ck_assert_uint_eq(call(&f, TBUF_SUB_ALLOCA, 1, UINT64_C(48)),
	    scratch(16));
	IS_FAULT(TBUF_FAULT_SCRATCH, 0, TBUF_SUB_ALLOCA, "n", N(1));
	IS_FAULT(TBUF_FAULT_SCRATCH, 0, TBUF_SUB_ALLOCA, "n", N(-1));
	call(&f, TBUF_SUB_ALLOCA, 1, UINT64_C(0));
}
END_TEST

START_TEST(copies_stay_in_their_objects)
{
	uint64_t to = scratch(0), own = tbuf_address(TBUF_OBJECT_GLOBAL, 3, 0);

	call(&f, TBUF_SUB_ALLOCA, 1, UINT64_C(12));
	call_with(&f, TBUF_SUB_BCOPY, "snn", "hello", to, N(6));
	ck_assert_str_eq((char *)f.m.scratch.bytes, "hello");
	call(&f, TBUF_SUB_BCOPY, 3, to, to + 1, UINT64_C(5));
	ck_assert_str_eq((char *)f.m.scratch.bytes, "hhello");
	call(&f, TBUF_SUB_BCOPY, 3, to + 1, to, UINT64_C(6));
	ck_assert_str_eq((char *)f.m.scratch.bytes, "hello");
	call(&f, TBUF_SUB_BCOPY, 3, to, own + 4, UINT64_C(12));
	ck_assert_mem_eq(f.array + 4, "hello\0", 6);
	call(&f, TBUF_SUB_COPYINTO, 3, UINT64_C(0x1000), UINT64_C(7), to);
	ck_assert_mem_eq(f.m.scratch.bytes, "program", 7);
	/* Ranges end within the object; the target must be writable. */
	IS_FAULT(TBUF_FAULT_SIZE, 13, TBUF_SUB_BCOPY, "nnn", own, to, N(13));
	IS_FAULT(TBUF_FAULT_SIZE, 12, TBUF_SUB_BCOPY, "nnn", own + 5, to,
	    N(12));
	IS_FAULT(TBUF_FAULT_ADDRESS, to - 1, TBUF_SUB_BCOPY, "nnn", own,
	    to - 1, N(1));
	IS_FAULT(TBUF_FAULT_ADDRESS, to + 12, TBUF_SUB_BCOPY, "nnn", own,
	    to + 12, N(1));
	IS_FAULT(TBUF_FAULT_ADDRESS, 0x1000, TBUF_SUB_BCOPY, "nnn", own,
	    N(0x1000), N(1));
	IS_FAULT(TBUF_FAULT_ADDRESS,
	    tbuf_address(TBUF_OBJECT_CONSTANT, 0, 0), TBUF_SUB_BCOPY, "nnns",
	    own, tbuf_address(TBUF_OBJECT_CONSTANT, 0, 0), N(1), "constant");
	IS_FAULT(TBUF_FAULT_ADDRESS, 0x10f8, TBUF_SUB_COPYINTO, "nnn",
	    N(0x10f8), N(9), to);
	IS_FAULT(TBUF_FAULT_SIZE, -1, TBUF_SUB_COPYINTO, "nnn", N(0x1000),
	    N(-1), to);
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_BCOPY, "nnn", own, N(0),
	    N(1));
}
END_TEST

START_TEST(memory_is_brought_and_taken)
{
	uint64_t at;

	at = call(&f, TBUF_SUB_COPYIN, 2, UINT64_C(0x1000), UINT64_C(8));
	ck_assert_uint_eq(at, scratch(0));
	ck_assert_mem_eq(f.m.scratch.bytes, "program'", 8);
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_COPYIN, "nn", N(0), N(8));
	ck_assert_uint_eq(f.m.scratch.used, 8);
	IS_FAULT(TBUF_FAULT_SCRATCH, 0, TBUF_SUB_COPYIN, "nn", N(0x1000),
	    N(57));
	IS_TEXT("program's own", TBUF_SUB_COPYINSTR, "n", N(0x1000));
	IS_TEXT("own", TBUF_SUB_COPYINSTR, "n", N(0x100a));
	IS_TEXT("prog", TBUF_SUB_COPYINSTR, "nn", N(0x1000), N(5));
	IS_FAULT(TBUF_FAULT_ADDRESS, 0x1000, TBUF_SUB_COPYINSTR, "nn",
	    N(0x1000), N(0));
	IS_TEXT("", TBUF_SUB_COPYINSTR, "nn", N(0x1000), N(1));
	IS_TEXT("program's own", TBUF_SUB_COPYINSTR, "nn", N(0x1000), N(-1));
	IS_TEXT("abc", TBUF_SUB_COPYINSTR, "s", "abc");
	IS_TEXT("ab", TBUF_SUB_COPYINSTR, "sn", "abc", N(3));
	IS_FAULT(TBUF_FAULT_ADDRESS, 0x1100, TBUF_SUB_COPYINSTR, "n",
	    N(0x1100));
	IS_FAULT(TBUF_FAULT_ADDRESS, 0, TBUF_SUB_COPYINSTR, "s", NULL);
	call_with(&f, TBUF_SUB_COPYOUT, "snn", "abc", N(0x77), N(2));
	ck_assert_str_eq(f.log, "out(77) 6162");
	call_with(&f, TBUF_SUB_COPYOUTSTR, "snn", "abc", N(0x77), N(99));
	ck_assert_str_eq(f.log, "out(77) 61626300");
	call_with(&f, TBUF_SUB_COPYOUTSTR, "snn", "abc", N(0x77), N(2));
	ck_assert_str_eq(f.log, "out(77) 6100");
	IS_FAULT(TBUF_FAULT_ADDRESS, tbuf_address(TBUF_OBJECT_CONSTANT, 0, 0),
	    TBUF_SUB_COPYOUTSTR, "snn", "abc", N(0x77), N(0));
}
END_TEST

/* Fuel bounds the work on strings, also that of a search. */
START_TEST(fuel_runs_out)
{
	fixture_clear(&f);
	f.m.strsize = 500;
	text(&f, 2, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	text(&f, 3, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
	op(&f, TBUF_OP_CALL, 1, 2, 2, TBUF_SUB_STRSTR);
	f.m.fuel = 500;
	faults(&f, TBUF_FAULT_SCRATCH, 0);
	f.m.fuel = 50000;
	ck_assert_int_eq(tbuf_machine_run(&f.m), TBUF_END_DONE);
}
END_TEST

START_TEST(room_for_results_runs_out_until_it_is_freed)
{
	unsigned i;

	for (i = 0; i < 14; i++) {
		text(&f, 2, FULL);
		op(&f, TBUF_OP_CALL, 1, 2, 1, TBUF_SUB_TEXT);
	}
	faults(&f, TBUF_FAULT_SCRATCH, 0);
	fixture_clear(&f);
	for (i = 0; i < 14; i++) {
		op(&f, TBUF_OP_FREE, 0, 0, 0, 0);
		text(&f, 2, FULL);
		op(&f, TBUF_OP_CALL, 1, 2, 1, TBUF_SUB_TEXT);
	}
	ck_assert_str_eq(text_at(&f, returns(&f, 1)), FULL);
}
END_TEST

START_TEST(calls_that_are_not_there_are_faults)
{
	unsigned i;

	for (i = TBUF_SUB_JSON + 1; i < TBUF_SUB_OUTSIDE; i++)
		IS_FAULT(TBUF_FAULT_ILLEGAL, 0, i, "nnn", N(1), N(2), N(3));
	IS_FAULT(TBUF_FAULT_ILLEGAL, 0, 256, "n", N(1));
	IS_FAULT(TBUF_FAULT_ILLEGAL, 0, TBUF_SUB_STRJOIN, "s", "a");
	IS_FAULT(TBUF_FAULT_ILLEGAL, 0, TBUF_SUB_STRLEN, "snnnn", "a", N(0),
	    N(0), N(0), N(0));
	IS_NUMBER(6, TBUF_SUB_PROGENYOF, "n", N(5));
	ck_assert_str_eq(f.log, "call(129, 1)");
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("machine");
	TCase *tc = tcase_create("calls");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, lengths_and_copies);
	tcase_add_test(tc, strjoin_cuts_at_strsize);
	tcase_add_test(tc, characters_are_found);
	tcase_add_test(tc, texts_are_found_in_texts);
	tcase_add_test(tc, substr_is_perls);
	tcase_add_test(tc, strtok_goes_on);
	tcase_add_test(tc, letters_change_case);
	tcase_add_test(tc, values_of_json);
	tcase_add_test(tc, json_of_any_bytes);
	tcase_add_test(tc, numbers_from_texts);
	tcase_add_test(tc, texts_of_numbers);
	tcase_add_test(tc, paths);
	tcase_add_test(tc, addresses_of_networks);
	tcase_add_test(tc, bytes_in_the_order_of_networks);
	tcase_add_test(tc, alloca_counts_bytes);
	tcase_add_test(tc, copies_stay_in_their_objects);
	tcase_add_test(tc, memory_is_brought_and_taken);
	tcase_add_test(tc, fuel_runs_out);
	tcase_add_test(tc, room_for_results_runs_out_until_it_is_freed);
	tcase_add_test(tc, calls_that_are_not_there_are_faults);
	suite_add_tcase(suite, tc);
	return (run_suite(suite));
}
