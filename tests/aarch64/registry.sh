#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# registry.sh TBUFCTL TARGET [EMULATOR ...]: the requirements of telemetry that
# depend on a processor (tests/registry/telemetry.sh has all): the events of
# another architecture's program are read by this architecture's tbufctl.

set -u
tbufctl=${1:?usage: registry.sh TBUFCTL TARGET [EMULATOR ...]}
target=${2:?usage: registry.sh TBUFCTL TARGET [EMULATOR ...]}
shift 2
emulator=$*
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
TBUF_DIR=$dir/run
export TBUF_DIR
mkdir -m 700 "$TBUF_DIR"
failed=0

# same WHAT EXPECTED GOT
same()
{
	[ "$2" = "$3" ] && return
	echo "FAIL $1: expected '$2', got '$3'"
	failed=1
}

# record PROBES ORDER ...: runs the target with a recorder; its file is $file.
record()
{
	rm -f "$TBUF_DIR"/tbuf.*
	probes=$1
	shift
	# shellcheck disable=SC2086 # a list
	TBUF_OPTIONS="bufsize=64k,probes=$probes" $emulator "$target" "$@" \
	    >"$dir/out" 2>"$dir/err"
	file=$(echo "$TBUF_DIR"/tbuf.*)
}

read_file()
{
	"$tbufctl" -q -x temporal --read="$file" "$@" 2>"$dir/errors"
}

record 'reg-request:::;reg-loop:::' fire=3
same 'share' 'id op' "$("$tbufctl" -lv -n request-start --read="$file" \
    2>"$dir/errors" | sed -n '/code/d
	s/^	\([a-z0-9_]*\) \([a-z0-9_]*\)$/\1/p' | tr '\n' ' ' |
    sed 's/ $//')"
same 'codes' 1 "$("$tbufctl" -lv -n request-start --read="$file" \
    2>"$dir/errors" | grep -c 'code')"
same 'records' 6 "$(read_file | grep -c 'id=[123] ')"
record '*:::types' types
same 'type' 'yes=true number=-5 real=0.25 pointer=0x10 string="text"'\
' sized="cut" bytes=hex:010203' "$(read_file | sed -n 's/.*yes=/yes=/p')"
record reg-table::: fire=7
same 'control' 7 "$(read_file | grep -c slot=)"
same 'examine' '{"slot":1}' "$(read_file --format=json |
    sed -n 's/.*"args":\({[^}]*}\).*/\1/p' | head -n 1)"
record reg-request::: fire=3 kill
same 'sudden death' 6 "$(read_file | grep -c id=)"
record reg-request::: fatal fire=3 abort
same 'traceback' 6 "$(grep -c 'request-.*id=[123] ' "$dir/out")"
record reg-text:::interned intern=onceonly intern=onceonly intern=onceonly
same 'intern' '3 1' \
    "$(read_file | grep -c 'word="onceonly"') $(grep -ao onceonly "$file" |
    wc -l | tr -d ' ')"
[ $failed -ne 0 ] || echo 'registry: ok'
exit $failed
