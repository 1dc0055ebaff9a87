# SPDX-License-Identifier: BSD-2-Clause
#
# The start of each test of the pid provider: it skips the test in builds
# without the provider.  $top is the source folder, and the current folder is
# $SCRATCH.

: "${top_srcdir:?}" "${TBUFCTL:?}" "${TBUF_PROVIDERS:?}" "${CC:?}"
# A program with a sanitizer would need the sanitizer's library.
[ -z "${SANITIZER-}" ] || exit 77
[ -e "$TBUF_PROVIDERS/libtbuf-pid.so" ] || exit 77
. "$top_srcdir/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/expect.sh"
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW CFLAGS LD_PRELOAD
unset TBUF_PID TBUF_PID_LIST TBUF_PID_MISSED TBUF_PID_TARGET TBUF_PID_TYPES
unset TBUF_OPTIONS
# shellcheck disable=SC2034 # tests use it
top=$(cd "$top_srcdir" && pwd)
cd "$SCRATCH" || exit 1
