#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# probes.sh: tbufctl records the system calls that were made, and programs
# behave as they do without it.

. "${top_srcdir:=..}/tests/providers/syscall/common.sh"
LC_ALL=C
export LC_ALL
under_seccomp=$top_builddir/tests/lib/under_seccomp

# Under a filter a process cannot enter strict mode.
filtered=$(grep '^Seccomp:.*2' /proc/self/status)

# trace DESCRIPTION KIND [OPTION ...]: traces into $dir/out; messages go to
# $dir/said.
trace() {
	description=$1 kind=$2
	shift 2
	rm -f "$dir/out"
	"$TBUFCTL" -x bufsize=1m -n "$description" -o "$dir/out" "$@" \
	    -c "$PROGRAMS/calls $kind" 2>"$dir/said" ||
	    fail "$kind: $(cat "$dir/said")"
	grep -q ' 0 overwritten, 0 drops$' "$dir/said" ||
	    fail "$kind: $(cat "$dir/said")"
}

# expect COUNT PATTERN: expects this number of matching lines in the trace.
expect() {
	found=$(grep -c -e "$2" "$dir/out")
	[ "$found" -eq "$1" ] || fail "$kind: $2: $found, not $1"
}

# accounted COUNT DESCRIPTION KIND: expects this sum of records and drops, which
# threads have while others that do not run hold all lock lanes.
accounted() {
	"$TBUFCTL" -x bufsize=1m -n "$2" -o "$dir/out" \
	    -c "$PROGRAMS/calls $3" 2>"$dir/said" ||
	    fail "$3: $(cat "$dir/said")"
	sum=$(awk '/^tbufctl: total: .* 0 overwritten, / { print $3 + $7 }' \
	    "$dir/said")
	[ "$sum" = "$1" ] || fail "$3: $(cat "$dir/said")"
}

# Both paths are tested: rseq, and lock lanes only.
for tunables in '' glibc.pthread.rseq=0; do
	GLIBC_TUNABLES=$tunables
	export GLIBC_TUNABLES

	if [ -z "$tunables" ]; then
		trace 'syscall::getppid:' threads
		expect 9000 'getppid:entry$'
		expect 9000 'getppid:return result='
	else
		accounted 18000 'syscall::getppid:' threads
	fi

	trace 'syscall::getppid:entry,syscall::tgkill:entry' signals
	expect 1000 getppid:entry
	expect 1000 tgkill:entry

	trace 'syscall::openat:,syscall::close:return' errors -q
	expect 1 '^result=-1 errno=2 path="/nowhere/at/all"$'
	expect 1 '^result=-1 errno=14 path=NULL$'
	expect 1 '^result=-1 errno=22 path=NULL$'
	expect 1 '^result=[0-9]* errno=0 path="/dev/null"$'
	expect 1 '^dirfd=-100 path=0x8 flags=0 mode=0$'
	expect 1 '^result=-1 errno=9$'

	# Paths are read to their end, and not after they were overwritten.
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
	trace 'syscall::openat:return' filter-exec -q
	expect 2 'path="/dev/null"$'

	trace 'syscall::vfork:,syscall::getppid:,syscall::exit_group:,
	    syscall::rseq:' vforks
	expect 0 'rseq:'
	expect 10 'vfork:entry'
	expect 10 'vfork:return result=[0-9]* errno=0'
	expect 10 'getppid:return'
	expect 11 'exit_group:entry'

	# A child has its parent's stubs, and is followed without fork handlers.
	trace 'syscall::getppid:,syscall::fork:' session --follow
	expect 1 'fork:return result=[1-9]'
	expect 2 'getppid:entry'
	expect 2 'getppid:return'

	# A thread in the strict mode of seccomp(2) records nothing, even if
	# only calls that it may still make are traced.
	for calls in 'syscall:::' 'syscall::write:'; do
		[ -z "$filtered" ] || break
		trace "$calls" strict
		grep -q 'exited with status 3$' "$dir/said" ||
		    fail "strict: $(cat "$dir/said")"
		[ "$calls" = 'syscall::write:' ] ||
		    expect 1 'prctl:entry option=22 arg2=1'
	done

	# A thread has its lanes again after its child has called exec.
	[ -n "$tunables" ] || {
		trace 'syscall::getppid:' spawned
		expect 10000 'getppid:entry$'
		expect 10000 'getppid:return'
	}

	# The child has the lanes before, unless a filter could forbid it.
	[ -n "$tunables" ] || [ -n "$filtered" ] || {
		trace 'syscall::rt_sigaction:' spawned-long
		found=$(grep -c 'rt_sigaction:entry' "$dir/out")
		[ "$found" -ge 3000 ] || fail "spawned-long: $found"
	}

	# Children share memory and thread area with their parents.
	trace 'syscall::execve:entry,syscall::clone3:,syscall::getppid:' \
	    spawns
	expect 41 'execve:entry'
	expect 42 'clone3:entry'
	expect 42 'clone3:return'
	expect 20 'getppid:entry'
	expect 20 'getppid:return'
