#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# syscall.sh TBUFCTL PROGRAMS: system calls of programs on aarch64 are recorded
# once each, and programs behave as they do without it.  init.sh runs it on an
# emulated machine: an emulator of programs makes calls that cannot be traced,
# and has threads of its own at the start.  probes.sh tests machines that have
# more programs.

. "${0%/*}/provider.sh"
provider=$TBUF_PROVIDERS/libtbuf-syscall.so
program=$programs/calls

# expect_all CALL COUNT ...: expects these numbers of entries and returns.
expect_all() {
	while [ $# -gt 0 ]; do
		expect "$2" " $1:entry"
		expect "$2" " $1:return"
		shift 2
	done
}

for tunables in '' glibc.pthread.rseq=0; do
	GLIBC_TUNABLES=$tunables
	export GLIBC_TUNABLES

	# These are the C library's calls for 8 threads, and the threads' 9,000
	# calls.
	[ -n "$tunables" ] || {
		trace 'syscall:::' threads
		expect_all getppid 9000 clone 8 mmap 8 mprotect 8 \
		    set_robust_list 8 rseq 8
		expect 8 ' exit:entry'
		expect 0 ' exit:return'
		expect 1 ' exit_group:entry status=0'
	}
	account 18000 'syscall::getppid:' threads

	trace 'syscall:::' signals
	expect_all getppid 1000 tgkill 1000 getpid 1000 gettid 1000 \
	    rt_sigaction 1
	expect 0 rt_sigreturn

	trace 'syscall::openat:,syscall::close:return' errors -q
	expect 1 '^result=-1 errno=2 path="/nowhere/at/all"$'
	expect 1 '^result=-1 errno=14 path=NULL$'
	expect 1 '^result=-1 errno=22 path=NULL$'
	expect 1 '^result=[0-9]* errno=0 path="/dev/null"$'
	expect 1 '^dirfd=-100 path=0x8 flags=0 mode=0$'
	expect 1 '^result=-1 errno=9$'

	trace 'syscall::openat:return' paths -q -x strsize=8k
	expect 1 'path="/dev/null"$'
	expect 1 'path="/\(\./\)\{1995\}dev/null"$'
	trace 'syscall::truncate:return' gone -q
	expect 1 '^result=0 errno=0 path=NULL$'
	for kind in filter filter-number; do
		trace 'syscall::openat:return' $kind -q
		expect 1 'path="/dev/zero"$'
		expect 1 'path="/dev/null"$'
	done

	# A vfork is a clone onto the caller's stack.
	trace 'syscall::clone:,syscall::getppid:,syscall::exit_group:' vforks
	expect_all clone 10 getppid 10
	expect 10 'clone:entry flags=16657 stack=0x[0-9a-f]* parent_tid=0x0'
	expect 11 'exit_group:entry'

	# A child has its parent's stubs, and is followed without fork handlers.
	trace 'syscall::getppid:,syscall::clone:' session --follow
	expect 1 'clone:return result=[1-9]'
	expect_all getppid 2

	trace 'syscall:::' strict
	expect 1 'prctl:entry option=22 arg2=1'

	# Children share memory and thread area with their parents until they
	# call exec.
	account 165 'syscall::execve:entry,syscall::clone:,syscall::getppid:' \
	    spawns
	[ -n "$tunables" ] || {
		trace 'syscall::getppid:' spawned
		expect_all getppid 10000
	}

	# Threads that are cancelled in a call run their destructors.
	LD_PRELOAD=$provider "$programs/cancel" || fail "cancel: $?"
	"$tbufctl" -n 'syscall:::' -x bufpolicy=ring -b 64k -o "$dir/out" \
	    -c "$programs/cancel" 2>"$dir/said" ||
	    fail "cancel: $(cat "$dir/said")"
	grep -q 'has exited$' "$dir/said" || fail "cancel: $(cat "$dir/said")"
done
unset GLIBC_TUNABLES

# The stubs of a program's own instructions are far from the provider: no
# register changes, and each call is recorded.
LD_PRELOAD=$provider "$programs/registers" || fail "registers: $?"
kind=registers
"$tbufctl" -x bufsize=1m -n 'syscall::getppid:' -o "$dir/calls" \
    -c "$programs/registers" 2>"$dir/said" ||
    fail "registers: $(cat "$dir/said")"
grep -q 'has exited$' "$dir/said" || fail "registers: $(cat "$dir/said")"
mv "$dir/calls" "$dir/out"
expect_all getppid 4000

# A stack has the caller of a function without a frame, and of one with it.
"$tbufctl" -q -o "$dir/stacks" -c "$programs/calls errors" -n '
syscall::write:entry, syscall::exit_group:entry { ustack(); }' 2>"$dir/said" ||
    fail "stacks: $(cat "$dir/said")"
tr -d ' \n' <"$dir/stacks" | grep -q \
    '`write+0x[0-9a-f]*calls`errors+0x[0-9a-f]*calls`main' ||
    fail "another stack: $(cat "$dir/stacks")"
rm "$dir/stacks"
"$tbufctl" -q -o "$dir/stacks" -c "$programs/calls threads" -n '
syscall::getppid:entry { @[ustack()] = count(); }' 2>"$dir/said" ||
    fail "stacks: $(cat "$dir/said")"
tr -d ' \n' <"$dir/stacks" | grep -q \
    '`getppid+0x[0-9a-f]*calls`call+0x' ||
    fail "another stack: $(cat "$dir/stacks")"

# All calls of the C library are patched, and none while tracing is off.
LD_PRELOAD=$provider TBUF_SYSCALL_LIST=$dir/list "$programs/calls" \
    errors || fail "patched: $?"
! grep -v ': traced$' "$dir/list" || fail 'not traced'
[ "$(grep -c 'libc\.so\.6+.*: traced$' "$dir/list")" -gt 400 ] ||
    fail "few places: $(cat "$dir/list")"
rm "$dir/list"
LD_PRELOAD=$provider TBUF_SYSCALL_LIST=$dir/list TBUF_DISABLE=1 \
    "$programs/calls" errors || fail "not patched: $?"
[ ! -s "$dir/list" ] || fail 'patched though tracing is off'

finish syscall
