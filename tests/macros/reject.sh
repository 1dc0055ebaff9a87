#!/bin/sh
#-
# SPDX-License-Identifier: BSD-2-Clause
#
# An argument that cannot be traced does not compile, nor does a selection that
# is not constant, and the compiler's message says why.
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
	printf '#include <tbuf.h>\n%s\nvoid f(void);\nvoid f(void)\n{\n%s\n}\n' \
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
