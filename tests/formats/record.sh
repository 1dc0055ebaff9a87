#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Recordings in CTF 1.8: babeltrace2 reads all records and drops that tbufctl
# counts, of lanes of each kind, work units, speculations and faults, also if
# tbufctl was killed; and each thing that cannot be recorded is refused by name.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
: "${TBUFCTL:?}" "${TBUF_TARGET:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/tbufctl.sh"
[ -r /proc/$$/task/$$/children ] || { echo 'no lists of children'; exit 77; }
command -v babeltrace2 >/dev/null || { echo 'no babeltrace2'; exit 77; }
kvd=$top_builddir/examples/kvd kvload=$top_builddir/examples/kvload
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
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

# view DIR: reads a recording; sets events and discarded.  babeltrace2 may say
# nothing but that events were discarded.
view()
{
	babeltrace2 "$1" >events.txt 2>said || failed=1
	events=$(wc -l <events.txt)
	discarded=$(sed -n 's/.*Tracer discarded \([0-9]*\) event.*/\1/p' said |
	    awk '{ n += $1 } END { print n + 0 }')
	same "$1: other messages" '' "$(grep -vE \
	    'Tracer (discarded [0-9]+ events?|may have discarded events) ' said)"
}

# total FILE: sets records and drops, as tbufctl's last line has them.
total()
{
	records=$(sed -n 's/.*total: \([0-9]*\) record.*/\1/p' "$1")
	drops=$(sed -n 's/.* \([0-9]*\) drops*$/\1/p' "$1" | tail -n 1)
}

# begin OPTION ...: records kvd with these options, from its start on.
begin()
{
	rm -rf recording sock
	"$TBUFCTL" --record=recording -c "$kvd $SCRATCH/sock" "$@" >output \
	    2>errors &
	consumer=$!
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

# counted WHAT: what babeltrace2 reads is what tbufctl has counted.
counted()
{
	view recording
	total errors
	same "$1: records" "$records" "$events"
	same "$1: drops" "$drops" "$discarded"
	again "$1"
}

# again WHAT: --read of the recording has the records and losses of its run.
again()
{
	"$TBUFCTL" --read=recording >again.txt 2>again.errors || failed=1
	same "$1: read" "$(grep 'total:' errors)" \
	    "$(grep 'total:' again.errors)"
}

lanes()
{
	serve 2000 -n kv:::
	counted 'lanes'
	same 'lanes: all' 0 "$drops"
	in_parts 'lanes'
	serve 2000 -b 4k -n kv:::
	counted 'drops'
	serve 2000 -x bufscope=thread -x bufpolicy=ring -b 16k -n kv:::
	counted 'rings of threads'
	same 'a stream of a thread' yes \
	    "$(ls recording/*/thread* >/dev/null && echo yes)"
	GLIBC_TUNABLES=glibc.pthread.rseq=0
	export GLIBC_TUNABLES
	serve 2000 -n kv:::
	unset GLIBC_TUNABLES
	counted 'lock lanes'
	same 'a stream of a lock lane' yes \
	    "$(ls recording/*/lock* >/dev/null && echo yes)"
}

units()
{
	serve 2000 -x nunits=16 -n kv:::
	counted 'units'
	in_parts 'units'
	same 'units: some' yes \
	    "$([ "$(grep -c 'unit_kind = "request"' events.txt)" -ge 2000 ] &&
	    echo yes)"
	all_units
	serve 2000 -x nunits=1 -x unitsize=1k -b 4k -n kv:::
	counted 'drops of units'
	all_units
	serve 20000 -x nunits=16 -x recordsize=4m -x switchrate=200hz -n kv:::
	all_units
}

# all_units: a recording has the figures of all units, once, even of those that
# ended after the last packet with new records.
all_units()
{
	same 'figures of units' "request $count" "$("$TBUFCTL" --units=stat \
	    --read=recording | awk '$2 == "request" { print $2, $3 }')"
}

# in_parts WHAT: a recording may be too large to be read as one file; this reader
# reads at most 4 KiB at a time.
in_parts()
{
	"$top_builddir/tests/aarch64/exchange" read recording | sort >parts.txt
	"$TBUFCTL" -q --read=recording 2>said | sort >again.txt
	same "$1: in parts" "$(wc -l <again.txt)" "$(wc -l <parts.txt)"
}

