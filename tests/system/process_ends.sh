#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Records of a program that records itself, for each way to end: its file has
# each record that was certainly fired, complete, and no other.  Files that are
# truncated or have holes have some of the records, [N] times (20).

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
target=$top_builddir/tests/system/process_ends_target
cuts=${1:-20}
TBUF_DIR="$SCRATCH/dir"
TBUF_OPTIONS='bufpolicy=ring,bufsize=4m,probes=ends:::'
export TBUF_DIR TBUF_OPTIONS
unset TBUF_WINDOW TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
ASAN_OPTIONS="${ASAN_OPTIONS-}:handle_segv=0:handle_abort=0"
TSAN_OPTIONS="${TSAN_OPTIONS-}:handle_segv=0:handle_abort=0"
export ASAN_OPTIONS TSAN_OPTIONS
mkdir -m 700 "$TBUF_DIR"
cd "$SCRATCH" || exit 1
# The test does not need a core.
# shellcheck disable=SC3045
ulimit -c 0

# read_all: prints the records of all files, by number.
read_all()
{
	for one in "$TBUF_DIR"/tbuf.*; do
		"$TBUFCTL" -q --read "$one" 2>>errors
	done | sort -t = -k 2n
}

# counted: prints the number of the last record that was certainly fired.
counted()
{
	od -An -t u8 counter | tr -d ' '
}

# whole: checks that there is each record from 1 to the last one that was
# certainly fired, once.  One more is allowed: its fire may not have returned.
whole()
{
	awk -v last="$(counted)" '
	!/^number=[0-9]+ text="(some text of each record|a text of a plugin)"$/ {
		print "torn: " $0
		exit
	}
	{
		split($1, field, "=")
		if (field[2] != NR) {
			print "record " NR " is missing"
			exit
		}
	}
	END { print NR == last || NR == last + 1 ? "whole" : NR " of " last }
	' records | head -n 1
}

# comes_to HOW STATUS [ARGUMENT]: runs the target, which ends this way.
comes_to()
{
	rm -f "$TBUF_DIR"/tbuf.* counter errors
	# The shell prints how the process ended.
	(
		"$target" "$1" 1000 1 counter ${3+"$3"} >/dev/null 2>said
		exit $?
	) 2>/dev/null
	same "$1: status" "$2" $?
	read_all >records
	same "$1: records" whole "$(whole)"
	same "$1: losses" '' "$(grep -v ' 0 overwritten, 0 drops$' errors)"
}

comes_to exit 0
comes_to _exit 0
comes_to exec 0
same 'exec: files' 2 "$(find "$TBUF_DIR" -name 'tbuf.*' | wc -l)"
comes_to vfork 0
comes_to kill 137
comes_to abort 134
comes_to segfault 139
# A sanitizer maps more memory than there is, and needs more stack.
if [ -z "${SANITIZER-}" ]; then
	comes_to overflow 139
	comes_to memory 134
fi
# shellcheck disable=SC2086 # they are words
if ${CC:-cc} ${TARGET_FLAGS-} -fPIC -shared -I"$top_srcdir/libtbuf/include" \
    "$top_srcdir/tests/system/process_ends_plugin.c" -o plugin.so \
    -L"$top_builddir/.libs" -ltbuf 2>log; then
	comes_to dlopen 0 ./plugin.so
	same 'dlopen: records' 1 "$(grep -c plugin records)"
else
	cat log
	same 'the plugin is built' yes no
fi

# ------------------------------------------------- a file system that is full

# mounted COMMAND: runs it in a mount namespace, if that is possible.
mounted()
{
	if [ "$(id -u)" -eq 0 ]; then
		unshare -m sh -c "$1" 2>/dev/null
	else
		unshare -rm sh -c "$1" 2>/dev/null
	fi
}

