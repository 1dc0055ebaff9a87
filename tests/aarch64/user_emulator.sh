#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# user_emulator.sh TBUFCTL TARGET [EMULATOR ...]: a target of another
# architecture, run by an emulator, is traced by this architecture's tbufctl.
# An emulator has no restartable sequences, so this is the lock path.  CI runs
# it, and init.sh does without an emulator.

set -eu
tbufctl=${1:?usage: user_emulator.sh TBUFCTL TARGET [EMULATOR ...]}
target=${2:?usage: user_emulator.sh TBUFCTL TARGET [EMULATOR ...]}
shift 2
dir=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 "$pid"; rm -rf "$dir"' EXIT
TBUF_DIR=$dir/run
export TBUF_DIR
mkdir -m 700 "$TBUF_DIR"

fail() {
	echo "FAIL: $*" >&2
	cat "$dir/out" "$dir/err" >&2
	exit 1
}

# trace ORDERS OPTION ...: prints a target's fires after it is traced.
trace() {
	orders=$1
	shift
	mkfifo "$dir/ready"
	# shellcheck disable=SC2086 # a list
	$emulator "$target" say=ready $orders >"$dir/ready" &
	pid=$!
	read -r ready <"$dir/ready"
	[ "$ready" = ready ] || fail "the target said $ready"
	"$tbufctl" -q "$@" -p "$pid" >"$dir/out" 2>"$dir/err" ||
	    fail "tbufctl ended with status $?"
	wait "$pid" || fail "the target ended with status $?"
	pid=
	rm "$dir/ready"
}

emulator=$*
trace 'enabled fire=1000' -n count
[ "$(wc -l <"$dir/out")" -eq 1000 ] || fail 'not a line for each record'
[ "$(sed -n 7p "$dir/out")" = 'number=7 text="a text"' ] ||
    fail 'the seventh record is another'
[ "$(cat "$dir/err")" = \
    'tbufctl: total: 1000 records, 0 overwritten, 0 drops' ] ||
    fail 'the total is wrong'

# With full lanes only a ring can be tested: otherwise a writer checks the
# session's deadline, which tbufctl computes from its own cycle counter.
trace 'enabled fire=10000' -n count -b 1k -x bufpolicy=ring
lines=$(wc -l <"$dir/out")
[ "$lines" -gt 0 ] || fail 'an empty ring'
lost=$((10000 - lines))
grep -q "^tbufctl: total: $lines records, $lost overwritten, 0 drops\$" \
    "$dir/err" || fail 'not every fire is a record or overwritten'
echo 'user_emulator: ok'
