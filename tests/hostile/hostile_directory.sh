#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A hostile runtime directory: one line reports the fault, targets run on, and
# no file remains.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
work=$SCRATCH_SHM
passed=0 failed=0
group=

# Other processes and mounts are ended with the directory.
# shellcheck disable=SC2317
leave()
{
	[ -z "$group" ] || rmdir "$group"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

unset TBUF_CONTROL TBUF_DISABLE TBUF_MAXSIZE TBUF_WINDOW
LC_ALL=C
export LC_ALL
cd "$work" || exit 1

pass()
{
	passed=$((passed + 1))
}

miss()
{
	failed=$((failed + 1))
	echo "FAIL $*"
}

# same WHAT EXPECTED FOUND: compares two strings.
same()
{
	if [ "$2" = "$3" ]; then
		pass
	else
		miss "$1: expected '$2', found '$3'"
	fi
}

# says WHAT STATUS LINE ARGUMENT ...: checks tbufctl's standard error and
# status.
says()
{
	what=$1 status=$2 line=$3
	shift 3
	"$TBUFCTL" "$@" >out 2>err </dev/null
	same "$what: status of $*" "$status" "$?"
	same "$what: message of $*" "$line" "$(cat err)"
}

# start NAME ORDER ...: starts a target in the background that prints `ready`
# and then waits for a line.  Sets $target to its pid; descriptor 3 writes to
# it.
start()
{
	rm -f in out.pipe
	mkfifo in out.pipe
	"$TBUF_TARGET" say=ready wait "$@" <in >out.pipe &
	target=$!
	exec 3>in 4<out.pipe
	read -r heard <&4
	same "the target's word" ready "$heard"
}

# finish WHAT: lets the target go on, and expects exit status 0.
finish()
{
	echo >&3
	exec 3>&-
	wait "$target"
	same "$1: status of the target" 0 "$?"
	exec 4<&-
}

# nothing_left WHAT DIRECTORY: expects that a consumer removes the files of
# ended processes.
nothing_left()
{
	"$TBUFCTL" -l >/dev/null 2>&1
	same "$1: nothing is left" '' "$(ls -A "$2")"
}

# ------------------------------------------------------- the directory itself

# squatted WHAT REASON: expects that TBUF_DIR cannot be used.
squatted()
{
	before=$(ls -lR "$TBUF_DIR") remedy=': set TBUF_DIR to another'
	for arguments in -l '-n count'; do
		# shellcheck disable=SC2086
		says "$1" 1 "tbufctl: could not look for targets: $2$remedy" \
		    $arguments
	done
	says "$1" 1 "tbufctl: could not enable tracing: $2$remedy" \
	    -n count -c "$TBUF_TARGET say=executed"
	same "$1: the command was not executed" '' "$(cat out)"
	[ -n "${3-}" ] ||
	    says "$1" 1 "tbufctl: failed to read the status: $2$remedy" --stat
	start fire=3
	says "$1" 1 \
	    "tbufctl: failed to grab pid $target: tracing is off: $2" \
	    -n count -p "$target"
	finish "$1"
	same "$1: what is there" "$before" "$(ls -lR "$TBUF_DIR")"
}

mkdir -m 700 good
export TBUF_DIR
echo text >file
TBUF_DIR=$work/file
squatted 'a file' 'runtime directory is a link, or not a directory'
ln -s good link
TBUF_DIR=$work/link
squatted 'a link' 'runtime directory is a link, or not a directory'
ln -s nowhere dangling
TBUF_DIR=$work/dangling
squatted 'a link to nothing' 'runtime directory is a link, or not a directory'
mkdir -m 777 open
chmod 777 open
TBUF_DIR=$work/open
squatted 'a directory for all' 'runtime directory has the wrong owner or mode'
mkdir -m 770 group
chmod 770 group
TBUF_DIR=$work/group
squatted 'a directory for the group' \
    'runtime directory has the wrong owner or mode'
mkfifo pipe
TBUF_DIR=$work/pipe
squatted 'a fifo' 'runtime directory is a link, or not a directory'
if [ "$(id -u)" -eq 0 ]; then
	mkdir -m 700 other
	chown 65534 other
	TBUF_DIR=$work/other
	# Root looks at the directories of all users.
	squatted 'of somebody else' \
	    'runtime directory has the wrong owner or mode' readable
fi
if [ -O /proc ]; then
	TBUF_DIR=/proc
	says 'no place for files' 1 \
	    "tbufctl: could not enable tracing: cannot create a file in the \
runtime directory" -n count -c "$TBUF_TARGET say=executed"
fi

# ---------------------------------------------------------- garbage files

# Prints the names of garbage files in a directory.
others()
{
	find good -mindepth 1 -maxdepth 1 ! -name "$live" ! -name board | sort
}

# Makes files that have names of control files but are not control files.
garbage()
{
	n=0
	for pid in 1 $$ 4194304 2147483647; do
		head -c 100 /dev/zero >"tbuf.$pid.000000000000000$n"
		: >"tbuf.$pid.000000000000001$n"
		truncate -s 64G "tbuf.$pid.000000000000002$n"
		mkfifo "tbuf.$pid.000000000000003$n"
		mkdir "tbuf.$pid.000000000000004$n"
		ln -s "$1" "tbuf.$pid.000000000000005$n"
		ln -s /etc/passwd "tbuf.$pid.000000000000006$n"
		ln -s nowhere "tbuf.$pid.000000000000007$n"
		{ head -c 2000 "$1"; head -c 3000000 /dev/urandom; } \
		    >"tbuf.$pid.000000000000008$n"
		head -c 2000 "$1" >"tbuf.$pid.000000000000009$n"
		head -c 2000000 /dev/urandom >"tbuf.$pid.00000000000000a$n"
		n=$((n + 1))
	done
	for name in tbuf.0.0000000000000001 tbuf.-1.0000000000000001 \
	    tbuf.2147483648.0000000000000001 tbuf.01.0000000000000001 \
	    tbuf.99999999999999999999.0000000000000001 tbuf..1 tbuf.1. \
	    tbuf.1.0000000000000001x tbuf. .tbuf.1.0000000000000001; do
		cp "$1" "$name"
	done
}

TBUF_DIR=$work/good
start enabled fire=5
live=$(ls good)
same 'one file a target' "tbuf.$target." "${live%????????????????}"
(cd good && garbage "$live")
says 'garbage' 0 '' -l -n tt:::count
same 'garbage: one probe' 1 "$(grep -c ' count$' out)"
says 'garbage' 0 '' --stat
same 'garbage: no sessions' 1 "$(wc -l <out)"
"$TBUFCTL" -q -x switchrate=100hz -n count >out 2>err &
consumer=$!
finish 'garbage'
# The target waited until it was enabled; now it has ended.
while [ -e "good/$live" ] && kill -0 "$consumer" 2>/dev/null &&
    [ "$(wc -l <out)" -lt 5 ]; do
	:
done
kill -INT "$consumer"
wait "$consumer"
same 'garbage: status of a run over all targets' 0 "$?"
same 'garbage: records of a run over all targets' 5 "$(wc -l <out)"
# A copy of a header with a dead target's pid counts as a dead target's file.
rm -f good/tbuf.*.000000000000008?
names=$(others)
"$TBUFCTL" -l -Z -n count >/dev/null 2>&1
same 'garbage is left alone' "$names" "$(others)"
rm -rf good
mkdir -m 700 good

# ------------------------------------------------------------- a bad board

# board WHAT: expects that targets start and fire with anything in the board's
# place.
board()
{
	start enabled fire=5
	"$TBUFCTL" -q -n count -p "$target" >out 2>err &
	consumer=$!
	finish "$1"
	wait "$consumer"
	same "$1: status" 0 "$?"
	same "$1: records" 5 "$(wc -l <out)"
	rm -rf good/board.2
}

mkfifo good/board.2
board 'the board is a fifo'
mkdir good/board.2
board 'the board is a directory'
ln -s /etc/passwd good/board.2
board 'the board is a link'
head -c 262144 /dev/urandom >good/board.2
board 'the board is garbage'
: >good/board.2
board 'the board is empty'
nothing_left 'the directory' good

# ----------------------------------------------------- the dead and the live

start fire=1
alive=$target
live=$(ls good)
"$TBUF_TARGET" say=dying kill=9 >/dev/null 2>&1
"$TBUF_TARGET" say=dying kill=9 >/dev/null 2>&1
# The file of the first one is removed by the second one or by this run.
"$TBUFCTL" -l -n count >/dev/null 2>&1
same 'the live are left, the dead are not' "$live" "$(ls good)"
target=$alive
finish 'beside dead ones'
nothing_left 'the directory' good

# ------------------------------------------------ truncated under its reader

start wait
first=$target
live=$(ls good)
"$TBUFCTL" -x switchrate=100hz -n count -p "$target" >out 2>err &
consumer=$!
# A truncation before that would be reported as no match.
while ! grep -q matched err && kill -0 "$consumer"; do
	:
done
truncate -s 0 "good/$live"
wait "$consumer"
same 'truncated: status' 1 "$?"
same 'truncated: message' \
    'tbufctl: a control file was truncated while it was read' \
    "$(grep -v -e matched -e total err)"
same 'truncated: the end is orderly' 1 "$(grep -c total err)"
# Messages after it say what can be done with such a process.
"$TBUFCTL" -n count -p "$first" >out 2>err
same 'truncated: status of -p' 1 "$?"
same 'truncated: message of -p' \
    "tbufctl: failed to grab pid $first: it has no libtbuf" \
    "$(head -n 1 err)"
says 'truncated' 0 '' -l -Z -n count
kill -9 "$first"
wait "$first" 2>/dev/null
exec 3>&- 4<&-
rm -rf good
mkdir -m 700 good

# The records of other targets are not lost.
start wait
first=$target
live=$(ls good)
exec 5>&3 6<&4
start fire=5
"$TBUFCTL" -q -x switchrate=100hz -n count -p "$first" -p "$target" \
    >out 2>err &
consumer=$!
while kill -0 "$consumer" && [ "$("$TBUFCTL" --stat |
    awk 'NR > 1 { print $1 }' | sort -u | wc -l)" -lt 2 ]; do
	:
done
truncate -s 0 "good/$live"
while ! grep -q truncated err && kill -0 "$consumer" 2>/dev/null; do
	:
done
finish 'beside a truncated one'
wait "$consumer"
same 'beside a truncated one: status' 1 "$?"
same 'beside a truncated one: records' 5 "$(wc -l <out)"
same 'beside a truncated one: total' \
    'tbufctl: total: 5 records, 0 overwritten, 0 drops' "$(tail -n 1 err)"
kill -9 "$first"
wait "$first" 2>/dev/null
exec 5>&- 6<&-
rm -rf good
mkdir -m 700 good

# ------------------------------------------------- a limit to a file's size

# limited BLOCKS ARGUMENT ...: runs tbufctl with a limit for files, in 512
# bytes.
limited()
{
	(
		ulimit -f "$1"
		shift
		exec "$TBUFCTL" "$@" >out 2>err </dev/null
	)
	same "limited: status of $*" 1 "$?"
	same "limited: message of $*" \
	    'tbufctl: could not enable tracing: Not enough space' "$(cat err)"
}

limited 800 -n count -c "$TBUF_TARGET say=executed"
same 'limited: the command was not executed' '' "$(cat out)"
start fire=1
# ThreadSanitizer makes a file itself without checking for errors.
[ "${SANITIZER-}" = thread ] || limited 300 -Z -n count
limited 2600 -n count -p "$target"
finish 'limited'

# ------------------------------------------------------------------- no /proc

# A sanitizer needs /proc to look for leaks.
if [ "$(id -u)" -eq 0 ] && [ -z "${SANITIZER-}" ] &&
    unshare -m mount -t tmpfs tbuf /proc 2>/dev/null
then
	cat >no_proc <<-end
	#!/bin/sh
	exec unshare -m sh -c 'mount -t tmpfs tbuf /proc && exec "\$@"' \
	    sh "$TBUF_TARGET" "\$@"
	end
	chmod 700 no_proc
	with_proc=$TBUF_TARGET
	TBUF_TARGET=$work/no_proc
	start enabled fire=5
	TBUF_TARGET=$with_proc
	if "$TBUFCTL" -l -n count -p "$target" >out 2>&1; then
		"$TBUFCTL" -q -n count -p "$target" >out 2>err &
		consumer=$!
		finish 'no /proc'
		wait "$consumer"
	else
		kill -9 "$target"
	fi
	same 'no /proc: records' 5 "$(wc -l <out)"
else
	echo 'skipped: no /proc (it needs root, and no sanitizer)'
fi

# ---------------------------------------------------- a target's memory group

# Makes a memory group, version 1 or 2, below this shell's; sets $group.
make_group()
{
	for line in $(tr ' ' '_' </proc/self/cgroup); do
		case $line in
		*:memory:*)
			group=/sys/fs/cgroup/memory${line##*:}/tbuf.$$
			limit=memory.limit_in_bytes ;;
		0::*)
			group=/sys/fs/cgroup${line##*:}/tbuf.$$
			limit=memory.max ;;
		*)
			continue ;;
		esac
		mkdir "$group" 2>/dev/null || continue
		{ echo 48M >"$group/$limit"; } 2>/dev/null && return 0
		rmdir "$group"
	done
	group=
	return 1
}

