# SPDX-License-Identifier: BSD-2-Clause
#
# Work units: records selected by outcome, and units that have not ended.
. "$HERE/common_real"

probes='-n tt:::count,tt:::done'

# run OPTIONS ORDER ...: runs the target, which may change its CPU, under
# tbufctl.
run()
{
	options=$1
	shift
	echo "\$ $options: $*"
	"$TBUFCTL" -x temporal $options $probes -c "$TBUF_TARGET $*" >out 2>err
	echo "= $?"
	cat out err | normal
}

# Two successes and a failure, with a fire outside of units.
run '-q -x nunits=2' unit=1 fire=2 done=1 end=0 fire=1 unit=2 fire=2 done=2 \
    end=7 unit=3 done=3 end=0
run '-x nunits=2' unit=-1 done=1 end=-1
# Units that are too long for an envelope, moved to another thread, and nested.
run '-q -x nunits=2' unit=1 fire=100 end=1 | grep -c outcome=1
run '-q -x nunits=2' unit=1 fire=1 elsewhere done=1 end=1
run '-q -x nunits=2' unit=1 fire=1 end=0 end=0
# Units that have not ended when their process has.
run '-q -x nunits=2' unit=1 fire=1 done=1 kill=9
run '-q -x nunits=2' unit=1 fire=100 unit=2 fire=1 exit=3 | grep -c unfinished
# The second unit has no table; then tables are full.
run '-q -x nunits=1' unit=1 fire=1 unit=2 done=2 end=0
run '-q -x nunits=1 -x unitsize=1k' unit=1 fire=100 end=1 | tail -4
run '-q -x nunits=1 -x unitsize=1k -x unitpolicy=ring' unit=1 fire=100 \
    end=1 | tail -5
# Rules are set by unitselect.
run '-q -x nunits=1 -x unitselect=0:1,3:0x100,*:0' unit=1 fire=1 done=1 end=0 \
    unit=2 fire=1 done=2 end=3 unit=3 fire=1 done=3 end=4
# An enabling's selection replaces that of its probes, also if the records are
# too long for an envelope.
work='unit=1 fire=1 done=1 end=0 unit=2 fire=1 done=2 end=7'
for probes in '-n tt:::count=2 -n tt:::done=1' '-P tt=0' \
    '-n tt:::count -n tt:::count=0x2,tt:::done=1' '-f done:done=4294967296' \
    '-n done=1x' '-i 99999=2'; do
	echo "$probes"
	run '-q -x nunits=2' $work
done
# Clauses have selections, too.
for probes in '-n tt:::count=2{printf("count\n")} -n done=0x1{printf("done\n")}' \
    '-n tt:::count,tt:::done=2{printf("%s\n",probename)}' \
    '-n BEGIN=1{exit(0)}' '-n done=4294967296{trace(1)}' \
    '-n done=1x{trace(1)}'; do
	echo "$probes"
	run '-q -x nunits=2' $work
done
probes='-n tt:::count=2 -n tt:::done=4'
run '-q -x nunits=1 -x unitselect=0:4' unit=1 fire=100 done=1 done=2 end=0
run '-q -x nunits=1 -x unitselect=0:2' unit=1 fire=100 done=1 end=0 |
    grep -c outcome=0
TBUF_OPTIONS='nunits=1,probes=count=2;done=1' "$TBUF_TARGET" $work
"$TBUFCTL" -q -x temporal --read "$TBUF_DIR"/tbuf.* 2>&1 | normal
rm -f "$TBUF_DIR"/tbuf.*
TBUF_OPTIONS='nunits=1,probes=done=1x' "$TBUF_TARGET" 2>&1 | normal
# Records that are only aggregated do not count as records.
probes='-x ustackunwind -n count{@[ustack(1)]=count();}'
run '-q -x nunits=1 -x unitselect=0:4' unit=1 fire=100 done=1 end=0 |
    awk '/^ *[0-9]+$/ { sum += $1 } END { print sum + 0 }'
