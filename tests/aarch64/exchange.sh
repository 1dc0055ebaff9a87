#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# exchange.sh TBUFCTL TARGET OTHER EXCHANGE [EMULATOR ...]: recordings are
# exchanged with another architecture, whose target (OTHER) and program
# (exchange.c) are run by an emulator, in directories and on pipes.

set -eu
usage='usage: exchange.sh TBUFCTL TARGET OTHER EXCHANGE [EMULATOR ...]'
tbufctl=${1:?$usage} target=${2:?$usage} other=${3:?$usage}
exchange=${4:?$usage}
shift 4
[ $# -eq 0 ] || command -v "$1" >/dev/null || {
	echo "exchange: no $1"
	exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
TBUF_DIR=$dir/run
export TBUF_DIR
mkdir -m 700 "$TBUF_DIR"

# same WHAT COUNT FILE: the records of fire=COUNT are in a file.
same()
{
	i=0
	while [ $i -lt "$2" ]; do
		i=$((i + 1))
		echo "number=$i text=\"a text\""
	done >"$dir/expected"
	cmp "$dir/expected" "$3" || {
		echo "FAIL: $1" >&2
		exit 1
	}
}

"$tbufctl" --record="$dir/here" -c "$target fire=1000" -n count 2>"$dir/err"
"$@" "$exchange" read "$dir/here" >"$dir/out"
same 'recorded here, read there' 1000 "$dir/out"
"$tbufctl" --record=- -c "$target fire=500" -n count 2>"$dir/err" |
    "$@" "$exchange" receive "$dir/received"
"$@" "$exchange" read "$dir/received" >"$dir/out"
same 'sent here, received there' 500 "$dir/out"
"$tbufctl" -q --read="$dir/received" >"$dir/out"
same 'sent here, received there, read here' 500 "$dir/out"

TBUF_OPTIONS='bufsize=1m,probes=count' "$@" "$other" fire=700
file=$(echo "$TBUF_DIR"/tbuf.*)
"$@" "$exchange" record "$file" "$dir/there"
"$tbufctl" -q --read="$dir/there" >"$dir/out"
same 'recorded there, read here' 700 "$dir/out"
"$@" "$exchange" send "$file" | "$tbufctl" -q --read=- >"$dir/out"
same 'sent there, read here' 700 "$dir/out"
echo 'exchange: ok'
