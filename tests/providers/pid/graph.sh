#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Functions as a graph (-F), and functions in all that reads records: files of
# ended processes, cores, snapshots, recordings, formats and reports.

set -u
. "${top_srcdir:?}/tests/lib/pid.sh"

cat >graph.cc <<'END'
#include <sys/wait.h>

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TRACED	extern "C" __attribute__((noinline, noclone))

/* Startup code has no bounds: any of its bytes may be a short branch. */
__asm__(".text\n.type pad, @function\npad: .skip 160, 0x90\n ret\n"
    ".size pad, . - pad\n");

static volatile long sink;
static jmp_buf back;

TRACED long leaf(long n) { return (sink += n); }
TRACED long recursive(long n)
{
	sink += n;
	return (n == 0 ? 0 : recursive(n - 1) + sink);
}
TRACED long tail_end(long n) { sink += n; return (leaf(n)); }
TRACED long tail_begin(long n) { sink += n; return (tail_end(n + 1)); }
TRACED long thrower(long n)
{
	sink += n;
	if (n > 0)
		throw n;
	return (n);
}
TRACED long between(long n) { sink += n; return (thrower(n) + sink); }
TRACED long catcher(long n)
{
	sink += n;
	try {
		return (between(n) + 1);
	} catch (long caught) {
		return (sink += caught);
	}
}
TRACED void jumper(long n) { sink += n; longjmp(back, 1); }
TRACED long jumps(long n)
{
	sink += n;
	if (setjmp(back) == 0)
		jumper(n);
	return (sink);
}
TRACED void handler(int n) { sink += n; (void)leaf(n); sink += n; }
TRACED long signals(long n)
{
	sink += n;
	raise(SIGUSR1);
	return (leaf(n) + sink);
}
TRACED void *thread(void *unused)
{
	sink++;
	sink += leaf(1);
	return (unused);
}
TRACED long threads(long n)
{
	pthread_t one;

	sink += n;
	pthread_create(&one, NULL, thread, NULL);
	pthread_join(one, NULL);
	return (sink);
}
TRACED long child(long n) { sink += n; return (leaf(n) + sink); }
TRACED long forks(long n)
{
	sink += n;
	if (fork() == 0) {
		(void)child(n);
		_exit(0);
	}
	wait(NULL);
	return (leaf(n) + sink);
}
TRACED void run(void)
{
	sink += recursive(2);
	sink += tail_begin(1);
	sink += catcher(0);
	sink += catcher(1);
	sink += jumps(1);
	sink += signals(1);
	sink += threads(1);
	sink += forks(1);
}
int
main(int argc, char **)
{
	signal(SIGUSR1, handler);
	run();
	if (argc > 1) {
		puts("ready");
		fflush(stdout);
		for (;;)
			pause();
	}
	return (0);
}
END
# Each function begins with more than a jump needs.
g++ -w -O1 -foptimize-sibling-calls -fno-if-conversion -o graph graph.cc \
    -lpthread || exit 1

# The depth of each thread, without the CPU and the times.
plain() {
	sed -E 's/^ *-?[0-9]+ //; s/ +$//; s/ [0-9.]+ (ns|us|ms|s)( |$)/ TIME\2/
	    s/ +tid=[0-9]+//'
}
graph=' -> run
   -> recursive
     -> recursive
       -> recursive
       <- recursive TIME
     <- recursive TIME
   <- recursive TIME
   -> tail_begin
   <- tail_begin TIME
   -> tail_end
   <- tail_end TIME
   -> leaf
   <- leaf TIME
   -> catcher
     -> between
       -> thrower
       <- thrower TIME
     <- between TIME
   <- catcher TIME
   -> catcher
     -> between
       -> thrower
   <- catcher TIME
   -> jumps
     -> jumper
   <- jumps TIME
   -> signals
     -> handler
       -> leaf
       <- leaf TIME
     <- handler TIME
     -> leaf
     <- leaf TIME
   <- signals TIME
   -> threads
 -> thread
   -> leaf
   <- leaf TIME
 <- thread TIME
   <- threads TIME
   -> forks'
after='     -> leaf
     <- leaf TIME
   <- forks TIME
 <- run TIME'
