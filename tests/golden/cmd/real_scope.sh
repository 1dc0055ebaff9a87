# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# how FILE: prints how many of the records have no CPU, as those of thread
# lanes, and the total.
how()
{
	awk '/count:|:count/ { n++; side += $1 == "-" }
	    END { print side + 0, "of", n + 0, "in buffers of threads" }' "$1"
	echo "total: $(total "$1")"
}

# scope OPTION ... -- ORDER ...: traces a target with these -x options.
scope()
{
	echo "\$ $*"
	options=
	while [ "$1" != -- ]; do
		options="$options -x $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # one word each
	"$TBUFCTL" -x bufscope=thread $options -n count \
	    -c "$TBUF_TARGET $*" >out 2>&1
	echo "= $?"
	how out
}

both()
{
	scope "$@"
	GLIBC_TUNABLES=glibc.pthread.rseq=0 scope "$@"
}

for x in bufscope bufscope=Thread nbuf nbuf=0 nbuf=1024 nbuf=x; do
	ctl -x $x -n count -c "touch executed"
done
# A released lane is used by the next thread.
both nbuf=1 -- threads=3000
for policy in ring fill; do
	both nbuf=1 bufpolicy=$policy bufsize=1m -- threads=1000
done
# Each live thread has a lane of its own, and there is one spare lane.
both nbuf=5 -- crowd=6
# Records of each thread are in order.
"$TBUFCTL" -q --format=json -x bufscope=thread -n count \
    -c "$TBUF_TARGET crowd=4" 2>&1 |
    sed -n 's/.*"tid":\([0-9]*\).*"number":\([0-9]*\).*/\1 \2/p' |
    awk '$1 != tid { n++; last = 0 } $2 != last + 1 { print "after", last, $2 }
    { tid = $1; last = $2 } END { print n, "threads" }'
# All records are ordered by time.
scope temporal=on -- crowd=4 fire=10
# A child of fork, or of vfork and exec, has lanes of its own.
"$TBUFCTL" --follow -x bufscope=thread -n count \
    -c "$TBUF_TARGET fire=2 fork=3 fire=2 spawn=4 fire=1" >out 2>&1
how out
# Clauses record into thread lanes; aggregations are the CPU's.
ctl -q -x bufscope=thread -c "$TBUF_TARGET threads=9 fire=2" -n '
    count /arg0 == 2/ { trace(arg0); } count { @[arg0] = count(); }'
# A program that was attached to does not give lanes back by itself.
rm out
start 3 4 threads=20 say=done wait
"$TBUFCTL" -x bufscope=thread -n count -p $target >out 2>&1 &
consumer=$!
until grep -qs matched out; do
	sleep 0.01
done
tell 3
hear 4 'done'
tell 3
wait $consumer $target
echo "total: $(total out)"
rm -f "$TBUF_DIR"/tbuf.*
# The pool is doubled when few lanes are free, and the lane of a thread that
# ended is reused.  A lane is always ready for the next thread.
lanes()
{
	"$TBUFCTL" --stat -p $target | grep -c ' T[0-9]'
}

until_lanes()
{
	until [ "$(lanes)" -ge "$1" ]; do
		sleep 0.01
	done
}

rm in3 out4 out
start 3 4 stay=3 say=three wait stay=4 say=seven wait threads=300 stay=8 \
    say=last wait
"$TBUFCTL" -x bufscope=thread -x nbuf=4 -b 64k -n count -p $target >out 2>&1 &
consumer=$!
# The lanes exist before they are written to.
until grep -qs matched out; do
	sleep 0.01
done
until_lanes 5
for said in three seven last; do
	tell 3
	hear 4 $said
	case $said in
	three) until_lanes 9 ;;
	seven) until_lanes 17 ;;
	esac
done
[ "$(lanes)" -lt 300 ] || echo "$(lanes) lanes for 16 threads"
tell 3
wait $consumer $target
echo "total: $(total out)"
rm -f "$TBUF_DIR"/tbuf.*
# Thread lanes of a recorder, also of one that died.
for options in nbuf=2 nbuf=2,bufpolicy=fill; do
	{ TBUF_OPTIONS=bufscope=thread,bufsize=64k,$options,probes=count \
	    "$TBUF_TARGET" threads=100 crowd=2 kill=9; } 2>/dev/null
	for file in "$TBUF_DIR"/tbuf.*; do
		"$TBUFCTL" --read "$file" >out 2>&1
		how out
		rm "$file"
	done
done
for options in bufscope=x,probes=count nbuf=0,probes=count; do
	TBUF_OPTIONS=$options "$TBUF_TARGET" 2>&1
done