done
unset GLIBC_TUNABLES

# A program's probe that equals one of the provider is that one; probes have the
# same names and types if others were registered before them.
rm -f "$dir/out"
"$TBUFCTL" -n 'syscall::read:entry' -o "$dir/out" -c "$PROGRAMS/calls same" \
    2>"$dir/said" || fail "same: $(cat "$dir/said")"
grep -q 'has exited$' "$dir/said" || fail "same: $(cat "$dir/said")"
shape() {
	"$TBUFCTL" -l -v "$@" -n 'syscall:::' -c "$PROGRAMS/calls same" \
	    2>"$dir/said" | sed -n '/ syscall /,/ libc /{ / libc /!p; }' |
	    sed 's/^ *[0-9]* *syscall/syscall/'
}
shape >"$dir/expected"
shape -n libc::malloc: >"$dir/got"
grep -q '^syscall .* read entry$' "$dir/got" ||
    fail "others before: $(cat "$dir/said")"
cmp "$dir/expected" "$dir/got" || fail 'others before: another list'

# Nothing is patched while tracing is off; while it is on, no memory is writable
# and executable at any time.
LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-syscall.so TBUF_SYSCALL_LIST=$dir/list \
    TBUF_DISABLE=1 cat /dev/null || fail "cat"
[ ! -s "$dir/list" ] || fail 'patched though tracing is off'
LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-syscall.so TBUF_SYSCALL_LIST=$dir/list \
    cat /proc/self/maps >"$dir/maps" || fail 'cat'
grep -q 'libc.*: traced$' "$dir/list" || fail 'nothing is traced'
grep 'rwx' "$dir/maps" && fail 'writable and executable'

# Coverage is reported, and only on request.
grep -v -e ': traced$' "$dir/list" | sed 's/^/tbufctl: not traced: /' \
    >"$dir/expected"
sed -n 's/+0x[0-9a-f]*: .*//p' "$dir/list" | sort | uniq -c |
    while read -r all object; do
	traced=$(grep -c "^$object+.*: traced$" "$dir/list")
	s=s
	[ "$all" -ne 1 ] || s=
	echo "tbufctl: $object: system calls traced at $traced of" \
	    "$all place$s"
done >>"$dir/expected"
sort "$dir/expected" >"$dir/sorted"
"$TBUFCTL" -l -v -n syscall::getppid: -c cat >"$dir/out" 2>"$dir/said"
sort "$dir/said" | cmp - "$dir/sorted" ||
    fail "another account: $(cat "$dir/said")"
"$TBUFCTL" -l -n syscall::getppid: -c cat >"$dir/out" 2>"$dir/said"
[ ! -s "$dir/said" ] || fail "not asked: $(cat "$dir/said")"

# libtbuf's calls in a fire, which read memory at a pointer, are not recorded
# and do not fire; neither do the last calls that make stubs.
own_calls() {
	rm -f "$dir/out"
	"$@" "$TBUFCTL" -q -o "$dir/out" -c "$PROGRAMS/calls errors" -n '
syscall::openat:entry { @path[copyinstr(arg1)] = count(); }
syscall::process_vm_readv:,
syscall::rt_sigprocmask: { @own[probefunc] = count(); }
/* The loader reads so, before the first probe fires. */
syscall::pread64: { @own[probefunc] = count(); }
END { printa("own %s %@u\n", @own); }
' 2>"$dir/said" || fail "own calls: $(cat "$dir/said")"
	grep -q '^  /dev/null  *1$' "$dir/out" ||
	    fail "no path: $(cat "$dir/out")"
	! grep -q own "$dir/out" || fail "own calls are told"
}
own_calls env
"$under_seccomp" true
[ $? -eq 77 ] || own_calls "$under_seccomp"