# Sums of D, which prints no total.
clauses()
{
	serve 500 -n 'kv:::request-start /id > 0/ { @ = count(); record(); }'
	view recording
	same 'clauses: records' 500 "$events"
	same 'clauses: arguments' 500 "$(grep -c 'op = "[gs]et"' events.txt)"
	"$TBUFCTL" --read=recording >again.txt 2>again.errors
	same 'clauses: read' 500 "$(grep -c 'op="[gs]et"' again.txt)"
	same 'clauses: an aggregation' 500 "$(tr -dc 0-9 <output)"
	serve 500 -x nspec=64 -n 'kv:::request-start {
	    self->s = speculation(); speculate(self->s); record(); }
	    kv:::request-done { speculate(self->s); record(); }
	    kv:::request-done { commit(self->s); self->s = 0; }'
	view recording
	busy=$(sed -n 's/.*: \([0-9]*\) failed spec.*/\1/p' errors |
	    awk '{ n += $1 } END { print n + 0 }')
	"$TBUFCTL" -q --read=recording >again.txt 2>again.errors
	same 'speculations: read' "$events" "$(grep -c id= again.txt)"
	same 'speculations' $((2 * (500 - busy))) "$events"
	serve 500 -n 'kv:::request-start / *(int *)copyin(id & 1, 4) / {
	    record(); }'
	view recording
	same 'faults' 500 "$(grep -c 'tbuf:::fault' events.txt)"
	"$TBUFCTL" --read=recording >again.txt 2>again.errors
	same 'faults: read' 500 "$(grep -c 'error on enabled' again.errors)"
	same 'messages of faults' 500 "$(grep -c 'error on enabled' errors)"
}

# Each process of a command has a trace of its own.
followed()
{
	rm -rf recording
	"$TBUFCTL" --follow --record=recording -b 1m -c "sh -c '$TBUF_TARGET types;
	    $TBUF_TARGET types'" -n tt::: >output 2>errors || failed=1
	counted 'children'
	same 'traces' 2 "$(ls recording/*/metadata | wc -l)"
}

# untimed FILE: prints it without times, which each reading calibrates.
untimed()
{
	sed 's/[0-9]\{9,\}[.0-9]*//g; s/"dur":[.0-9]*//g' "$1"
}

files()
{
	TBUF_OPTIONS='bufsize=64k,probes=tt:::' "$TBUF_TARGET" types
	rm -rf recording
	file=$(echo dir/tbuf.*)
	"$TBUFCTL" --read="$file" >read.txt 2>read.errors
	"$TBUFCTL" --read="$file" --record=recording >output 2>errors ||
	    failed=1
	counted 'a file'
	head=$(du -k recording/*/.tbuf | cut -f 1)
	[ "$head" -lt 250 ] || same 'a head' 'without holes' "$head KiB"
	for options in '' --format=json --format=chrome '-x temporal' -F; do
		# shellcheck disable=SC2086 # options are words
		"$TBUFCTL" --read="$file" $options >read.txt 2>read.errors
		# shellcheck disable=SC2086
		"$TBUFCTL" --read=recording $options >again.txt 2>again.errors
		same "a file, read $options" "$(untimed read.txt)" \
		    "$(untimed again.txt)"
	done
	for program in 'tt::: { @[probename] = count(); }' \
	    'tt::: { printf("%s\n", probename); }'; do
		"$TBUFCTL" --read="$file" -q -n "$program" >read.txt
		"$TBUFCTL" --read=recording -q -n "$program" >again.txt
		same "a file, read by D" "$(cat read.txt)" "$(cat again.txt)"
	done
	rm -rf damaged
	cp -R recording damaged
	for trace in damaged/*; do
		truncate -s 100 "$trace"/cpu*
		"$TBUFCTL" --read=damaged >again.txt 2>again.errors
		same 'a torn stream' 0 \
		    "$(sed -n 's/.*total: \([0-9]*\) rec.*/\1/p' again.errors)"
		truncate -s 8192 "$trace/.tbuf"
		"$TBUFCTL" --read=damaged >again.txt 2>again.errors
		same 'a torn head' 'tbufctl: failed to read damaged: it is damaged' \
		    "$(cat again.errors)"
		rm "$trace/.tbuf"
		"$TBUFCTL" --read=damaged >again.txt 2>again.errors
		same 'no head' 'tbufctl: failed to read damaged: it is not a recording (tbufctl --record=DIR)' \
		    "$(cat again.errors)"
	done
	same 'a file: as printed' "$(grep 'total:' read.errors)" \
	    "$(grep 'total:' errors)"
	rm -rf recording
	"$TBUFCTL" --read="$file" --record=recording -n strings >output \
	    2>errors
	"$TBUFCTL" --read="$file" -n strings >/dev/null 2>read.errors
	counted 'a part of a file'
	same 'a part of a file: as printed' "$(grep 'total:' read.errors)" \
	    "$(grep 'total:' errors)"
}

# lost FILE: reads it, and sets loss, without times, and the times around them.
lost()
{
	"$TBUFCTL" --read="$1" --format=json 2>said |
	    grep -v '"record"' >lost.json
	loss=$(untimed lost.json)
	times=$(tr ',}' '\n' <lost.json | grep -e after -e before |
	    sed 's/.*://' | tr '\n' ' ')
}

# near TIMES TIMES: each reading of the clock may be some ns apart.
near()
{
	echo "$1 $2" | awk '{
		n = NF / 2
		for (i = 1; i <= n; i++) {
			apart = $i - $(i + n)
			if (apart > 1000 || apart < -1000)
				exit 1
		}
	}'
}

