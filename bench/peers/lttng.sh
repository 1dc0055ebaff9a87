#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Compares LTTng-UST with tbuf, on the same events (lttng.c).  Without LTTng it
# prints a note and ends.  A running session daemon is used; otherwise one is
# started, and ended at the end.

set -eu
: "${top_srcdir:?}" "${top_builddir:?}" "${CC:=cc}"

skip() {
	echo "LTTng-UST beside tbuf: $1"
	exit 0
}

command -v lttng >/dev/null || skip 'no lttng-tools'
command -v lttng-sessiond >/dev/null || skip 'no lttng-tools'
pkg-config --exists lttng-ust || skip 'no liblttng-ust-dev'

work=$(mktemp -d)
session=tbuf-bench-$$
daemon=
export LTTNG_HOME="$work" LTTNG_UST_REGISTER_TIMEOUT=-1

cleanup() {
	lttng --no-sessiond destroy "$session" >/dev/null 2>&1 || :
	if [ -n "$daemon" ]; then
		kill "$daemon" || :
		wait "$daemon" || :
	fi
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

# shellcheck disable=SC2086,SC2046	# compilers have arguments
$CC -std=gnu11 -D_GNU_SOURCE -O2 \
    -I"$top_srcdir/libtbuf" -I"$top_srcdir/libtbuf/include" \
    -I"$top_srcdir/bench" -I"$top_srcdir/bench/peers" \
    $(pkg-config --cflags lttng-ust) "$top_srcdir/bench/bench.c" \
    "$top_srcdir/bench/self.c" \
    "$top_srcdir/bench/peers/lttng.c" "$top_srcdir/bench/peers/lttng_event.c" \
    -o "$work/lttng" -L"$top_builddir/.libs" \
    -Wl,-rpath,"$top_builddir/.libs" -ltbuf $(pkg-config --libs lttng-ust) -ldl

if ! lttng --no-sessiond list >/dev/null 2>&1; then
	# The daemon sends SIGUSR1 to its parent when it is ready.
	trap : USR1
	lttng-sessiond --no-kernel --sig-parent >"$work/log" 2>&1 &
	daemon=$!
	wait "$daemon" || :
	kill -0 "$daemon" 2>/dev/null ||
		{ daemon=; skip "no session daemon: $(tail -n 1 "$work/log")"; }
fi

quiet() {
	"$@" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
}

# A snapshot session overwrites, and has no reader until the end.
quiet lttng --no-sessiond create "$session" --snapshot --output="$work/trace"
quiet lttng enable-channel --session="$session" --userspace --overwrite \
    --subbuf-size=512k --num-subbuf=2 ring
quiet lttng enable-event --session="$session" --userspace --channel=ring \
    'tbuf_bench:*'
quiet lttng start "$session"
"$work/lttng"
