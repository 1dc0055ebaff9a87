# SPDX-License-Identifier: BSD-2-Clause
#
# The start of tests of the usdt provider.  They run in $SCRATCH; $top is the
# folder of the sources.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${CC:?}"
# A program with a sanitizer would need the sanitizer's library.
[ -z "${SANITIZER-}" ] || exit 77
[ -e "$TBUF_PROVIDERS/libtbuf-usdt.so" ] || exit 77
# The programs contain x86-64 instructions.
[ "$(uname -m)" = x86_64 ] || exit 77
. "$top_srcdir/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/expect.sh"
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR CC
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW CFLAGS LD_PRELOAD
unset TBUF_USDT TBUF_USDT_FILES TBUF_USDT_LIST LD_AUDIT
top=$(cd "$top_srcdir" && pwd)
cd "$SCRATCH" || exit 1
