#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# programs.sh: installed programs have the same output, to the byte, with the
# libc provider: its probes disabled, all of them enabled (by the replacement in
# fake_libtbuf.c), and traced by tbufctl.

set -u
: "${top_srcdir:=..}" "${top_builddir:=.}"
: "${PROVIDER=$top_builddir/.libs/libtbuf-libc.so}"
: "${FAKE=$top_builddir/tests/providers/libc/.libs/fake_libtbuf.so}"
: "${PROGRAMS=$top_builddir/tests/providers/libc}"
: "${TBUFCTL=$top_builddir/tbufctl/tbufctl}"
: "${TBUF_PROVIDERS=$top_builddir/.libs}"

[ -z "${SANITIZER-}" ] || exit 77

. "$top_srcdir/tests/lib/scratch.sh"
dir=$SCRATCH
failures=0
TBUF_DIR=$dir/tbuf
TBUF_DISABLE=1
HOME=$dir
LC_ALL=C
export TBUF_DIR TBUF_DISABLE TBUF_PROVIDERS HOME LC_ALL

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}

told() {
	tail -c +257 "$dir/log" | tr -d '\0'
}

# Prints words as one line that tbufctl splits into the same words.
quote() {
	for word; do
		printf "'%s' " "$(printf %s "$word" | sed "s/'/'\\\\''/g")"
	done
}

# "exec" if the command must replace the shell.
replace=

# run HOW COMMAND...: runs it without or with the provider and its probes.
run() {
	how=$1
	shift
	case $how in
	plain)
		$replace "$@"
		;;
	disabled)
		$replace env LD_PRELOAD="$PROVIDER" "$@"
		;;
	enabled)
		rm -f "$dir/log"
		$replace env FAKE_LOG="$dir/log" FAKE_ENABLE='*' \
		    LD_PRELOAD="$FAKE:$PROVIDER" "$@"
		;;
	traced)
		$replace env TBUF_DISABLE=0 "$TBUFCTL" -n libc::: --follow \
		    -x bufpolicy=ring -b 16k -o /dev/null -c "$(quote "$@")"
		;;
	esac
}

# Removes tbufctl's messages, which may be within a line of the command, and
# exit statuses, which are tbufctl's then.
command_output() {
	sed -z 's/tbufctl: [^\n]*\n//g' "$1" |
	    grep -a -v -e '^server: status ' -e '^status '
}

# check NAME PROBE: function NAME writes the same to standard output and error
# each time, with the same status, and PROBE fires when enabled.
check() {
	for how in plain disabled enabled traced; do
		rm -rf "$dir/work"
		mkdir "$dir/work"
		(cd "$dir/work" && "$1" "$how"; echo "status $?") \
		    >"$dir/$how" 2>&1
	done
	for how in disabled enabled; do
		cmp -s "$dir/plain" "$dir/$how" && continue
		diff -a "$dir/plain" "$dir/$how" | head -20 >&2
		fail "$1: with probes $how it does something else"
	done
	command_output "$dir/plain" >"$dir/expected"
	command_output "$dir/traced" | diff -a "$dir/expected" - >&2 ||
	    fail "$1: traced it does something else"
	grep -a -q '^tbufctl: total: [1-9]' "$dir/traced" ||
	    fail "$1: no records"
	grep -a '^tbufctl: .*damaged' "$dir/traced" >&2 &&
	    fail "$1: damaged records"
	told | grep -q "^$2" || fail "$1: no $2"
	echo "$1: $(told | wc -l) records"
}

# counted COMMAND...: all fires of the command and its children are recorded,
# overwritten or dropped; none is lost.
counted() {
	rm -rf "$dir/work"
	mkdir "$dir/work"
	cd "$dir/work" || return
	run enabled "$@" >"$dir/expected" 2>&1
	fired=$(($(od -An -t u8 -N 8 "$dir/log")))
	run traced "$@" 2>"$dir/said" >"$dir/got"
	cmp "$dir/expected" "$dir/got" || fail "counted $*: output"
	told=$(sed -n -e 's/^tbufctl: total: \([0-9]*\) records, /\1+/' \
	    -e 's/ overwritten, /+/' -e 's/ drops$//p' "$dir/said")
	[ "$fired" -gt 100 ] && [ $((${told:-0})) -eq "$fired" ] ||
	    fail "counted $*: fired $fired, told $told"
	cd "$OLDPWD" || return
}

sorting() {
	seq 1 200000 | run "$1" sort -R --random-source=/bin/sort \
	    --parallel=4 -S 1m -T . | md5sum &&
	    run "$1" sort -u "$top_srcdir/LICENSE"
}

