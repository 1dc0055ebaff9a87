#!/bin/sh
#-
# SPDX-License-Identifier: BSD-2-Clause
#
# An argument that cannot be traced does not compile, nor does a selection that
# is not constant, and the compiler's message says why.  Nor does an event with
# arguments other than its list's, nor a name or a code that is used twice.
#
# usage: top_builddir=BUILD [CC=gcc] [CXX=g++] reject.sh
#
# Without CC and CXX, the installed ones of gcc and clang are used.

set -u
: "${srcdir:=$(dirname "$0")}"
library=$srcdir/../../libtbuf/include
type="this argument's type cannot be traced"
many="a probe has at most 10 arguments"
mask="a selection mask is a constant"
passed=0 failed=0 optimize=-O0

. "$srcdir/../lib/scratch.sh"
work=$SCRATCH

# build LANGUAGE DECLARATIONS STATEMENT: compiles; messages are in the log.
build()
{
	printf '#include <tbuf_registry.h>\n%s\nvoid f(void);\nvoid f(void)\n{\n%s\n}\n' \
	    "$2" "$3" >"$work/case.$1"
	case $1 in
	c) $c -std=c11 $optimize -I"$library" -c "$work/case.c" \
	    -o "$work/case.o" ;;
	cc) $cxx -std=c++17 $optimize -I"$library" -c "$work/case.cc" \
	    -o "$work/case.o" ;;
	esac >"$work/log" 2>&1
}

complain()
{
	failed=$((failed + 1))
	echo "FAIL $1"
	head -n 20 "$work/log"
}

# rejects WORDS LANGUAGES DECLARATIONS STATEMENT: expects that it does not
# compile, and that the message has these words.
rejects()
{
	for language in $2; do
		if build $language "$3" "$4"; then
			complain "$c $language: compiles: $3 $4"
		elif ! tr -d '\\' <"$work/log" | grep -qF "tbuf: $1"; then
			complain "$c $language: not said: '$1': $3 $4"
		else
			passed=$((passed + 1))
		fi
	done
}

# accepts LANGUAGES DECLARATIONS STATEMENT: expects that it compiles.
accepts()
{
	for language in $1; do
		if build $language "$2" "$3"; then
			passed=$((passed + 1))
		else
			complain "$c $language: does not compile: $2 $3"
		fi
	done
}

# refuses LANGUAGES DECLARATIONS STATEMENT: expects that it does not compile.
refuses()
{
	for language in $1; do
		if build $language "$2" "$3"; then
			complain "$c $language: compiles: $2 $3"
		else
			passed=$((passed + 1))
		fi
	done
}

# Compilers know more constants if they optimize.
mask_cases()
{
	accepts "$both" 'enum { MASK = 4 };' \
	    'TBUF_PROBE_SEL(MASK | TBUF_SEL_SUCCESS, p, n, 1);'
	accepts "$both" '' 'TBUF_PROBE_SEL(sizeof(int) == 4 ? 1u : 2u, p, n);'
	accepts cc 'template <unsigned M> void g() {
	    TBUF_PROBE_SEL(M, p, n, 1); }' 'g<3>();'
	accepts cc 'static const unsigned mask = 3;' \
	    'TBUF_PROBE_SEL(mask, p, n, 1);'
	accepts cc 'constexpr unsigned mask() { return 3; }' \
	    'TBUF_PROBE_SEL(mask(), p, n, 1);'
	rejects "$mask" "$both" 'unsigned mask;' \
	    'TBUF_PROBE_SEL(mask, p, n, 1);'
	rejects "$mask" "$both" 'unsigned mask;' \
	    'TBUF_PROBE_SEL(mask | 2, p, n);'
	rejects "$mask" "$both" 'unsigned mask(void);' \
	    'TBUF_PROBE_SEL(mask(), p, n, 1);'
	rejects "$mask" "$both" 'unsigned masks[2];' \
	    'int i; for (i = 0; i < 2; i++) TBUF_PROBE_SEL(masks[i], p, n, i);'
}

# An event of three arguments, and one of none.
events='
#define EVENTS(E) E(p, three, 1, TBUF_ALWAYS, k, (int, a), (const char *, b), \
    (double, c)) E(p, none, 2, TBUF_DEBUG, k)
TBUF_RELATION(EVENTS);
struct s { int a; } v; void *at; unsigned char c;'

# list EVENTS: prints declarations with a list of these.
list()
{
	printf '#define LIST(E) %s\nTBUF_RELATION(LIST);' "$1"
}