if make_group; then
	"$TBUFCTL" -q -Z -b 512m -x bufpolicy=ring -n count >out 2>err &
	consumer=$!
	while [ ! -e good/board.2 ] && kill -0 "$consumer"; do
		:
	done
	sh -c "echo \$\$ >'$group/cgroup.procs' && exec '$TBUF_TARGET' \
	    enabled fire=5" >/dev/null
	same 'group: status of the target' 0 "$?"
	kill -INT "$consumer"
	wait "$consumer"
	same 'group: records' 5 "$(wc -l <out)"
	rm -rf good/board.2
	# A text trace without room in the group is off, and no process is
	# killed.
	said=$(TBUF_TEXT='traceFacility=Memory;traceMemoryBufferKbytes=262144' \
	    sh -c "echo \$\$ >'$group/cgroup.procs' &&
	    exec '${TBUF_TARGET%/*}/texts' info=first say=on" 2>&1)
	same 'group: status with a text trace' 0 "$?"
	same 'group: said with a text trace' on "$said"
	same 'group: chunks' 0 "$(find . -name 'text.*' | wc -l)"
	rmdir "$group"
	group=
else
	echo 'skipped: a memory group (it needs root)'
fi

# --------------------------------------------------------- a full file system

mkdir small
if [ "$(id -u)" -eq 0 ] &&
    mount -t tmpfs -o size=1m,mode=700 tbuf small 2>/dev/null; then
	TBUF_DIR=$work/small
	start fire=10
	says 'small' 1 'tbufctl: could not enable tracing: Not enough space' \
	    -x bufresize=manual -b 4m -n count -p "$target"
	head -c 2000000 /dev/zero >small/filler 2>/dev/null
	says 'full' 1 'tbufctl: could not enable tracing: Not enough space' \
	    -n count -p "$target"
	finish 'full'
	"$TBUFCTL" -l >/dev/null 2>&1
	# Space that the target released is filled, too.
	head -c 2000000 /dev/zero >small/more 2>/dev/null
	start fire=10
	says 'full' 1 "tbufctl: failed to grab pid $target: tracing is off: \
no space in the runtime directory" \
	    -n count -p "$target"
	finish 'full from the start'
	says 'full' 1 'tbufctl: could not enable tracing: Not enough space' \
	    -n count -c "$TBUF_TARGET say=executed"
	same 'full: the command was not executed' '' "$(cat out)"
	rm small/filler small/more
	nothing_left full small
	umount small
	# Tracing works with little space.
	mount -t tmpfs -o size=8m,mode=700 tbuf small
	"$TBUFCTL" -b 1g -n count -c "$TBUF_TARGET fire=10" >out 2>err
	same 'little room: status' 0 "$?"
	same 'little room: lowered' 1 "$(grep -c \
	    '^tbufctl: buffer size lowered to [0-9]*[km]$' err)"
	same 'little room: total' \
	    'tbufctl: total: 10 records, 0 overwritten, 0 drops' \
	    "$(tail -n 1 err)"
	umount small
else
	echo 'skipped: a full file system (it needs root)'
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
