#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A process exchanges a file of the runtime directory between two calls of
# tbufctl: for a symbolic or hard link to a file outside, a fifo, a directory,
# another file, or nothing.  tbufctl neither waits, nor follows the link, nor
# changes or removes the file outside.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${TBUF_TARGET:?}"
[ -z "${SANITIZER-}" ] || {
	echo 'a sanitizer comes before a preloaded library'
	exit 77
}
# Hard links are made in one file system.
cd "$SCRATCH_SHM" || exit 1
export TBUF_DIR="$SCRATCH_SHM/dir"
${CC:-cc} -O2 -fPIC -shared "$top_srcdir/tests/hostile/swapped_files_preload.c" \
    -o preload.so 2>log || {
	cat log
	exit 1
}
export SWAP_OUTSIDE="$SCRATCH_SHM/outside/file" SWAP_LOG="$SCRATCH_SHM/calls"

# fresh ORDER ...: makes the directory with the file of one target; sets $name,
# and $live to the target's pid, or to nothing if it has been killed.
fresh()
{
	rm -rf dir outside
	mkdir -m 700 dir outside
	live=
	"$@"
	name=$(cd dir && echo "$kind".*)
	case $name in
	*'*') echo "no file of $1"; exit 1 ;;
	esac
	# A file that would be good in the directory, of another program
	# (tbuf_control.comm).
	cp "dir/$name" outside/file
	[ "$kind" != tbuf ] || printf 'swapped\0' |
	    dd of=outside/file bs=1 seek=160 conv=notrunc 2>/dev/null
	cp outside/file copy
}

dead()
{
	kind=tbuf
	TBUF_OPTIONS='bufsize=64k,probes=count' "$TBUF_TARGET" fire=5 kill=9 \
	    2>/dev/null
}

dead_trace()
{
	kind=text
	TBUF_TEXT='traceFacility=Memory;traceMemoryBufferKbytes=16' \
	    "${TBUF_TARGET%/*}/texts" lines=20 kill=9 >/dev/null 2>&1
	rm -f dir/tbuf.*
}

running()
{
	kind=tbuf
	rm -f in out
	mkfifo in out
	TBUF_OPTIONS='bufsize=64k,probes=count' "$TBUF_TARGET" fire=5 \
	    say=ready wait <in >out 2>/dev/null &
	live=$!
	exec 3>in 4<out
	read -r _ <&4
}

end()
{
	[ -n "$live" ] || return
	kill -9 "$live"
	wait "$live" 2>/dev/null
	exec 3>&- 4<&-
}

# swapped TARGET ARGUMENT ...: runs tbufctl with each exchange at each of its
# calls with the file's name.  An argument @ stands for the target's pid, % for
# its file.
swapped()
{
	target=$1
	shift
	# The first time nothing is exchanged, and calls are counted.
	at=0 calls=0
	while [ "$at" -le "$calls" ]; do
		for new in nothing link hard fifo directory other; do
			[ "$at" -gt 0 ] || [ "$new" = nothing ] || continue
			fresh "$target"
			rm -f "$SWAP_LOG"
			words=
			for word; do
				case $word in
				@) word=$live ;;
				%) word=dir/$name ;;
				esac
				words="$words $word"
			done
			# shellcheck disable=SC2086 # they are words
			LD_PRELOAD="$SCRATCH_SHM/preload.so" SWAP_NAME=$name \
			    SWAP_PID=${live:-none} SWAP_AT=$at \
			    SWAP_KIND=$new \
			    "$TBUFCTL" $words >got 2>err </dev/null
			status=$?
			what="$target: $*: $new at $at"
			same "$what: a status, not $status" 1 \
			    $((status < 2))
			[ "$at" -gt 0 ] || same "$what: status" 0 "$status"
			cmp copy outside/file ||
				same "$what: the file outside" kept changed
			# A link that is not in an argument leads nowhere.
			[ "$new" != link ] || [ "${words#*dir/}" != "$words" ] \
			    || same "$what: the file of a link" '' \
			    "$(grep swapped got)"
			end
		done
		[ "$at" -gt 0 ] || calls=$(wc -l <"$SWAP_LOG")
		at=$((at + 1))
	done
	same "$target: $*: calls with the name" 1 $((calls > 0))
	echo "$target: $*: $calls calls"
}

swapped dead --left
swapped dead --left=remove
swapped dead_trace --left
swapped dead_trace --left=remove
swapped dead --stat
swapped dead --units
swapped dead --read %
swapped running --stat
swapped running --stat -p @
swapped running --units
swapped running -l
swapped running -l -v -p @
swapped dead_trace --unwrap %

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