probes='-n tt:::count,tt:::done'
# Records are lost with their unit, not one by one.
for policy in ring fill switch; do
	run "-q -x nunits=1 -x bufpolicy=$policy -b 512" unit=1 fire=3 end=1 \
	    unit=2 fire=4 end=1 unit=3 fire=5 end=1 >/dev/null
	set -- $(total err)
	echo "$policy: $(($1 + $2 + $3))"
done
# Units in JSON; and by time, at their end.
"$TBUFCTL" -o json --format=json -x nunits=1 $probes -c "$TBUF_TARGET unit=1 fire=1 end=2 unit=2 fire=1" 2>/dev/null >/dev/null
grep unit json | normal | sed 's/"provider.*//'
run '-q -x nunits=1' unit=1 fire=1 unit=2 fire=2 end=0

# A child's kinds are those of its own session.
run '-q --follow -x nunits=2' unit=1 end=0 other=2 end=0 forkunit=3

# In C++ an exception is a failure.
"$TBUFCTL" -q -x nunits=2 -x temporal -n step -c "${TBUF_TARGET%/*}/units_plus" 2>&1 | normal

# Units of a recorder are read, ended or not.
for end in exit=0 kill=9; do
	TBUF_OPTIONS='nunits=2,unitselect=4:0x100,probes=count;done' \
	    "$TBUF_TARGET" unit=1 fire=1 done=1 end=4 unit=2 fire=2 \
	    $end >/dev/null 2>&1
	"$TBUFCTL" -q -x temporal --read "$TBUF_DIR"/tbuf.* 2>&1 | normal
	rm -f "$TBUF_DIR"/tbuf.*
done

# The counts of a file add up: a unit that is too long for its table, one that
# lost its commit record, records outside of units, a success.
for policy in fill ring; do
	TBUF_OPTIONS="nunits=1,unitsize=1k,unitpolicy=$policy,bufsize=512,probes=count" \
	    "$TBUF_TARGET" unit=1 fire=100 end=1 unit=2 fire=3 end=1 fire=30 \
	    unit=3 fire=7 end=0 unit=4 fire=5
	"$TBUFCTL" -q --read "$TBUF_DIR"/tbuf.* 2>err >out
	set -- $(total err) $(sed -n 's/.*: \([0-9]*\) records discarded.*/\1/p' err)
	echo "$policy: $(($1 + $2 + $3 + $4)), $4 discarded"
	[ $(wc -l <out) -eq "$1" ] || echo "$1 records, $(wc -l <out) lines"
	rm -f "$TBUF_DIR"/tbuf.*
done

# A unit that lasted longer than unitslow is kept whole, whatever its outcome and
# the selections; in an envelope, in its table, in a thread's buffer.
slow='unit=1 fire=2 done=1 age=20 end=0 unit=2 fire=1 done=2 end=0'
run '-q -x nunits=2 -x unitslow=10ms -x unitselect=0:0' unit=1 fire=2 done=1 \
    age=20 end=0
for limit in 0 1h; do
	run "-q -x nunits=2 -x unitslow=$limit" $slow
done
run '-q -x nunits=1 -x unitslow=10ms' unit=1 fire=100 age=20 end=0 |
    grep -c outcome=0
run '-q -x nunits=1 -x bufscope=thread -x unitslow=10ms' unit=1 fire=1 age=20 \
    end=0
# A unit that found no table is slow, too.
TBUF_OPTIONS='nunits=1,unitslow=10ms,probes=count=0;done' "$TBUF_TARGET" \
    unit=1 fire=1 age=20 end=0 other=2 fire=1 done=2 end=0 unit=3 other=4 \
    fire=1 age=20 end=0
"$TBUFCTL" -q -x temporal --read "$TBUF_DIR"/tbuf.* 2>&1 | normal
"$TBUFCTL" --units=stat | awk '{ print $2, $3, $4, $5 }'
"$TBUFCTL" --units=stat --format=json | sed 's/.*"kind"/"kind"/; s/,"sum.*//'
"$TBUFCTL" -q --format=json --read "$TBUF_DIR"/tbuf.* 2>&1 |
    sed -n 's/.*\("unit":{[^}]*}\).*/\1/p' | normal | sort | uniq -c
