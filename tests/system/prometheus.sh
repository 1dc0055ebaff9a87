#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Metrics of running servers are good for promtool and for the collector of
# node_exporter, and equal JSON's figures.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}"
. "$top_srcdir/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
. "$top_srcdir/tests/lib/tbufctl.sh"
for program in promtool prometheus-node-exporter python3; do
	command -v $program >/dev/null || {
		echo "no $program"
		exit 77
	}
done
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW LD_PRELOAD
here=$(cd "$top_srcdir/tests/system" && pwd)
examples=$(cd "$top_builddir/examples" && pwd)
cd "$SCRATCH" || exit 1
mkdir metrics

# serve SOCKET OPTIONS: starts a server with a recorder; its pid is in $kvd.
serve()
{
	TBUF_OPTIONS=$2 "$examples/kvd" "$SCRATCH/$1" >/dev/null 2>&1 &
	kvd=$!
	until "$examples/kvload" --requests=2000 --connections=2 \
	    "$SCRATCH/$1" >/dev/null 2>&1; do
		kill -0 $kvd || break
	done
}

# check WHAT FILE: promtool has nothing to say about a file.
check()
{
	same "promtool: $1" '= 0' "$(promtool check metrics <"$2" 2>&1
	    echo "= $?")"
}

serve one 'bufpolicy=ring,bufsize=64k,probes=kv:::'
one=$kvd
serve two 'bufpolicy=fill,bufsize=64k,probes=kv:::'
two=$kvd

# ------------------------------------------------------------ --stat, --left

"$TBUFCTL" --stat --format=prometheus -o metrics/stat.prom
"$TBUFCTL" --stat --format=json >stat.json
"$TBUFCTL" --left --format=prometheus -o metrics/left.prom
check 'buffers' metrics/stat.prom
check 'files' metrics/left.prom
same 'figures of buffers' 'equal' \
    "$(python3 "$here/prometheus.py" stat stat.json metrics/stat.prom)"

# ------------------------------------------------------------ --units=stat

serve three 'nunits=16,bufsize=64k,probes=kv:::'
three=$kvd
"$TBUFCTL" --units=stat --format=prometheus -o metrics/units.prom
"$TBUFCTL" --units=stat --format=json >units.json
check 'units' metrics/units.prom
same 'figures of units' 'equal' \
    "$(python3 "$here/prometheus.py" units units.json metrics/units.prom)"
kill $three
wait $three 2>/dev/null

kill $one $two
wait $one $two 2>/dev/null

# The collector takes all files, without an error.
same 'node_exporter' 'equal' \
    "$(python3 "$here/prometheus.py" collector metrics/*.prom)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