event_cases()
{
	other="this event has another type of argument"
	number="this event has another number of arguments"
	accepts "$both" "$events" 'TBUF_EVENT(three, 1, "b", 2.0);
	    TBUF_EVENT(three, c, "b", 2.0f); TBUF_EVENT(none);'
	rejects "$number" "$both" "$events" 'TBUF_EVENT(three, 1, "b");'
	rejects "$number" "$both" "$events" 'TBUF_EVENT(none, 1);'
	refuses "$both" "$events" 'TBUF_EVENT(three);'
	refuses "$both" "$events" 'TBUF_EVENT(three, 1, "b", 2.0, 3);'
	refuses "$both" "$events" \
	    'TBUF_EVENT(three, 1, "b", 2.0, 3, 4, 5, 6, 7, 8, 9, 10);'
	rejects "$other" "$both" "$events" 'TBUF_EVENT(three, 1.0, "b", 2.0);'
	rejects "$other" "$both" "$events" 'TBUF_EVENT(three, at, "b", 2.0);'
	rejects "$other" "$both" "$events" 'TBUF_EVENT(three, "a", "b", 2.0);'
	rejects "$other" "$both" "$events" 'TBUF_EVENT(three, 1, 0, 2.0);'
	rejects "$other" "$both" "$events" 'TBUF_EVENT(three, 1, at, 2.0);'
	rejects "$other" "$both" "$events" 'TBUF_EVENT(three, 1, &c, 2.0);'
	rejects "$other" "$both" "$events" \
	    'TBUF_EVENT(three, 1, TBUF_TEXT("b", 1), 2.0);'
	rejects "$other" "$both" "$events" 'TBUF_EVENT(three, 1, "b", 2);'
	refuses "$both" "$events" 'TBUF_EVENT(three, v, "b", 2.0);'
	rejects "$other" "$both" "$events" \
	    'TBUF_EVENT(three, TBUF_INTERNED(1), "b", 2.0);'
	rejects "$other" "$both" "$(list 'E(p, a, 1, TBUF_ALWAYS, k, \
	    (struct tbuf_interned, x))')" 'TBUF_EVENT(a, 1);'
	refuses "$both" "$events" 'TBUF_EVENT(four, 1);'
	refuses "$both" "$events" 'if (TBUF_EVENT_ENABLED(four)) return;'
}

list_cases()
{
	code="a code is a number from 1 to 0xffff"
	accepts "$both" "$(list 'E(p, a, 1, TBUF_ALWAYS, k, (int, x)) \
	    E(p, b, 2, TBUF_ALWAYS, j, (int, x))')" 'TBUF_EVENT(b, 1);'
	refuses "$both" "$(list 'E(p, a, 1, TBUF_ALWAYS, k, (int, x)) \
	    E(p, a, 2, TBUF_ALWAYS, k, (int, x))')" ''
	refuses "$both" "$(list 'E(p, a, 1, TBUF_ALWAYS, k) \
	    E(q, a, 2, TBUF_ALWAYS, k)')
$events" ''
	refuses "$both" "$(list 'E(p, a, 1, TBUF_ALWAYS, k) \
	    E(p, none, 2, TBUF_ALWAYS, k)')
$events" ''
	refuses "$both" "$(list 'E(p, a, 16, TBUF_ALWAYS, k, (int, x)) \
	    E(q, b, 0x10, TBUF_ALWAYS, j, (int, x))')" ''
	rejects "$code" "$both" "$(list 'E(p, a, 0, TBUF_ALWAYS, k)')" ''
	rejects "$code" "$both" "$(list 'E(p, a, 0x10000, TBUF_ALWAYS, k)')" ''
	rejects "$code" "$both" "$(list 'E(p, a, -1, TBUF_ALWAYS, k)')" ''
	refuses "$both" "$(list 'E(p, a, 1, TBUF_SOMETIMES, k)')" ''
	refuses "$both" "$(list 'E("p", a, 1, TBUF_ALWAYS, k)')" ''
	refuses "$both" "$(list 'E(p, a, 1, TBUF_ALWAYS, "k")')" ''
	refuses "$both" "$(list 'E(p, a, 1, TBUF_ALWAYS, k, int)')" ''
	rejects "an event has at most 10 arguments" "$both" \
	    "$(list 'E(p, a, 1, TBUF_ALWAYS, k, (int, b), (int, c), (int, d), \
	    (int, e), (int, f), (int, g), (int, h), (int, i), (int, j), \
	    (int, l), (int, m))')" ''
	rejects "$type" "$both" "struct s { int a; } v;
$(list 'E(p, a, 1, TBUF_ALWAYS, k, (struct s, x))')" 'TBUF_EVENT(a, v);'
}