committing() {
	export GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_AUTHOR_NAME=a \
	    GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_DATE='2000-01-01T00:00:00Z' \
	    GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	cp "$top_srcdir"/providers/libc/*.c . &&
	run "$1" git init -q . && run "$1" git add . &&
	run "$1" git commit -q -m first && echo more >>libc.c &&
	run "$1" git commit -q -a -m second &&
	run "$1" git gc -q && run "$1" git fsck --full --no-progress &&
	run "$1" git -c core.pager=cat log -p
}

compiling() {
	run "$1" gcc -O1 -fPIC -shared -D_GNU_SOURCE -pipe \
	    -I"$top_srcdir/libtbuf" -I"$top_srcdir/libtbuf/include" -o object \
	    "$top_srcdir/tests/providers/libc/fake_libtbuf.c" &&
	    md5sum object && run "$1" gcc -o none "$top_srcdir/none.c"
}

scripting() {
	cat >script.py <<'END'
import concurrent.futures, ctypes, hashlib, json, multiprocessing, os
import socket, subprocess, sys, tempfile, threading

def square(n):
    return n * n

if __name__ == '__main__':
    print(subprocess.run(['echo', 'child'], stdout=subprocess.PIPE))
    with multiprocessing.Pool(2) as pool:
        print(pool.map(square, range(50)))
    with concurrent.futures.ThreadPoolExecutor(8) as executor:
        print(list(executor.map(square, range(50))))
    a, b = socket.socketpair()
    a.sendall(b'x' * 1000)
    print(hashlib.sha256(b.recv(1000)).hexdigest())
    with tempfile.TemporaryFile() as f:
        f.write(json.dumps({'a': list(range(5000))}).encode())
        f.seek(0)
        print(len(json.load(f)['a']))
    try:
        open('/nowhere/at/all')
    except OSError as error:
        print(error)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.open.argtypes = (ctypes.c_void_p, ctypes.c_int)
    print(libc.open(1, 0), os.strerror(ctypes.get_errno()))
    sys.exit(5)
END
	run "$1" "$python" script.py
}

# Starts a server on the socket `socket`, and waits until it listens.
serve() {
	(replace='exec'; run "$@") >server.out 2>&1 &
	server=$!
	while { [ ! -S socket ] || [ ! -s pid ]; } &&
	    kill -0 $server 2>/dev/null; do
		:
	done
}

# tbufctl ends when the server does.
end_server() {
	kill "$(cat pid)"
	wait $server
	echo "server: status $?"
	grep -a '^tbufctl: ' server.out
}

caching() {
	serve "$1" memcached -t 4 -u "$(id -un)" -s "$PWD/socket" \
	    -P "$PWD/pid"
	i=0
	while [ $i -lt 50 ]; do
		"$PROGRAMS/cases" talk socket "$(printf \
		    'set k%d 0 0 5\r\nvalue\r\nget k%d\r\nquit\r\n.' $i $i)" ||
		    break
		i=$((i + 1))
	done
	end_server
}

# redis-server is linked with jemalloc in Debian.
storing() {
	serve "$1" redis-server --port 0 --unixsocket "$PWD/socket" \
	    --pidfile "$PWD/pid" --save '' --appendonly yes --io-threads 2
	i=0
	while [ $i -lt 20 ]; do
		redis-cli -s socket set k$i "$i" && redis-cli -s socket get k$i
		i=$((i + 1))
	done
	redis-cli -s socket bgrewriteaof
	redis-cli -s socket --raw lrange list 0 -1
	end_server
}

# A wrapper for several versions may be found first in PATH.
python=/usr/bin/python3

# check_if PROGRAM NAME PROBE: checks if the program is installed.
check_if() {
	if command -v "$1" >/dev/null; then
		check "$2" "$3"
	else
		echo "$1: not installed, skipped"
	fi
}

top_srcdir=$(cd "$top_srcdir" && pwd)
PROGRAMS=$(cd "$PROGRAMS" && pwd)
PROVIDER=$(realpath "$PROVIDER")
FAKE=$(realpath "$FAKE")
TBUFCTL=$(realpath "$TBUFCTL")
TBUF_PROVIDERS=$(realpath "$TBUF_PROVIDERS")

check_if sort sorting pthread_mutex_lock:acquired
check_if git committing 'open64:return result=[0-9]* errno=0 path='
check_if gcc compiling 'execv[a-z]*:entry'
check_if "$python" scripting fork:return
check_if memcached caching 'accept4*:return result=[0-9]'
check_if redis-server storing 'accept4*:return result=[0-9]'

counted sort -u "$top_srcdir/LICENSE"
counted tar cf archive -C "$top_srcdir/providers" .
counted find "$top_srcdir/providers" -name '*.c' -exec sort -u {} ';'

[ $failures -eq 0 ] || exit 1
