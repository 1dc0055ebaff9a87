#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Programs are built and linked with the same sizes of structures and the same
# names as before.  The library exports the names of its map, and each of them
# has a manual page.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${CC:=cc}" "${CXX:=c++}"
. "$top_srcdir/tests/lib/scratch.sh"
library=$top_builddir/.libs/libtbuf.so
map=$top_srcdir/libtbuf/libtbuf.map
passed=0 failed=0
cd "$SCRATCH" || exit 1

# same WHAT: expects that the files `expected` and `got` are equal, not empty.
same()
{
	if [ -s expected ] && diff -u expected got; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1"
	fi
}

# node NAME: prints the names that a node of the map exports.
node()
{
	sed -n "/^$1 {/,/^}/p" "$map" | sed -n '/^global:/,/^local:/p' |
	    sed -n 's/^	\(.*\);$/\1/p'
}

# exported VERSION: prints the names that the library has with this version.
exported()
{
	nm -D --defined-only "$library" |
	    sed -n "s/.* [TDBRVWi] \\([^@]*\\)@@*$1\$/\\1/p" | sort
}

sizes()
{
	"$@" -Wall -Wextra -Werror -I"$top_srcdir/libtbuf/include" -fsyntax-only \
	    "$top_srcdir/tests/policy/abi.c" 2>&1
}

echo ok >expected
{ sizes $CC -std=c11 && echo ok; } >got
same 'sizes in C'
{ sizes $CXX -x c++ -std=c++17 && echo ok; } >got
same 'sizes in C++'

[ -e "$library" ] || {
	echo 'no shared library: its names are not looked at'
	echo "$passed passed, $failed failed"
	exit "$failed"
}

for version in TBUF_1.0 TBUF_PRIVATE; do
	node $version >expected
	exported $version >got
	same "$version: the map, sorted, and the library"
done

# Names without a version replace those of the C library.
printf '%s\n' _Fork clone daemon setsid syscall vfork | sort >expected
nm -D --defined-only "$library" | sed -n 's/.* [TDBRVWi] \([^@]*\)$/\1/p' |
    sort >got
same 'names without a version'

# The map has each function of the headers that is not inline.
node TBUF_1.0 >expected
cat "$top_srcdir/libtbuf/include/tbuf.h" "$top_srcdir/libtbuf/include/tbuf_consumer.h" \
    "$top_srcdir/libtbuf/include/tbuf_text.h" |
    sed -n 's/^[a-z].*[ 	*]\(tbuf_[a-z_]*\)(.*/\1/p' |
    grep -v '^tbuf_private' | sort -u >headers
grep -v -x -F -e tbuf_probe_enabled -e tbuf_probe_fire headers >got
same 'the map and the headers'

# Each name of the library is in a page, a public one in the section NAME.
sed -n '/^\.Sh NAME/,/^\.Sh SYNOPSIS/s/^\.Nm \(tbuf_[a-z_]*\).*/\1/p' \
    "$top_srcdir"/man/*.3 | sort >names
grep -x -F -f expected names >got
same 'the map and the manual'
nm -D --defined-only "$library" | sed -n 's/.* [TDBRVWi] \([^@]*\).*/\1/p' |
    sort >expected
while read -r name; do
	grep -q -e "^\.Fn $name\>" -e "^\.Nm $name\>" "$top_srcdir"/man/*.3 &&
	    echo "$name"
done <expected >got
same 'the library and the manual'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
