#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What a recorder costs a server under load: kvd as it is, and recording all of
# its probes into a ring of 1 MiB a CPU, in memory and with TBUF_DIR on a disk.
# Runs come in pairs, one behind the other and in either order; the row has the
# median of what each has more than the other one of its pair.  The server has
# one CPU and the load another: where the kernel puts them says more of a run
# than a recorder does.  A machine that is not quiet blurs throughput far more
# than processor time.

set -eu
: "${top_builddir:?}"

pairs=${PAIRS:-21} requests=${REQUESTS:-50000}
kvd=$top_builddir/examples/kvd kvload=$top_builddir/examples/kvload
if ! [ -x "$kvd" ] || ! [ -x "$kvload" ]; then
	echo "recorder: no $kvd, or no $kvload"
	exit 0
fi
memory=$(mktemp -d -p /dev/shm)
disk=$(mktemp -d -p "${TBUF_DISK:-/var/tmp}")
trap 'rm -rf "$memory" "$disk"' EXIT
case $(stat -f -c %T "$disk") in
tmpfs | ramfs)
	echo "recorder: $disk is not on a disk: TBUF_DISK says where one is"
	kinds=memory
	;;
*)
	kinds='memory disk'
	;;
esac
unset TBUF_OPTIONS TBUF_KEEP
cpus=$(taskset -cp $$)
cpus=${cpus##*: }
first="taskset -c ${cpus%%[,-]*}" last="taskset -c ${cpus##*[,-]}"

# Nanoseconds that all threads of a process have run.
spent()
{
	cat /proc/"$1"/task/*/schedstat | awk '{ s += $1 } END { print s }'
}

# one HOW: requests a second, and ns of processor time for each.
one()
{
	TBUF_DIR=$memory
	[ "$1" != disk ] || TBUF_DIR=$disk
	export TBUF_DIR
	if [ "$1" = plain ]; then
		$first "$kvd" "$memory/socket" &
	else
		TBUF_OPTIONS='bufpolicy=ring,bufsize=1m,probes=kv:::' \
		    $first "$kvd" "$memory/socket" &
	fi
	pid=$!
	$last "$kvload" --requests=100 "$memory/socket" >/dev/null
	before=$(spent $pid)
	$last "$kvload" --requests="$requests" "$memory/socket" >"$memory/summary"
	after=$(spent $pid)
	kill $pid
	wait $pid || :
	rm -f "$TBUF_DIR"/tbuf.*
	echo "$(sed -n 's/.*(\([0-9]*\) a second).*/\1/p' "$memory/summary")" \
	    $(((after - before) / requests))
}

# pair N KIND: plain and recorded, beside each other.
pair()
{
	if [ $(($1 % 2)) -eq 0 ]; then
		plain=$(one plain)
		recorded=$(one "$2")
	else
		recorded=$(one "$2")
		plain=$(one plain)
	fi
	echo "$plain $recorded" >>"$memory/pairs.$2"
}

# median FILE EXPRESSION
median()
{
	awk "{ print $2 }" "$1" | sort -n |
	    awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# row WHAT FILE COLUMN-OF-PLAIN COLUMN-OF-RECORDED UNIT FIGURE
row()
{
	echo "$(median "$2" "\$$4") $(median "$2" "\$$3")" \
	    "$(median "$2" "\$$4 / \$$3")" | awk -v what="$1" -v unit="$5" \
	    -v figure="$6" '{
		printf "%-38s %9.0f  %-30s %9.0f  %6.3f  %s\n", what, $1,
		    "not recorded, " unit, $2, $3, figure
	}'
}

for n in $(seq "$pairs"); do
	for kind in $kinds; do
		pair "$n" "$kind"
	done
done
for kind in $kinds; do
	row "kvd, recorded, $kind, requests/s" "$memory/pairs.$kind" 1 3 \
	    requests/s '>= 0.990'
	row "kvd, recorded, $kind, ns/request" "$memory/pairs.$kind" 2 4 \
	    ns/request ''
done