# arg1 of a return is the result, like arg0, also if a clause has other probes.
rm -f "$dir/out"
"$TBUFCTL" -q -o "$dir/out" -c "cat $dir/none" -n '
syscall::openat:return
/errno == ENOENT && arg1 == -1/ { @[arg0, arg1, args[1]] = count(); }
syscall::openat:,
syscall::write:entry
/arg1 == arg0/ { @[1, probename == "return", 0] = count(); }
syscall::openat:
/probename == "entry" && copyinstr(arg1) == $$1/ { @[2, 1, 0] = count(); }
END { printa("%d %d %d\n", @); }
' "$dir/none" >/dev/null 2>"$dir/said"
sort "$dir/out" | sed '/^$/d' | tr '\n' , >"$dir/sorted"
[ "$(cat "$dir/sorted")" = '-1 -1 2,1 1 0,2 1 0,' ] ||
    fail "arg1: $(cat "$dir/sorted" "$dir/said")"

# Files are known by their descriptors.  Calls that find them out are not
# recorded, and are not made under a filter that might kill for them.
files() {
	expected=$1
	shift
	rm -f "$dir/out"
	"$@" "$TBUFCTL" -q -o "$dir/out" -c "cat $dir/read" -n '
syscall::read:entry
/fds[arg0].fi_name == "read" || cwd == "<unknown>"/
{
	self->name = fds[arg0].fi_pathname;
}
syscall::read:return
/self->name != NULL/
{
	@path[self->name, fds[99].fi_dirname, fds[99].fi_offset] = count();
	self->name = 0;
}
syscall::readlinkat:,
syscall::statfs:,
syscall::fcntl:,
syscall::lseek: { @own[probefunc] = count(); }
END { printa("%s %s %d\n", @path); printa("own %s %@u\n", @own); }
' >/dev/null 2>"$dir/said" || fail "files: $(cat "$dir/said")"
	grep -qxF "$expected" "$dir/out" ||
	    fail "no '$expected': $(cat "$dir/out")"
	! grep -q '^own' "$dir/out" || fail "files: own calls are told"
}
echo x >"$dir/read"
files "$dir/read <none> 0" env
"$under_seccomp" true
[ $? -eq 77 ] || files '<unknown> <unknown> 0' "$under_seccomp"

# No register is changed, even if the widest ones are hidden from the C library;
# threads that are cancelled in a call run their destructors; calls that return
# on another stack, or twice on one, work.
for program in registers cancel stacks; do
	for tunables in '' glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW; do
		"$PROGRAMS/$program"
		[ $? -ne 77 ] || continue
		GLIBC_TUNABLES=$tunables \
		    LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-syscall.so \
		    "$PROGRAMS/$program" || fail "$program"
		GLIBC_TUNABLES=$tunables "$TBUFCTL" -n 'syscall:::' \
		    -x bufpolicy=ring -b 64k -o "$dir/trace" \
		    -c "$PROGRAMS/$program" 2>"$dir/said" ||
		    fail "$program: $(cat "$dir/said")"
		grep -q 'has exited$' "$dir/said" ||
		    fail "$program: $(cat "$dir/said")"
	done
done

# Calls that the C library identifies by their place are made there; a call at
# which a cancelled thread ends has an entry only.
rm -f "$dir/out"
"$TBUFCTL" -x bufsize=1m -n 'syscall::getppid:,syscall::close:,syscall::read:' \
    -o "$dir/out" -c "$PROGRAMS/cancel_bridge" 2>"$dir/said" ||
    fail "bridge: $(cat "$dir/said")"
kind=bridge
grep -q 'has exited$' "$dir/said" || fail "bridge: $(cat "$dir/said")"
expect 2001 'getppid:entry$'
expect 2001 'getppid:return result='
expect 1 'close:entry fd=4711$'
expect 1 'close:return result=-1 errno=9$'
expect 1 'read:entry fd=[0-9]* buf=0x[0-9a-f]* count=1$'
expect 1 'read:return result=1 errno=0$'

# Only functions are read, nothing outside of .text or between functions: no
# code is before the first one, and none is directly before the last one.
cat >"$dir/edge.s" <<'END'
	.text
	.cfi_startproc
	mov $39, %eax
	syscall
	ret
	.cfi_endproc
	.cfi_startproc
	mov %edi, %eax
	syscall
	nopl 0(%rax)
	ret
	.cfi_endproc
	.byte 0x48, 0xb8
	.cfi_startproc
	syscall
	nopl 0(%rax)
	syscall
	nopl 0(%rax)
	ret
	.cfi_endproc
	.section .note.GNU-stack, "", @progbits
