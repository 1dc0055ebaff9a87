#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# How much code a program gets that is linked with the target side.

set -eu
: "${top_builddir:?}"

archive=$top_builddir/libtbuf/.libs/libtarget.a
if ! command -v size >/dev/null || ! [ -f "$archive" ]; then
	echo "size of the target side: no size(1) or no $archive"
	exit 0
fi
size "$archive" | awk '
	NR > 1 { text += $1 }
	END { printf "%-38s %9.1f  %-30s %9.1f  %6.2f  %s\n",
	    "text of the target side, KiB", text / 1024, "120 KB, KiB",
	    120000 / 1024, text / 120000, "< 1.00" }'
