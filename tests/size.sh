#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What a program that is linked with the target side has to carry, as it is
# built for people: of what traces 120 KB of text at most, and with all that
# clauses, units, threads' lanes, recorders and backtraces add 251 KB.

: "${top_builddir:?}" "${CC:=cc}"

archive=$top_builddir/libtbuf/.libs/libtarget.a
most_kernel=120000
most=251000
others='clause|machine|element|aggregate|programs|peek|mappings'
others="$others|unit|side|recorder|backtrace|fatal|usage"

skip()
{
	echo "$*"
	exit 77
}

[ -z "$SANITIZER" ] || skip "a sanitizer has code of its own"
case " $TARGET_FLAGS " in
*TBUF_INJECT*) skip "delays are code, too" ;;
*" -O2 "*) ;;
*) skip "not built with -O2" ;;
esac
# shellcheck disable=SC2086 # it may have flags
case $($CC --version 2>/dev/null) in
*clang*) skip "the figure is that of another compiler" ;;
esac
[ "$(uname -m)" = x86_64 ] || skip "the figure is that of another processor"
command -v size >/dev/null || skip "no size(1)"

# text [NAME]: of all objects but those whose names begin so.
text()
{
	size "$archive" | awk -v others="${1-}" '
		NR > 1 && (others == "" ||
		    $6 !~ "libtarget_la-(" others ")[^-]*$") { n += $1 }
		END { print n + 0 }'
}

# check WHAT BYTES MOST
check()
{
	[ "$2" -gt 0 ] || { echo "$archive has no text" >&2; exit 1; }
	echo "text of $1: $2 bytes of $3"
	[ "$2" -le "$3" ] || {
		echo "text of $1: $2 bytes, at most $3" >&2
		exit 1
	}
}

check 'what traces' "$(text "$others")" "$most_kernel"
check 'the target side' "$(text)" "$most"
