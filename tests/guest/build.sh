#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Hosts that are linked statically, throw exceptions, use a sanitizer's run-time
# or run under valgrind, with the plain library.  They run as they do without
# it, and each of their fires is accounted for, on both paths.

: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}"
: "${CC:=cc}" "${CXX:=c++}"

if [ -n "$SANITIZER" ]; then
	echo "the library itself is built with a sanitizer"
	exit 77
fi

. "$top_srcdir/tests/lib/scratch.sh"
D=$SCRATCH
mkdir -m 700 "$D/dir"
TBUF_DIR=$D/dir
export TBUF_DIR
LIBS=$top_builddir/.libs
GUEST=$top_srcdir/tests/guest/support
COMMON="-O2 -g -Wall -Wextra -I$top_srcdir/libtbuf/include"
SHARED="$LIBS/libtbuf.so -Wl,-rpath,$LIBS -lpthread"
failures=0

fail()
{
	echo "$*" >&2
	failures=$((failures + 1))
}

# account FILE FIRES: checks that records + drops equals the number of fires.
account()
{
	sed -n '$s/.*"records":\([0-9]*\),"overwritten":0,"drops":\([0-9]*\)}/\1 \2/p' \
	    "$1" | {
		read -r records drops &&
		[ $((records + drops)) -eq "$2" ] && [ "$records" -gt 0 ] &&
		[ "$(grep -c '"type":"record"' "$1")" -eq "$records" ]
	}
}

# trace NAME FIRES COMMAND: traces a command, which must print nothing, and
# accounts for each of its fires.
trace()
{
	name=$1 fires=$2
	shift 2
	"$TBUFCTL" --format=json -b 1m -n 'guest:::' -o "$D/records" \
	    -c "$*" >"$D/out" 2>"$D/err" || {
		fail "$name: tbufctl failed: $(cat "$D/err")"
		return
	}
	account "$D/records" "$fires" ||
	    fail "$name: fired $fires, but $(tail -n 1 "$D/records")"
	grep -q '"type":"exit","pid":[0-9]*,"status":0,"signal":null' \
	    "$D/records" ||
	    fail "$name: $(grep '"type":"exit"' "$D/records") $(cat "$D/err")"
	[ ! -s "$D/out" ] || fail "$name: printed $(cat "$D/out")"
	rm -f "$D/records"
}

# both NAME FIRES COMMAND: traces a command on the rseq path and on the lock
# path.
both()
{
	echo "$1"
	trace "$@"
	(
		GLIBC_TUNABLES=glibc.pthread.rseq=0
		export GLIBC_TUNABLES
		failures=0
		name=$1; shift; trace "$name (locks)" "$@"
		exit $failures
	) || failures=$((failures + 1))
}

# build OUTPUT COMMAND: returns 1 if the command cannot be built here.
build()
{
	output=$1
	shift
	"$@" -o "$D/$output" >"$D/log" 2>&1 && return 0
	if grep -q 'cannot find\|unsupported\|not supported' "$D/log"; then
		echo "$output: skipped: $(grep -m 1 'cannot find\|upported' \
		    "$D/log")"
	else
		fail "$output: $(cat "$D/log")"
	fi
	return 1
}

build plain $CC $COMMON "$GUEST/host.c" $SHARED && {
	"$D/plain" || fail "plain: untraced, it failed"
	both plain 3100 "$D/plain"
	if command -v valgrind >/dev/null; then
		echo valgrind
		# TBUF_CLOCK selects a counter that the kernel does not trust;
		# valgrind may not know the instruction that reads it with the
		# CPU's number.
		clock=${TBUF_CLOCK-}
		unset TBUF_CLOCK
		trace valgrind 3100 valgrind -q --error-exitcode=9 \
		    --leak-check=full "$D/plain"
		[ -z "$clock" ] || export TBUF_CLOCK="$clock"
	else
		echo "valgrind: skipped: not installed"
	fi
}
build static $CC $COMMON -static "$GUEST/host.c" "$LIBS/libtbuf.a" &&
	both static 3100 "$D/static"
# ustack() begins at the site though functions of libtbuf are far apart, as the
# linker puts a section of theirs after all code, and the program's are near.
cat >"$D/large.c" <<'EOF'
#include <tbuf.h>

