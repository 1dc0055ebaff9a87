#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Size of the code that a program gets by linking the target side.

set -eu
: "${top_srcdir:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/target_text.sh"

if ! command -v size >/dev/null; then
	echo "size of the target side: no size(1)"
	exit 0
fi
echo "$(target_text "$beyond_fire") $(target_text)" | awk '
	{ printf "%-38s %9.1f  %-30s %9.1f  %6.2f  %s\n",
	    "text of a plain fire, KiB", $1 / 1024, "120 KB, KiB",
	    120000 / 1024, $1 / 120000, "< 1.00"
	  printf "%-38s %9.1f  %-30s %9.1f  %6.2f\n",
	    "with clauses, units and recorders, KiB", $2 / 1024,
	    "120 KB, KiB", 120000 / 1024, $2 / 120000 }'
