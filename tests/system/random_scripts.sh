#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Random D scripts (random_scripts/script.awk), each run in all ways that
# clauses can run: by plans, by the machine alone (-x cpu), on the lock path (no
# rseq), with thread lanes, beside a recorder, and by tbufctl over the
# recorder's records.  The output must always be the same.
#
#	random_scripts.sh [ROUNDS]
#
# SEED is the first round's.  A script with different output is printed.

set -u
: "${top_srcdir:?}" "${top_builddir:?}" "${TBUFCTL:?}"
. "$top_srcdir/tests/lib/scratch.sh"
TBUF_DIR=$SCRATCH_SHM/run
export TBUF_DIR LC_ALL=C TZ=UTC0
unset TBUF_OPTIONS TBUF_MAXSIZE TBUF_WINDOW TBUF_DISABLE TBUF_CONTROL
rounds=${1-12} fires=300
seed=${SEED-$(($(date +%s) % 100000))}
target=$(cd "$top_builddir" && pwd)/tests/system/random_scripts/target
script=$(cd "$top_srcdir" && pwd)/tests/system/random_scripts/script.awk
cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' \
    /proc/self/status)
. "$top_srcdir/tests/lib/tbufctl.sh"
cd "$SCRATCH" || exit 1
passed=0 failed=0

# run WAY VARIABLE=VALUE ARGUMENT ...: stores tbufctl's output and the faults.
run()
{
	way=$1 variable=$2
	shift 2
	# Records that are read have no buffers.
	[ "$way" = over ] || set -- -x bufsize=1m "$@"
	env "$variable" timeout 120 "$TBUFCTL" -q "$@" -s t.d \
	    >"$way.out" 2>"$way.all"
	echo "= $?" >>"$way.out"
	sed -n -e 's/ at DIF offset .*//' -e 's/ID [0-9]*/ID N/g' \
	    -e '/error on enabled/p' -e '/failed/p' "$way.all" >"$way.err"
}

# same WAY: compares the output with the machine's.
same()
{
	if cmp -s machine.out "$1.out" && cmp -s machine.err "$1.err"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAIL by $1, SEED=$seed:"
	diff -U 1 machine.out "$1.out" | head -n 20
	diff -U 1 machine.err "$1.err" | head -n 20
	cat t.d
}

round()
{
	awk -v seed="$seed" -f "$script" >t.d || exit 1
	command="$target $seed $fires"
	run machine TZ=UTC0 -x "cpu=$cpu" -c "$command"
	if ! grep -qx '= 0' machine.out; then
		failed=$((failed + 1))
		echo "FAIL by the machine, SEED=$seed:"
		cat machine.all t.d
		return
	fi
	run kept TZ=UTC0 -c "$command"
	run lock GLIBC_TUNABLES=glibc.pthread.rseq=0 -c "$command"
	run thread TZ=UTC0 -x bufscope=thread -c "$command"
	run beside TBUF_OPTIONS=bufsize=1m,probes=df::: -c "$command"
	rm -f "$TBUF_DIR"/tbuf.*
	TBUF_OPTIONS=bufsize=1m,probes=df::: $command
	run over TZ=UTC0 --read "$TBUF_DIR"/tbuf.*
	rm -f "$TBUF_DIR"/tbuf.*
	for way in kept lock thread beside over; do
		same $way
	done
}

echo "SEED=$seed"
while [ "$rounds" -gt 0 ]; do
	round
	rounds=$((rounds - 1)) seed=$((seed + 1))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
