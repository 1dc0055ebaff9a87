#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The text that the target side adds to a program, as built for users, is
# bounded: each part of it, all of it, the parts that a plain fire needs, and
# the part that a static program with one probe has.

: "${top_srcdir:?}" "${top_builddir:?}" "${CC:=cc}"
. "$top_srcdir/tests/lib/scratch.sh"
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

# The bounds: PART, most bytes, and the sources (names without the suffix).  A
# bound is raised only in a commit of its own that says what the bytes buy
# (CONTRIBUTING).  Each source is of the first part that has it.
cat >"$SCRATCH/parts" <<'EOF'
fire-and-lane	41550	libtbuf/target/(fire|lane)/.*
clauses		35140	libtbuf/target/clause/clause_.*
plans		29880	libtbuf/target/clause/plan_.*
machine		28710	libtbuf/machine/.*
units		20850	libtbuf/target/unit/.*
recorder	8710	libtbuf/target/(recorder|api)/.*
crash		12210	libtbuf/target/crash/.*
file-and-process	26030	libtbuf/target/(file|process|self)/.*
probes		13480	libtbuf/target/probe/.*
shared		34100	libtbuf/shared/.*
base		11430	libtbuf/base/.*
EOF
most_sum=261860
most_fire=112800
most_static=220850

failed=0
: >"$SCRATCH/table"

# row WHAT BYTES MOST: adds a row to the table; notes if BYTES is more than MOST.
row()
{
	verdict=
	[ "$2" -gt 0 ] || verdict='no objects'
	[ "$2" -le "$3" ] || verdict='too much'
	[ -z "$verdict" ] || failed=1
	printf '%-20s %8d of %8d  %s\n' "$1" "$2" "$3" "$verdict" \
	    >>"$SCRATCH/table"
}

target_sizes >"$SCRATCH/sizes"
while read -r part most sources; do
	row "$part" "$(sum_of "$sources" <"$SCRATCH/sizes")" "$most"
	grep -vxE "($sources) [0-9]+" "$SCRATCH/sizes" >"$SCRATCH/rest"
	mv "$SCRATCH/rest" "$SCRATCH/sizes"
done <"$SCRATCH/parts"
[ ! -s "$SCRATCH/sizes" ] || {
	echo "sources of no part:"
	cat "$SCRATCH/sizes"
	failed=1
}
row "the target side" "$(target_text)" "$most_sum"
row "a plain fire" "$(target_text "$beyond_fire")" "$most_fire"

# A static program has only the members of the archive that its probe needs.
archive=$top_builddir/.libs/libtbuf.a
cat >"$SCRATCH/probe.c" <<'EOF'
#include <tbuf.h>

int
main(int argc, char **argv)
{
	(void)argv;
	TBUF_PROBE(kv, start, argc);
	return (0);
}
EOF
if [ ! -e "$archive" ]; then
	echo "no libtbuf.a"
elif ! echo 'int main(void) { return 0; }' |
    $CC -static -x c -o "$SCRATCH/try" - 2>/dev/null; then
	echo "no static programs here"
elif $CC -O2 -I"$top_srcdir/libtbuf/include" -static "$SCRATCH/probe.c" \
    "$archive" -Wl,-Map="$SCRATCH/map" -o "$SCRATCH/probe"; then
	grep -oE '^[^ ]*libtbuf\.a\([^)]*\.o\)' "$SCRATCH/map" |
	    sed 's/.*(//; s/)$//' | sort -u >"$SCRATCH/members"
	row "a static program" "$(size "$archive" | awk '
	    FNR == NR { linked[$1]; next }
	    $6 in linked { n += $1 }
	    END { print n + 0 }' "$SCRATCH/members" -)" "$most_static"
	# Probes for bindings and interned texts are members of their own.
	if grep -E 'intern\.o|probe_handle|register_names' \
	    "$SCRATCH/members" >&2; then
		echo 'FAIL: a static program has what it does not use' >&2
		failed=1
	fi
else
	failed=1
fi

cat "$SCRATCH/table"
[ $failed -eq 0 ] || sed 's/^/FAIL: /' "$SCRATCH/table" >&2
exit $failed
