#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Golden tests of tbufctl: each NAME.sh prints what tbufctl printed, and
# NAME.ok is what that must be.
#
#	TBUFCTL_FAKE=path	tbufctl linked with the fake consumer:
#				runs fake_*.sh
#	TBUFCTL=path		the real one: runs real_*.sh, which need
#	TBUF_TARGET=path	the test's target program, too
#
# With arguments only those tests are run.  Prints what differs, then
# "N passed, N failed".

here=$(cd "$(dirname "$0")" && pwd)
export TBUFCTL_FAKE TBUFCTL TBUF_TARGET

tests=$*
if [ -z "$tests" ]; then
	[ -n "$TBUFCTL_FAKE" ] && tests=$(cd "$here" && echo fake_*.sh)
	[ -n "$TBUFCTL" ] && tests="$tests $(cd "$here" && echo real_*.sh)"
	if [ -n "${SANITIZER-}" ]; then
		# Its library has to be the first that is preloaded.
		# Its frames and its time are in a profile, too, and a program
		# that is to have no frame pointers has a function as a site.
		echo "with a sanitizer: no words, no profile, nothing unwound"
		tests=$(echo "$tests" |
		    sed -E 's/real_(words|profile|unwound)\.sh//g')
	fi
	if [ "${SANITIZER-}" = thread ]; then
		# Threads begin in frames of its own, and it has time itself.
		echo "with a sanitizer of threads: no real_stack.sh"
		tests=$(echo "$tests" | sed 's/real_stack\.sh//')
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

. "$here/../common_scratch"
scratch=$SCRATCH

# The runs must not see anybody else's targets, options or locale.
unset TBUF_OPTIONS TBUF_KEEP TBUF_MAXSIZE TBUF_WINDOW TBUF_DISABLE TBUF_FAKE
export LC_ALL=C TZ=UTC0

passed=0 failed=0
for test in $tests; do
	name=$(basename "$test" .sh)
	mkdir -p "$scratch/$name/work" "$scratch/$name/dir"
	chmod 700 "$scratch/$name/dir"
	(
		cd "$scratch/$name/work" &&
		TBUF_DIR=$scratch/$name/dir HERE=$here \
		    sh "$here/$name.sh" >../out 2>&1 </dev/null
	)
	if diff -u "$here/$name.ok" "$scratch/$name/out" \
	    >"$scratch/$name/diff"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $name"
		sed -n '1,999p' "$scratch/$name/diff"
	fi
	rm -rf "${scratch:?}/$name"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
