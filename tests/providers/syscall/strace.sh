#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# strace.sh: in one run under strace(1), tbufctl's counts of calls equal
# strace's, call by call, from the time a process has its stubs: its last jump
# is written by then, by pwrite64(2) into its own memory.

. "${top_srcdir:=..}/tests/providers/syscall/common.sh"
strace -f -o /dev/null true 2>/dev/null || exit 77
# Threads are recognized by their rseq(2).
unset GLIBC_TUNABLES

# Counts the calls that strace has of processes with stubs.  The log is read
# twice, because a child may appear before the end of the call that made it.  A
# new image has no stubs until libtbuf restores its mask; a thread, which calls
# rseq first, has those of its process.  A child of fork counts from the time
# when it is a target and has restored its mask, a child of vfork from its
# beginning.  Not counted are calls that only the kernel repeats (restarted
# ones, and clock_getres without an answer in the vdso), and those by which
# libtbuf lends a vfork child its parent's rseq area, or examines the area of a
# future thread.
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
	{ restarted = again[pid] }
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
		if (restarted != call)
			n[call]++
		if (!/ = \? ERESTART/)
			delete again[pid]
	}
	!(pid in state) || (call == "execve" && / = 0$/) { state[pid] = "" }
	END { for (call in n) print call, n[call] }
	' "$1" "$1" | sort
}

# Threads drop records while others that do not run hold all lock lanes.
dropped() {
	drops=$(sed -n 's/^tbufctl: total: .* \([0-9]*\) drops$/\1/p' \
	    "$dir/said")
	[ "${drops:-0}" -gt 0 ] && [ "$(sum "$dir/expected")" -eq \
	    "$(($(sum "$dir/got") + drops))" ]
}

sum() {
	awk '{ n += $2 } END { print n + 0 }' "$1"
}

# Compares the counts of a command, and with follow=--follow of its children.
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
	if ! diff "$dir/expected" "$dir/got" >"$dir/diff" && ! dropped; then
		cat "$dir/diff" >&2
		echo "FAIL: $*: $(cat "$dir/said")" >&2
		failures=$((failures + 1))
	fi
}

equal sort "$top_srcdir/LICENSE"
equal "$PROGRAMS/calls" errors
equal "$PROGRAMS/calls" threads
equal xz -T2 -c "$top_srcdir/CHANGELOG.md"
echo '(echo a; (echo b)) | cat; /bin/true; /bin/true' >"$dir/forks"
follow=--follow
equal sh "$dir/forks"
follow=
[ "${1-}" = long ] || { [ $failures -eq 0 ]; exit; }

# Longer tests: programs in usual use.  Programs that are not installed are
# reported.
installed() {
	for program; do
		command -v "$program" >/dev/null && continue
		echo "left out: $program is not installed" >&2
		return 1
	done
}

cat >"$dir/threads.py" <<'END'
import os, threading
r, w = os.pipe()
def work():
    for i in range(50):
        with open('/dev/null') as null:
            null.read()
        os.write(w, b'x')
        os.read(r, 1)
threads = [threading.Thread(target=work) for i in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
END
cat >"$dir/signals.pl" <<'END'
$SIG{USR1} = sub { $n++ };
kill USR1 => $$ for 1..50;
$SIG{ALRM} = sub { $n++ };
alarm 1;
sleep 5;
my $child = fork // die;
exit 3 if !$child;
waitpid $child, 0;
system 'true';
END
cat >"$dir/worker.js" <<'END'
const { Worker, isMainThread } = require('worker_threads');
const child = require('child_process'), fs = require('fs');
if (isMainThread)
	new Worker(__filename).on('exit', () => {
		child.execFileSync('/bin/echo', ['child']);
		fs.readFile('/etc/passwd', () => {});
	});
else
	fs.readFileSync('/etc/group');
END
cat >"$dir/Threads.java" <<'END'
import java.nio.file.*;
public class Threads {
	static void read() {
		try {
			Files.readAllBytes(Path.of("/etc/passwd"));
		} catch (Exception e) {
		}
	}
	public static void main(String[] unused) throws Exception {
		Thread[] threads = new Thread[4];
		for (int i = 0; i < 4; i++) {
			threads[i] = new Thread(Threads::read);
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
		new ProcessBuilder("/bin/true").start().waitFor();
	}
}
END
cat >"$dir/nginx.conf" <<END
daemon off;
error_log $dir/nginx.log;
pid $dir/nginx.pid;
worker_processes 2;
events { }
http {
	access_log off;
	client_body_temp_path $dir/body;
	proxy_temp_path $dir/proxy;
	fastcgi_temp_path $dir/fastcgi;
	uwsgi_temp_path $dir/uwsgi;
	scgi_temp_path $dir/scgi;
	server {
		listen unix:$dir/nginx.socket;
		location / { root $dir; }
	}
}
END
cat >"$dir/nginx" <<END
nginx -c $dir/nginx.conf &
until curl -s --unix-socket $dir/nginx.socket http://a/nginx.conf; do
	sleep 0.1
done
for i in 1 2 3 4 5 6 7 8; do
	curl -s --unix-socket $dir/nginx.socket http://a/nginx.conf
done
kill -QUIT \$!
wait
END
# A thread that goes to sleep while another one ends the process may have
# recorded a call that it never makes; so threads that sleep at random times are
# avoided.
cat >"$dir/redis" <<END
redis() {
	redis-cli -s $dir/redis.socket "\$@"
}
redis-server --port 0 --unixsocket $dir/redis.socket --save '' --dir $dir \
    --jemalloc-bg-thread no &
until redis ping; do
	sleep 0.1
done
for i in 1 2 3 4 5 6 7 8; do echo set \$i \$i; done | redis
redis bgsave
while redis info persistence | grep 'bgsave_in_progress:1'; do
	sleep 0.1
done
redis shutdown nosave
wait
END

equal git -C "$top_srcdir" log -3 --stat
follow=--follow
equal gcc -pthread -D_GNU_SOURCE -o "$dir/calls" \
    "$top_srcdir/tests/providers/syscall/calls.c"
equal bash -c "'for i in 1 2 3; do echo \$i | cat; done'"
equal /usr/bin/python3 "$dir/threads.py"
! installed perl || equal perl "$dir/signals.pl"
! installed node || equal node "$dir/worker.js"
! installed javac || { javac -d "$dir" "$dir/Threads.java" &&
    equal java -cp "$dir" Threads; }
! installed nginx curl || equal sh "$dir/nginx"
! installed redis-server || equal sh "$dir/redis"
! installed curl || equal curl -s "file://$dir/got"

# A server and its clients; root may not run one.
bin=/usr/lib/postgresql/15/bin
cat >"$dir/postgres" <<END
$bin/postgres -D $dir/data -k $dir -c listen_addresses= -c fsync=off &
until $bin/pg_isready -h $dir; do
	sleep 0.1
done
$bin/pgbench -h $dir -i -q postgres
$bin/pgbench -h $dir -n -c 2 -t 50 postgres
kill -INT \$!
wait
END
if [ "$(id -u)" -eq 0 ]; then
	echo 'left out: postgres, which is for an ordinary user' >&2
elif installed $bin/pgbench; then
	$bin/initdb -D "$dir/data" -A trust >/dev/null &&
	    equal sh "$dir/postgres"
fi
[ $failures -eq 0 ]
