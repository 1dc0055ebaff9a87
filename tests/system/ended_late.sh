#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Signals end a run whose output nothing reads, in each form of output: records
# and keys that are not printed are counted, and one line says how many.  The
# pipes are full from the beginning, so that the counts are exact.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${TBUF_TARGET:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/tbufctl.sh"
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir
mkfifo full messages in out

# The descriptor 5 holds a pipe open that is full, and that nothing reads.
exec 5<>full
dd if=/dev/zero of=full bs=4096 oflag=nonblock conv=notrunc 2>/dev/null
dd if=/dev/zero of=full bs=1 oflag=nonblock conv=notrunc 2>/dev/null

# guard PID: kills a process that does not end, as one without a bound would.
guard()
{
	(
		trap 'kill $sleep; exit' TERM
		sleep 30 &
		sleep=$!
		wait $sleep
		kill -KILL "$1"
	) 5<&- 6<&- &
	guard=$!
}

# begin LINE ARGUMENT ...: starts tbufctl with the full pipe as its output, and
# waits until it has printed a message with LINE in it.
begin()
{
	line=$1 heard=
	shift
	"$TBUFCTL" "$@" >full 2>messages 5<&- &
	run=$!
	exec 6<messages
	until [ "${heard#*"$line"}" != "$heard" ]; do
		if ! read -r heard <&6; then
			echo "tbufctl $*: ended without '$line'"
			exit 1
		fi
	done
}

# ended WHAT STATUS: waits for the end of tbufctl, and takes its last message.
ended()
{
	guard $run
	wait $run
	same "$1: status" "$2" $?
	kill $guard
	wait $guard
	cat <&6 >rest
	said=$(sed -n 's/^tbufctl: ended by a signal before all was printed: //p' \
	    rest)
}

# left WHAT RECORDS KEYS: compares the counts; bytes that were formatted, and
# not written, are none if there is one too many.
left()
{
	same "$1" "$2 and $3 left out" "${said%, * not written}"
}

# ------------------------------------------------------ records of a script

ten=
for i in 1 2 3 4 5 6 7 8 9 10; do
	ten="$ten BEGIN { printf(\"%40000d\\n\", $i); }"
done
# One signal, and a second after it; two signals.
for signals in INT TERM HUP QUIT 'INT INT' 'INT TERM'; do
	for form in text json; do
		begin matched --format=$form -n "$ten"
		for signal in $signals; do
			kill -s "$signal" $run
		done
		ended "$signals, $form" 1
		[ "$form" != text ] || left "$signals, $form" \
		    '10 records' '0 keys of aggregations'
	done
done

# ----------------------------------------------------------- aggregations

# target ORDER ...: starts a target that fires once a consumer is there; its
# control file is there when it has printed its first line.
target()
{
	"$TBUF_TARGET" say=started enabled "$@" say=fired wait <in >out 5<&- &
	pid=$!
	exec 3>in 4<out
	read -r heard <&4
}

# over: ends the target.
over()
{
	echo >&3
	wait $pid
	exec 3>&- 4<&-
}

target fire=30000
begin matched -n 'tt:::count { @[arg0] = count(); }' -p $pid -x aggsize=64m
read -r heard <&4
kill -s INT $run
ended 'keys' 1
over
# A line has 35 bytes; one empty line comes before them.
keys=${said#*and } keys=${keys%% *}
bytes=${said#*left out, } bytes=${bytes%% *}
same 'keys: records' '0 records' "${said%% and *}"
same 'keys: sum' 30000 $((keys + (bytes - 1) / 35))
same 'keys: rest of the bytes' 1 $((bytes % 35))

# ------------------------------------------------------ records of a target

# The session's records are those of the last drain: 1,000 in all.
for form in text json log; do
	target fire=1000
	begin matched --format=$form -x switchrate=1h -n count -p $pid
	read -r heard <&4
	kill -s TERM $run
	ended "$form" 1
	over
	left "$form" '1000 records' '0 keys of aggregations'
done

# --------------------------------------------------------- records of files

mkdir -m 700 files
TBUF_DIR=$SCRATCH/files TBUF_OPTIONS='bufsize=4m,probes=tt:::count' \
    "$TBUF_TARGET" fire=10000 exit=0
file=$(echo files/tbuf.*)
cat >replay.d <<'end'
tt:::count { printf("%d\n", arg0); }
end
for arguments in '--format=text -n count' '--format=json -n count' \
    '-x temporal -n count' '-s replay.d' '--format=json -s replay.d'; do
	# shellcheck disable=SC2086 # arguments without blanks
	begin matched --read "$file" $arguments
	kill -s INT $run
	ended "--read $arguments" 1
	left "--read $arguments" '10000 records' '0 keys of aggregations'
done

# ------------------------------------------------------- commands that wait

begin begun -q -w -o /dev/null \
    -n 'BEGIN { system("echo begun >&2; exec sleep 1000 2>/dev/null"); }'
kill -s INT $run
ended 'system()' 0
command=$(sed -n 's/^tbufctl: pid \([0-9]*\) left running$/\1/p' rest)
same 'system(): the command' sleep "$(cat "/proc/$command/comm")"
kill "$command"
while grep -q '^State:.[^Z]' "/proc/$command/status" 2>/dev/null; do
	:
done

# ------------------------------------------------------------------ --stat

"$TBUFCTL" --stat=1ms >full 2>messages 5<&- &
run=$!
exec 6<messages
# The mask of the signals that have handlers; SIGINT is the second bit.
until grep -q '^SigCgt:.*[2367abef]$' /proc/$run/status; do
	kill -0 $run || break
done
kill -s INT $run
ended '--stat' 1
same '--stat: message' \
    'tbufctl: ended by a signal before all was printed or counted' \
    "$(cat rest)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
