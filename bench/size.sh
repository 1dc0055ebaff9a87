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
others='clause|machine|element|aggregate|programs|peek|mappings'
others="$others|unit|side|recorder|backtrace|fatal|usage"
size "$archive" | awk -v others="libtarget_la-($others)[^-]*\$" '
	NR > 1 { all += $1 }
	NR > 1 && $6 !~ others { kernel += $1 }
	END { printf "%-38s %9.1f  %-30s %9.1f  %6.2f  %s\n",
	    "text of what traces, KiB", kernel / 1024, "120 KB, KiB",
	    120000 / 1024, kernel / 120000, "< 1.00"
	    printf "%-38s %9.1f  %-30s %9.1f  %6.2f\n",
	    "with clauses, units and recorders, KiB", all / 1024,
	    "120 KB, KiB", 120000 / 1024, all / 120000 }'
