#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# doc/layers.md: the files that it names are there.  Files include what the table
# in doc/layers.txt allows; tests/calls.sh looks at what they call.

set -u
: "${top_srcdir:?}"
. "$top_srcdir/tests/common_scratch"
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
# Prints arrows for layers.awk: an #include in quotes is a path from the file's
# own folder, or from one that -I names.
arrows() {
	cd "$top_srcdir" && find libtbuf libtbufd tbufctl providers \
	    -name '*.[chly]' | sort >"$SCRATCH/sources" &&
	    xargs grep -HoE '^# *include +"[^"]+"' <"$SCRATCH/sources" |
	    sed 's/:# *include *"/ /; s/"$//' |
	    awk '
	function stem(file) {
		sub(/\.[a-z]+$/, "", file)
		return file
	}
	FNR == NR {
		is[$1] = 1
		next
	}
	{
		own = $1
		sub(/[^\/]*$/, "", own)
		n = split(own " libtbuf/ libtbuf/include/ libtbufd/ " \
		    "providers/ /", folder, " ")
		for (i = 1; i <= n; i++) {
			to = folder[i] $2
			sub(/^\//, "", to)
			if (to in is)
				break
		}
		if (i <= n)
			print stem($1), stem(to), "#include"
	}' "$SCRATCH/sources" -
}
allowed() {
	arrows >"$SCRATCH/arrows" &&
	    grep -q 'producer/fire libtbuf/producer/producer ' \
	    "$SCRATCH/arrows" && awk -v kind=includes \
	    -f "$top_srcdir/tests/layers.awk" "$top_srcdir/doc/layers.txt" \
	    "$SCRATCH/arrows"
}
expect 'files include as doc/layers.txt has it' allowed
expect "the consumer side's headers include downwards" floors \
    tools option_value perf process_maps traces core core_image asked \
    aggregates script timeline pieces probes files targets tasks batch \
    unit_tables units images run budget thread_lane_pool \
    copyin_permission refire sampling variables shared_variables clauses \
    attach whom rounds
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

# Of a target and of its session.
states() {
	! grep -nE -e '->(life|session) = ' "$library"/consumer/*.c |
	    grep -v '/state\.c:'
}
expect 'states are changed in one file' states
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