mkdir small
small="mount -t tmpfs -o size=16m,mode=700 tbuf small"
if mounted "$small"; then
	# No space at the start: that is reported, and the program runs.
	mounted "$small && dd if=/dev/zero of=small/fill bs=64k 2>/dev/null
	    TBUF_DIR=\$PWD/small '$target' exit 10 1 counter 2>said; echo \$?" >out
	same 'no room: status' 0 "$(cat out)"
	same 'no room: said' 1 "$(grep -c 'nothing is recorded$' said)"
	same 'no room: it has run' 10 "$(counted)"
	# Filled up later: the space that fires need was allocated before.
	mkfifo go
	mounted "$small
	    TBUF_DIR=\$PWD/small
	    TBUF_OPTIONS=bufpolicy=ring,bufsize=256k,probes=ends:::
	    export TBUF_DIR TBUF_OPTIONS
	    '$target' wait 1000 1 counter <go >ready 2>said &
	    exec 3>go
	    until [ -s ready ]; do :; done
	    dd if=/dev/zero of=small/fill bs=64k 2>/dev/null
	    echo >&3
	    wait \$!
	    echo \$?
	    for file in small/tbuf.*; do
		'$TBUFCTL' -q --read \$file 2>errors
	    done | sort -t = -k 2n >records" >out
	same 'filled up: status' 0 "$(cat out)"
	same 'filled up: records' whole "$(whole)"
	same 'filled up: all of them' 2000 "$(wc -l <records)"
	# Files of dead processes are removed: each process of a crash loop is
	# recorded, though a few of them take all the space, and no more files
	# are removed than necessary.
	size=4194304
	while [ $((size * $(nproc))) -gt 4194304 ]; do
		size=$((size / 2))
	done
	mounted "$small
	    TBUF_DIR=\$PWD/small
	    export TBUF_DIR
	    for i in 1 2 3 4 5 6 7 8; do
		TBUF_OPTIONS=bufresize=manual,bufsize=$size,probes=ends::: \
		    '$target' kill 10 1 counter 2>>loop
	    done
	    '$TBUFCTL' --left 2>told | awk 'NR > 1' >left
	    # What would not fit in any case takes nobody's place.
	    TBUF_OPTIONS=bufresize=manual,bufsize=64m,probes=ends::: \
		'$target' exit 10 1 counter 2>said
	    TBUF_OPTIONS=bufresize=manual,bufsize=1000t,probes=ends::: \
		'$target' exit 10 1 counter 2>>said
	    '$TBUFCTL' --left 2>/dev/null | awk 'NR > 1' | cmp - left && echo same
	    TBUF_OPTIONS=bufsize=1000t,probes=ends::: \
		'$target' exit 10 1 counter 2>halved" >out
	same 'crash loop: recorded' 0 "$(grep -c 'nothing is recorded' loop)"
	same 'crash loop: left or removed' 8 $(($(wc -l <left) +
	    $(sed -n 's/^tbufctl: recorders removed \([0-9]*\) .*/\1/p' told
	    echo + 0)))
	same 'too large: said, and nothing else' '2 same' \
	    "$(grep -c 'not enough space; nothing is recorded$' said) $(cat out)"
	same 'halved, however large it was' '' "$(cat halved)"
	# Text messages in a file that has no space for a while: all its lines
	# are complete, except one that was truncated.
	mkfifo on
	mounted "mount -t tmpfs -o size=64k,mode=700 tbuf small
	    dd if=/dev/zero of=small/fill bs=4k count=12 2>/dev/null
	    TBUF_TEXT='traceFacility=File;traceFilePath=$PWD/small/trace'
	    export TBUF_TEXT
	    unset TBUF_OPTIONS
	    '$top_builddir/tests/golden/cmd/texts' lines=1000 say=full wait lines=3 \
		<on >stopped 2>said &
	    exec 3>on
	    until [ -s stopped ]; do :; done
	    rm small/fill
	    echo >&3
	    wait \$!
	    echo \$?
	    cp small/trace ." >out
	same 'text: status' 0 "$(cat out)"
	line='^[-0-9]{10}T[:0-9]{8}\.[0-9]{6}Z [0-9:]+ words info: line'
	same 'text: the first line, and that of later' 2 \
	    "$(grep -cE "$line 1\$" trace)"
	same 'text: the last ones' 3 "$(tail -n 3 trace | grep -cE "$line")"
	same 'text: more than one line is cut off' '' \
	    "$(grep -vE "$line [0-9]+\$" trace | tail -n +2)"
else
	echo 'no mount namespaces here: nothing with a full file system'
fi

# ------------------------------------------------- damaged files

# damage WHAT N: makes a copy that is truncated, or has holes in its pages.
seed=${SEED:-$$}
echo "seed $seed"
damage()
{
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	at=$((seed / 7 % pages))
	# Half of the damage is at the start, which describes the rest of the
	# file.
	[ $((seed / 3 % 2)) -eq 0 ] || at=$((at % 128))
	cp --sparse=always "$file" damaged
	if [ "$1" = cut ]; then
		truncate -s $((at * 4096 + seed % 4096)) damaged
		return
	fi
	for page in $at $((at * 31 % pages)) $((at * 127 % pages)); do
		fallocate -p -o $((page * 4096)) -l 4096 damaged 2>/dev/null ||
		    dd if=/dev/zero of=damaged bs=4096 seek="$page" count=1 \
		    conv=notrunc 2>/dev/null
	done
}

comes_to kill 137
file=$(echo "$TBUF_DIR"/tbuf.*)
pages=$(($(stat -c %s "$file") / 4096))
i=0 bad=0
while [ "$i" -lt "$cuts" ]; do
	i=$((i + 1))
	what="cut"
	[ $((i % 2)) -eq 0 ] || what="holes"
	damage $what
	"$TBUFCTL" -q --read damaged >some 2>why
	status=$?
	# Some of the records are read, or one line says why not.  A hole in a
	# record's text cannot be noticed.
	if [ $status -gt 1 ] || [ "$(wc -l <why)" -gt 9 ] ||
	    [ "$(wc -l <some)" -gt "$(wc -l <records)" ] ||
	    { [ $what = "cut" ] && ! awk 'FNR == NR { known[$0] = 1; next }
	    !($0 in known) { print "unknown: " $0; exit 1 }' records some; }
	then
		echo "$what of $file, seed $seed: status $status"
		cat why
		bad=$((bad + 1))
	fi
done
same "$cuts damaged files" 0 $bad

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
