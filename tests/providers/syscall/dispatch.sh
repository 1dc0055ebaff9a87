#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# dispatch.sh [TIMES]: with -x syscall=all, calls of code that is loaded after
# the start are counted, exactly as the program counts them, and the program's
# behaviour does not change.

. "${top_srcdir:=..}/tests/providers/syscall/common.sh"
LC_ALL=C
export LC_ALL
unset TBUF_SYSCALL
object=$PROGRAMS/.libs/dlopen_object.so

"$TBUFCTL" -l -v -x syscall=all -n syscall::getppid: -c true >"$dir/out" \
    2>"$dir/said"
if grep 'Syscall User Dispatch' "$dir/said"; then
	exit 77
fi
grep -q 'not traced, .* are dispatched$' "$dir/said" ||
    fail "not told: $(cat "$dir/said")"
"$TBUFCTL" -l -v -n syscall::getppid: -c true >"$dir/out" 2>"$dir/said"
grep 'dispatched' "$dir/said" && fail 'told of what was not asked for'

# trace KIND [OPTION ...]: compares the records with the program's count.
trace() {
	kind=$1
	shift
	rm -f "$dir/out"
	"$TBUFCTL" -x syscall=all -x bufsize=1m -n 'syscall::getppid:' \
	    -o "$dir/out" "$@" -c "$PROGRAMS/late_code $kind $object" \
	    >"$dir/printed" 2>"$dir/said" || fail "$kind: $(cat "$dir/said")"
	drops=$(sed -n 's/^tbufctl: total: .* 0 overwritten, \([0-9]*\) drops$/\1/p' \
	    "$dir/said")
	grep -q 'exited with\|terminated' "$dir/said" &&
	    fail "$kind: $(cat "$dir/said")"
	counted=$(sed -n 's/^and //p' "$dir/printed" | tail -1)
	entries=$(grep -c 'getppid:entry' "$dir/out")
	returns=$(grep -c 'getppid:return result=[0-9]* errno=0' "$dir/out")
}

expect() {
	trace "$@"
	[ "$entries" -eq "${counted:-0}" ] && [ "$returns" -eq "$entries" ] &&
	    [ "$drops" = 0 ] ||
	    fail "$kind: $entries and $returns, not ${counted:-0}; $(cat "$dir/said")"
}

# accounted KIND: like trace, but with drops, which threads have while others
# that do not run hold all lock lanes.
accounted() {
	trace "$@"
	[ "$((entries + returns + ${drops:-0}))" -eq "$((2 * ${counted:-0}))" ] ||
	    fail "$kind: $entries and $returns of ${counted:-0}; $(cat "$dir/said")"
}

for turn in $(seq "${1:-1}"); do
	for tunables in '' glibc.pthread.rseq=0; do
		GLIBC_TUNABLES=$tunables
		export GLIBC_TUNABLES
		for kind in plain made signals masks handlers little aside \
		    born spawns synced; do
			expect $kind
		done
		for kind in areas threads; do
			if [ -n "$tunables" ]; then
				accounted $kind
			else
				expect $kind
			fi
		done
		expect forks --follow
	done
	unset GLIBC_TUNABLES

	# A new image is dispatched again, with the same signals blocked as
	# before.
	trace exec --follow
	[ "$entries" -eq $((2 * counted)) ] && [ "$drops" = 0 ] ||
	    fail "exec: $entries; $(cat "$dir/said")"

	# With more places than can be stored, the remaining calls are not
	# traced.
	trace many
	[ "$entries" -lt "$counted" ] && [ "$entries" -ge 4000 ] &&
	    [ "$returns" -eq "$entries" ] && [ "$drops" = 0 ] ||
	    fail "many: $entries; $(cat "$dir/said")"
done

# Clauses do not use a stack that has little space.
rm -f "$dir/out"
"$TBUFCTL" -x syscall=all -n 'syscall::getppid: { @[probename] = count(); }' \
    -o "$dir/out" -c "$PROGRAMS/late_code little $object" \
    >"$dir/printed" 2>"$dir/said" || fail "little: $(cat "$dir/said")"
counted=$(sed -n 's/^and //p' "$dir/printed")
[ "$(grep -c " ${counted:-none}\$" "$dir/out")" -eq 2 ] ||
    fail "little: $(cat "$dir/said" "$dir/out")"

# Calls that the C library identifies by their place are not dispatched.
rm -f "$dir/out"
"$TBUFCTL" -x syscall=all -n 'syscall::read:entry,syscall::close:entry' \
    -o "$dir/out" -c "$PROGRAMS/cancel_bridge" 2>"$dir/said" ||
    fail "bridge: $(cat "$dir/said")"
[ "$(grep -c 'read:entry fd=.* count=1$' "$dir/out")" -eq 1 ] &&
    [ "$(grep -c 'close:entry fd=4711$' "$dir/out")" -eq 1 ] &&
    grep -q 'has exited$' "$dir/said" ||
    fail "bridge: $(cat "$dir/said" "$dir/out")"

