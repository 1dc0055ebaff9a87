#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A C++ program's probes have the qualified name of their function, and
# descriptions can use that name.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${CXX:?}"
# A program with a sanitizer would need the sanitizer's library.
[ -z "${SANITIZER-}" ] || exit 77
. "$top_srcdir/tests/lib/scratch.sh"
work=$SCRATCH
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW

cat >"$work/shop.cc" <<'END'
#include <tbuf.h>

namespace shop {
template <class T> struct Cart {
	void add(T t) { TBUF_PROBE(kv, done, t); }
};
static void pay() { [] { TBUF_PROBE(kv, done); }(); }
}
namespace { void hidden() { TBUF_PROBE(kv, done); } }

int
main()
{
	shop::Cart<int>().add(1);
	shop::Cart<long>().add(2);
	shop::pay();
	hidden();
	TBUF_PROBE(kv, done);
}
END
# shellcheck disable=SC2086
$CXX -std=c++17 -O1 -Wall -Wextra -Werror -I"$top_srcdir/libtbuf/include" \
    "$work/shop.cc" -o "$work/shop" -L"$top_builddir/.libs" -ltbuf \
    -Wl,-rpath,"$top_builddir/.libs" || exit 1

passed=0 failed=0

# expect FUNCTIONS ARGUMENT...: runs tbufctl with the arguments; expects one
# record of each function, in the order of their names.
expect()
{
	expected=$1
	shift
	got=$("$TBUFCTL" "$@" --format=json -c "$work/shop" |
	    sed -n 's/.*"record".*"function":"\([^"]*\)".*/\1/p' |
	    LC_ALL=C sort | tr '\n' ' ')
	if [ "$got" = "$expected" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL tbufctl $*: '$got', not '$expected'"
	fi
}

all='hidden main shop::Cart::add shop::Cart::add shop::pay::lambda '
add='shop::Cart::add shop::Cart::add '
expect "$all" -n 'kv:::done'
expect "$all" -P kv
expect "$all" -n 'kv:shop::'
expect "$add" -f 'shop::Cart::add'
expect "$add" -n 'shop::Cart::add:done'
expect "$add" -n 'kv::shop::Cart::add:'
expect "$add" -n 'kv:shop:shop::*::add:done'
expect "$add" -f 'shop\:\:Cart\:\:add'
expect 'shop::pay::lambda ' -f 'shop::pay*'
expect 'hidden main ' -n 'hidden:done,kv::main:done'

# A function that the program lacks is reported whole.
none='kv::shop::Cart::take:'
got=$("$TBUFCTL" -q -n "$none" -c "$work/shop" 2>&1 | head -n 1)
if [ "$got" = "tbufctl: invalid probe specifier $none: probe description $none \
does not match any probes" ]; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAIL a missing function: '$got'"
fi

# A listed id and name can be used to select a probe.
id=$("$TBUFCTL" -l -f '*lambda' -c "$work/shop" |
    sed -n '2s/^ *\([0-9]*\) .*/\1/p')
listed=$("$TBUFCTL" -l -f 'shop::pay::lambda' -c "$work/shop" |
    sed '1d;s/^ *[0-9]* *//;s/  */ /g')
if [ -n "$id" ] && [ "$listed" = 'kv shop shop::pay::lambda done' ]; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
	echo "FAIL -l: $id, '$listed'"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
