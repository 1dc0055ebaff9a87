#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# ustack() on a stack that is not the thread's makes few system calls: one for
# some frames, and one for the gap between the stacks.  On the thread's own it
# makes none.  The frames are complete in each case.

set -u
: "${TBUFCTL:?}" "${top_builddir:?}"
. "${top_srcdir:?}/tests/lib/scratch.sh"
[ -z "${SANITIZER-}" ] || {
	echo 'a sanitizer makes system calls of its own'
	exit 77
}
# A target that began under a filter reads its memory by other calls.
! grep -q '^Seccomp:.*2' /proc/self/status || exit 77
target=$top_builddir/tests/system/stack_calls_target
export TBUF_DIR="$SCRATCH/dir"
unset TBUF_OPTIONS TBUF_WINDOW TBUF_DISABLE
mkdir -m 700 "$TBUF_DIR"
cd "$SCRATCH" || exit 1
failed=0

depths='1 20 90'
# shellcheck disable=SC2086 # numbers
"$TBUFCTL" -q -x temporal -o out -n 'fire { printf("fire %d\n", again);
    ustack(200); }' -c "$target $(echo $depths)" >calls 2>err
case $(cat err) in
*'exited with status 77'*)
	echo 'processes may not be traced here'
	exit 77
	;;
esac
cat err

places='main handler coroutine thread thread-handler thread-coroutine'
for depth in $depths; do
	for place in $places; do
		echo "$place $depth"
	done
done >cases

# A call copies 512 bytes, and a frame of the test is smaller than 100.
paste -d ' ' cases calls | awk '
{
	most = $1 == "main" || $1 == "thread" ? 0 : 2 + int($5 / 400)
	if (NF != 6 || $3 > most) {
		print "FAIL: " $0 ", at most " most " calls"
		bad = 1
	}
}
END { exit bad || NR != 18 }' || failed=1

# The frames of each fire: those of the function, and of the ones that called
# it; a coroutine's may end with the function that began it.
awk '
$1 == "fire" { n += $2; again = $2 }
again == 1 && /`deep/ { deep[n]++ }
again == 1 && /`begin/ { begin[n]++ }
again == 1 && /`(main|plain_thread|signal_thread)\+/ { last[n]++ }
END { for (i = 1; i <= n; i++) print deep[i], begin[i], last[i] + 0 }' out >frames
paste -d ' ' cases frames | awk '
NF != 5 || $2 != $3 || $4 != 1 || ($1 !~ /coroutine/ && $5 != 1) {
	print "FAIL: frames of " $0
	bad = 1
}
END { exit bad || NR != 18 }' || failed=1
exit $failed
