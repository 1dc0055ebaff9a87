#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# D scripts and their expected output: tests/golden/d/TOPIC/NAME.d.  Optional
# files beside a script; a missing one counts as empty:
#
#	NAME.out	expected standard output
#	NAME.err	expected standard error, without the notices of
#			matches, and without offsets in programs; -: is
#			not compared
#	NAME.status	the exit status, if it is not 0
#	NAME.flags	options before -s on the command line; scripts in
#			targets/ trace $TBUF_TARGET, a program of
#			tests/golden/cmd
#	NAME.env	variables of its environment
#	NAME.args	arguments after the script: $1 and so on
#
# Scripts of some topics are in files of cases, TOPIC/*.cases.  Each case has a
# line "=== NAME" or "=== NAME | FLAGS", the script, a line "---", and the
# expected standard error.  Lines "--- out", "--- status", "--- env" and
# "--- args" may follow, each with the contents that such a file would have.  In
# errors/ a case without "| FLAGS" has the flags -x errtags, and a case without a
# status ends with 1.  Each tag of an error has a case of its name, as
# errors/D_SYNTAX.
#
# A script runs as t.d in a folder of its own, where the folders of its topic
# are, too.  Few processes are run for each script, because they take most of
# the test's time.  All clauses count as run on CPU 0.  With arguments
# (TOPIC/NAME) only those scripts are run.  Prints differences, then "N passed,
# N failed".  With -u as the first argument, the output of a run becomes the
# expected one.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}" "${TBUF_TARGET:?}"
. "$top_srcdir/tests/lib/scratch.sh"
here=$top_srcdir/tests/golden/d
cases=$top_srcdir/tests/system/d_scripts/cases.awk
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR LC_ALL=C TZ=UTC0
unset TBUF_OPTIONS TBUF_MAXSIZE TBUF_WINDOW TBUF_DISABLE TBUF_CONTROL

scripts=$SCRATCH/scripts expected=$SCRATCH/expected
results=$SCRATCH/results work=$SCRATCH/work

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
	at=$scripts/$1
	for file in "$scripts/${1%/*}"/*/; do
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

# Makes the results of the scripts that failed what is expected of them.
update()
{
	while read -r _ script; do
		[ -f "$here/$script.d" ] || continue
		for kind in out err status; do
			rm -f "$here/$script.$kind"
			[ ! -s "$results/$script.$kind" ] ||
			    cp "$results/$script.$kind" "$here/${script%/*}"
		done
	done <failures
	for file in "$here"/*/*.cases; do
		awk -v from="$results" -f "$cases" "$file" >again &&
		    { cmp -s again "$file" || cp again "$file"; }
	done
}

update=:
if [ "${1-}" = -u ]; then
	update=update
	shift
fi
cp -R --no-preserve=mode "$here" "$scripts"
rm "$scripts"/*/*.cases
awk -v to="$scripts" -f "$cases" "$here"/*/*.cases \
    >"$SCRATCH/twice" || exit 1
if [ $# -eq 0 ]; then
	cp -R "$scripts" "$expected"
	# shellcheck disable=SC2046
	set -- $(cd "$scripts" && echo */*.d | sed 's/\.d\>//g')
else
	for script; do
		mkdir -p "$expected/${script%/*}"
		cp "$scripts/$script".* "$expected/${script%/*}"
	done
fi
for script; do
	echo "$results/${script%/*}" "$work/$script"
done | sort -u | xargs mkdir -p
run_half 0 "$@" &
(run_half 1 "$@")
wait
(settle)
cd "$SCRATCH" || exit 1
diff -aurN -x '*.d' -x '*.flags' -x '*.env' -x '*.args' -x include \
    expected results >changes
sed -n 's/^+++ results\/\([^.]*\)\..*/FAIL \1/p' changes | sort -u >failures
cat failures changes twice
$update
failed=$(($(wc -l <failures)))
passed=$(($# - failed))
failed=$((failed + $(wc -l <twice)))
for tag in $(grep -o 'X([A-Z_]*)' "$top_srcdir/libtbufd/tree/errors.h" |
    sed 's/X(\(.*\))/D_\1/'); do
	grep -qsF "[$tag] " "$scripts/errors/$tag.err" || {
		failed=$((failed + 1))
		echo "FAIL no case that is called $tag has this error"
	}
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
