#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# tbufctl --read of a truncated control file, such as a copy on a full disk: it
# reads as far as possible, reports the truncation in one line, and prints no
# false record.  `truncated_file.sh N` truncates each file N times within its
# buffers.

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

# cut AT ...: reads a copy of the first AT bytes; sets $status and $records.
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

# told WHAT: expects that the first line reports the missing bytes, or why the
# file cannot be read, and that all output is also in the output of the complete
# file, in that order.
told()
{
	missing=$((size - at)) bytes=bytes
	[ $missing -ne 1 ] || bytes=byte
	if [ $status -eq 0 ]; then
		same "$1" "tbufctl: cut is truncated: read as far as it goes\
 ($missing $bytes missing)" "$(head -n 1 err)"
	else
		same "$1: a status" 1 $status
		same "$1" "tbufctl: failed to read cut: it is truncated before\
 its first session" "$(cat err)"
	fi
	same "$1: once" 1 "$(grep -c truncated err)"
	plain got >plain
	same "$1: records that were none" '' \
	    "$(diff expected plain | grep '^>' | head -n 3)"
}

# plain FILE: removes lines and words that may differ in a part: kinds of units,
# times of a clock that is calibrated by now, and counts.
plain()
{
	grep -vE '"type":"(damage|total)' "$1" | sed 's/(unknown):/work:/
	    s/"(unknown)"/"work"/
	    s/"time":[0-9]*//; s/ ns=[0-9]*//; s/,"ns":[0-9]*//
	    s/ [0-9]*[a-z]*s  /  /'
}

# least CONDITION GRAIN: sets $found to the smallest size for which the
# condition is true, or at most GRAIN more.
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

# leave OPTIONS ORDER ...: runs a target with these TBUF_OPTIONS and takes its
# file.
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

# Truncates before the buffers: in header, slots, probe tables, lanes' fields.
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

# A session is read only if the description of its lanes is complete.
words()
{
	least '$status -eq 0' 1
	same "$1: where the first lane's data begin" 0 $((found % 4096))
}

# Truncates around the first and the last record: none is printed in part.
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

# Truncates anywhere after the first record: a longer part has no fewer records.
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
		# Without units all other records are in the lanes.
		[ "$1" = ring ] || [ "$records" -eq "$all" ] ||
		    same "$1, $at bytes: damage" 1 \
		    $(($(grep -c 'damaged bytes' err) > 0))
	done
}

# Reads a file in the runtime directory by its process's pid.
by_pid()
{
	# No process can have this pid.
	pid=4194305
	name=tbuf.$pid.${name##*.}
	cp --sparse=always whole "$TBUF_DIR/$name"
	chmod 600 "$TBUF_DIR/$name"
	truncate -s $((size - 9)) "$TBUF_DIR/$name"
	"$TBUFCTL" --read "$pid" >got 2>err
	same 'by its pid' "tbufctl: $name is truncated: read as far as it goes\
 (9 bytes missing)" "$(head -n 1 err)"
	truncate -s "$areas" "$TBUF_DIR/$name"
	# A process with libtbuf sometimes removes files without records at its
	# start; TBUF_DISABLE prevents it here.
	TBUF_DISABLE=1 "$TBUFCTL" --read "$pid" >got 2>err
	same 'by its pid, too short: a status' 1 $?
	same 'by its pid, too short' "tbufctl: failed to read $name: it is\
 truncated before its first session" "$(cat err)"
	rm "$TBUF_DIR/$name"
}

# formats WHAT OPTIONS ...: reads a part with other formats.
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