# Under valgrind its own calls would be dispatched.
LD_PRELOAD="$TBUF_PROVIDERS/libtbuf-syscall.so /vgpreload_core-amd64-linux.so" \
    TBUF_SYSCALL=all TBUF_SYSCALL_LIST=$dir/list cat </dev/null 2>/dev/null
grep -q '^other system calls: valgrind makes the calls itself$' \
    "$dir/list" ||
    fail "valgrind: $(tail -n 3 "$dir/list")"

# Calls of 32 bits, where they exist, are let through.
"$PROGRAMS/late_code" old "$object" >/dev/null 2>&1 && expect old

# Calls that are not enabled, and the provider's own, are not recorded.
rm -f "$dir/out"
"$TBUFCTL" -x syscall=all -n 'syscall:::' -o "$dir/out" -c \
    "$PROGRAMS/late_code plain $object" >/dev/null 2>"$dir/said" ||
    fail "all: $(cat "$dir/said")"
grep -q 'prctl' "$dir/out" && fail 'its own calls are told'
rm -f "$dir/out"
"$TBUFCTL" -n 'syscall::getppid:entry' -o "$dir/out" -c \
    "$PROGRAMS/late_code plain $object" >/dev/null 2>"$dir/said" ||
    fail "not all: $(cat "$dir/said")"
[ "$(grep -c getppid "$dir/out")" -eq 1 ] || fail 'dispatched without'

# A program's output and exit status are the same.
cat >"$dir/script" <<'END'
exec 2>/dev/null
trap 'echo caught' USR1
for i in 1 2 3; do echo $i | cat; (exit $i) || echo $?; done
kill -USR1 $$
(kill -SYS $BASHPID)
echo $? "$(echo nested)" $(ls /)
exit 5
END
same() {
	"$@" >"$dir/expected" 2>&1
	status=$?
	LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-syscall.so TBUF_SYSCALL=all "$@" \
	    >"$dir/got" 2>&1
	[ $? -eq $status ] || fail "$1: another status"
	diff "$dir/expected" "$dir/got" >&2 || fail "$1: another output"
	"$TBUFCTL" -x syscall=all -n 'syscall:::' --follow -x bufpolicy=ring \
	    -b 16k -o /dev/null -c "$*" >"$dir/got" 2>"$dir/said"
	diff "$dir/expected" "$dir/got" >&2 || fail "$1: another output traced"
	grep -q 'total: [1-9]' "$dir/said" || fail "$1: $(cat "$dir/said")"
}
same bash "$dir/script"
cat >"$dir/ignores" <<'END'
trap '' SYS
exec 2>/dev/null
execs() {
	shopt -s execfail
	exec /
	echo $?
	exec sh -c 'kill -SYS $$; echo ignored'
}
(execs)
sh -c 'kill -SYS $$; echo ignored'
echo $?
END
same bash "$dir/ignores"
same "$PROGRAMS/stacks"
if command -v python3 >/dev/null; then
	cat >"$dir/script.py" <<'END'
import os, signal, subprocess, sys, threading
print(subprocess.run(['echo', 'child'], stdout=subprocess.PIPE))
threads = [threading.Thread(target=os.getppid) for i in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
signal.signal(signal.SIGSYS, lambda number, frame: print('own', number))
os.kill(os.getpid(), signal.SIGSYS)
sys.stdout.flush()
if os.fork() == 0:
    os._exit(3)
print(os.wait()[1])
sys.exit(4)
END
	same python3 "$dir/script.py"
	cat >"$dir/ignores.py" <<'END'
import os, signal, subprocess
signal.signal(signal.SIGSYS, signal.SIG_IGN)
command = ['sh', '-c', 'kill -SYS $$']
print(subprocess.run(command).returncode)
print(os.waitpid(os.posix_spawn('/bin/sh', command, os.environ), 0)[1])
END
	same python3 "$dir/ignores.py"
fi

# refused SAID ARGUMENT ...: expects this message and status 2.
refused() {
	said=$1
	shift
	"$TBUFCTL" "$@" >"$dir/out" 2>"$dir/said"
	[ $? -eq 2 ] && [ "$(cat "$dir/said")" = "tbufctl: $said" ] ||
	    fail "$*: $(cat "$dir/said")"
}
refused "failed to set -x syscall=some: the value must be 'all'" \
    -x syscall=some -n syscall::: -c true
refused "failed to set -x syscall: the value must be 'all'" \
    -x syscall -n syscall::: -c true
refused '-x syscall needs -c' -x syscall=all -n syscall:::
refused '-x syscall needs a description of the syscall provider' \
    -x syscall=all -n libc::: -c true

[ $failures -eq 0 ]
