#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Time of a script: its compilation, and from the start of tbufctl to an exit()
# in BEGIN; the fastest of some runs.  libtool's wrapper script is avoided, as
# it takes longer than all the rest.

set -eu
: "${top_builddir:?}"

tbufctl=$top_builddir/tbufctl/.libs/tbufctl
if ! [ -x "$tbufctl" ]; then
	echo "scripts: no $tbufctl"
	exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
LD_LIBRARY_PATH=$(cd "$top_builddir/.libs" && pwd)
TBUF_DIR=$scratch/run
export LD_LIBRARY_PATH TBUF_DIR

awk 'BEGIN {
	for (i = 0; i < 500; i++)
		printf "tick-%ds /x%d > 3 && probename != \"n%d\"/ {\n" \
		    "x%d++; self->t = timestamp;\n" \
		    "@a%d[\"k\", x%d] = quantize(timestamp - self->t);\n" \
		    "printf(\"%%d %%s %%d\", x%d, probename, " \
		    "strlen(strjoin(\"a\", probename))); }\n",
		    100 + i % 10, i % 50, i, i % 50, i % 20, i % 50, i % 50
}' </dev/null >"$scratch/clauses.d"
echo 'BEGIN { trace("hello"); exit(0); }' >"$scratch/begin.d"

# Declarations that are found by their names: 100,000.
awk 'BEGIN {
	print "enum all {"
	for (i = 0; i < 20000; i++)
		printf "E%d,\n", i
	print "E };\nstruct all {"
	for (i = 0; i < 20000; i++)
		printf "int m%d;\n", i
	print "};\nstruct in { int n; };"
	for (i = 0; i < 20000; i++)
		printf "int g%d;\ninline int i%d = %d;\n", i, i, i
	for (i = 0; i < 10000; i++)
		printf "struct out%d { int n; };\ntranslator struct out%d " \
		    "< struct in *in > { n = 1; };\n", i, i
	print "BEGIN { exit(0); }"
}' </dev/null >"$scratch/declarations.d"

# row WHAT LIMIT ARGUMENTS: prints the fastest of twenty runs, in ms.
row()
{
	what=$1 limit=$2
	shift 2
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		begin=$(date +%s%N)
		"$tbufctl" "$@" >/dev/null 2>&1
		echo $((($(date +%s%N) - begin) / 1000))
	done | sort -n | awk -v what="$what" -v limit="$limit" 'NR == 1 {
		printf "%-38s %9.1f  %-30s %9.1f  %6.2f  %s\n", what,
		    $1 / 1000, "limit, ms", limit, $1 / 1000 / limit, "< 1.00"
	}'
}

row "a script of 500 clauses, compiled, ms" 100 -e -s "$scratch/clauses.d"
row "100,000 declarations, compiled, ms" 1000 -e \
    -s "$scratch/declarations.d"
row "BEGIN with exit(), start to end, ms" 20 -q -s "$scratch/begin.d"
