#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Compares uftrace with the pid provider: the entry and the return of a function
# are recorded, by uftrace in a program that is compiled for it (-pg).  A call of
# the function costs the least of some runs, without that of a plain call.

set -eu
: "${TBUFCTL:?}" "${TBUF_PROVIDERS:?}" "${CC:=cc}"
calls=4000000 turns=7

command -v uftrace >/dev/null || {
	echo 'uftrace beside tbuf: no uftrace'
	exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
TBUF_DIR=$work/run
export TBUF_DIR
cat >"$work/calls.c" <<E2
#include <stdio.h>
#include <time.h>

__attribute__((noinline)) long
called(long n)
{
	__asm__ volatile ("" : "+r" (n));
	return (n + 1);
}

int
main(void)
{
	struct timespec from, to;
	long i, sum = 0;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	for (i = 0; i < $calls; i++)
		sum += called(i);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	fprintf(stderr, "ns %.2f\\n", ((to.tv_sec - from.tv_sec) * 1e9 +
	    (to.tv_nsec - from.tv_nsec)) / $calls);
	return (sum == 0);
}
E2
# shellcheck disable=SC2086	# compilers have arguments
$CC -O2 -o "$work/calls" "$work/calls.c"
# shellcheck disable=SC2086
$CC -O2 -pg -o "$work/calls-pg" "$work/calls.c"
cd "$work"

# run NAME COMMAND ...: prints the name and the time of a call.
run() {
	name=$1
	shift
	"$@" 2>&1 >/dev/null | sed -n "s/^ns /$name /p"
}

i=0
while [ $i -lt $turns ]; do
	i=$((i + 1))
	run plain ./calls
	run pid "$TBUFCTL" -q -x bufpolicy=ring \
	    -n 'pid$target:a.out:called:' -c ./calls
	run uftrace uftrace record --no-event -d "$work/data" ./calls-pg
	rm -rf "$work/data"
done | awk '
	!($1 in least) || $2 < least[$1] { least[$1] = $2 }
	END {
		if (!("uftrace" in least) || !("pid" in least))
			exit
		pid = least["pid"] - least["plain"]
		other = least["uftrace"] - least["plain"]
		printf("%-38s %9.2f  %-30s %9.2f  x%.2f\n",
		    "pid entry and return, recorded", pid, "uftrace", other,
		    pid / other)
	}'
