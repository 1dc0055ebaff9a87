#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Calls of the target side of libtbuf are bound when the library is loaded, as a
# fire must not wait for the loader.  Calls of the consumer alone are bound
# late: each traced program would pay for the look-up.

: "${top_builddir:?}"

library=$top_builddir/.libs/libtbuf.so.1
archives="$top_builddir/libtbuf/.libs/libtarget.a
$top_builddir/libtbuf/.libs/libtext.a"

[ -z "$SANITIZER" ] || { echo "a sanitizer has calls of its own"; exit 77; }
command -v readelf >/dev/null && command -v nm >/dev/null || exit 77
[ -e "$library" ] || exit 77
# On other machines a symbol that both sides call is bound early and late.
[ "$(uname -m)" = x86_64 ] || exit 77

. "${top_srcdir:?}/tests/lib/scratch.sh"

readelf -rW "$library" | sed -n 's/.*_JUMP_SLOT* *[0-9a-f]* *//p' |
    sed 's/[@ ].*//' | sort -u >"$SCRATCH/late"
# shellcheck disable=SC2086 # two files
nm -u $archives | sed -n 's/^ *U //p' | sort -u >"$SCRATCH/called"
[ -s "$SCRATCH/called" ] || { echo "no names in $archives" >&2; exit 1; }
if comm -12 "$SCRATCH/late" "$SCRATCH/called" | grep .; then
	echo "the target side calls these, which are bound late" >&2
	exit 1
fi
if readelf -dW "$library" | grep -q BIND_NOW; then
	echo "all calls of the consumer are bound in each program" >&2
	exit 1
fi
[ -s "$SCRATCH/late" ] || { echo "nothing is bound late" >&2; exit 1; }
