#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tbuf_backtrace() and tbuf_on_fatal(): the last records as text are equal to
# tbufctl's output, for each way to end; and the exit status stays the same.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
[ -z "${SANITIZER-}" ] || {
	echo 'a sanitizer has signals and cores of its own'
	exit 77
}
: "${TBUFCTL:?}" "${top_builddir:?}"
target=$top_builddir/tests/system/fatal_signal_target
export TBUF_DIR="$SCRATCH/dir"
unset TBUF_OPTIONS TBUF_WINDOW TBUF_DISABLE
mkdir -m 700 "$TBUF_DIR"
cd "$SCRATCH" || exit 1

quiet=-q more="" program=ft:::
# run ORDER ...: traces into a ring; sets out, err, and tbufctl's records in
# live.
run()
{
	rm -f live
	# shellcheck disable=SC2086 # orders have no blanks
	"$TBUFCTL" $quiet $more -x bufpolicy=ring -x temporal -b 64k -n "$program" -o live \
	    -c "$target $*" >out 2>both
	status=$?
	grep -v '^tbufctl: ' both >err
}

# Replaces times, CPUs and threads, which vary.
plain()
{
	sed -E -e 's/^-[0-9]+\.[0-9]{9} cpu [0-9]+ tid [0-9]+ /- /' \
	    -e 's/pid [0-9]+/pid N/' -e 's/thread [0-9]+/thread N/' "$@"
}

# records FILE: prints the values only.
records()
{
	sed -n 's/^- ft:fatal_signal_target:[a-z_]*:[a-z]* //p' "$1"
}

# signal: prints the signal that ended the process, as tbufctl reports it.
signal()
{
	sed -n 's/^tbufctl: pid [0-9]* terminated by //p' both
}

# units: prints the lines without parts that vary.
units()
{
	plain out | sed -E -e 's/for [0-9]+\.[0-9]{9}/for S/' \
	    -e 's/tid [0-9]+, /tid N, /' -e 's/^(- unit [0-9]+).*last/\1/' \
	    -e 's/ arg1=.*//' -e 's/^- ft:fatal_signal_target:fire:last/-/'
}

# The format of the output is compared.
run fire=3 backtrace=2
plain out >got
cat >expected <<END
tbuf: last 2 of 3 records of fatal_signal_target, pid N
- ft:fatal_signal_target:fire:last i=2 arg1="a \\"text\\""
- ft:fatal_signal_target:fire:last i=3 arg1="a \\"text\\""
backtrace 2
END
same 'the lines' '' "$(diff expected got)"

# There is an envelope, a commit record, a discarded unit, and two that
# have not ended, one of them in a table that wraps.
more='-x nunits=4 -x unitsize=4k'
run fire=1 unit=1 fire=2 end=7 unit=2 fire=60 end=1 unit=3 fire=9 end=0 \
    unit=4 fire=1 unit=5 fire=2 backtrace=99
{
	echo 'tbuf: last 68 of 68 records of fatal_signal_target, pid N'
	echo 'tbuf: running for S: job 4, tid N, 1 record'
	echo 'tbuf: running for S: job 5, tid N, 2 records'
	printf '%s\n' '- i=1' '- unit 1 i=1' '- unit 1 i=2' \
	    '- a work unit: id=1 outcome=7 records=2'
	seq 60 | sed 's/^/- unit 2 i=/'
	printf '%s\n' '- a work unit: id=2 outcome=1 records=60' \
	    '- unit 4 i=1' '- unit 5 i=1' '- unit 5 i=2' 'backtrace 68'
} >expected
units >got
same 'work units' '' "$(diff expected got)"
more='-x nunits=1 -x unitsize=1k -x unitpolicy=ring'
run unit=1 fire=100 backtrace=99
units | sed '1,2d; s/- unit 1 i=//' >got
same 'a table that has wrapped' "$(seq $((102 - $(wc -l <got))) 100)
backtrace $(($(wc -l <got) - 1))" "$(cat got)"
run unit=1 fire=100 end=1 backtrace=99
units | sed '1d; s/- unit 1 i=//' >got2
same 'the same, ended' "$(sed \$d got)" "$(sed '$d' got2 | sed \$d)"
more=

run types backtrace=9
plain out | records /dev/stdin >got
cat >expected <<'END'
i8=-128 i16=-32768 i32=-2147483648 i64=-9223372036854775808
END
same 'signed' '' "$(head -n 1 got | diff expected -)"
same 'unsigned' '255 65535 4294967295 18446744073709551615' \
    "$(sed -n '2s/[^ ]*=//gp' got)"
same 'floating point' '0x1.99999a0000000p-4 -0x1.999999999999ap-4 0x0.0000000000000p+0 0x1.7e43c8800759cp+996 0x0.0000000000001p-1022' \
    "$(sed -n '3s/[^ ]*=//gp' got)"
same 'others' "true 0x1234 \"q\\\"b\\\\n\\x0a\\x01$(printf '\377')\" NULL hex:0102ff" \
    "$(sed -n '4s/[^ ]*=//gp' got)"