END
rm -f "$dir/list"
if ${CC:-cc} -shared -nostdlib -Wl,--eh-frame-hdr \
    -Wl,-z,separate-code,-z,max-page-size=2097152 -o "$dir/edge.so" \
    "$dir/edge.s" 2>"$dir/said"; then
	LD_PRELOAD="$TBUF_PROVIDERS/libtbuf-syscall.so $dir/edge.so" \
	    TBUF_SYSCALL_LIST=$dir/list cat /dev/null ||
	    fail "an object that begins with a call: $?"
	[ "$(grep -c 'edge.*: traced$' "$dir/list")" -eq 4 ] ||
	    fail "not four: $(grep edge "$dir/list")"
fi

# The example of tbuf_syscall(7) is run unchanged.
sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' "$top_srcdir/man/tbuf_syscall.7" |
    sed '1,/^\.Bd/d; /^\.Ed/d; s/\\e/\\/g; s/^tbufctl/"$TBUFCTL"/' \
    >"$dir/example"
TBUFCTL=$TBUFCTL sh "$dir/example" 2>&1 | grep -qx 'cat: nothing' ||
    fail "not what tbuf_syscall(7) says: $(cat "$dir/example")"

# Installed programs have the same output and status.
cat >"$dir/script" <<'END'
for i in 1 2 3; do echo $i | cat; (exit $i) || echo $?; done
echo "$(echo nested)" $(ls /)
exit 5
END
same() {
	"$@" >"$dir/expected" 2>&1
	status=$?
	LD_PRELOAD=$TBUF_PROVIDERS/libtbuf-syscall.so "$@" >"$dir/got" 2>&1
	[ $? -eq $status ] || fail "$1: another status"
	cmp "$dir/expected" "$dir/got" || fail "$1: another output"
	rm -f "$dir/trace"
	"$TBUFCTL" -n 'syscall:::' --follow -x bufpolicy=ring -b 16k \
	    -o "$dir/trace" -c "$*" >"$dir/got" 2>"$dir/said"
	cmp "$dir/expected" "$dir/got" || fail "$1: another output traced"
	grep -q 'total: [1-9]' "$dir/said" || fail "$1: $(cat "$dir/said")"
}
# The provider's calls at its start are not recorded by the libc provider.
opened() {
	rm -f "$dir/out"
	TBUF_SYSCALL_LIST=$dir/list "$TBUFCTL" -q -Z -o "$dir/out" "$@" \
	    -n 'libc::open*:entry,libc::close:entry,libc::*alloc:entry {
		@[probefunc] = count(); }' -c /bin/true 2>"$dir/said" ||
	    fail "opened: $(cat "$dir/said")"
	sed '/^$/d' "$dir/out"
}
opened >"$dir/expected"
opened -n 'syscall::getppid:entry' >"$dir/got"
diff "$dir/expected" "$dir/got" >"$dir/said" ||
    fail "calls of its own: $(cat "$dir/said")"

same sort "$top_srcdir/LICENSE"
same sh "$dir/script"
same git -C "$top_srcdir" --version
if command -v python3 >/dev/null; then
	cat >"$dir/script.py" <<'END'
import os, subprocess, sys, threading
print(subprocess.run(['echo', 'child'], stdout=subprocess.PIPE))
threads = [threading.Thread(target=os.getppid) for i in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
sys.stdout.flush()
if os.fork() == 0:
    os._exit(3)
print(os.wait()[1])
try:
    open('/nowhere/at/all')
except OSError as error:
    print(error)
sys.exit(4)
END
	same python3 "$dir/script.py"
fi

# A child's calls before its fork handlers find no area of its parent's.
"$TBUFCTL" -n 'syscall:::' -o /dev/null -c "bash -c '(exec /bin/true)'" \
    2>"$dir/child" || fail "a child that is not followed"
grep 'status\|signal\|SIG' "$dir/child" && fail "a child ended: see above"

# Without the decoder of instructions, no system call would be found.
decoder=$(sed -n 's/^ZYDIS_LIBRARY = //p' "$top_builddir/Makefile")
if [ -n "$decoder" ]; then
	mkdir "$dir/none"
	: >"$dir/none/$decoder"
	LD_LIBRARY_PATH=$dir/none "$TBUFCTL" -n 'syscall:::' -c true \
	    2>"$dir/refused" && fail "a run without a decoder"
	grep -q '^tbufctl: failed to load the decoder' "$dir/refused" ||
	    fail "no word of the decoder"
fi
[ $failures -eq 0 ]
