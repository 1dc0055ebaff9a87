#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# doc/layers.md: the files that it names are there, and include nothing but
# what its arrows allow.

set -u
: "${top_srcdir:?}"
library=$top_srcdir/libtbuf
passed=0 failed=0

expect() {
	what=$1
	shift
	if found=$("$@"); then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAIL %s\n%s\n' "$what" "$found"
	fi
}

# The folders and headers of the picture.
named() {
	for path in tbufctl providers libtbuf/producer libtbuf/consumer \
	    libtbuf/common libtbuf/arch libtbuf/text libtbuf/layout.h; do
		grep -q -e "\<$path" "$top_srcdir/doc/layers.md" &&
		    [ -e "$top_srcdir/$path" ] || { echo "$path"; return 1; }
	done
}

# The files beside a folder's name: files FOLDER WORD ...
files() {
	folder=$1
	shift
	for word; do
		grep -q "\<$word\>" "$top_srcdir/doc/layers.md" &&
		    [ -e "$top_srcdir/$folder/$word.c" ] ||
		    { echo "$folder/$word.c"; return 1; }
	done
}

# includes PATTERN FILE ...: none of these files includes such a header.
includes() {
	pattern=$1
	shift
	! grep -nE "^# *include [\"<]$pattern" "$@"
}

# The consumer side's headers from the ground up: each includes those alone
# that come before it, and there is no other.
floors() {
	below='-'
	for header; do
		if sed -n 's/^#include "consumer\/\(.*\)\.h"$/\1/p' \
		    "$library/consumer/$header.h" | grep -vxE -e "$below"; then
			echo "$header.h"
			return 1
		fi
		grep -q "\<$header\.h\>" "$top_srcdir/doc/layers.md" ||
		    { echo "$header.h"; return 1; }
		below="$below|$header"
	done
	for path in "$library"/consumer/*.h; do
		basename "$path" .h | grep -qxE -e "$below" ||
		    { echo "$path"; return 1; }
	done
}

# consumer FILE ...: their paths.
consumer() {
	for file; do
		echo "$library/consumer/$file.c"
	done
}

expect 'what doc/layers.md names is there' named
expect 'tbufctl has these files' files tbufctl options program consume stat \
    format value
expect 'the target side has these files' files libtbuf/producer register table \
    fire pack lane lock life file fork
expect 'the consumer side has these files' files libtbuf/consumer grab spawn \
    attach round merge source record
expect 'tbufctl includes public headers, and what sites say' includes \
    '(producer/[^s]|producer/s[^i]|consumer|common|arch|layout|atomics)' \
    "$top_srcdir"/tbufctl/*.[ch]
expect 'the target side knows no consumer' includes '(consumer/|tbuf_consumer)' \
    "$library"/producer/*.[ch]
expect 'what is common knows neither side' includes \
    '(producer/|consumer/|text/|tbuf_consumer)' "$library"/common/*.[ch]
expect 'a fire and a consumer know nothing of text' includes 'text/' \
    "$library"/producer/*.[ch] "$library"/consumer/*.[ch]
expect 'text knows no consumer' includes '(consumer/|tbuf_consumer)' \
    "$library"/text/*.[ch]
expect 'machines know nothing of it' includes \
    '(producer/|consumer/|common/|tbuf_consumer)' "$library"/arch/*.h
expect 'the D compiler knows no more of the library than programs' includes \
    '(producer/|consumer/|common/[^m]|common/machine_[^c]|common/machine_c[^o]|arch/|layout|atomics|tbuf\.h|tbuf_consumer)' \
    "$top_srcdir"/libtbufd/*.[chly]
expect "the consumer side's headers include downwards" floors \
    tools perf traces core core_image asked aggregates script timeline pieces probes files targets tasks batch units images run refire sampling variables clauses attach whom rounds
# shellcheck disable=SC2046
expect 'what looks at files knows no target' includes \
    'consumer/(targets|run|attach|whom|rounds)' \
    $(consumer cpus parse perf pieces probes status timeline)
# shellcheck disable=SC2046
expect 'what is done to one target knows no run' includes \
    'consumer/(run|attach|whom|rounds)' $(consumer ended life session source state)
# calls FILE PATTERN: none of these functions is named there.
calls() {
	! grep -nE "\<($2)" "$library/producer/$1.c"
}
registration='tbuf_(sites|batch)_|tbuf_probe_(un)?register'
life='tbuf_life_|tbuf_process_register'
expect 'a fork asks neither life nor registration' calls fork \
    "$registration|$life"
expect 'life asks no registration' calls life "$registration"
expect 'the table asks neither' calls table "$registration|$life"

# The functions that the files of the target side call of each other: a file
# stands on those it calls, so no circle of files does.
# shellcheck disable=SC2016
calls_between() {
	awk '
	FNR == 1 {
		file = FILENAME
		gsub(/.*\/|\.c$/, "", file)
		comment = 0
	}
	{
		line = $0
		if (comment && !sub(/.*\*\//, "", line))
			next
		gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
		comment = sub(/\/\*.*/, "", line)
	}
	pass == 1 && match(line, /^tbuf_[a-z0-9_]+\(/) {
		of[substr(line, 1, RLENGTH - 1)] = file
	}
	pass == 2 {
		while (match(line, /tbuf_[a-z0-9_]+/)) {
			name = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			if (name in of && of[name] != file)
				print file, of[name]
		}
	}' pass=1 "$@" pass=2 "$@" | sort -u
}
circles() {
	calls_between "$library"/producer/*.c | tsort 2>&1 >/dev/null |
	    grep . && return 1
	# Were it to find no calls it would find no circle.
	calls_between "$library"/producer/*.c | grep -qx 'fire lane'
}
expect 'files of the target side call each other in no circle' circles

# Of a target and of its session.
states() {
	! grep -nE -e '->(life|session) = ' "$library"/consumer/*.c |
	    grep -v '/state\.c:'
}
expect 'states are changed in one file' states
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