# The action record() leaves the probe's own record.
plain out >expected
program='ft::: /pid != 0/ { record(); }'
run types backtrace=9
same 'record()' '' "$(plain out | diff expected -)"
program='ft:::last { trace(7); record(); trace(arg0); }'
run fire=1 backtrace=9
same 'record() beside others' '7 i=1 arg1="a \"text\"" 1' \
    "$(plain out | records /dev/stdin)"
program=ft:::

# Records of several lanes and threads are printed in tbufctl's order.
run fire=700 thread=700 fire=700 thread=3000 backtrace=500
tail -n 500 live >expected
plain out | records /dev/stdin  >got
same 'the last ones' '' "$(diff expected got | head)"
run fire=5000 backtrace=65535
same 'no more than 1024' 'backtrace 1024' "$(tail -n 1 out)"
same 'and those' '' "$(plain out | records /dev/stdin |
    diff - live | grep '^<' | head)"
run backtrace=5
same 'none' 'tbuf: last 0 of 0 records of fatal_signal_target, pid N
backtrace 0' "$(plain out)"
run fire=2 backtrace=0 backtrace=-1
same 'a bad number' 'backtrace -22
backtrace -22' "$(cat out)"
same 'not traced' 'backtrace -125' "$(TBUF_DISABLE=1 "$target" backtrace=1)"
same 'nobody to read' 'closed' "$("$TBUFCTL" -q -n ft::: -o live \
    -c "$target fire=9 backtrace=5" 2>/dev/null >/dev/full; echo closed)"

# Each signal is tested for its line, the records, and the end.
while read -r how name line; do
	run fire=9 fatal=records=4 die="$how"
	same "$how: ends it" "$name" "$(signal)"
	plain err | sed 's/ at 0x[0-9a-f]*/ at ADDRESS/' >got
	same "$how: the line" "tbuf: $line in thread N" "$(head -n 1 got)"
	same "$how: the records" '6 7 8 9' "$(records got |
	    sed 's/i=\([0-9]*\).*/\1/' | tr '\n' ' ' | sed 's/ $//')"
done <<END
segv SIGSEGV SIGSEGV at ADDRESS
bus SIGBUS SIGBUS at ADDRESS
abort SIGABRT SIGABRT
fpe SIGFPE SIGFPE
ill SIGILL SIGILL at ADDRESS
sys SIGSYS SIGSYS
sent SIGSEGV SIGSEGV
overflow SIGSEGV SIGSEGV at ADDRESS
both SIGSEGV SIGSEGV at ADDRESS
END
run fire=9 die=segv
same 'nothing was asked for' '' "$(cat err)"

# Handlers that were installed before are still called.
quiet=
run fire=9 chain=exit fatal=records=2 die=segv
quiet=-q more=
same 'a handler: it decides' 3 "$(sed -n 's/.*exited with status //p' both)"
same 'a handler: after the records' '4 chained SEGV' \
    "$(wc -l <err) $(cat out)"
run fire=9 chain=jump fatal=records=2 die=segv die=abort say=on
same 'a handler that jumps, twice' 'chained SEGV chained ABRT on' \
    "$(tr '\n' ' ' <out | sed 's/ $//')"
same 'the records, twice' 8 "$(wc -l <err)"
run fire=9 chain=ignore fatal=records=2 die=sent say=on
same 'ignored, and sent' on "$(cat out)"
same 'ignored, and sent: no record' '' "$(cat err)"
run fire=9 chain=ignore fatal=records=2 die=segv say=on
same 'ignored, and a fault' SIGSEGV "$(signal)"
run fire=9 fatal=records=2 chain=exit die=segv
same 'a handler that comes later has it' 'chained SEGV 0' \
    "$(cat out) $(wc -l <err)"

# Cases: an alternate stack, a truncated file, no descriptor, two calls.
run fire=9 stack=16384 fatal=records=2 die=overflow
same 'an own stack' 'stays SIGSEGV 4' "$(cat out) $(signal) $(wc -l <err)"
run fire=9 fatal=records=2 cut die=abort
same 'the file is gone: the line' 'tbuf: SIGABRT in thread N' "$(plain err)"
run fire=9 fatal=records=2 full die=abort
same 'no descriptor' SIGABRT "$(signal)"
run fire=9 fatal=records=5 fatal=records=2,fd=1 die=abort
same 'the last options' '4 0' "$(wc -l <out) $(wc -l <err)"
same 'not traced, the line alone' 1 \
    "$( (TBUF_DISABLE=1 "$target" fatal=fd=1 die=abort; true) 2>/dev/null | wc -l)"

# An assertion is printed once, by any handler.
run fire=9 assert
same "an assertion" "11 SIGABRT" "$(wc -l <err) $(signal)"
same 'an assertion: its line' 'assertion failed: zero != 0' \
    "$(head -n 1 err | sed 's/.*: \(assertion.*\)/\1/')"
