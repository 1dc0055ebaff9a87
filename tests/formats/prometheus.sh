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
for program in promtool prometheus prometheus-node-exporter python3; do
	command -v $program >/dev/null || {
		echo "no $program"
		exit 77
	}
done
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR
unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW LD_PRELOAD
here=$(cd "$top_srcdir/tests/formats" && pwd)
examples=$(cd "$top_builddir/examples" && pwd)
cd "$SCRATCH" || exit 1
mkdir metrics

# serve SOCKET OPTIONS: starts a server with a recorder; its pid is in $kvd.
serve()
{
	TBUF_OPTIONS=$2 "$examples/kvd" "$SCRATCH/$1" >/dev/null 2>&1 &
	kvd=$!
	until load "$1"; do
		kill -0 $kvd || break
	done
}

# load SOCKET: sends 2000 requests.
load()
{
	"$examples/kvload" --requests=2000 --connections=2 "$SCRATCH/$1" \
	    >/dev/null 2>&1
}

# compare WHAT MODE FILE ...: the mode of prometheus.py finds no difference.
compare()
{
	what=$1
	shift
	same "$what" equal "$(python3 "$here/prometheus.py" "$@")"
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
compare 'figures of buffers' stat stat.json metrics/stat.prom

# ------------------------------------------------------------ --units=stat

serve three 'nunits=16,bufsize=64k,probes=kv:::'
three=$kvd
"$TBUFCTL" --units=stat --format=prometheus -o metrics/units.prom
"$TBUFCTL" --units=stat --format=json >units.json
check 'units' metrics/units.prom
compare 'figures of units' units units.json metrics/units.prom
kill $three
wait $three 2>/dev/null

# ------------------------------------------------------------ runs

# The same figures as JSON has, of what two servers have recorded.
script='
kv:::request-start { @n[pid, op] = count(); @b[op] = quantize(bytes);
    @s[op] = sum(bytes); @a[op] = avg(bytes); }'
as_metrics()
{
	"$TBUFCTL" -q --format=prometheus \
	    -x metric=@n:kv_requests_total:1:pid,op \
	    -x metric=@b:kv_request_bytes:1:op \
	    -x metric=@s:kv_request_bytes:1:op \
	    -x metric=@a:kv_request_mean_bytes:1:op "$@" 2>/dev/null
}
kill -9 $one $two
wait $one $two 2>/dev/null
set -- --read="$(echo "$TBUF_DIR"/tbuf.$one.*)" \
    --read="$(echo "$TBUF_DIR"/tbuf.$two.*)" -n "$script"
as_metrics -o metrics/read.prom "$@"
"$TBUFCTL" -q --format=json "$@" >read.json 2>/dev/null
check 'a run' metrics/read.prom
compare 'figures of a run' run read.json metrics/read.prom
same 'drops are there' 1 "$(grep -c '^tbuf_run_drops_total.*"full"} [1-9]' \
    metrics/read.prom)"

# A live run writes its file again and again, and the counts never go back: not
# when the script clears them, nor when a server has ended.
serve four bufsize=64k
four=$kvd
serve five bufsize=64k
five=$kvd
"$TBUFCTL" -q --format=prometheus -x metric=@n:kv_live_total:1:op \
    -x aggrate=50hz -x switchrate=50hz -o live.prom -p $four -p $five -n '
	kv:::request-start { @n["all"] = count(); }
	tick-10ms { clear(@n); }
	tick-15ms { trunc(@n); }' 2>/dev/null &
run=$!
# counted N: waits until the file has this count.
counted()
{
	until grep -qx "kv_live_total{op=\"all\"} $1" live.prom; do
		kill -0 $run || break
		sleep 0.02
	done
	grep '^kv_live_total' live.prom
}
until [ -s live.prom ]; do
	kill -0 $run || break
	sleep 0.02
done
load four
same 'a server' 'kv_live_total{op="all"} 2000' "$(counted 2000)"
load five
same 'two servers' 'kv_live_total{op="all"} 4000' "$(counted 4000)"
kill -9 $four
wait $four 2>/dev/null
load five
same 'a server that ended' 'kv_live_total{op="all"} 6000' "$(counted 6000)"
kill -INT $run
wait $run
same 'the end' 'kv_live_total{op="all"} 6000' \
    "$(grep '^kv_live_total' live.prom)"
kill $five
wait $five 2>/dev/null

# ------------------------------------------------------------ many hosts

# Each of 1,000 hosts has a histogram of its own; their sum has the quantiles
# of all values together.
python3 "$here/prometheus.py" hosts 1000 hosts.d values
"$TBUFCTL" -q --format=prometheus -x metric=@lat:kv_request_seconds:1e-9:host \
    -x metric=@all:kv_all_seconds:1e-9 -x aggsize=64m -s hosts.d \
    -o metrics/hosts.prom 2>/dev/null
check 'many hosts' metrics/hosts.prom
compare 'quantiles of many hosts' quantiles values metrics/hosts.prom

# ------------------------------------------------------------ Prometheus

# The collector takes all files, without an error, and Prometheus all of its
# samples.
compare 'node_exporter and Prometheus' collector metrics/*.prom

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
