#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# exec_cost.sh: the libc provider's cost for a program's start, while it is not
# traced, and as a followed child of a command (exec_cost.c).

set -u
: "${top_builddir:=.}"
: "${PROVIDER=$top_builddir/.libs/libtbuf-libc.so}"

[ -z "${SANITIZER-}" ] || exit 77

. "${top_srcdir:?}/tests/lib/scratch.sh"
TBUF_DIR=$SCRATCH_SHM/exec
mkdir -m 700 "$TBUF_DIR"
export TBUF_DIR

# The path is complete, so that the loader need not search.
libraries="$PROVIDER:$top_builddir/.libs/libtbuf.so.1"
for what in 'calls 62' 'faults 34' 'litter 300'; do
	"$top_builddir/tests/providers/libc/exec_cost" $what "$libraries" || {
		echo "FAIL: $what" >&2
		exit 1
	}
	rm -f "$TBUF_DIR"/tbuf.*
done
# The program is followed: with no probe that matches, and with all of them.  A
# spare file takes six calls more than a new one, and saves pages.
for probes in libc::none: 'libc:::'; do
	"$top_builddir/tbufctl/tbufctl" -b 4k -n "$probes" -Z --follow \
	    -o /dev/null \
	    -c "$top_builddir/tests/providers/libc/exec_cost calls 98 $libraries" \
	    >"$SCRATCH/out" 2>"$SCRATCH/err"
	grep '^[0-9]* system calls' "$SCRATCH/out" &&
	    ! grep -e 'with status' -e 'terminated' "$SCRATCH/err" || {
		cat "$SCRATCH/out" "$SCRATCH/err" >&2
		echo "FAIL: followed, $probes" >&2
		exit 1
	}
done