# A copy of a recording has its drops between the same records: those of two
# loads, which others without drops are after.
copies()
{
	begin -b 4k -x switchrate=100hz -n kv:::
	for requests in 1000 2 2 2 2 2 2 2 2 2 1000 2 2 2 2 2 2 2 2 2; do
		"$kvload" --requests=$requests --connections=1 \
		    "$SCRATCH/sock" >load
	done
	kill "$server"
	wait $consumer || failed=1
	counted 'two loads'
	[ "$drops" -gt 0 ] || same 'two loads' drops none
	lost recording
	expected=$loss around=$times
	"$TBUFCTL" --read=recording --format=chrome >read.txt 2>said
	"$TBUFCTL" --read=recording --record=copied 2>said
	"$TBUFCTL" --read=recording --record=- 2>said |
	    "$TBUFCTL" --read=- --record=piped 2>said.piped
	for copy in copied piped; do
		lost $copy
		same "losses, $copy" "$expected" "$loss"
		near "$around" "$times" ||
		    same "losses, $copy: times" "$around" "$times"
		"$TBUFCTL" --read=$copy --format=chrome >again.txt 2>said
		same "losses, $copy: slices" "$(untimed read.txt)" \
		    "$(untimed again.txt)"
		view $copy
		same "losses, $copy: babeltrace2" "$drops" "$discarded"
	done
}

# A recording has the losses of its file, between the same records.
losses()
{
	for options in bufpolicy=ring,bufsize=16k bufpolicy=fill,bufsize=8k; do
		kinds='"type":"overwritten""type":"damage"'
		[ "$options" != "${options#*ring}" ] ||
		    kinds='"type":"drops""cause":"full""type":"damage"'
		rm -rf lossy recording
		mkdir -m 700 lossy
		TBUF_DIR=$PWD/lossy TBUF_OPTIONS="$options,probes=tt:::" \
		    "$TBUF_TARGET" fire=1000 exit=0
		damaged=$(echo lossy/tbuf.*)
		for at in $(grep -abo 'a text' "$damaged" |
		    sed -n '40p;60p;61p;80p' | cut -d : -f 1); do
			dd if=/dev/zero of="$damaged" bs=1 seek=$((at - 26)) \
			    count=16 conv=notrunc 2>said
		done
		lost "$damaged"
		expected=$loss around=$times
		"$TBUFCTL" --read="$damaged" --record=recording 2>errors
		lost recording
		same "losses under $options" "$expected" "$loss"
		same "losses under $options: kinds" "$kinds" \
		    "$(tr ',{' '\n' <lost.json | grep -e '"cause"' \
		    -e '"type":"[od]' | tr -d '\n')"
		near "$around" "$times" ||
		    same "losses under $options: times" "$around" "$times"
	done
}

