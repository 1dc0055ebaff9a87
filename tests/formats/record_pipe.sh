#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Recordings on a pipe (--record=-, --read=-): all records are there, those of
# blocks that were lost, repeated or damaged are counted exactly, and either end
# may go away.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
: "${TBUFCTL:?}" "${TBUF_TARGET:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/tbufctl.sh"
[ -r /proc/$$/task/$$/children ] || { echo 'no lists of children'; exit 77; }
kvd=$top_builddir/examples/kvd kvload=$top_builddir/examples/kvload
TBUF_DIR=$SCRATCH/dir TMPDIR=$SCRATCH
export TBUF_DIR TMPDIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir
failed=0

# same WHAT EXPECTED GOT
same()
{
	[ "$2" = "$3" ] && return
	echo "FAIL $1: expected '$2', got '$3'"
	failed=1
}

# total FILE: the last line of all records.
total()
{
	grep 'total:' "$1"
}

# begin OPTION ...: records kvd on a pipe, from its start on, to a file.
begin()
{
	rm -f sock
	"$TBUFCTL" --record=- -c "$kvd $SCRATCH/sock" "$@" >pipe 2>errors &
	consumer=$!
	find_server
}

# find_server: waits for kvd; sets server, the pid of it.
find_server()
{
	until [ -S sock ] || ! kill -0 $consumer; do
		:
	done
	for server in $(cat "/proc/$consumer/task/$consumer/children"); do
		! grep -q -x kvd "/proc/$server/comm" || break
	done
}

# serve COUNT OPTION ...: does so under COUNT requests.
serve()
{
	count=$1
	shift
	begin "$@"
	"$kvload" --requests="$count" --connections=4 "$SCRATCH/sock" >load
	kill "$server"
	wait $consumer || { cat errors; failed=1; }
}

# received WHAT: both ways to read the pipe have all that tbufctl has counted.
received()
{
	rm -rf recording
	"$TBUFCTL" --read=- --record=recording <pipe >output 2>copy.errors ||
	    failed=1
	same "$1: copied" "$(total errors)" "$(cat copy.errors)"
	"$TBUFCTL" --read=recording >read.txt 2>read.errors || failed=1
	same "$1: read" "$(total errors)" "$(total read.errors)"
	cat pipe | "$TBUFCTL" --read=- >text.txt 2>text.errors || failed=1
	same "$1: printed" "$(total errors)" "$(total text.errors)"
	cmp -s read.txt text.txt || same "$1: text" 'that of a directory' other
	command -v babeltrace2 >babeltrace || return
	same "$1: babeltrace2" "$(total errors | tr -dc '0-9 ' |
	    cut -d ' ' -f 3)" "$(babeltrace2 recording 2>said | wc -l)"
}

# kept FILE ...: files keep no blocks of the disk that they do not need.
kept()
{
	for file; do
		same "$file: KiB" 0 $(($(du -k "$file" | cut -f 1) / \
		    ($(wc -c <"$file") / 1024 + 64)))
	done
}

