# SPDX-License-Identifier: BSD-2-Clause
#
# A program that records itself: TBUF_OPTIONS.
. "$HERE/common_real"

# A sanitizer would report signals.
ASAN_OPTIONS="${ASAN_OPTIONS-}:handle_segv=0:handle_abort=0"
TSAN_OPTIONS="${TSAN_OPTIONS-}:handle_segv=0:handle_abort=0"
export ASAN_OPTIONS TSAN_OPTIONS

# record OPTIONS ORDER ...: runs the target without standard input.
record()
{
	options=$1
	shift
	echo "\$ TBUF_OPTIONS='$options' target $*"
	{ TBUF_OPTIONS=$options "$TBUF_TARGET" "$@" 2>&1 </dev/null
	  echo "= $?"; } | normal | grep -vxE 'Killed|Aborted|Segmentation fault'
}

# read_all ARGUMENT ...: prints the records of all files in the runtime
# directory.
read_all()
{
	for file in "$TBUF_DIR"/tbuf.*; do
		"$TBUFCTL" "$@" --read "$file" 2>&1
	done | normal
}

clean()
{
	rm -f "$TBUF_DIR"/tbuf.*
}

# The file has the records after any end; readers do not remove it.
for end in exit=0 kill=9 kill=6 kill=11; do
	record 'bufsize=64k,probes=tt:::count' fire=2 $end
	read_all
	read_all -q
	clean
done

# Options; several enablings; a ring's last records, and fill's first: two, also
# with the CPU's number that a lock lane adds.
record 'bufpolicy=ring,bufsize=88,probes=count' fire=100 kill=9
read_all -q
clean
record 'bufpolicy=fill,bufsize=88,strsize=4,probes= count ; nosuch:::;' fire=100 kill=9
read_all -q
clean

# With follow, children have files of their own, after fork and after exec.
record 'follow,bufsize=64k,probes=count' fork=2 spawn=3 fire=4 kill=9
for file in "$TBUF_DIR"/tbuf.*; do
	"$TBUFCTL" --read "$file" 2>&1 | sed -n 's/^tbufctl: //p'
done | sort
clean
record 'bufsize=64k,probes=count' fork=2 fire=1
for file in "$TBUF_DIR"/tbuf.*; do
	"$TBUFCTL" --read "$file" 2>&1 | sed -n 's/^tbufctl: //p'
done | sort
clean

# A recorder is read by its pid, alive or dead, repeatedly; files of dead
# processes are listed.
TBUF_OPTIONS='bufsize=64k,probes=count' start 7 8 fire=2 say=fired wait
tell 7
hear 8 fired
ctl --read $target -q | sed 's/read [0-9]*/read PID/'
ctl --snapshot=$target -q -n count | sed 's/=[0-9]* -q/=PID -q/'
ctl --snapshot -q --with=tid -x temporal
ctl --read $target -n 'count { trace(1); }' | sed 's/read [0-9]*/read PID/'
ctl --left
tell 7
wait $target
ctl --read $target --with=pid,wall -q | sed 's/read [0-9]*/read PID/'
"$TBUFCTL" --left | sed "s/^ *$target/PID/; s/$target/PID/g; s/[0-9]*-.*:../TIME/; s/[0-9a-f]*$//; s/ [0-9.]*[kmg] / SIZE /"
ctl --left=remove=1d
ctl --left=remove | sed "s/, [0-9].*/, SIZE/"
ctl --left
ctl --read $target | sed 's/read [0-9]*/read PID/'

# A process was killed, and its parent has not waited for it: the signal is
# known.
mkfifo hold
TBUF_OPTIONS='bufsize=64k,probes=count' sh -c '
	"$TBUF_TARGET" fire=2 kill=9 </dev/null &
	echo $! >zombie
	exec cat hold' &
parent=$!
exec 9>hold
until grep -q "^State:.Z" "/proc/$(cat zombie)/status"; do
	:
done
"$TBUFCTL" --left | awk 'NR == 2 { print $2, $6 }'
exec 9>&-
wait $parent
clean

# A consumer does not use the recorder's slot, even after other consumers.  The
# loop waits for each consumer's own session: by then it has removed its own
# file, and the one before may still be listed.
TBUF_OPTIONS='bufsize=64k,probes=count'
export TBUF_OPTIONS
start 3 4 enabled fire=1 say=fired wait fire=1 say=fired wait
unset TBUF_OPTIONS
tell 3
hear 4 fired
for i in 1 2; do
	"$TBUFCTL" -q -x bufpolicy=fill -b 64 -n blob -p $target >/dev/null 2>&1 &
	ctl=$!
	until "$TBUFCTL" --stat -p $target | grep -q " $ctl/.* fill " ||
	    ! kill -0 $ctl; do
		:
	done
	kill -9 $ctl
	wait $ctl 2>/dev/null
done
tell 3
hear 4 fired
"$TBUFCTL" --stat -p $target | awk 'NR > 1 && $3 == "ring" { print $2, $3, $4; exit }'
kill -9 $target
wait $target 2>/dev/null
read_all -q 2>&1 | grep -v 0.records
clean

# Wrong options are reported in one line, and the program runs.
for options in x x=1 bufsize=0x,probes=a bufsize probes= 'probes= ;' \
    'probes=a { trace(1) }' 'probes=a /arg0/' bufpolicy=switch,probes=a \
    probes=a:b:c:d:e:f follow=maybe,probes=a cpu=99999,probes=a \
    cpu=1023,probes=a \
    bufsize=8,bufresize=manual,probes=a bufsize=1t,bufresize=manual,probes=a \
    "$(printf '%0100d' 0)" "probes=$(printf '%08000d' 0)"; do
	record "$options" fire=1 | cut -c 1-160
	clean
done
record ''
# The reason why its own file cannot be opened is reported.
TBUF_OPTIONS=probes=count sh -c 'ulimit -n 5; exec "$TBUF_TARGET"' 3>&- 4>&- 2>&1
clean

# The number of files of dead processes is limited: files of processes that
# exited go first, then the oldest.
TBUF_KEEP=2
export TBUF_KEEP
left()
{
	for i; do
		record 'bufsize=64k,probes=count' fire=1 $i
	done >/dev/null
	for file in "$TBUF_DIR"/tbuf.*; do
		[ -e "$file" ] && "$TBUFCTL" -q --read "$file" 2>/dev/null
	done | wc -l
	clean
}
left kill=9 kill=9 kill=9 kill=9
left exit=0 exit=0 kill=9
TBUF_KEEP=0 left kill=9 kill=9
TBUF_KEEP=9,1 left kill=9 kill=9
TBUF_KEEP=9,1x record 'probes=count' fire=1
TBUF_KEEP=x record 'probes=count' fire=1

# The removal is reported.
TBUF_KEEP=1
for i in 1 2 3 4; do
	record 'bufsize=64k,probes=count' fire=1 kill=9
done >/dev/null
{ "$TBUFCTL" --left >/dev/null; } 2>&1