rm -f "$TBUF_DIR"/tbuf.*

# With unitselect=level a selection, as a number, does not exceed the outcome: in
# an envelope and in a table, for more outcomes than rules.
probes='-n tt:::count=4 -n tt:::done=6'
for n in 0 1 3 4 5 6 7 8 9 2147483647 -1; do
	run '-q -x nunits=1 -x unitselect=level' unit=$n fire=1 done=1 end=$n
	run '-q -x nunits=1 -x unitselect=level' unit=$n fire=100 done=1 \
	    end=$n | grep -c outcome=
done
probes='-n tt:::count=0 -n tt:::done=0xffffffff'
run '-q -x nunits=1 -x unitselect=level' unit=1 fire=1 done=1 end=0
run '-q -x nunits=1 -x unitselect=level -x unitslow=10ms' unit=1 fire=1 \
    done=1 age=20 end=0
# A list of rules replaces it.
run '-q -x nunits=1 -x unitselect=level -x unitselect=*:2' unit=1 fire=1 \
    done=1 end=0 unit=2 fire=1 done=2 end=3
probes='-n tt:::count,tt:::done'
TBUF_OPTIONS='nunits=1,unitselect=level,probes=count=2;done=3' "$TBUF_TARGET" \
    unit=1 fire=1 done=1 end=2 unit=2 fire=1 done=2 end=3
"$TBUFCTL" -q -x temporal --read "$TBUF_DIR"/tbuf.* 2>&1 | normal
rm -f "$TBUF_DIR"/tbuf.*

# Invalid values are refused.
for option in nunits nunits=1025 nunits=x unitsize=1 unitsize=65m \
    unitpolicy=switch unitselect unitselect=0 unitselect=x:1 unitselect=0:x \
    'unitselect=0:1,' unitselect=level,0:1 unitselect=1:1,2:1,3:1,4:1,5:1,6:1,7:1 unitslow \
    unitslow=10 unitslow=10hz unitslow=-1s unitslow=9999999d unithung \
    unithung=30 unithung=1hz unithung=-1s unithung=30x; do
	ctl -x $option -n x
done
for options in nunits=1025 unitsize=1 unitpolicy=x unitselect unitselect=1: \
    unitslow=1; do
	TBUF_OPTIONS=$options,probes=count "$TBUF_TARGET" 2>&1 | normal
done

# A unit that is older than unithung is printed once, with a record or without,
# while others come and go, and again when it ends.  With this limit others may be
# hung, too, and so lines of this one are selected.
ages()
{
	sed -E -e 's/hung [0-9.]+(ns|us|ms|s)( |$)/hung AGE\2/' \
	    -e 's/"hung":[0-9]+/"hung":N/' | normal
}

# lines FILE N PATTERN: waits until the run has written N such lines.
lines()
{
	until [ "$(grep -c "$3" "$1")" -ge "$2" ]; do
		kill -0 $run || return
	done
}

# hang OPTIONS FIRES LINES [PROGRAM]: traces such a unit, which is printed in so
# many lines, or with a program or slices in a message.  Unless an option sets the
# limit, it is set after all fires.
hang()
{
	echo "\$ $1: $2${4:+ $4}"
	case $1$4 in
	*chrome*|*@*)
		to=err ;;
	*)
		to=out ;;
	esac
	start 3 4 enabled unit=1 fire=$2 say=hung wait units=100 say=many wait \
	    end=1
	tell 3
	: >out
	"$TBUFCTL" -x nunits=2 -x statusrate=100hz $1 -o out -p $target \
	    -n "tt:::count$4" 2>err &
	run=$!
	hear 4 hung
	case $1 in
	*unithung*)
		;;
	*)
		"$TBUFCTL" --set=unithung=1ns -p $target ;;
	esac
	lines $to $3 'hung\|"hung"'
	grep hung $to | ages
	tell 3
	hear 4 many
	case $1$4 in
	*policy=[rf]*|*chrome*|*@*)
		;;
	*)
		lines out 100 'one.*outcome' ;;
	esac
	tell 3
	wait $target
	wait $run
	echo "= $?, $(cat out err | grep -c 'work[^ ]*1[ ,].*hung')" \
	    "$(grep -c 'work[^ ]*1[ ,].*outcome' out)"
	grep total err || sed -n '/^ *[0-9]*$/p; /"total"/p' out
	rm -f out err in3 out4
}
for options in '' '-x temporal' '-x bufpolicy=ring' '-x bufpolicy=fill' \
    '-x bufscope=thread' '-x unitpolicy=ring' --format=json; do
	hang "-q $options" 2 3
