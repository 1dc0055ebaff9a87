#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Compares DPDK's trace library with tbuf, on one event (dpdk.c).  Without DPDK
# it prints a note and ends.

set -eu
: "${top_srcdir:?}" "${top_builddir:?}" "${CC:=cc}"

if ! pkg-config --exists libdpdk; then
	echo 'DPDK trace beside tbuf: no dpdk-dev'
	exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# shellcheck disable=SC2086,SC2046	# compilers have arguments
$CC -std=gnu11 -D_GNU_SOURCE -DALLOW_EXPERIMENTAL_API -O2 \
    -I"$top_srcdir/libtbuf" -I"$top_srcdir/libtbuf/include" \
    -I"$top_srcdir/bench" -I"$top_srcdir/bench/peers" \
    $(pkg-config --cflags libdpdk) "$top_srcdir/bench/bench.c" \
    "$top_srcdir/bench/self.c" \
    "$top_srcdir/bench/peers/dpdk.c" "$top_srcdir/bench/peers/dpdk_event.c" \
    -o "$work/dpdk" -L"$top_builddir/.libs" \
    -Wl,-rpath,"$top_builddir/.libs" -ltbuf -lrte_eal
XDG_RUNTIME_DIR=$work "$work/dpdk" "$work"
