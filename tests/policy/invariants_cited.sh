#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Citations are right.  Each invariant of layout.h is cited by its tag in code
# that maintains it and in a test that would notice its breach; no other tag is
# cited.  Files that comments and documents name exist.

set -u
: "${top_srcdir:?}"
. "$top_srcdir/tests/lib/scratch.sh"
passed=0 failed=0
cd "$top_srcdir" || exit 1

# cited FILE ...: prints the tags in files and folders, each once.
cited()
{
	grep -rhoE --include='*.[chS]' --include='*.cc' --include='*.sh' \
	    --exclude=layout.h --exclude=invariants_cited.sh '\<inv\.[a-z]+' "$@" | sort -u
}

# each WHAT COMMAND ...: expects that a command prints all tags.
each()
{
	what=$1
	shift
	for tag in $tags; do
		if "$@" | grep -q -x -F "$tag"; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "FAIL $tag is not cited in $what"
		fi
	done
}

tags=$(grep -oE '\<inv\.[a-z]+' libtbuf/layout/layout.h | sort -u)
[ "$(echo "$tags" | wc -l)" -gt 5 ] || {
	echo 'FAIL layout.h has no tags'
	exit 1
}
each code cited libtbuf
each 'a test' cited tests
for tag in $(cited libtbuf tests tbufctl providers bench); do
	echo "$tags" | grep -q -x -F "$tag" || {
		failed=$((failed + 1))
		echo "FAIL $tag is no invariant of layout.h"
	}
done

# Prints the sources and scripts that comments and documents name, each once.
named()
{
	folders='bench doc examples libtbuf providers tbufctl tests'
	{
		grep -rhE --include='*.[chS]' --include='*.cc' \
		    '^[[:blank:]]*/?\*|/\*' $folders
		grep -rhE --include='*.sh' --include='*.inc' --include='*.map' \
		    '^[[:blank:]]*#' $folders
		grep -hv '^	' README CONTRIBUTING doc/*.md
	} | grep -oE '(^|[^<[:alnum:]_/.*-])([a-z0-9_]+/)*[a-z0-9_]+\.(c|h|cc|sh|map|md)\>' |
	    sed 's/^[^a-z0-9_]//' | sort -u
}

find . -name .git -prune -o -type f -print >"$SCRATCH/files"
for name in $(named); do
	if grep -q "/$name\$" "$SCRATCH/files" ||
	    [ -e "/usr/include/$name" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL no file is named $name"
	fi
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
