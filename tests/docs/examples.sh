#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# kvd serves kvload on a Unix socket and on a port, untraced, and exits with 0
# on request; its socket is removed then.

set -eu
: "${top_builddir:?}"
. "${top_srcdir:?}/tests/lib/scratch.sh"
dir=$SCRATCH

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

start() {
	"$top_builddir/examples/kvd" "$1" &
	kvd=$!
	"$top_builddir/examples/kvload" --requests=2000 --seed=7 "$1" \
	    >"$dir/out" || fail "kvload $1 ended with status $?"
	grep -q '^seed 7: 2000 requests, [0-9]* misses, 0 errors in ' \
	    "$dir/out" || fail "summary: $(cat "$dir/out")"
}

stop() {
	kill "$kvd"
	wait "$kvd" || fail "kvd ended with status $?"
}

# misused COMMAND ...: expects a usage message and nothing else.
misused() {
	program=$top_builddir/examples/$1 status=0
	shift
	"$program" "$@" >"$dir/out" 2>&1 || status=$?
	[ $status -eq 2 ] || fail "status $status of $program $*"
	grep -q '^usage: ' "$dir/out" || fail "no usage from $program $*"
}

misused kvload --nosuch
misused kvload --rate
misused kvload --rate=x
misused kvload --rate=-1
misused kvload --connections=0
misused kvload one two
misused kvd -x
misused kvd -t 0
misused kvd one two

start "$dir/socket"
stop
[ ! -e "$dir/socket" ] || fail 'the socket is still there'

# The port must be free.
port=$((20000 + $$ % 12000))
while grep -q ":$(printf %04X $port) [0:]* 0A " /proc/net/tcp; do
	port=$((port + 1))
done
start $port
stop

# A socket that remains after a kill is taken over.
start "$dir/socket"
kill -9 "$kvd"
wait "$kvd" && fail 'kvd survived'
[ -e "$dir/socket" ] || fail 'no socket was left behind'
start "$dir/socket"
stop

# The environment of the service file makes kvd record, and its last records are
# read after a crash.
unit=$top_srcdir/examples/kvd.service
mkdir -m 700 "$dir/run"
settings=$(sed -n 's/^Environment=//p' "$unit")
# shellcheck disable=SC2086 # a list
(TBUF_DIR=$dir/run && export TBUF_DIR &&
    exec env $(echo "$settings" | grep -v ^TBUF_DIR=) \
    "$top_builddir/examples/kvd" "$dir/run/socket") &
kvd=$!
"$top_builddir/examples/kvload" --requests=100 --seed=7 "$dir/run/socket" \
    >"$dir/out" || fail "kvload of the service ended with status $?"
kill -9 "$kvd"
wait "$kvd" && fail 'kvd survived'
TBUF_DIR=$dir/run "$TBUFCTL" -q --read "$kvd" >"$dir/out" 2>&1 ||
    fail "the service left no recording: $(cat "$dir/out")"
grep -q '^id=[0-9]* op="get" key=' "$dir/out" ||
    fail "the recording has no requests: $(head "$dir/out")"
if command -v systemd-analyze >/dev/null; then
	systemd-analyze verify "$unit" 2>&1 | grep -v 'is not executable' \
	    >"$dir/out" || :
	[ ! -s "$dir/out" ] || fail "$(cat "$dir/out")"
fi