runs()
{
	serve 2000 -n kv:::
	received 'lanes'
	kept pipe
	kept recording/*/*
	"$TBUFCTL" -q --read=- -n 'kv:::request-start { @ = count(); }' \
	    <pipe >counted
	same 'a script' 2000 "$(tr -dc 0-9 <counted)"
	"$TBUFCTL" --read=- --format=json <pipe >json
	same 'JSON' 2000 "$(grep -c '"name":"request-start"' json)"
	"$TBUFCTL" --read=- -n kv:::request-done --record=- <pipe 2>errors |
	    "$TBUFCTL" --read=- >text.txt 2>text.errors
	same 'passed on' "$(total errors)" "$(total text.errors)"
	same 'passed on: all' 2000 "$(grep -c request-done text.txt)"
	serve 2000 -b 4k -n kv:::
	received 'drops'
	serve 2000 -x nunits=16 -x packetsize=4k -n kv:::
	received 'units'
	same 'figures of units' 2000 "$("$TBUFCTL" --units=stat \
	    --read=recording | awk '$2 == "request" { print $3 }')"
	serve 2000 -x bufscope=thread -x bufpolicy=ring -b 16k -n kv:::
	received 'rings of threads'
	"$TBUFCTL" --follow --record=- -b 1m -c "sh -c 'echo said;
	    $TBUF_TARGET types; $TBUF_TARGET types'" -n tt::: >pipe 2>errors ||
	    failed=1
	received 'children'
	same "a command's output" 1 "$(grep -c -x said errors)"
	"$TBUFCTL" --record=- -q -c "$TBUF_TARGET types" \
	    -n 'tt::: { @ = count(); record(); }' >pipe 2>errors
	"$TBUFCTL" -q --read=- <pipe >text.txt 2>said
	same 'an aggregation' "$(wc -l <text.txt)" "$(tr -dc 0-9 <errors)"
}

# damage PATTERN: makes `damaged' of the pipe's blocks by letters for each of
# them, and then again: keep, drop, twice, flip, cut, garbage before it.  The
# last one is kept: after it, a loss is not seen.  Sets lost and twice, the
# number of such blocks.
damage()
{
	rm -rf blocks
	mkdir blocks
	split -b 65536 -a 4 pipe blocks/
	lost=0 twice=0 letters=
	for last in blocks/*; do
		:
	done
	for block in blocks/*; do
		letters=${letters:-$1}
		rest=${letters#?}
		letter=${letters%"$rest"} letters=$rest
		[ "$block" != "$last" ] || letter=k
		case $letter in
		k)
			cat "$block"
			;;
		d)
			lost=$((lost + 1))
			;;
		t)
			cat "$block" "$block"
			twice=$((twice + 1))
			;;
		f)
			head -c 90 "$block"
			head -c 91 "$block" | tail -c 1 | tr '\000-\377' \
			    '\001-\377\000'
			tail -c +92 "$block"
			lost=$((lost + 1))
			;;
		c)
			head -c 150 "$block"
			lost=$((lost + 1))
			;;
		g)
			printf '\301\037\374\301 garbage \301\037\374\301'
			cat "$block"
			;;
		esac
	done >damaged
}

# mended PATTERN: so damaged, all other packets are there.
mended()
{
	damage "$1"
	"$TBUFCTL" --read=- <damaged 2>some.errors | tail -n +2 >some.txt
	rm -rf recording
	"$TBUFCTL" --read=- --record=recording <damaged 2>copy.errors
	same "$1: line" "$(grep 'pipe:' some.errors)" \
	    "$(grep 'pipe:' copy.errors)"
	same "$1: total" "$(total some.errors)" "$(total copy.errors)"
	"$TBUFCTL" --read=recording >again.txt 2>again.errors
	same "$1: total of the copy" "$(total some.errors)" \
	    "$(total again.errors)"
	same "$1: others" 0 "$(sort some.txt | comm -23 - all.txt | wc -l)"
	same "$1: all" "$all" "$(total some.errors | tr -dc '0-9 ' |
	    awk '{ print $1 + $2 }')"
	same "$1: records" "$(grep -c . some.txt)" \
	    "$(total some.errors | tr -dc '0-9 ' | awk '{ print $1 }')"
	[ $((lost + twice)) -eq 0 ] ||
	    same "$1: packets" "$lost $twice" "$(sed -n \
	    's/.*pipe: \([0-9]*\) packet.*, \([0-9]*\) repeated/\1 \2/p' \
	    some.errors)"
}

damages()
{
	serve 20000 -b 4m -n kv:::
	"$TBUFCTL" --read=- -n kv::: <pipe 2>said | tail -n +2 | sort >all.txt
	all=$(total errors | tr -dc '0-9 ' | awk '{ print $1 }')
	same 'all records' "$all" "$(grep -c . all.txt)"
	mended k
	mended t
	mended g
	mended dkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk
	mended kkd
	mended kkf
	mended kkc
	mended kkkfkgkdktkckkkk
	size=$(wc -c <pipe)
	head -c $((size - 3 * 65536)) pipe >damaged
	"$TBUFCTL" --read=- <damaged 2>some.errors | tail -n +2 >some.txt
	same 'a pipe that ends early' 'tbufctl: pipe: it ended before its last packet: later records are not counted' \
	    "$(grep 'pipe:' some.errors)"
	same 'a pipe that ends early: records' "$(grep -c . some.txt)" \
	    "$(total some.errors | tr -dc '0-9 ' | awk '{ print $1 }')"
	cp pipe first
	serve 100 -n kv:::
	all=$((all + $(total errors | tr -dc '0-9 ' | awk '{ print $1 }')))
	same 'two pipes' "$all" "$(cat first pipe |
	    "$TBUFCTL" --read=- 2>some.errors | tail -n +2 | grep -c .)"
}

# A reader that comes late has the next head, and knows how many it has missed.
late()
{
	serve 20000 -x packetsize=4k -b 4m -n kv:::
	size=$(wc -c <pipe)
	tail -c $((size / 2 + 1)) pipe | "$TBUFCTL" --read=- 2>some.errors |
	    tail -n +2 >some.txt
	same 'late: all' "$(total errors | tr -dc '0-9 ' |
	    awk '{ print $1 }')" "$(total some.errors | tr -dc '0-9 ' |
	    awk '{ print $1 + $2 }')"
	same 'late: records' "$(grep -c . some.txt)" \
	    "$(total some.errors | tr -dc '0-9 ' | awk '{ print $1 }')"
	[ "$(grep -c . some.txt)" -gt 5000 ] || same 'late: some' many few
}

# The reader ends, and then the run.
no_reader()
{
	mkfifo fifo
	rm -f sock
	"$TBUFCTL" --record=- -c "$kvd $SCRATCH/sock" -n kv::: >fifo 2>errors &
	consumer=$!
	head -c 100 <fifo >part &
	find_server
	"$kvload" --requests=200 --connections=4 "$SCRATCH/sock" >load
	wait $consumer
	same 'no reader' 0 $?
	same 'no reader: message' 1 "$(grep -c 'left running' errors)"
	same 'no reader: other messages' 0 "$(grep -c failed errors)"
	kill "$server"
}

# A signal ends both ends, and nothing is lost.
interrupted()
{
	rm -f sock
	"$TBUFCTL" --record=- -c "$kvd $SCRATCH/sock" -n kv::: >fifo 2>errors &
	consumer=$!
	"$TBUFCTL" --read=- <fifo >text.txt 2>text.errors &
	reader=$!
	find_server
	"$kvload" --requests=200 --connections=4 "$SCRATCH/sock" >load
	kill -INT $consumer
	wait $consumer
	wait $reader
	same 'interrupted' "$(total errors)" "$(total text.errors)"
	kill "$server"
}

# Without room at the reading end, the records written are counted.
no_room()
{
	(
		trap '' XFSZ
		ulimit -f 0
		exec "$TBUFCTL" --read=- --record=little
	) 2>&1 <pipe | cat >errors
	same 'no room' 'tbufctl: total: 0 records, 0 overwritten, 0 drops' \
	    "$(total errors)"
	same 'no room: message' \
	    "tbufctl: failed to record to 'little': File too large" \
	    "$(grep failed errors)"
}

# refused MESSAGE STATUS ARGUMENT ...: is refused with a message.
refused()
{
	message=$1 status=$2
	shift 2
	"$TBUFCTL" "$@" >output 2>errors <none
	same "$*: status" "$status" $?
	same "$*" "tbufctl: $message" "$(cat errors)"
	same "$*: output" 0 "$(wc -c <output)"
}

refusals()
{
	: >none
	mkdir full
	touch full/file
	wrong='failed to set -x packetsize: Invalid value for specified option'
	for value in 0 -1 4095 5k 1g many; do
		refused "$wrong: '$value' is not a multiple of 4k up to 16m (example: 64k)" \
		    2 --record=- -x packetsize=$value -n tt:::
	done
	refused '-x packetsize needs --record=-' \
	    2 --record=new -x packetsize=4k -n tt:::
	refused '-x recordsize needs --record=DIR' \
	    2 --record=- -x recordsize=1g -n tt:::
	refused '--record=- does not go with -o' \
	    2 --record=- -o file -n tt:::
	refused '--record does not go with --format=json' \
	    2 --record=- --format=json -n tt:::
	refused '--record does not go with printf()' \
	    2 --record=- -Z -n 'tt::: { printf("a"); }'
	refused 'failed to set -x foo: Invalid option name' \
	    2 --read=- --record=new -x foo=1
	refused '--read=- can be given only once' 2 --read=- --read=-
	refused '--read does not go with -c' 2 --read=- -c true
	refused 'failed to read -: it has no packets of tbufctl --record=-' \
	    1 --read=-
	refused "failed to record to 'full': it is not empty (name a new directory)" \
	    1 --read=- --record=full
	if command -v script >found; then
		script -q -c "$TBUFCTL --record=- -Z -n tt:::" /dev/null \
		    </dev/null >output
		same 'a terminal' "tbufctl: failed to record to '-': it is a terminal (use a pipe or a file)" \
		    "$(tr -d '\r' <output)"
	fi
	same 'directories of pipes' 0 "$(find . -name 'tbuf-pipe*' | wc -l)"
}

runs
damages
late
no_reader
interrupted
no_room
refusals
exit $failed