# Records of a ring, of which some are selected: one packet is not one record.
selected()
{
	rm -f sock
	TBUF_OPTIONS='bufsize=16k,probes=kv:::' "$kvd" "$SCRATCH/sock" &
	server=$!
	until [ -S sock ]; do
		:
	done
	"$kvload" --requests=2000 --connections=2 "$SCRATCH/sock" >load
	for option in --read --snapshot; do
		rm -rf recording
		"$TBUFCTL" $option=$server -n kv:::request-start \
		    >/dev/null 2>read.errors
		"$TBUFCTL" $option=$server -n kv:::request-start \
		    --record=recording >output 2>errors || failed=1
		counted "selected by $option"
		same "selected by $option: as printed" \
		    "$(grep 'total:' read.errors)" "$(grep 'total:' errors)"
		same 'few packets' yes "$([ "$(cat recording/*/cpu* | wc -c)" \
		    -lt $((128 * events + 4096)) ] && echo yes)"
	done
	kill $server
	wait $server
}

# A snapshot of a ring is a recording of its own.
snapshots()
{
	begin -x bufpolicy=ring -b 16k -n kv:::
	"$kvload" --requests=2000 --connections=2 "$SCRATCH/sock" >load
	kill -USR1 $consumer
	until grep 'snapshot:' errors >found; do
		:
	done
	kill "$server"
	wait $consumer || failed=1
	view recording/000001
	same 'a snapshot' "tbufctl: snapshot: $events records" "$(cat found)"
	mv recording/000001 snapshot
	counted 'after a snapshot'
}

# within LIMIT: the recording has no more bytes than that on the disk, with its
# directories.
within()
{
	size=$(du -s --block-size=1 recording | cut -f 1)
	[ "$size" -le "$1" ] || same 'bytes on the disk' "$1" "$size"
}

# sampled LIMIT: so it is while the writer runs, which is stopped now and then.
sampled()
{
	while kill -STOP $consumer; do
		while grep -q '^State:.*[RSD] ' "/proc/$consumer/status"; do
			:
		done
		within "$1"
		kill -CONT $consumer
	done 2>said
}

# The oldest chunks of a limited recording go, and all others are read.
limited()
{
	begin -x recordsize=4m -x switchrate=200hz -b 4m -n kv:::
	"$kvload" --requests=60000 --connections=2 "$SCRATCH/sock" >load
	kill "$server"
	wait $consumer || failed=1
	within 4194304
	view recording
	total errors
	same 'chunks: records' "$records" "$events"
	same 'chunks: drops' "$drops" "$discarded"
	again 'chunks'
	overwritten=$(sed -n 's/.*records, \([0-9]*\) over.*/\1/p' errors)
	[ "$overwritten" -gt 0 ] || same 'chunks that went' some none
	[ ! -e recording/000001 ] || same 'the oldest chunk' removed there
	sum=0
	for chunk in recording/*; do
		view "$chunk"
		sum=$((sum + events))
	done
	same 'all chunks' "$records" $sum
	crowded
}

# Heads and directories of many processes take more than their packets, which are
# padded to pages, or than an eighth of the limit.
crowded()
{
	rm -rf recording
	"$TBUFCTL" --follow --record=recording -x recordsize=4m -b 256k \
	    -c "sh -c 'for i in $(seq 40 | tr '\n' ' '); do
	    $TBUF_TARGET fire=1000; done'" \
	    -n tt:::count >output 2>errors &
	consumer=$!
	until [ -d recording/000001 ] || ! kill -0 $consumer 2>said; do
		:
	done
	sampled 4194304
	wait $consumer || failed=1
	within 4194304
	again 'many processes'
}

# A killed recording has all whole packets, whenever the kill comes.
killed()
{
	i=0
	while [ $i -lt "${KILLS:-12}" ]; do
		i=$((i + 1))
		begin -x switchrate=200hz -x nunits=$((i % 2 * 8)) -b 64k \
		    -n kv:::
		"$kvload" --requests=0 --connections=2 "$SCRATCH/sock" \
		    >load &
		load=$!
		until ls recording/*/*_0 >found; do
			:
		done
		j=0
		while [ $j -lt $((i * 997 % 9973)) ]; do
			j=$((j + 1))
		done
		kill -KILL $consumer
		wait $consumer
		kill "$server"
		wait $load
		view recording
		[ "$events" -gt 0 ] || same "kill $i" 'some events' none
		"$TBUFCTL" --read=recording >again.txt 2>again.errors
		same "kill $i: read" "$events" \
		    "$(sed -n 's/.*total: \([0-9]*\) rec.*/\1/p' again.errors)"
	done 2>said.shell
}

# refused MESSAGE STATUS ARGUMENT ...: is refused with a message, and not begun.
refused()
{
	message=$1 status=$2
	shift 2
	"$TBUFCTL" "$@" -c 'touch begun' >output 2>errors
	same "$*: status" "$status" $?
	same "$*" "tbufctl: $message" "$(cat errors)"
	[ ! -e begun ] || same "$*" 'not executed' 'executed'
}

refusals()
{
	mkdir full empty
	touch full/file
	ln -s empty link
	refused "failed to record to 'full': it is not empty (name a new directory)" \
	    1 --record=full -n tt:::
	exec 4<empty
	flock 4
	refused "failed to record to 'empty': another run records to it (name a new directory)" \
	    1 --record=empty -n tt:::
	exec 4<&-
	refused "failed to record to 'link': it is a link (name the directory itself)" \
	    1 --record=link -n tt:::
	refused "failed to record to 'full/file': Not a directory" \
	    1 --record=full/file -n tt:::
	refused "failed to record to 'none/new': No such file or directory" \
	    1 --record=none/new -n tt:::
	if [ "$(id -u)" -eq 0 ]; then
		mkdir other
		chown 1 other
		refused "failed to record to 'other': it belongs to another user (name a directory of your own)" \
		    1 --record=other -n tt:::
	fi
	refused '--record does not go with --format=json' \
	    2 --record=new --format=json -n tt:::
	refused '--record does not go with -x temporal' \
	    2 --record=new -x temporal -n tt:::
	refused '-x recordsize needs --record' 2 -x recordsize=1g -n tt:::
	refused "failed to set -x recordsize: Invalid value for specified option: '1m' is not a size of at least 4m (example: 1g)" \
	    2 --record=new -x recordsize=1m -n tt:::
	refused '--record does not go with printf()' \
	    2 --record=new -Z -n 'tt::: { printf("a"); }'
	refused '--record does not go with ustack()' \
	    2 --record=new -Z -n 'tt::: { ustack(); }'
}

# Without room the records written are counted, and they can be read.
no_room()
{
	rm -rf recording
	(
		trap '' XFSZ
		ulimit -f 0
		exec "$TBUFCTL" --read="$file" --record=recording
	) 2>&1 | cat >errors
	same 'no room' 'tbufctl: total: 0 records, 0 overwritten, 0 drops' \
	    "$(grep 'total:' errors)"
	same 'no room: message' \
	    "tbufctl: failed to record to 'recording': File too large" \
	    "$(grep failed errors)"
}

# A disk that becomes full ends the run; the records written are counted, and
# read.
full_disk()
{
	unshare -rm true 2>said || return
	mkdir disk
	mkdir -m 700 filled
	TBUF_DIR=$PWD/filled TBUF_OPTIONS='bufsize=4m,probes=tt:::count' \
	    "$TBUF_TARGET" fire=60000 exit=0
	set -- filled/tbuf.*
	# shellcheck disable=SC2016 # expressions are for the inner shell
	unshare -rm sh -c 'mount -t tmpfs -o size=1m none disk || exit
	    "$TBUFCTL" --read="$1" --record=disk/recording 2>errors
	    echo "status $?" >status
	    "$TBUFCTL" --read=disk/recording >again.txt 2>again.errors' \
	    sh "$1"
	"$TBUFCTL" --read="$1" --record=filled/whole 2>said
	for file in filled/whole/*/*_0; do
		[ "$(tail -c 8192 "$file" | tr -d '\000' | wc -c)" -gt 100 ] ||
		    same 'padding' removed "$(wc -c <"$file") bytes"
	done
	same 'full disk: status' 'status 1' "$(cat status)"
	same 'full disk: message' \
	    "tbufctl: failed to record to 'disk/recording': No space left on device" \
	    "$(grep failed errors)"
	same 'full disk: read' "$(grep 'total:' errors)" \
	    "$(grep 'total:' again.errors)"
	total errors
	[ "$records" -gt 0 ] || same 'full disk: records' some none
}

# A unit that was hung when it was recorded has its age, and its records.
hung()
{
	mkfifo order said.hung
	TBUF_OPTIONS='nunits=2,probes=count' "$TBUF_TARGET" unit=1 fire=2 \
	    say=hung wait <order >said.hung &
	target=$!
	exec 3>order
	read -r word <said.hung
	"$TBUFCTL" --read=$target -x unithung=1ns --record=hung 2>errors
	exec 3>&-
	wait $target
	"$TBUFCTL" --read=hung --units=hung >again.txt 2>again.errors
	same "a $word unit" 2 "$(grep -c 'unit=work:1 hung [0-9.]*[a-z]* number' \
	    again.txt)"
	"$TBUFCTL" --read=hung --units >again.txt
	same "a $word unit: records" "$target dead work 1 2" \
	    "$(awk 'NR == 2 { print $1, $2, $3, $4, $7 }' again.txt)"
}

lanes
units
clauses
followed
files
losses
copies
selected
snapshots
limited
killed
refusals
no_room
full_disk
hung
exit $failed
