#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Files include only files that the table in doc/layers.txt allows;
# tests/policy/calls.sh checks calls.  Folders and names are as doc/layers.md
# promises.

set -u
: "${top_srcdir:?}"
. "$top_srcdir/tests/lib/scratch.sh"
passed=0 failed=0
cd "$top_srcdir" || exit 1

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

find libtbuf libtbufd tbufctl providers replay -name '*.[chly]' | sort \
    >"$SCRATCH/sources"

# Prints "FILE FILE" for each #include in quotes.  Its path begins at the file's
# own folder, or at one that -I names.
includes() {
	xargs grep -HoE '^# *include +"[^"]+"' <"$SCRATCH/sources" |
	    sed 's/:# *include *"/ /; s/"$//' |
	    awk '
	FNR == NR {
		is[$1] = 1
		next
	}
	{
		own = $1
		sub(/[^\/]*$/, "", own)
		n = split(own " libtbuf/ libtbuf/include/ libtbufd/ " \
		    "tbufctl/ providers/ replay/ /", folder, " ")
		for (i = 1; i <= n; i++) {
			to = folder[i] $2
			sub(/^\//, "", to)
			if (to in is)
				break
		}
		if (i <= n)
			print $1, to
	}' "$SCRATCH/sources" -
}
includes >"$SCRATCH/includes"

allowed() {
	grep -q '^libtbuf/target/fire/fire.c libtbuf/target/fire/fire.h$' \
	    "$SCRATCH/includes" &&
	    sed 's/\.[a-z] / /; s/\.[a-z]$/ #include/' "$SCRATCH/includes" \
	    >"$SCRATCH/arrows" &&
	    awk -v kind=includes -f tests/policy/layers.awk doc/layers.txt \
	    "$SCRATCH/arrows"
}
expect 'files include as doc/layers.txt has it' allowed

# Prints sources of the target side outside of lane, unit, clause and fire that
# compile the assembler of sections.
assembler() {
	awk '
	{ of[$1] = of[$1] " " $2 }
	function reach(file,	i, n, list) {
		if (file in seen)
			return
		seen[file] = 1
		n = split(of[file], list, " ")
		for (i = 1; i <= n; i++)
			reach(list[i])
	}
	END {
		for (file in of) {
			if (file !~ /^libtbuf\/target\/.*\.c$/ ||
			    file ~ /^libtbuf\/target\/(lane|unit|clause|fire)\//)
				continue
			split("", seen)
			reach(file)
			if ("libtbuf/arch/rseq.h" in seen) {
				print file
				found = 1
			}
		}
		exit found
	}' "$SCRATCH/includes"
}
expect 'sections are compiled where records are written' assembler

# Prints a missing folder that doc/layers.md or doc/layers.txt names.
named() {
	for folder in $(grep -ohE '\<(libtbuf|libtbufd|tbufctl|providers)(/[a-z0-9_]+)*/($|[^a-z0-9_.])' \
	    doc/layers.md | sed 's|/[^/]*$||' | sort -u) \
	    $(sed -n 's/^\([a-z][a-z0-9_/]*\):.*/\1/p' doc/layers.txt); do
		[ -d "$folder" ] || { echo "$folder"; return 1; }
	done
}
expect 'folders that the documents name are there' named

# Golden data may be many files in a folder.
crowded() {
	find tests \( -path tests/golden -o -name '.*' \) -prune -o -type f \
	    -name '*.[a-z]*' ! -name '*.o' ! -name '*.l[oa]' ! -name '*.log' \
	    ! -name '*.trs' -print | cat "$SCRATCH/sources" - |
	    sed 's|/[^/]*$||' | sort | uniq -c | awk '
	    $1 > 40 { print; found = 1 }
	    END { exit found }'
}
expect 'no folder has more than 40 files' crowded

twice() {
	! sed -n 's|^libtbuf/.*/\([^/]*\.c\)$|\1|p' "$SCRATCH/sources" | sort |
	    uniq -d | grep .
}
expect 'a name of a source of the library is there once' twice

# A forked child must not depend on a process's life, or on registration.
fork_calls() {
	! grep -nE '\<tbuf_((sites|batch)_|probe_(un)?register|life_|process_register)' \
	    libtbuf/target/process/fork.c
}
expect 'a fork asks neither life nor registration' fork_calls

# One file changes the states of a target and of its session.
states() {
	! grep -rnE -e '->(life|session) = ' --include='*.c' libtbuf/consumer |
	    grep -v '/state\.c:'
}
expect 'states are changed in one file' states
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
