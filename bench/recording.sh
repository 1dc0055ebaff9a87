#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Processor time of a recording (--record) of the records of kvd in a file, in a
# directory and on a pipe to a file, and of a copy of it, one after the other:
# the least of some runs, without that of a tbufctl that reads nothing.

set -eu
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}"
. "$top_srcdir/tests/lib/tbufctl.sh"

dir=$(mktemp -d -p "${TBUF_DISK:-/var/tmp}")
TBUF_DIR=$dir/run
export TBUF_DIR
unset TBUF_KEEP
trap 'rm -rf "$dir"' EXIT
mkdir -m 700 "$TBUF_DIR"
TBUF_OPTIONS='bufsize=64m,probes=kv:::' "$top_builddir/examples/kvd" \
    "$dir/sock" &
server=$!
until [ -S "$dir/sock" ]; do
	:
done
"$top_builddir/examples/kvload" --requests=600000 --connections=2 \
    "$dir/sock" >/dev/null
kill $server
wait $server || :
file=$(echo "$TBUF_DIR/tbuf.$server".*)

# spent COMMAND ...: prints its processor time, us.
spent()
{
	"$top_builddir/bench/spent" sh -c 'exec "$@" >"$0" 2>&1' "$dir/out" \
	    "$@" | tail -n 1
}

i=0
while [ $i -lt 9 ]; do
	i=$((i + 1))
	echo "nothing $(spent "$TBUFCTL" --version)"
	rm -rf "$dir/recording"
	echo "recording $(spent "$TBUFCTL" --read="$file" \
	    --record="$dir/recording")"
	rm -rf "$dir/copy"
	echo "copy $(spent cp -r "$dir/recording" "$dir/copy")"
	# Its pages are freed before.
	rm -f "$dir/pipe"
	echo "pipe $("$top_builddir/bench/spent" sh -c \
	    'exec "$@" >"$0" 2>/dev/null' "$dir/pipe" "$TBUFCTL" \
	    --read="$file" --record=-)"
done | awk '
	!($1 in least) || $2 < least[$1] { least[$1] = $2 }
	function row(name, value)
	{
		value -= least["nothing"]
		printf "%-38s %9.1f  %-30s %9.1f  %6.2f  %s\n", name,
		    value / 1000, "cp -r of it, ms", least["copy"] / 1000,
		    value / least["copy"], "< 1.25"
	}
	END {
		row("records of a file to a directory, ms", least["recording"])
		row("... to a pipe, ms", least["pipe"])
	}'