run fire=9 fatal=records=4 assert
same 'an assertion, and a handler' '1 SIGABRT' \
    "$(grep -c '^tbuf: last' err) $(signal)"
for order in 'chain=ignore fatal=records=4' 'fatal=records=4 chain=ignore'; do
	run fire=9 $order assert
	same "an assertion, and $order" '5 1 SIGABRT' "$(sed 1d err |
	    wc -l) $(grep -c '^tbuf: last 4 of 9' err) $(signal)"
done
same 'an assertion, and nobody traces' 0 \
    "$( ("$target" assert 2>&1; true) 2>/dev/null | grep -c '^tbuf: ')"

# A file has the signal that ended its process, if no other handler gets it.
while read -r expected orders; do
	# shellcheck disable=SC2086 # orders have no blanks
	(TBUF_OPTIONS=bufsize=64k,probes=ft::: "$target" fire=1 $orders
	    true) >/dev/null 2>&1
	same "left by $orders" "$expected" \
	    "$("$TBUFCTL" --left | awk 'NR == 2 { print $2 }')"
	rm -f "$TBUF_DIR"/tbuf.*
done <<END
SIGSEGV fatal=records=1 die=segv
SIGSEGV fatal=records=1 die=overflow
SIGABRT fatal=records=1 die=abort
SIGABRT fatal=records=1 assert
SIGABRT assert
- die=segv
- chain=exit fatal=records=1 die=segv
exit chain=jump fatal=records=1 die=segv
END

# Kernel cores have sessions and lanes that were added while the process ran.
#
# begin NAME: begins in a directory of that name.
begin()
{
	rm -f "$TBUF_DIR"/tbuf.*
	mkdir "$1" && cd "$1" || exit 1
	mkfifo in out
}

limits='echo 0x3b >/proc/self/coredump_filter
    (ulimit -c unlimited) 2>/dev/null && ulimit -c unlimited
    CORES=1 exec "$0" "$@"'

hear()
{
	read -r heard <&6
	same "$1" "$1" "$heard"
}

# last [PID]: kills the consumer, then lets the target end, and expects the
# records of its file in its core.
last()
{
	kill -KILL $ctl
	wait $ctl 2>/dev/null
	file=$(echo "$TBUF_DIR"/tbuf.*)
	cp "$file" copy
	echo >&5
	exec 5>&-
	# The pipe is closed when the target has ended and its core is written.
	cat <&6 >/dev/null
	exec 6<&-
	wait "$@" 2>/dev/null
	rm "$file"
	"$TBUFCTL" -q -x temporal --read copy >expected 2>&1
	case $(cat /proc/sys/kernel/core_pattern) in
	'|'* | */*) ;;
	*) for core in core* *core; do
		[ -s "$core" ] || continue
		"$TBUFCTL" -q -x temporal --core "$core" >got 2>&1
		same 'a core' '' "$(diff expected got)"
	done ;;
	esac
	cd ..
}

# A session is added.
begin session
sh -c "$limits" "$target" fatal=fd=2 say=ready enabled fire=9 say=fired wait \
    die=segv <in >out 2>err &
pid=$!
exec 5>in 6<out
hear ready
"$TBUFCTL" -q -x bufpolicy=ring -b 64k -n 'ft:::' -p $pid >live 2>&1 &
ctl=$!
hear fired
last $pid
same 'a session that was added: records' 9 "$(grep -c i= session/expected)"

# Without a handler, an assertion puts the session into the core.
begin assertion
sh -c "$limits" "$target" say=ready enabled fire=9 say=fired wait assert \
    <in >out 2>err &
pid=$!
exec 5>in 6<out
hear ready
"$TBUFCTL" -q -x bufpolicy=ring -b 64k -n 'ft:::' -p $pid >live 2>&1 &
ctl=$!
hear fired
last $pid

# Lanes of threads are added.
begin lanes
"$TBUFCTL" -q -x bufpolicy=ring -x bufscope=thread -x nbuf=4 -b 64k \
    -n 'ft:::' -c "sh -c '$limits' $target fatal=fd=2 stay=3 say=three wait stay=4
    say=seven wait die=segv" <in >out 2>live &
ctl=$!
exec 5>in 6<out
hear three
pid=$(basename "$TBUF_DIR"/tbuf.* | cut -d . -f 2)
until [ "$("$TBUFCTL" --stat -p "$pid" | grep -c ' T[0-9]')" -ge 9 ]; do
	sleep 0.01
done
echo >&5
hear seven
last
# Without rseq a thread drops records while other threads hold all lock lanes.
drops=$(sed -n 's/^tbufctl: \([0-9]*\) drops* on CPU .*/\1/p' lanes/expected |
    awk '{ sum += $1 } END { print sum + 0 }')
same 'lanes that were added: records' 7 \
    $(($(grep -c i= lanes/expected) + drops))

# Invalid options are refused.
for bad in records records= records=0 records=x records=1x records=1,,fd=2 \
    fd=-1 fd=99999 record=1; do
	same "option $bad" 'fatal -22' "$("$target" "fatal=$bad")"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