child=' -> child
   -> leaf
   <- leaf TIME
 <- child TIME'
names=
for name in run recursive 'tail_*' leaf between thrower catcher 'jump*' \
    signals handler 'thread*' forks child; do
	names="$names${names:+,}pid\$target:a.out:$name:"
done
# The same of any process, for those of -p and files.
any=$(echo "$names" | sed 's/\$target/*/g')

"$TBUFCTL" -F --format=text -n "$names" -c ./graph >out 2>err
expect 'a graph' "$(plain <out)" "CPU FUNCTION
$graph
$after"
expect 'its messages' "$(sed 's/pid [0-9]*/pid N/' err)" \
    "tbufctl: description '$names' matched 31 probes
tbufctl: pid N has exited"
# A followed child begins within its parent's call.
"$TBUFCTL" -F -q --follow --with=pid -n "$any" -c ./graph >out 2>err
expect 'a graph of a child' "$(sed 1d out | grep "pid=$(sed -n \
    's/.*child.*pid=//p' out | head -n 1)" | plain | sed 's/ *pid=.*//')" \
    "$child"
# Each thread has a depth of its own.
"$TBUFCTL" -F -q --with=tid -n "$names" -c ./graph >out 2>err
expect 'a graph of a thread' "$(grep "tid=$(sed -n 's/.*thread .*tid=//p' out |
    head -n 1)" out | plain | sed 's/ *tid=.*//')" ' -> thread
   -> leaf
   <- leaf TIME
 <- thread TIME'
for policy in ring fill; do
	expect "a graph of bufpolicy=$policy" "$("$TBUFCTL" -F -q \
	    -x bufpolicy=$policy -n "$names" -c ./graph 2>err | plain)" \
	    "CPU FUNCTION
$graph
$after"
done
expect 'values in a graph' "$("$TBUFCTL" -F -n 'pid$target:a.out:leaf:
    /probename == "entry" || arg0 > 0/ { printf("%s", probename); }' \
    -c ./graph 2>err | plain | tr -s ' ' | head -n 3)" 'CPU FUNCTION
 -> leaf entry
 <- leaf TIME return'

# What the tour asks: how often, how long, by which stack, from where.
script() {
	"$TBUFCTL" -q "$@" 2>err | sed '/^ *$/d; s/^ *//; s/  */ /g'
}
leaf='pid$target:a.out:leaf'
expect 'calls' "$(script -n "$leaf:entry, pid\$target:a.out:rec*:entry
    { @[probefunc] = count(); }" -c ./graph)" 'recursive 3
leaf 5'
expect 'durations' "$(script -n "$leaf:entry { self->at = timestamp; }
    $leaf:return /self->at/ { @ = quantize(timestamp - self->at);
    self->at = 0; }" -c ./graph | awk '/@/ { n += $NF } END { print n }')" 5
expect 'stacks' "$(script -n "$leaf:entry { @[ustack(2)] = count(); }" \
    -c ./graph | sed 's/+0x.*//' | grep -c '^graph`leaf$')" 5
expect 'callers' "$(script -n "$leaf:entry { @[ufunc(ucaller)] = count(); }" \
    -c ./graph | LC_ALL=C sort)" "graph\`forks 1
