#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# syscall_strace.sh: in one run under strace(1), the counts of calls are those
# that strace has, call by call, from when a process has its stubs: the last
# jump has been written then, by pwrite64(2) into its own memory.

set -u
: "${top_srcdir:=..}" "${top_builddir:=.}"
: "${PROGRAMS=$top_builddir/tests}"
: "${TBUFCTL=$top_builddir/tbufctl/tbufctl}"
: "${TBUF_PROVIDERS=$top_builddir/.libs}"

[ -z "${SANITIZER-}" ] || exit 77
[ -e "$TBUF_PROVIDERS/libtbuf-syscall.so" ] || exit 77
strace -f -o /dev/null true 2>/dev/null || exit 77

. "$top_srcdir/tests/common_scratch"
dir=$SCRATCH
failures=0
TBUF_DIR=$dir/tbuf
export TBUF_DIR TBUF_PROVIDERS
# Threads are told by their rseq(2).
unset GLIBC_TUNABLES

# What strace has of processes that have stubs, read twice, as a child may come
# before its parent's call ends.  An image begins without, until libtbuf puts
# its mask back; threads, whose first call is rseq, have those of their process.
# A child of a fork is counted from when it is a target of its own, and has its
# mask back, too; one of a vfork from its beginning.  Not counted is what the
# kernel alone does again: a call that is restarted, and clock_getres, where its
# own page has no answer; nor are the calls by which libtbuf lends a child of a
# vfork its parent's rseq area, and by which it looks at a thread's area that is
# to be.
count() {
	awk '
	function has_stubs(pid)
	{
		while (!(pid in written) && pid in parent)
			pid = parent[pid]
		return (pid in written)
	}
	function is_new(pid)
	{
		return (!(pid in state) && pid in parent &&
		    has_stubs(parent[pid]))
	}
	{
		pid = $1
		call = $2 == "<..." ? $3 : $2
		sub(/\(.*/, "", call)
	}
	FNR == NR && call ~ /^(v?fork|clone3?)$/ {
		if (call == "vfork" || /CLONE_VFORK/)
			shares[pid] = 1
		if ($NF ~ /^[0-9]+$/ && $NF > 0) {
			parent[$NF] = pid
			if (pid in shares)
				vforked[$NF] = 1
			delete shares[pid]
		}
	}
	FNR == NR && call == "pwrite64" && /"\\351/ { written[pid] = 1 }
	FNR == NR { next }
	/ = \? ERESTART/ && !/RESTARTBLOCK/ { again[pid] = call }
	call == "rt_sigreturn" && / EINTR / { delete again[pid] }
	$2 == "<..." {
		if (call == "execve" && $NF == 0)
			state[pid] = ""
		next
	}
	call !~ /^[a-z]/ || !/\(/ { next }
	is_new(pid) && pid in vforked { state[pid] = "traced" }
	is_new(pid) && call == "set_robust_list" { state[pid] = "forked" }
	call == "rseq" && pid in vforked && !(pid in took) {
		took[pid] = 1
		next
	}
	call == "rseq" && /, (0x1|RSEQ_FLAG_UNREGISTER), / {
		lent[pid] = 1
		next
	}
	call == "rseq" && pid in lent {
		delete lent[pid]
		next
	}
	call == "rt_sigprocmask" && /\(0xffffffff/ { next }
	call == "rseq" && !(pid in state) { state[pid] = "traced" }
	(state[pid] == "forked" || state[pid] == "written") &&
	    call == "rt_sigprocmask" && /SIG_SETMASK/ {
		state[pid] = "traced"
		next
	}
	call == "pwrite64" && /"\\351/ {
		state[pid] = "written"
		next
	}
	state[pid] == "traced" && call != "rt_sigreturn" &&
	    call != "restart_syscall" && call != "clock_getres" {
		if (again[pid] != call)
			n[call]++
		delete again[pid]
	}
	!(pid in state) || (call == "execve" && / = 0$/) { state[pid] = "" }
	END { for (call in n) print call, n[call] }
	' "$1" "$1" | sort
}

# The same counts of what a command does, and with follow=--follow of what it
# starts.
follow=
equal() {
	rm -f "$dir/out" "$dir/log"
	strace -f -o "$dir/log" -e 'signal=!all' "$TBUFCTL" $follow \
	    -n 'syscall:::entry' -x bufsize=2m -o "$dir/out" -c "$*" \
	    >"$dir/printed" 2>"$dir/said"
	count "$dir/log" >"$dir/expected"
	awk 'NR > 1 { sub(/:entry$/, "", $3); n[$3]++ }
	    END { for (call in n) print call, n[call] }' "$dir/out" |
	    sort >"$dir/got"
	if ! diff "$dir/expected" "$dir/got" >&2; then
		echo "FAIL: $*: $(cat "$dir/said")" >&2
		failures=$((failures + 1))
	fi
}

equal sort "$top_srcdir/LICENSE"
equal "$PROGRAMS/syscall_calls" errors
equal "$PROGRAMS/syscall_calls" threads
equal xz -T2 -c "$top_srcdir/CHANGELOG.md"
echo '(echo a; (echo b)) | cat; /bin/true; /bin/true' >"$dir/forks"
follow=--follow
equal sh "$dir/forks"
follow=
[ "${1-}" = long ] || { [ $failures -eq 0 ]; exit; }

equal git -C "$top_srcdir" log -3 --stat
equal /usr/bin/python3 -c 'pass'
equal perl -e 1
equal bash -c 'echo'
equal curl -s "file://$dir/got"
echo 'int main(void) { return (0); }' >"$dir/main.c"
follow=--follow
equal gcc -o "$dir/main" "$dir/main.c"
follow=
equal node --version
equal java -version
[ $failures -eq 0 ]
