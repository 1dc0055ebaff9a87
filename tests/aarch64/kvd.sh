#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Every request to a kvd that is traced while it runs is a record or a drop.

set -eu
: "${top_builddir:?}" "${TBUFCTL:?}"
dir=$(mktemp -d)
kvd=
trap '[ -z "$kvd" ] || kill -9 "$kvd"; rm -rf "$dir"' EXIT
TBUF_DIR=$dir/run
export TBUF_DIR
mkdir -m 700 "$TBUF_DIR"

fail() {
	echo "FAIL: $*" >&2
	cat "$dir/told" >&2
	exit 1
}

# trace REQUESTS OPTION ...: sends the requests, and expects that records,
# overwritten records and drops add up to them.
trace() {
	requests=$1
	shift
	"$top_builddir/examples/kvd" "$dir/socket" &
	kvd=$!
	until [ -e "$dir/socket" ]; do
		:
	done
	mkfifo "$dir/err"
	"$TBUFCTL" -n 'kv:::request-start' -p "$kvd" "$@" \
	    >"$dir/out" 2>"$dir/err" &
	{
		read -r matched
		"$top_builddir/examples/kvload" --requests="$requests" \
		    "$dir/socket" >"$dir/load"
		kill -9 "$kvd"
		cat
	} <"$dir/err" >"$dir/told"
	wait
	kvd=
	rm -f "$dir/err" "$dir/socket"
	set -- $(sed -n 's/^tbufctl: total: \([0-9]*\) records, \([0-9]*\) overwritten, \([0-9]*\) drops$/\1 \2 \3/p' "$dir/told")
	[ $# -eq 3 ] || fail "no total after: $matched"
	[ $(($1 + $2 + $3)) -eq "$requests" ] ||
	    fail "$1 records, $2 overwritten, $3 drops of $requests requests"
	# The heading and an empty line are not records.
	lines=$(grep -c ':request-start ' "$dir/out" || true)
	[ "$lines" -eq "$1" ] || fail "$lines lines for $1 records"
	echo "$requests requests: $1 records, $2 overwritten, $3 drops"
}

trace 5000
trace 5000 -b 2k
trace 5000 -x bufpolicy=ring -b 16k