graph\`handler 1
graph\`run 1
graph\`signals 1
graph\`thread 1"

# ------------------------------------------------------------ readers

# A program that was started by hand with what may be asked of it.
TBUF_PID=$any LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-pid.so \
    TBUF_OPTIONS='bufpolicy=ring,bufsize=256k,probes=pid*:::' \
    ./graph wait >ready 2>err &
target=$!
until grep -q ready ready; do
	kill -0 $target || break
done
counts='pid$target:::entry { @[probefunc] = count(); }'
known='between 2
catcher 2
forks 1
handler 1
jumper 1
jumps 1
leaf 5
recursive 3
run 1
signals 1
tail_begin 1
tail_end 1
thread 1
threads 1
thrower 2'
counted() {
	script "$@" -n "$counts" | LC_ALL=C sort; cat err
}
expect 'a snapshot' "$(counted --snapshot=$target)" "$known"
expect 'a graph of a snapshot' "$("$TBUFCTL" -F -q --snapshot=$target 2>&1 |
    plain | sed '/^tbufctl: total/d')" "CPU FUNCTION
$graph
$after"
expect 'a list of a process' "$("$TBUFCTL" -l -P "pid$target" -p $target 2>&1 |
    grep -c "pid$target  *a.out")" 31
expect 'one of them' "$("$TBUFCTL" -l -n 'pid$target:a.out:leaf:entry' \
    -p $target 2>&1 | sed '1d; s/  */ /g; s/^ [0-9]* //')" \
    "pid$target a.out leaf entry"
expect 'what is not armed' "$(script -p $target \
    -n 'pid$target:a.out:main:entry { exit(3); }'; tail -n 1 err)" \
    'tbufctl: functions have probes only in a command of -c (pid$target), or if TBUF_PID named them when their process began: see tbuf_pid(7)'
expect 'the use of its buffers' "$("$TBUFCTL" --stat -p $target 2>&1 |
    awk '$1 == '$target' { n += $7 } END { print n }')" 45
if command -v gdb >/dev/null; then
	# gcore sets the filter of the core, for shared memory.
	echo 0x3b >/proc/$target/coredump_filter
	gdb -batch -p $target -ex 'generate-core-file core' >/dev/null 2>&1
	expect 'a core' "$(counted --core=core)" "$known"
	expect 'a graph of a core' "$("$TBUFCTL" -F -q --core=core 2>&1 |
	    plain | sed '/^tbufctl: total/d')" "CPU FUNCTION
$graph
$after"
else
	echo 'no gdb, no core'
fi
kill -9 $target
wait $target 2>/dev/null
expect 'an ended process' "$(counted --read=$target)" "$known"
expect 'a graph of an ended process' "$("$TBUFCTL" -F -q --read=$target 2>&1 |
    plain | sed '/^tbufctl: total/d')" "CPU FUNCTION
$graph
$after"
expect 'durations of an ended process' "$(script --read=$target \
    -n "$leaf:entry { self->at = timestamp; }
    $leaf:return /self->at/ { @ = count(); self->at = 0; }"; cat err)" 5
expect 'another process than that' "$(script --read=$target \
    -n 'pid1:::entry { @ = count(); }'; tail -n 1 err)" 'tbufctl: pid1 is another process than that of -c, -p or --read, which is pid$target'
"$TBUFCTL" -q --read=$target --report=report.html >/dev/null 2>err
expect 'a report' "$(sed 's/.*drops, //' err)" \
    '21 slices, 3 records without a partner'

# A recording, and what is made of it.
"$TBUFCTL" -q --record=recording -n "$names" -c ./graph >/dev/null 2>err
expect 'a recording' "$(counted --read=recording)" "$known"
expect 'a graph of a recording' "$("$TBUFCTL" -F -q --read=recording 2>&1 |
    plain | sed '/^tbufctl: total/d')" "CPU FUNCTION
$graph
$after"
shown() {
	"$TBUFCTL" -q --format="$1" -n "$leaf:" -c ./graph 2>&1
}
expect 'JSON' "$(shown json | sed -n 's/.*"function":"\([^"]*\)",.*"name":"\([^"]*\)".*/\1 \2/p' |
    LC_ALL=C sort | uniq -c | sed 's/^ *//')" '5 leaf entry
5 leaf return'
expect 'a log' "$(shown log | grep -c ' pid[0-9]*:a.out:leaf:return arg0=')" 5
expect 'Chrome' "$(shown chrome | grep -c '"name":"leaf","ph":"X"')" 5
expect 'OpenTelemetry' "$(shown otlp | grep -o '"name":"leaf"' | grep -c .)" 5
expect 'Perfetto' "$(shown perfetto | tr -dc 'a-z' | grep -c leaf)" 1
expect 'Prometheus' "$(shown prometheus | sed -n \
    's/^tbuf_run_records_total{.*} //p')" 10
expect 'folded' "$("$TBUFCTL" -q --format=folded -n "$leaf:entry
    { @[ustack(2)] = count(); }" -c ./graph 2>&1 | LC_ALL=C sort)" 'graph`forks;graph`leaf 1
graph`handler;graph`leaf 1
graph`run;graph`leaf 1
graph`signals;graph`leaf 1
graph`thread;graph`leaf 1'

report
