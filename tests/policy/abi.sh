#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What programs are built and linked with: the sizes of structures, and the
# names that the library exports, which are those of its map, each of them
# named in a manual page.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${CC:=cc}" "${CXX:=c++}"
. "$top_srcdir/tests/lib/scratch.sh"
library=$top_builddir/.libs/libtbuf.so
map=$top_srcdir/libtbuf/libtbuf.map
passed=0 failed=0
cd "$SCRATCH" || exit 1

# same WHAT: the files `expected` and `got` are equal, and say something.
same()
{
	if [ -s expected ] && diff -u expected got; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1"
	fi
}

# node NAME: the names that it exports.
node()
{
	sed -n "/^$1 {/,/^}/p" "$map" | sed -n '/^global:/,/^local:/p' |
	    sed -n 's/^	\(.*\);$/\1/p'
}

# exported VERSION: as the library has them.
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

# Without a version, in front of the C library's.
printf '%s\n' clone daemon setsid vfork >expected
nm -D --defined-only "$library" | sed -n 's/.* [TDBRVWi] \([^@]*\)$/\1/p' |
    sort >got
same 'names without a version'

# Functions of a header that are not all in it.
node TBUF_1.0 >expected
cat "$top_srcdir/libtbuf/include/tbuf.h" "$top_srcdir/libtbuf/include/tbuf_consumer.h" \
    "$top_srcdir/libtbuf/include/tbuf_text.h" |
    sed -n 's/^[a-z].*[ 	*]\(tbuf_[a-z_]*\)(.*/\1/p' |
    grep -v '^tbuf_private' | sort -u >headers
grep -v -x -F -e tbuf_probe_enabled -e tbuf_probe_fire headers >got
same 'the map and the headers'

# Each name of the library stands in a page, the public ones in its NAME.
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
