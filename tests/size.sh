#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What a program that is linked with the target side has to carry: 244 KB of
# text at most, as it is built for people.

: "${top_builddir:?}" "${CC:=cc}"

archive=$top_builddir/libtbuf/.libs/libtarget.a
most=249700

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

text=$(size "$archive" | awk 'NR > 1 { text += $1 } END { print text + 0 }')
[ "$text" -gt 0 ] || { echo "$archive has no text" >&2; exit 1; }
if [ "$text" -gt "$most" ]; then
	echo "text of the target side: $text bytes, at most $most" >&2
	exit 1
fi
