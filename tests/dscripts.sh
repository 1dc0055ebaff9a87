#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# D scripts and what they print: tests/dscripts/TOPIC/NAME.d and NAME.out.
# Beside them, if they are there:
#
#	NAME.flags	what stands before -s on the command line
#	NAME.env	variables of its environment
#	NAME.args	what stands behind the script: $1 and so on
#	NAME.err	what is told on standard error, without the notices of
#			what matched, and without offsets in programs; -: is
#			not compared
#	NAME.status	the exit status, if it is not 0
#
# A script runs as t.d in a folder of its own, where what its topic has beside
# scripts is, too.  All clauses count as run on CPU 0.  With arguments
# (TOPIC/NAME) only those scripts are run.  Each tag of an error has
# errors/TAG.d, in small letters.  Prints what differs, then "N passed, N
# failed".

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}"
. "$top_srcdir/tests/common_scratch"
here=$top_srcdir/tests/dscripts
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR LC_ALL=C TZ=UTC0
unset TBUF_OPTIONS TBUF_MAXSIZE TBUF_WINDOW TBUF_DISABLE TBUF_CONTROL

# The words of a file, as a shell reads them.
words()
{
	[ ! -f "$1" ] || cat "$1"
}

run()
{
	script_at=$1
	eval "set -- $(words "$1.flags") -s t.d $(words "$1.args")"
	# shellcheck disable=SC2046
	env $(words "$script_at.env") timeout 60 "$TBUFCTL" -x cpu=0 "$@" >out 2>err </dev/null
	echo $? >status
}

# What is not the same from build to build.
settle()
{
	sed -e "/^tbufctl: script '.*' matched [0-9]* probes*\$/d" \
	    -e "/^tbufctl: description '.*' matched [0-9]* probes*\$/d" \
	    -e 's/ at DIF offset [0-9]*$//' err >settled
	sed 's/^0x[0-9a-f]* = \*$/0xADDR = */' out >output
}

# What was expected of one file: what there is none of is empty, or 0.
compare()
{
	if [ "$(words "$1")" = - ]; then
		return 0
	elif [ -f "$1" ]; then
		diff -u "$1" "$2"
	else
		echo "$3" | sed '/^$/d' | diff -u - "$2"
	fi
}

passed=0 failed=0
if [ $# -gt 0 ]; then
	scripts=$*
else
	scripts=$(cd "$here" && echo */*.d | sed 's/\.d\>//g')
fi
for script in $scripts; do
	work=$SCRATCH/$script
	mkdir -p "$work"
	for file in "$here/${script%/*}"/*; do
		[ -f "${file%.*}.d" ] || cp -R "$file" "$work"
	done
	cp "$here/$script.d" "$work/t.d"
	if (
		cd "$work" || exit 1
		run "$here/$script"
		settle
		status=0
		compare "$here/$script.out" output "" || status=1
		compare "$here/$script.err" settled "" || status=1
		compare "$here/$script.status" status 0 || status=1
		exit $status
	) >"$SCRATCH/diff"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $script"
		cat "$SCRATCH/diff"
	fi
	rm -rf "${work:?}"
done
for tag in $(grep -o 'X([A-Z_]*)' "$top_srcdir/libtbufd/errors.h" |
    sed 's/X(\(.*\))/D_\1/'); do
	grep -qsF "[$tag] " \
	    "$here/errors/$(echo "$tag" | tr '[:upper:]' '[:lower:]').err" || {
		failed=$((failed + 1))
		echo "FAIL no script has the error $tag"
	}
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
