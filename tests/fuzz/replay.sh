#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Replays the corpora of the fuzz targets.

set -u
: "${top_srcdir:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/scratch.sh"
mkdir -m 700 "$SCRATCH_SHM/fuzz"
directory=$SCRATCH_SHM/fuzz
TBUF_DIR=$directory
export TBUF_DIR
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW

passed=0 failed=0
for corpus in "$top_srcdir"/tests/fuzz/corpus/*; do
	target=$(basename "$corpus")
	# Built where there is zydis.
	[ "$target" != patch ] ||
	    [ -x "$top_builddir/tests/fuzz/patch" ] || continue
	echo "== $target"
	if "$top_builddir/tests/fuzz/$target" "$corpus"; then
		passed=$((passed + 1))
	else
		echo "FAIL $target"
		failed=$((failed + 1))
	fi
done
# Nobody has left anything but what the next one to look removes.
"${TBUFCTL:?}" -l >/dev/null 2>&1
if [ -n "$(ls -A "$directory")" ]; then
	echo "FAIL left behind: $(ls -A "$directory")"
	failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
