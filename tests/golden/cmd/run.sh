#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Golden tests of tbufctl: each NAME.sh prints tbufctl's output, and NAME.ok is
# the expected output.
#
#	TBUFCTL_FAKE=path	tbufctl linked with the fake consumer:
#				runs fake_*.sh
#	TBUFCTL=path		the real one: runs real_*.sh, which need
#	TBUF_TARGET=path	the test's target program, too
#
# With arguments only those tests are run.  Prints differences, then "N passed,
# N failed".

here=$(cd "$(dirname "$0")" && pwd)
export TBUFCTL_FAKE TBUFCTL TBUF_TARGET

tests=$*
if [ -z "$tests" ]; then
	[ -n "$TBUFCTL_FAKE" ] && tests=$(cd "$here" && echo fake_*.sh)
	[ -n "$TBUFCTL" ] && tests="$tests $(cd "$here" && echo real_*.sh)"
	if [ -n "${SANITIZER-}" ]; then
		# A sanitizer's library must be preloaded first.  Its frames and
		# its time are in a profile, too, and a function of its own is a
		# site in a program without frame pointers.
		# A provider with it cannot be preloaded, and its libraries have
		# sites.
		echo "with a sanitizer: no words, no profile, nothing unwound," \
		    "no expected probes, no list, no pid"
		tests=$(echo "$tests" | sed -E \
		    's/real_(words|profile|unwound|expected|list|pid)\.sh//g')
	fi
	if [ "${SANITIZER-}" = thread ]; then
		# Threads begin in the sanitizer's frames, and it uses time
		# itself.
		echo "with a sanitizer of threads: no real_stack.sh"
		tests=$(echo "$tests" | sed 's/real_stack\.sh//')
	fi
	if [ ! -e "${TBUF_PROVIDERS-}/libtbuf-pid.so" ]; then
		echo "built without the provider: no real_pid.sh"
		tests=$(echo "$tests" | sed 's/real_pid\.sh//')
	fi
	if [ -n "$TBUF_TARGET" ] &&
	    ! why=$("$(dirname "$TBUF_TARGET")/events"); then
		echo "perf_event_open(2): $why: no real_profile.sh"
		tests=$(echo "$tests" | sed 's/real_profile\.sh//')
	fi
	if grep -q '^Seccomp:.*2' /proc/self/status; then
		echo "filter of system calls: no real_strict.sh"
		tests=$(echo "$tests" | sed 's/real_strict\.sh//')
	fi
fi
if [ -z "$tests" ]; then
	echo "run.sh: set TBUFCTL_FAKE or TBUFCTL and TBUF_TARGET" >&2
	exit 2
fi

. "$here/../../lib/scratch.sh"
scratch=$SCRATCH

# The runs must not see other targets, options or locales.
unset TBUF_OPTIONS TBUF_KEEP TBUF_MAXSIZE TBUF_WINDOW TBUF_DISABLE TBUF_FAKE
export LC_ALL=C TZ=UTC0

# golden NAME: prints the differences.
golden()
{
	mkdir -p "$scratch/$1/work" "$scratch/$1/dir"
	chmod 700 "$scratch/$1/dir"
	(
		cd "$scratch/$1/work" &&
		TBUF_DIR=$scratch/$1/dir HERE=$here \
		    sh "$here/$1.sh" >../out 2>&1 </dev/null
	)
	if diff -u "$here/$1.ok" "$scratch/$1/out" >"$scratch/$1/diff"; then
		echo "PASS $1" >>"$scratch/results"
	else
		echo "FAIL $1" | tee -a "$scratch/results"
		sed -n '1,999p' "$scratch/$1/diff"
	fi
	rm -rf "${scratch:?}/$1"
}

# every_other FIRST: runs half of the tests; one half runs while the other
# waits.
every_other()
{
	turn=$1
	for test in $tests; do
		[ $((turn = 1 - turn)) -eq 0 ] ||
		    golden "$(basename "$test" .sh)"
	done
}

: >"$scratch/results"
every_other 0 >"$scratch/first" &
every_other 1
wait
cat "$scratch/first"
passed=$(grep -c ^PASS "$scratch/results")
failed=$(grep -c ^FAIL "$scratch/results")
rm -f "$scratch/results" "$scratch/first"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -eq "$(echo "$tests" | wc -w)" ]
