#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# trace.sh: tbufctl prints the fires of the libc provider.  The replacement of
# fake_libtbuf.c writes them down first; then the same program runs under
# tbufctl, and the records must be the same, in the same order.

set -u
: "${top_srcdir:=..}" "${top_builddir:=.}"
: "${PROVIDER=$top_builddir/.libs/libtbuf-libc.so}"
: "${FAKE=$top_builddir/tests/providers/libc/.libs/fake_libtbuf.so}"
: "${EARLY=$top_builddir/tests/providers/libc/.libs/early_constructor.so}"
: "${PROGRAMS=$top_builddir/tests/providers/libc}"
: "${TBUFCTL=$top_builddir/tbufctl/tbufctl}"
: "${TBUF_PROVIDERS=$top_builddir/.libs}"

[ -z "${SANITIZER-}" ] || exit 77

. "$top_srcdir/tests/lib/scratch.sh"
dir=$SCRATCH
failures=0
TBUF_DIR=$dir/tbuf
export TBUF_DIR TBUF_PROVIDERS

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}

# Replaces addresses and temporary names, which vary.
mask() {
	sed -e 's/=0x[1-9a-f][0-9a-f]*/=ADDRESS/g' \
	    -e 's/provider\.[0-9A-Za-z]*"/NAME"/' -e 's/ *$//'
}

# Both paths are tested: rseq, and lock lanes only.
for tunables in '' glibc.pthread.rseq=0; do
	for name in errno_kept errno_told bad_address open_mode mutex_kinds; do
		rm -f "$dir/log" "$dir/out"
		TBUF_DISABLE=1 FAKE_LOG=$dir/log FAKE_ENABLE='*' \
		    LD_PRELOAD="$FAKE:$PROVIDER" \
		    "$PROGRAMS/cases" $name
		tail -c +257 "$dir/log" | tr -d '\0' | mask >"$dir/expected"
		env GLIBC_TUNABLES="$tunables" "$TBUFCTL" -n libc::: \
		    -x temporal -o "$dir/out" \
		    -c "$PROGRAMS/cases $name" 2>"$dir/said" ||
		    fail "$name: tbufctl: $(cat "$dir/said")"
		sed -e 1d -e 's/^ *[0-9]* *[0-9]* *//' "$dir/out" | mask \
		    >"$dir/got"
		diff -u "$dir/expected" "$dir/got" >&2 ||
		    fail "$name $tunables"
		count=$(wc -l <"$dir/expected")
		grep -q "^tbufctl: total: $count records, 0 overwritten, 0 dr" \
		    "$dir/said" || fail "$name: $(cat "$dir/said")"
	done
done

# Calls by the provider's own library are not recorded.
"$TBUFCTL" -q -n 'libc::*open*:,libc::close:' -o "$dir/own" -c true \
    2>"$dir/said" || fail "tbufctl: $(cat "$dir/said")"
[ ! -s "$dir/own" ] || fail "told of itself: $(cat "$dir/own")"

# A constructor that runs before the provider's is traced, too.
LD_PRELOAD=$EARLY "$TBUFCTL" -q -n libc::malloc:entry -x temporal \
    -o "$dir/early" -c true 2>"$dir/said" ||
    fail "tbufctl: $(cat "$dir/said")"
[ "$(head -1 "$dir/early")" = 'size=4711' ] ||
    fail "early: $(head -1 "$dir/early")"

# A real program is traced into a ring: the last 16k of each CPU are printed at
# the end.
sort "$top_srcdir/LICENSE" >"$dir/expected"
"$TBUFCTL" -n 'libc::malloc:entry' -x bufpolicy=ring -b 16k -o "$dir/out" \
    -c "sort '$top_srcdir/LICENSE'" >"$dir/got" 2>"$dir/said"
cmp "$dir/expected" "$dir/got" || fail 'sort'
grep -q "malloc:entry size=" "$dir/out" || fail "sort: no records"

[ $failures -eq 0 ] || exit 1
