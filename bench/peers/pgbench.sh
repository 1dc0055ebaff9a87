#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Cost for PostgreSQL of armed probes that no consumer traces, of its USDT sites
# or of all of its functions (pid): the ratio of CPU time of the server's
# processes for the same transactions, with and without the provider; the median
# of all turns.  Both servers share one CPU, which switches between them every
# few milliseconds, so other load affects both.  PostgreSQL requires an ordinary
# user.
#
#	bench/peers/pgbench.sh [TURNS [TRANSACTIONS [usdt|pid]]]

set -u
: "${TBUF_PROVIDERS:?is to be the folder of libtbuf-usdt.so}"
turns=${1-11}
transactions=${2-20000}
provider=${3-usdt}
case $provider in
usdt)	figure=x1.02 ;;
pid)	figure=x1.10 ;;
*)
	echo "pgbench.sh: provider $provider is neither usdt nor pid" >&2
	exit 2 ;;
esac
bin=${PGBIN-/usr/lib/postgresql/15/bin}
[ -x "$bin/pgbench" ] || {
	echo "pgbench.sh: there is no $bin/pgbench" >&2
	exit 77
}
dir=$(mktemp -d "${TMPDIR-/tmp}/pgbench.XXXXXX") || exit 1

# postmaster NAME: prints its pid.
postmaster() {
	head -n 1 "$dir/$1/postmaster.pid"
}

finish() {
	for name in plain armed; do
		[ ! -e "$dir/$name/postmaster.pid" ] ||
			kill -INT "$(postmaster $name)"
	done
	for name in plain armed; do
		while [ -e "$dir/$name/postmaster.pid" ]; do
			sleep 1
		done
	done
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

# serve NAME PRELOAD: starts a server and fills its database.
serve() {
	"$bin/initdb" -D "$dir/$1" -A trust >/dev/null &&
	LD_PRELOAD=$2 TBUF_PID="pid*:postgres::" TBUF_DIR=$dir "$bin/pg_ctl" -D "$dir/$1" -w \
	    -l "$dir/$1.log" -o "-k $dir/$1 -c listen_addresses=" \
	    -o "-c autovacuum=off -c fsync=off" start >/dev/null &&
	"$bin/pgbench" -h "$dir/$1" -i -q postgres >/dev/null 2>&1
}

# ticks NAME: prints CPU time of the postmaster and its ended processes.
ticks() {
	sed 's/.*) //' "/proc/$(postmaster "$1")/stat" |
	    awk '{ print $14 + $15 }'
}

# transact NAME: runs the transactions.
transact() {
	"$bin/pgbench" -h "$dir/$1" -n -S -M simple -t "$transactions" \
	    postgres >/dev/null 2>&1
}

# ended NAME TICKS: waits until the postmaster has reaped the process.
ended() {
	while [ "$(ticks "$1")" -eq "$2" ]; do
		sleep 1
	done
}

# run: prints the ticks of both servers for their transactions.
run() {
	plain=$(ticks plain)
	armed=$(ticks armed)
	transact plain &
	transact armed || exit 1
	wait $! || exit 1
	ended plain "$plain"
	ended armed "$armed"
	echo $(($(ticks plain) - plain)) $(($(ticks armed) - armed))
}

cpu=$(taskset -cp $$ | sed 's/.*[^0-9]//')
taskset -cp "$cpu" $$ >/dev/null || exit 1
serve plain '' && serve armed "$TBUF_PROVIDERS/libtbuf-$provider.so" || exit 1
run >/dev/null
turn=0
while [ $turn -lt "$turns" ]; do
	run
	turn=$((turn + 1))
done | awk '{ print $2 / $1, $1, $2 }' | sort -n | awk -v figure="$figure" \
    -v provider="$provider" '
	{ ratio[NR] = $1; plain += $2; armed += $3 }
	END {
		printf("pgbench -S, %s armed and untraced: median of %d " \
		    "turns x%.3f, all x%.3f  <= %s\n", provider, NR,
		    ratio[int((NR + 1) / 2)], armed / plain, figure)
	}'
