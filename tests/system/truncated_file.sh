#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tbufctl --read of a control file that was cut off, as a copy on a full disk
# is: as far as it goes, one line that says so, and no record that was none.
# `truncated_file.sh N` cuts each file N times where its buffers are.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
. "$top_srcdir/tests/lib/same.sh"
: "${TBUFCTL:?}" "${TBUF_TARGET:?}"
ASAN_OPTIONS="${ASAN_OPTIONS-}:handle_segv=0"
TSAN_OPTIONS="${TSAN_OPTIONS-}:handle_segv=0"
export TBUF_DIR="$SCRATCH/dir" ASAN_OPTIONS TSAN_OPTIONS
unset TBUF_WINDOW TBUF_DISABLE
mkdir -m 700 "$TBUF_DIR"
cd "$SCRATCH" || exit 1
cuts=${1-6}

# cut AT ...: the first AT bytes, read so; sets $status and $records.
cut()
{
	at=$1
	shift
	cp --sparse=always whole cut
	truncate -s "$at" cut
	"$TBUFCTL" "$@" --read cut >got 2>err
	status=$?
	records=$(sed -n 's/^tbufctl: total: \([0-9]*\) records.*/\1/p' err)
	records=${records:-0}
}

# told WHAT: the first line says what is missing, or why nothing can be read; all
# that is printed is printed of the whole, too, in that order.
told()
{
	missing=$((size - at)) bytes=bytes
	[ $missing -ne 1 ] || bytes=byte
	if [ $status -eq 0 ]; then
		same "$1" "tbufctl: cut is truncated: read as far as it goes\
 ($missing $bytes missing)" "$(head -n 1 err)"
	else
		same "$1: a status" 1 $status
		same "$1" "tbufctl: failed to read cut: it is truncated, and no\
 session in it" "$(cat err)"
	fi
	same "$1: once" 1 "$(grep -c truncated err)"
	plain got >plain
	same "$1: records that were none" '' \
	    "$(diff expected plain | grep '^>' | head -n 3)"
}

# plain FILE: what is the same of a part: all but the kinds of units, times of
# a clock that is calibrated by now, and what is counted.
plain()
{
	grep -vE '"type":"(damage|total)' "$1" | sed 's/(unknown):/work:/
	    s/"(unknown)"/"work"/
	    s/"time":[0-9]*//; s/ [0-9]*[a-z]*s  / /'
}

# least CONDITION GRAIN: sets $found, the least part of which that is true, or
# little more than that.
least()
{
	below=$areas found=$size
	while [ $((found - below)) -gt "$2" ]; do
		middle=$(((below + found) / 2))
		cut $middle
		if eval "[ $1 ]"; then
			found=$middle
		else
			below=$middle
		fi
	done
}

# leave OPTIONS ORDER ...: what the target has left under them.
leave()
{
	options=$1
	shift
	{
		(TBUF_OPTIONS=$options exec "$TBUF_TARGET" "$@" kill=9) </dev/null
	} >/dev/null 2>&1
	name=$(cd "$TBUF_DIR" && echo tbuf.*)
	mv "$TBUF_DIR/$name" whole || exit 1
	size=$(stat -c %s whole)
	# tables.areas, where the sessions begin
	areas=$(od -A n -t u4 -j 52 -N 4 whole)
	"$TBUFCTL" --read whole >all 2>err
	plain all >expected
	all=$(sed -n 's/^tbufctl: total: \([0-9]*\) records.*/\1/p' err)
	same "$options: its records" "$((all + 1))" "$(wc -l <expected)"
}

# In front of the buffers: header, slots, probes' tables, words of lanes.
front()
{
	for at in 0 7; do
		cut $at
		same "$1, $at bytes" "tbufctl: failed to read cut: not a\
 control file" "$(cat err)"
	done
	for at in 8 383 384 4095 5000 $((areas / 2)) $((areas - 1)) \
	    $((areas + 1)) $((first - 5000)) $((first - 300)); do
		cut "$at"
		told "$1, $at bytes"
		same "$1, $at bytes: records" 0 "$records"
	done
}

# What describes the lanes is all there, or is not believed.
words()
{
	least '$status -eq 0' 1
	same "$1: where the first lane's data begin" 0 $((found % 4096))
}

# Around the first record that there is, and the last: none is given in part.
records()
{
	cut "$first"
	told "$1, the first"
	same "$1, the first" 1 "$records"
	same "$1, the first: a record's end" 0 $((first % 8))
	least "\$records -eq $all" 1
	for by in -17 -16 -8 -1 0 1; do
		cut $((found + by))
		told "$1, the last $by"
		same "$1, the last $by: all are there" $((by >= 0)) \
		    $((records == all))
	done
}

# Anywhere from the first record on: a longer part has no less.
parts()
{
	i=0 before=0
	while [ $i -lt "$cuts" ]; do
		at=$((first + (size - first) * i / cuts / 8 * 8 + i % 9))
		i=$((i + 1))
		cut $at
		told "$1, $at bytes"
		same "$1, $at bytes: no less" 1 $((records >= before))
		before=$records
		# Without units all else is in the lanes.
		[ "$1" = ring ] || [ "$records" -eq "$all" ] ||
		    same "$1, $at bytes: damage" 1 \
		    $(($(grep -c 'damaged bytes' err) > 0))
	done
}

# One in the runtime directory, which the pid of its process finds.
by_pid()
{
	# One that no process can have by now.
	pid=4194305
	name=tbuf.$pid.${name##*.}
	cp --sparse=always whole "$TBUF_DIR/$name"
	chmod 600 "$TBUF_DIR/$name"
	truncate -s $((size - 9)) "$TBUF_DIR/$name"
	"$TBUFCTL" --read "$pid" >got 2>err
	same 'by its pid' "tbufctl: $name is truncated: read as far as it goes\
 (9 bytes missing)" "$(head -n 1 err)"
	truncate -s "$areas" "$TBUF_DIR/$name"
	# Of the programs that start with libtbuf in them one in some takes away
	# what holds nothing: not this one.
	TBUF_DISABLE=1 "$TBUFCTL" --read "$pid" >got 2>err
	same 'by its pid, too short: a status' 1 $?
	same 'by its pid, too short' "tbufctl: failed to read $name: it is\
 truncated, and no session in it" "$(cat err)"
	rm "$TBUF_DIR/$name"
}

# formats WHAT OPTIONS ...: a part as others see it.
formats()
{
	what=$1
	shift
	for options; do
		# shellcheck disable=SC2086 # several words
		"$TBUFCTL" $options --read whole >all 2>/dev/null
		plain all >expected
		# shellcheck disable=SC2086
		cut $(((first + size) / 2)) $options
		told "$what, $options"
	done
}

leave 'bufpolicy=ring,bufsize=4k,nunits=4,unitsize=1k,probes=count' \
    fire=300 unit=8 fire=30 end=1 unit=9 fire=2
least '$records -gt 0' 1
first=$found
front ring
words ring
records ring
parts ring
by_pid
formats ring '-x temporal' '--format=json' '--units' '--units=stat'
cut $((size - 1)) -q
same 'quietly' '' "$(grep truncated err)"

leave 'bufpolicy=fill,bufsize=4k,probes=count' fire=40
least '$records -gt 0' 4096
first=$found
parts fill

leave 'bufpolicy=ring,bufscope=thread,bufsize=2k,nbuf=4,probes=count' \
    fire=9 threads=4
least '$records -gt 0' 4096
first=$found
parts threads
formats threads '-x temporal'

echo "$passed passed, $failed failed"
exit $((failed > 0))
