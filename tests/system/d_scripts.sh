#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# D scripts and their expected output: tests/golden/d/TOPIC/NAME.d and NAME.out.
# Optional files beside them:
#
#	NAME.flags	options before -s on the command line; scripts in
#			targets/ trace $TBUF_TARGET, a program of
#			tests/golden/cmd
#	NAME.env	variables of its environment
#	NAME.args	arguments after the script: $1 and so on
#	NAME.err	expected standard error, without the notices of
#			matches, and without offsets in programs; -: is
#			not compared
#	NAME.status	the exit status, if it is not 0
#
# A script runs as t.d in a folder of its own, where the folders of its topic
# are, too.  Few processes are run for each script, because they take most of
# the test's time.  All clauses count as run on CPU 0.  With arguments
# (TOPIC/NAME) only those scripts are run.  Each tag of an error has
# errors/TAG.d, in small letters.  Prints differences, then "N passed, N
# failed".

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${TBUF_TARGET:?}"
. "$top_srcdir/tests/lib/scratch.sh"
here=$top_srcdir/tests/golden/d
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR LC_ALL=C TZ=UTC0
unset TBUF_OPTIONS TBUF_MAXSIZE TBUF_WINDOW TBUF_DISABLE TBUF_CONTROL

expected=$SCRATCH/expected results=$SCRATCH/results work=$SCRATCH/work

. "$top_srcdir/tests/lib/tbufctl.sh"

# Sets $line to the words of a file of one line, for the shell to split.
words()
{
	line=
	[ ! -f "$1" ] || IFS= read -r line <"$1"
}

# Runs one script in its folder, and stores its output in $results.
run()
{
	cd "$work/$1" || exit 1
	at=$here/$1
	for file in "$here/${1%/*}"/*/; do
		[ ! -d "$file" ] || cp -R --no-preserve=mode "$file" .
	done
	cp -f "$at.d" t.d
	words "$at.flags"
	flags=$line
	words "$at.args"
	eval "set -- '$1' $flags -s t.d $line"
	to=$results/$1
	shift
	words "$at.env"
	# shellcheck disable=SC2086
	${line:+env $line} timeout 120 "$TBUFCTL" -x cpu=0 "$@" \
	    >"$to.out" 2>"$to.err" </dev/null
	status=$?
	[ $status -eq 0 ] || echo $status >"$to.status"
}

# run_half TURN SCRIPT ...: runs every second script, from the first or the
# second on.
run_half()
{
	turn=$1
	shift
	for script; do
		[ "$turn" -eq 1 ] || run "$script"
		turn=$((1 - turn))
	done
}

# Removes lines and numbers that vary with the build or are not compared.
settle()
{
	cd "$results" || exit 1
	find . -name '*.err' -exec sed -i \
	    -e "/^tbufctl: script '.*' matched [0-9]* probes*\$/d" \
	    -e "/^tbufctl: description '.*' matched [0-9]* probes*\$/d" \
	    -e 's/ at DIF offset [0-9]*$//' {} +
	find . -name '*.out' -exec sed -i \
	    -e 's/^0x[0-9a-f]* = \*$/0xADDR = */' {} +
	(cd "$expected" && find . -size 2c -exec grep -lx -e - {} +) |
	    while read -r file; do
		echo - >"$file"
	done
}

if [ $# -eq 0 ]; then
	# shellcheck disable=SC2046
	set -- $(cd "$here" && echo */*.d | sed 's/\.d\>//g')
fi
for script; do
	echo "$expected/${script%/*}" "$results/${script%/*}" "$work/$script"
done | sort -u | xargs mkdir -p
if [ $# -lt 100 ]; then
	for script; do
		cp --no-preserve=mode "$here/$script".* "$expected/${script%/*}"
	done
else
	cp -R --no-preserve=mode "$here/." "$expected"
fi
run_half 0 "$@" &
(run_half 1 "$@")
wait
(settle)
cd "$SCRATCH" || exit 1
diff -aurN -x '*.d' -x '*.flags' -x '*.env' -x '*.args' -x include \
    expected results >changes
sed -n 's/^+++ results\/\([^.]*\)\..*/FAIL \1/p' changes | sort -u >failures
cat failures changes
failed=$(($(wc -l <failures)))
passed=$(($# - failed))
for tag in $(grep -o 'X([A-Z_]*)' "$top_srcdir/libtbufd/tree/errors.h" |
    sed 's/X(\(.*\))/D_\1/'); do
	grep -qsF "[$tag] " \
	    "$here/errors/$(echo "$tag" | tr '[:upper:]' '[:lower:]').err" || {
		failed=$((failed + 1))
		echo "FAIL no script has the error $tag"
	}
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
