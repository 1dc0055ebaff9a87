#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Golden tests of the D compiler: each tests/compiler/*.cases is a text of
# programs and the expected output of compiling them.  `tests/compiler/compile
# -u FILE` prints a file with the present output.  Each tag of an error has a
# case.

set -u
: "${top_srcdir:?}" "${top_builddir:?}"
export LC_ALL=C
status=0

timeout 300 "$top_builddir/tests/compiler/compile" -c \
    "$top_srcdir"/tests/compiler/*.cases || status=1
for tag in $(grep -o 'X([A-Z_]*)' "$top_srcdir/libtbufd/tree/errors.h" |
    sed 's/X(\(.*\))/D_\1/'); do
	grep -q -F "[$tag] " "$top_srcdir"/tests/compiler/*.cases || {
		echo "FAIL no case has an error of $tag"
		status=1
	}
done
exit $status
