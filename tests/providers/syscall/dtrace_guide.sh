#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# dtrace_guide.sh: the commands of the DTrace guide on buffers, with a command
# to trace.

. "${top_srcdir:=..}/tests/providers/syscall/common.sh"
TBUF_MAXSIZE=64m
export TBUF_MAXSIZE

# ctl STATUS ARGUMENT ...: runs tbufctl; sets $dir/out and $dir/said.
ctl() {
	expected=$1
	shift
	rm -f "$dir/out"
	command=$*
	"$TBUFCTL" -o "$dir/out" "$@" >"$dir/printed" 2>"$dir/said"
	status=$?
	[ $status -eq "$expected" ] || fail "status $status"
}

fail() {
	echo "FAIL: tbufctl $command: $*: $(cat "$dir/said")" >&2
	failures=$((failures + 1))
}

said() {
	grep -q -e "$1" "$dir/said" || fail "not said: $1"
}

told() {
	grep -q -e "$1" "$dir/out" || fail "not told: $1"
}

# With policy fill the first records fill the buffer and remain.
ctl 0 -n syscall:::entry -b 2k -x bufpolicy=fill -c date
[ "$(wc -l <"$dir/printed")" -eq 1 ] || fail 'date has not run'
said ' 0 overwritten, '
said ' drops$'
grep -q exit_group "$dir/out" && fail 'the last call has found room'
told 'openat:entry dirfd=-100 '

cat >"$dir/ring.d" <<'END'
#pragma D option bufpolicy=ring
#pragma D option bufsize=16k

syscall:::entry
/execname == $$1/
{
	trace(timestamp);
}

syscall::exit_group:entry
{
	exit(0);
}
END
ctl 0 -s "$dir/ring.d" -c date date
told ' openat:entry  *[0-9]'
told ' exit_group:entry  *[0-9]'
ctl 0 -s "$dir/ring.d" -c date sort
grep -q openat "$dir/out" && fail 'another program was traced'
told ' exit_group:entry *$'

ctl 0 -P syscall -x bufsize=1m -c date
said ' 0 overwritten, 0 drops$'
told 'exit_group:entry status=0'
ctl 0 -P syscall -b 4g -c date
said 'buffer size lowered to '
told 'exit_group:entry status=0'
ctl 0 -P 'syscall{@a[probefunc] = count()}' -x aggsize=1g -c date
said 'aggregation size lowered to '
told '^  exit_group  *1$'
ctl 1 -P syscall -x bufsize=1g -x bufresize=manual -c date
said 'could not enable tracing: Not enough space'
[ ! -s "$dir/printed" ] || fail 'date has run'

[ $failures -eq 0 ]
