#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# One signal ends tbufctl before a run begins, even while it reads a file that
# has no end.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${top_builddir:?}" "${TBUFCTL:?}"
. "$top_srcdir/tests/lib/tbufctl.sh"
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
mkdir -m 700 "$TBUF_DIR"
cd "$SCRATCH" || exit 1
mkfifo script

# interrupted SIGNAL ARGUMENT ...: sends a signal to tbufctl once it reads the
# script.  Opening the pipe for writing waits for that.
interrupted()
{
	signal=$1
	shift
	"$TBUFCTL" "$@" >out 2>&1 &
	reader=$!
	exec 3>script
	kill -s "$signal" $reader
	wait $reader
	same "$signal: status of $*" 1 $?
	same "$signal: message of $*" \
	    'tbufctl: interrupted before tracing began' "$(cat out)"
	exec 3>&-
}

for signal in HUP QUIT TERM; do
	interrupted $signal -s script
done
interrupted TERM -s script -c /bin/true

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