done
hang '-q --format=chrome' 2 1
hang -q 2 1 '{ @ = count(); }'
hang '-q -x unithung=1ns' 0 1
hang '-q --format=log' 1 2
hang '' 1 2

# The last records of a process name units that have ended.
TBUF_OPTIONS='nunits=2,probes=count' "$TBUF_TARGET" unit=1 fire=2 end=-3 \
    unit=2 fire=100 end=3 last 2>&1 | sed -n 's/.*a work unit/a work unit/p'
rm -f "$TBUF_DIR"/tbuf.*

# Units in flight are listed by pid and id, of live and dead processes.
units()
{
	eval "\"\$TBUFCTL\" --units$1" 2>&1 | sed -E \
	    -e 's/[0-9]+(ns|us|ms|s)/AGE/g' -e "s/\\b$target\\b/PID/g" \
	    -e 's/"age":[0-9]*/"age":N/' -e 's/"(sum|median|p99|p999)":[0-9]*/"\1":N/g' \
	    -e 's/ +/ /g' | normal
}
ctl --units
TBUF_OPTIONS='nunits=3,probes=count;done' start 7 8 unit=7 fire=1 done=1 \
    end=1 unit=7 end=0 unit=8 fire=3 unit=9 say=hung wait
tell 7
hear 8 hung
for end in alive dead; do
	units
	units "=$target"
	units "=$target --format=json"
	units "=$target:8"
	units "=$target:77"
	units '=stat'
	units '=stat --format=json'
	kill -9 $target 2>/dev/null
	wait $target 2>/dev/null
done
# The records of hung units of all processes.
rm -f "$TBUF_DIR"/tbuf.* in7 out8
ctl --units=hung
TBUF_OPTIONS='nunits=3,probes=count;done' start 7 8 unit=7 fire=1 done=1 \
    end=1 unit=8 fire=2 unit=9 say=hung wait
first=$target
TBUF_OPTIONS='nunits=1,probes=count;done' start 5 6 unit=4 done=2 say=hung wait
tell 7
tell 5
hear 8 hung
hear 6 hung
hung()
{
	echo "\$ --units=hung${*:+ $*}" | sed 's/--read=.*/--read=PID/'
	{ "$TBUFCTL" --units=hung "$@" 2>&1; echo "= $?"; } | ages |
	    LC_ALL=C sort
}
hung
hung -x unithung=1h
hung -q -x unithung=1ns
hung -x unithung=1ns
hung --format=json -x unithung=1ns | sed 's/"provider".*/.../'
hung --format=log -x unithung=1ns
hung -q -x unithung=1ns --read=$first
"$TBUFCTL" -q -x unithung=1ns --snapshot 2>&1 | ages | LC_ALL=C sort
hung -x unithung=1
hung --format=chrome
hung --format=prometheus
hung -c true
ctl --set=unithung=1ns -p $target
hung -q
"$TBUFCTL" -q --units=$target:4 2>&1 | ages
# A unit of a process that has ended is unfinished.
kill -9 $target $first
wait $target $first 2>/dev/null
hung -q
"$TBUFCTL" -q -x unithung=1ns --read=$target 2>&1 | ages
rm -f "$TBUF_DIR"/tbuf.* in7 out8 in5 out6
# A file with figures is not removed, though it has no records.
rm -f "$TBUF_DIR"/tbuf.*
TBUF_OPTIONS='nunits=1,probes=count' "$TBUF_TARGET" unit=1 fire=1 end=0
"$TBUFCTL" --units=stat | awk 'NR > 1 { print $2, $3 }'
rm -f "$TBUF_DIR"/tbuf.*
# Kinds have names and figures of their own, as long as there is room.
TBUF_OPTIONS='nunits=1,probes=count' "$TBUF_TARGET" kinds=40
"$TBUFCTL" --units=stat | awk '$2 ~ /kind|other/ { print $2, $3 }' |
    sed -n '1p; 31,$p'
