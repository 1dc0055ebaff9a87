#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# exec_cost.sh: the libc provider's cost for a program's start, while it is not
# traced, and as a followed child of a command, and for that of a forked child
# (exec_cost.c).

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
# follow PROBES WHAT N: the program is followed.
follow()
{
	"$top_builddir/tbufctl/tbufctl" -b 4k -n "$1" -Z --follow \
	    -o /dev/null -c "$top_builddir/tests/providers/libc/exec_cost \
	    $2 $3 $libraries" >"$SCRATCH/out" 2>"$SCRATCH/err"
	grep '^[0-9]* system calls' "$SCRATCH/out" &&
	    ! grep -e 'with status' -e 'terminated' "$SCRATCH/err"
}

failed()
{
	cat "$SCRATCH/out" "$SCRATCH/err" >&2
	echo "FAIL: followed, $*" >&2
	exit 1
}

# With no probe that matches, and with all of them.  A spare file takes six
# calls more than a new one, and saves pages.
for probes in libc::none: 'libc:::'; do
	follow "$probes" calls 98 || failed "$probes, calls"
done
# These are no files that tbufctl removes: there are no spares.
mkdir "$TBUF_DIR/spare.0" "$TBUF_DIR/spare.1" "$TBUF_DIR/spare.2" \
    "$TBUF_DIR/spare.3"
for probes in libc::none: 'libc:::'; do
	# A tick of the clock may pass while tbufctl executes the command.
	for turn in 1 2 3 4 5 6 7 8 9 10; do
		follow "$probes" children 66 && break
		[ $turn -lt 10 ] || failed "$probes, children"
	done
done
