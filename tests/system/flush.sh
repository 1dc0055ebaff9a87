#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A traced program asks its consumers for a buffer switch by tbuf_flush(): with
# a switchrate of an hour, records come while the program still runs, in each
# form of output.  A session whose policy has no switches is not asked.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${top_builddir:?}"
. "$top_srcdir/tests/lib/tbufctl.sh"
target=$top_builddir/tests/system/flush_target
TBUF_DIR=$SCRATCH/dir
export TBUF_DIR
unset TBUF_OPTIONS TBUF_DISABLE TBUF_KEEP TBUF_MAXSIZE
cd "$SCRATCH" || exit 1
mkdir -m 700 dir
mkfifo commands answers first second

# begin COMMAND ...: runs a command that becomes the target, with FIFOs to it on
# the descriptors 3 and 4.
begin()
{
	"$@" &
	pid=$!
	exec 3>commands 4<answers
}

# ask COMMAND: prints the target's answer.
ask()
{
	echo "$1" >&3
	read -r answer <&4
	echo "$answer"
}

# look FIFO OPTION ...: starts a consumer of the target, which writes to FIFO.
look()
{
	fifo=$1
	shift
	: >"$fifo.errors"
	"$TBUFCTL" -x switchrate=1h -p "$pid" "$@" \
	    >"$fifo" 2>"$fifo.errors" 3>&- 4<&- &
}

# wait_enabled FIFO: waits until this consumer has enabled the probe, before
# which the target may ask.  The message on a clause comes too early, and of two
# consumers the target does not know which one has enabled it.
wait_enabled()
{
	until grep -q 'matched 1 probe$' "$1.errors" &&
	    [ "$(ask enabled)" = 1 ]; do
		:
	done
}

# comes DESCRIPTOR: prints the number in the next record of a consumer, which
# writes one after the other, the first maybe after a heading.
comes()
{
	timeout 60 sed -n '/number/{
		s/.*number[":=]*\([0-9]*\).*/\1/p
		q
	}' <&"$1"
}

# end: ends the target, and waits for all that was started.
end()
{
	exec 3>&- 4<&-
	wait
}

# each WHAT OPTION ...: expects a record after the call of a function, and of a
# signal handler.
each()
{
	what=$1
	shift
	begin "$target" commands answers
	look first "$@"
	exec 5<first
	wait_enabled first
	same "$what: it fires" 0 "$(ask 'fire 7')"
	same "$what: one consumer" 1 "$(ask flush)"
	same "$what: comes" 7 "$(comes 5)"
	same "$what: it fires once more" 0 "$(ask 'fire 8')"
	same "$what: in a handler" 1 "$(ask handler)"
	same "$what: comes as well" 8 "$(comes 5)"
	end
	exec 5<&-
	cat first.errors >>errors
}

each 'records' -n flush:::fired
each 'by time' -x temporal -n flush:::fired
each 'thread lanes' -x bufscope=thread -n flush:::fired
each 'JSON' --format=json -n flush:::fired
each 'the log' --format=log -n flush:::fired
each 'a clause' -n 'flush:::fired { printf("number=%d\n", arg0); }'

# A command, and its child.
exec 5<>first
begin "$TBUFCTL" -q --follow -x switchrate=1h -n flush:::fired \
    -c "$target commands answers" >first 2>>errors
same 'command: fires' 0 "$(ask 'fire 1')"
same 'command: one consumer' 1 "$(ask flush)"
same 'command: comes' 1 "$(comes 5)"
same 'child: forks' 0 "$(ask fork)"
same 'child: fires' 0 "$(ask 'fire 2')"
same 'child: one consumer' 1 "$(ask flush)"
same 'child: comes' 2 "$(comes 5)"
end
exec 5<&-

# Two consumers.
begin "$target" commands answers
look first -n flush:::fired
look second -n flush:::fired
exec 5<first 6<second
wait_enabled first
wait_enabled second
same 'two: fires' 0 "$(ask 'fire 3')"
same 'two: consumers' 2 "$(ask flush)"
same 'two: comes to one' 3 "$(comes 5)"
same 'two: comes to the other' 3 "$(comes 6)"
end
exec 5<&- 6<&-
cat first.errors second.errors >>errors
same 'losses' '' "$(grep -v -e ' 0 overwritten, 0 drops$' -e 'has exited$' \
    -e ' matched 1 probe$' errors)"

# No consumer, or none that switches buffers.
begin "$target" commands answers
same 'no consumer' '0 0' "$(ask flush) $(ask handler)"
same 'not a target' '0 0' "$(ask fork) $(ask flush)"
end
TBUF_DISABLE=1
export TBUF_DISABLE
begin "$target" commands answers
same 'tracing is off' 0 "$(ask flush)"
end
unset TBUF_DISABLE
TBUF_OPTIONS='probes=flush:::'
export TBUF_OPTIONS
begin "$target" commands answers
same 'a recorder' 0 "$(ask flush)"
end
unset TBUF_OPTIONS
for policy in ring fill; do
	begin "$TBUFCTL" -q -x bufpolicy=$policy -n flush:::fired -o "$policy" \
	    -c "$target commands answers" 2>>errors
	same "$policy: fires" 0 "$(ask 'fire 4')"
	same "$policy: not asked" 0 "$(ask flush)"
	end
	same "$policy: comes at the end" 4 \
	    "$(sed -n 's/.*number=//p' "$policy")"
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