rm -f "$TBUF_DIR"/tbuf.*
# The selection is changed from outside: of a recorder, and of another
# consumer's run.
TBUF_OPTIONS='nunits=1,probes=count;done' start 3 4 unit=1 fire=1 done=1 end=0 \
    say=next wait unit=2 fire=1 done=2 end=3
for rules in level 0:1 '0:1,*:2' 1:1,2:1,3:1,4:1,5:1,6:1 7:1 0:x ''; do
	ctl --set="unitselect=$rules" -p $target
done
ctl --set=unitselect=0:0x100
tell 3
hear 4 next
ctl --set=unitselect=3:0 -p $target
tell 3
wait $target
"$TBUFCTL" -q -x temporal --read=$target 2>&1 | normal
ctl --set=unitselect=0:1
ctl --set=unitslow=1s
ctl --set=unitslow=1x
rm -f "$TBUF_DIR"/tbuf.* in3 out4
TBUF_OPTIONS='nunits=1,probes=count;done' start 3 4 unit=1 fire=1 age=20 \
    end=0 say=next wait unit=2 fire=1 age=20 end=0
ctl --set=unitslow=10ms -p $target
tell 3
hear 4 next
ctl --set=unitslow=0
tell 3
wait $target
"$TBUFCTL" -q -x temporal --read=$target 2>&1 | normal
ctl --set=unithung=1x
ctl --set=unithung=
ctl --set=unithung=1s -p 2147483647
ctl --set=unitselect=x:1
ctl --set=unitselect=0:1 -p 2147483647
rm -f "$TBUF_DIR"/tbuf.* in3 out3 in4 out4
for value in x 0 1: 1:x stat=1; do
	ctl --units=$value
done
ctl --units -l
ctl --units -p 1
ctl --units --left
# The process does not exist or is not traced.
ctl --units=2147483647
ctl --units=2147483647:1
start 5 6 unit=1 wait
units "=$target"
kill -9 $target
# Readers leave no files.
mkdir -m 700 bare
for look in --units --units=stat --left --left=remove "--unwrap=$TBUF_TARGET"; do
	TBUF_DIR=$PWD/bare "$TBUFCTL" $look >/dev/null 2>&1
	ls bare
done
# A runtime directory that others may change is not read.
mkdir open
chmod 777 open
TBUF_DIR=$PWD/open
ctl --units
ctl --units=stat

# Options of work units need nunits, which a script may set, and nbuf needs
# bufscope; an explicit value is no mistake.
mkdir -m 700 own
TBUF_DIR=$PWD/own
echo '#pragma D option nunits=4
BEGIN { exit(0); }' >nunits.d
echo '#pragma D option unitslow=4s
BEGIN { exit(0); }' >unitslow.d
for options in '-x unitsize=1k' '-x unitpolicy=ring' '-x unitselect=level' \
    '-x unitslow=1s' '-x unithung=1s' '-x nbuf=3'; do
	ctl -q $options -n 'BEGIN { exit(0); }'
	ctl -q $options -x nunits=2 -x bufscope=thread -n 'BEGIN { exit(0); }'
	ctl -q $options -x nunits=0 -x bufscope=cpu -n 'BEGIN { exit(0); }'
done
ctl -q -x unitsize=1k -s nunits.d
ctl -q -s unitslow.d
ctl -q -s unitslow.d -s nunits.d
ctl -q -x unitsize=1k -n count -c "touch executed"
ls executed 2>/dev/null
DTRACE_OPT_UNITSIZE=1k ctl -q -n 'BEGIN { exit(0); }'
