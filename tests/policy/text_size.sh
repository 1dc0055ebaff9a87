#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The target side adds a bounded text size to a program, as built for users: at
# most 120 KB for plain fires, and 251 KB with clauses, units, thread lanes,
# recorders and backtraces.

: "${top_srcdir:?}" "${top_builddir:?}" "${CC:=cc}"

most_kernel=120000
most=251000
. "$top_srcdir/tests/lib/target_text.sh"

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

# check WHAT BYTES MOST: exits if BYTES is more than MOST.
check()
{
	[ "$2" -gt 0 ] || { echo "no objects of $1" >&2; exit 1; }
	echo "text of $1: $2 bytes of $3"
	[ "$2" -le "$3" ] || {
		echo "text of $1: $2 bytes, at most $3" >&2
		exit 1
	}
}

check 'what traces' "$(target_text "$beyond_fire")" "$most_kernel"
check 'the target side' "$(target_text)" "$most"