__attribute__((noinline)) static void
site(int number)
{
	TBUF_PROBE(guest, large, number, number);
	__asm__ volatile("" ::: "memory");
}

int
main(int argc, char **argv)
{
	(void)argv;
	site(argc);	/* first in its thread */
	site(argc);
	return (0);
}
EOF
cat >"$D/far.c" <<'EOF'
__asm__(".text\n.skip 4 << 20\n");
EOF
build large $CC $COMMON -fno-omit-frame-pointer -static "$D/large.c" \
    "$LIBS/libtbuf.a" "$D/far.c" && {
	echo large
	for rseq in 1 0; do
		GLIBC_TUNABLES=glibc.pthread.rseq=$rseq "$TBUFCTL" -q \
		    -n 'large { ustack(2); }' -c "$D/large" >"$D/frames" 2>&1
		# The site's code may be in a part of its function, site.cold.
		sed -n 's/.*`\([a-z]*\)[.+].*/\1/p' "$D/frames" |
		    tr '\n' ' ' | grep -qx 'site main site main ' ||
		    fail "large: its frames are $(cat "$D/frames")"
	done
}
# A program that contains the library twice has a control file for each copy.
cat >"$D/plugin.c" <<'EOF'
#include <tbuf.h>

static void __attribute__((constructor))
begin(void)
{
	int i;

	for (i = 0; i < 500; i++)
		TBUF_PROBE(guest, plugin, i);
}

static void __attribute__((destructor))
end(void)
{
	int i;

	for (i = 0; i < 700; i++)
		TBUF_PROBE(guest, plugin, i);
}
EOF
cat >"$D/waits.c" <<'EOF'
#include <unistd.h>
#include <tbuf.h>

int
main(void)
{
	char byte;
	int i;

	if (write(1, "ready\n", 6) != 6 || read(0, &byte, 1) < 0)
		return (1);
	for (i = 0; i < 300; i++)
		TBUF_PROBE(guest, waits, i);
	return (0);
}
EOF
build plugin.so $CC $COMMON -shared -fPIC "$D/plugin.c" $SHARED &&
build waits $CC $COMMON "$D/waits.c" "$LIBS/libtbuf.a" -lpthread &&
build copies $CC $COMMON "$GUEST/host.c" "$LIBS/libtbuf.a" -lpthread && {
	both copies 4300 env "LD_PRELOAD=$D/plugin.so" "$D/copies"
	mkfifo "$D/go"
	LD_PRELOAD=$D/plugin.so "$D/waits" <"$D/go" >"$D/ready" &
	pid=$!
	exec 9>"$D/go"
	until [ -s "$D/ready" ] || ! kill -0 $pid; do :; done
	: >"$D/err"
	"$TBUFCTL" --format=json -n 'guest:::' -o "$D/records" -p $pid \
	    2>"$D/err" 9>&- &
	tracer=$!
	until grep -q matched "$D/err" || ! kill -0 $tracer; do :; done
	exec 9>&-
	wait $pid && wait $tracer || fail "copies, -p: $(cat "$D/err")"
	account "$D/records" 1000 ||
	    fail "copies, -p: $(tail -n 1 "$D/records") $(cat "$D/err")"
	rm -f "$D/records"
}
build exceptions $CXX $COMMON -std=c++17 "$GUEST/exceptions.cc" $SHARED &&
	both exceptions 2000 "$D/exceptions"
build address $CC $COMMON -fsanitize=address,undefined \
    -fno-sanitize-recover=all "$GUEST/host.c" $SHARED &&
	both address 3100 "$D/address"
build thread $CC $COMMON -fsanitize=thread "$GUEST/host.c" $SHARED &&
	both thread 3100 "$D/thread"

# A consumer that starts with closed standard descriptors must not write its
# output into a file that gets descriptor 1 or 2.
"$TBUFCTL" --format=json -b 1m -n 'guest:::' -o "$D/records" \
    -c "$D/plain" <&- >&- 2>&- || fail "closed: tbufctl failed"
account "$D/records" 3100 || fail "closed: $(tail -n 1 "$D/records")"

for left in "$TBUF_DIR"/tbuf*; do
	[ ! -e "$left" ] || fail "left: $left"
done
[ "$failures" -eq 0 ]
