# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# lines N: prints the next N lines of tbufctl.
lines()
{
	for _ in $(seq "$1"); do
		read -r line <&5
		echo "$line" | normal
	done
}

# snapshot() prints the contents of the buffers, as SIGUSR1 does, and the record
# of its clause; a call beyond snaprate is counted.
mkfifo out
for policy in ring fill switch; do
	echo "$policy:"
	start 3 4 enabled fire=3 say=fired wait fire=3 say=more wait
	"$TBUFCTL" -q -x bufpolicy=$policy -x switchrate=10s \
	    -x statusrate=10s -x snaprate=1000s -p $target \
	    -n 'count { record(); } count /number == 3/ {
	    printf("slow\n"); snapshot(); }' >out 2>&1 &
	ctl=$!
	exec 5<out
	tell 3
	hear 4 fired
	# These lines are printed before the target goes on.
	if [ $policy = switch ]; then lines 4; else lines 5; fi
	tell 3
	hear 4 more
	tell 3
	normal <&5
	wait $ctl
	echo "= $?"
	rm in3 out4
done

# Each call has its snapshot, as one is due whenever a call is seen.
start 3 4 enabled fire=3 say=fired wait fire=3 say=more wait fire=3 say=last \
    wait
"$TBUFCTL" -q --format=json -x bufpolicy=ring -x snaprate=1000000000hz \
    -n 'count /number == 3/ { snapshot(); }' -p $target >out 2>&1 &
ctl=$!
exec 5<out
for word in fired more last; do
	tell 3
	hear 4 $word
	lines 1
done
tell 3
normal <&5
wait $ctl
rm in3 out4

# fired COMMAND...: runs a command's orders under snapshot() at each second
# record, and counts.  All that were fired were taken or are beyond the rate; in
# a snapshot each end has its start.
fired()
{
	"$TBUFCTL" -q -x bufpolicy=ring -x bufsize=1m -x snaprate=1000hz \
	    --follow -n 'count { printf("%d\n", number); }
	    count /number % 2 == 0/ { @calls["calls"] = count(); snapshot(); }' -c "$TBUF_TARGET $*" >counted 2>&1
	awk '/^[0-9]+$/ { if ($1 % 2 == 0 && last != $1 - 1) lost++
		last = $1 }
	    /^tbufctl: snapshot: / { taken++; last = 0 }
	    / of snapshot\(\) beyond / { beyond = $2 }
	    $1 == "calls" { calls = $2 }
	    END { if (taken + beyond != calls)
			print taken " taken, " beyond " beyond"
		print calls " calls, " lost + 0 " without a start" }' counted
}
orders=
for _ in $(seq 100); do
	orders="$orders fire=2 age=2"
done
# shellcheck disable=SC2086 # a list
fired enabled $orders
fired enabled fire=20000
fired fork=2000 spawn=2000 fire=2 age=20

# tbufctl's own probes; END comes too late for a snapshot.
start 3 4 enabled fire=3 say=fired wait
"$TBUFCTL" -q -x bufpolicy=ring -x snaprate=1000s -p $target -n 'BEGIN {
    snapshot(); snapshot(); } count /number == 3/ { exit(0); }
    END { snapshot(); }' >out 2>&1 &
ctl=$!
exec 5<out
lines 1
tell 3
hear 4 fired
normal <&5
wait $ctl
tell 3
wait $target
rm in3 out4
start 3 4 enabled fire=3 say=fired wait
"$TBUFCTL" -q --format=json -x bufpolicy=ring -x snaprate=1000s -p $target \
    -n 'tick-1ms /n++ == 0/ { snapshot(); } count /number == 3/ { exit(0); }' >out 2>&1 &
ctl=$!
exec 5<out
lines 1
tell 3
hear 4 fired
normal <&5
wait $ctl
tell 3
wait $target

# Files have no session to take a snapshot of.
rm -f "$TBUF_DIR"/tbuf.*
TBUF_OPTIONS=bufsize=64k,probes=count "$TBUF_TARGET" fire=3
for file in "$TBUF_DIR"/tbuf.*; do
	for probe in count BEGIN END tick-1s; do
		"$TBUFCTL" --read="$file" -n "$probe { snapshot(); }" 2>&1
	done
done
ctl -x snaprate=often -n 'BEGIN { exit(0); }'
ctl -q -n 'BEGIN { snapshot = 3; trace(snapshot); exit(0); }'
ctl -n 'BEGIN { snapshot; }'
