# SPDX-License-Identifier: BSD-2-Clause
#
# The start of each test of the syscall provider.  Files lie in $dir, and a test
# fails if $failures is not 0 at its end.

set -u
: "${top_srcdir:=..}" "${top_builddir:=.}"
: "${PROGRAMS=$top_builddir/tests/providers/syscall}"
: "${TBUFCTL=$top_builddir/tbufctl/tbufctl}"
: "${TBUF_PROVIDERS=$top_builddir/.libs}"

[ -z "${SANITIZER-}" ] || exit 77
[ -e "$TBUF_PROVIDERS/libtbuf-syscall.so" ] || exit 77

. "$top_srcdir/tests/lib/scratch.sh"
dir=$SCRATCH
failures=0
TBUF_DIR=$dir/tbuf
export TBUF_DIR TBUF_PROVIDERS

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}
