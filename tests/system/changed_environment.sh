#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A target that clears or overwrites its environment, and its forked children,
# keep the runtime directory, and the limits of TBUF_KEEP.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
target=$top_builddir/tests/system/changed_environment_target
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir elsewhere

# numbers: prints the numbers of the records in its input, in one line.
numbers()
{
	sed -n 's/.*number=//p' | sort -n | tr '\n' ' '
}

# recorded: prints the numbers of the records in all files of the runtime
# directory, and removes these.
recorded()
{
	for one in "$TBUF_DIR"/tbuf.*; do
		"$TBUFCTL" -q --read "$one" 2>>errors
	done | numbers
	rm -f "$TBUF_DIR"/tbuf.*
}

options=follow,bufsize=64k,probes=env:::
for change in nothing clear overwrite null set; do
	same "$change: --follow" '0 1 2 3 ' "$("$TBUFCTL" -q --follow \
	    -n 'env:::fired' -c "$target $change $SCRATCH/elsewhere 3" \
	    2>>errors | numbers)"
	rm -f "$TBUF_DIR"/tbuf.*
	TBUF_OPTIONS=$options "$target" $change "$SCRATCH/elsewhere" 3
	same "$change: TBUF_OPTIONS" '0 1 2 3 ' "$(recorded)"
	"$target" $change "$SCRATCH/elsewhere" 3 $options
	same "$change: tbuf_recorder_start()" '0 1 2 3 ' "$(recorded)"
	# By default the last eight of these files would be retained.
	TBUF_KEEP=20 TBUF_OPTIONS=$options "$target" $change \
	    "$SCRATCH/elsewhere" 12
	same "$change: TBUF_KEEP" '0 1 2 3 4 5 6 7 8 9 10 11 12 ' "$(recorded)"
done
same 'files elsewhere' '' "$(ls elsewhere)"
same 'losses' '' "$(grep -v ' 0 overwritten, 0 drops$' errors)"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