cases()
{
	both="c cc"
	accepts "$both" 'struct s { int a; } v;' 'TBUF_PROBE(p, n, v.a);'
	rejects "$type" "$both" 'struct s { int a; } v;' 'TBUF_PROBE(p, n, v);'
	rejects "$type" "$both" 'union u { int a; } v;' 'TBUF_PROBE(p, n, v);'
	rejects "$type" "$both" 'long double v;' 'TBUF_PROBE(p, n, v);'
	rejects "$type" "$both" '__int128 v;' 'TBUF_PROBE(p, n, v);'
	rejects "$type" "$both" 'unsigned __int128 v;' \
	    'TBUF_PROBE(p, n, v + 1);'
	rejects "$type" "$both" '_Complex double v;' 'TBUF_PROBE(p, n, v);'
	rejects "$type" "$both" '_Complex float v;' 'TBUF_PROBE(p, n, v);'
	rejects "$type" "$both" 'void v(void);' 'TBUF_PROBE(p, n, v());'
	rejects "$type" "$both" '' 'TBUF_PROBE(p, n, (void)0);'
	rejects "$type" "$both" 'struct s { int a; } v;' \
	    'TBUF_PROBE(p, n, 1, 2, 3, 4, 5, 6, 7, 8, 9, v);'
	rejects "$type" cc 'struct s { int a; };' 'TBUF_PROBE(p, n, &s::a);'
	rejects "$type" cc 'struct s { const char *data(); };' \
	    'TBUF_PROBE(p, n, s());'
	rejects "$type" cc '#include <string>' \
	    'TBUF_PROBE(p, n, std::wstring());'
	rejects "$type" cc '#include <vector>' \
	    'TBUF_PROBE(p, n, std::vector<char>());'
	rejects "$type" cc '#include <memory>' \
	    'TBUF_PROBE(p, n, std::unique_ptr<int>());'
	rejects "$type" cc 'auto v = [] {};' 'TBUF_PROBE(p, n, v);'
	accepts "$both" '' 'TBUF_PROBE(p, n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);'
	rejects "$many" "$both" '' \
	    'TBUF_PROBE(p, n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);'
	rejects "$many" "$both" '#define FIVE 1, 2, 3, 4, 5' \
	    'TBUF_PROBE(p, n, FIVE, FIVE, FIVE, FIVE, FIVE, FIVE, FIVE);'
	for optimize in -O2 -O0; do
		mask_cases
	done
	accepts "$both" '' 'if (TBUF_ENABLED(p, n)) return;'
	refuses "$both" '' 'TBUF_PROBE("p", n);'
	refuses "$both" '' 'if (TBUF_ENABLED("p", n)) return;'
	refuses "$both" '' 'TBUF_PROBE(p, "n");'
	refuses "$both" '' 'TBUF_PROBE(p, "n", 1);'
	refuses "$both" '' 'TBUF_PROBE(p-q, n);'
	refuses "$both" '' 'TBUF_PROBE(p, n-m, 1);'
	refuses "$both" '' 'TBUF_PROBE(p, n(1));'
	refuses "$both" '' 'if (TBUF_ENABLED(p, n-m)) return;'
	accepts "$both" '#define n m-1' 'TBUF_PROBE(p, n, 1);'
	refuses "$both" '' 'TBUF_PROBE(p, n, );'
	accepts "$both" 'int v;' 'TBUF_PROBE(p, n, TBUF_NAMED(a, v + 1));'
	refuses "$both" 'int v;' 'TBUF_PROBE(p, n, TBUF_NAMED("a", v));'
	refuses "$both" 'int v;' 'TBUF_PROBE(p, n, TBUF_NAMED(a-b, v));'
	refuses "$both" 'int v;' 'TBUF_PROBE(p, n, TBUF_NAMED(a, v, v));'
	refuses "$both" 'int v;' 'TBUF_PROBE(p, n, TBUF_NAMED(a));'
	rejects "$type" "$both" 'struct s { int a; } v;' \
	    'TBUF_PROBE(p, n, TBUF_NAMED(a, v));'
	rejects "$type" "$both" '' 'TBUF_PROBE(p, n, TBUF_NAMED(a, (void)0));'
	refuses "$both" '' 'TBUF_PROBE(p, n) return;'
	# Events that are not TBUF_ALWAYS are checked in any case.
	for optimize in -O0 "-O0 -DTBUF_RELEASE"; do
		event_cases
	done
	list_cases
}

if [ "${CC:-}" ] && [ "${CXX:-}" ]; then
	c=$CC cxx=$CXX
	cases
else
	for c in gcc clang; do
		cxx=g++
		[ $c = clang ] && cxx=clang++
		command -v $c >/dev/null && command -v $cxx >/dev/null && cases
	done
fi
echo "$passed passed, $failed failed"
[ $passed -gt 0 ] && [ $failed -eq 0 ]
