#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# No file of a test remains in shared memory or in the temporary folder after
# any end of it (scratch.h); scratch_failing_test is the test.

set -u
. "${top_srcdir:?}/tests/lib/scratch.sh"
run=$top_builddir/tests/lib/scratch_run
leave=$top_builddir/tests/lib/scratch_failing_test
memory=$SCRATCH_SHM/in folder=$SCRATCH/in
mkdir "$memory" "$folder"
passed=0 failed=0
cd "$SCRATCH" || exit 1

# same WHAT EXPECTED FOUND: counts the comparison as passed or failed.
same()
{
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $1: expected '$2', found '$3'"
	fi
}

# outside COMMAND ...: runs a command as if outside of scratch_run.
outside()
{
	env -u SCRATCH SCRATCH_SHM="$memory" TMPDIR="$folder" "$@"
}

# Lists the directories that exist now.
left()
{
	find "$memory" "$folder" -mindepth 1 -maxdepth 1
}

# nothing WHAT: expects that the ended process has removed everything.
nothing()
{
	same "$1: is left" '' "$(left)"
}

# nothing_soon WHAT: expects this of the process that waits for the end.
nothing_soon()
{
	timeout 60 sh -c 'while [ -n "$(ls -A "$1"; ls -A "$2")" ]; do
		:
	done' sh "$memory" "$folder"
	nothing "$1"
}

# begin COMMAND ...: starts a command, and waits until it has made its files.
begin()
{
	: >out
	env -u SCRATCH SCRATCH_SHM="$memory" TMPDIR="$folder" "$@" \
	    >out 2>&1 &
	test=$!
	until grep -q made out || ! kill -0 $test; do
		:
	done
	same "$*: directories" 2 "$(left | wc -l)"
}

# script NAME: makes a script as if to be run by hand.
script()
{
	cat >"$1" <<-'END'
	. "$top_srcdir/tests/lib/scratch.sh"
	mkdir "$SCRATCH_SHM/one" && : >"$SCRATCH_SHM/one/file" || exit 2
	: >"$SCRATCH/file"
	END
	cat >>"$1"
}

outside "$run" "$leave" exit >out 2>&1
same 'it fails: status' 3 $?
same 'it fails: its process is told' \
    "scratch_run: $leave has left 1 processes, which were ended" \
    "$(tail -n 1 out)"
nothing 'it fails'
outside "$run" "$leave" abort >out 2>&1
same 'it aborts: status' 134 $?
nothing 'it aborts'
for signal in 1 15; do
	begin "$run" "$leave" wait
	kill -$signal $test
	wait $test
	same "signal $signal: status" $((128 + signal)) $?
	nothing "signal $signal"
done
begin "$run" "$leave" wait
kill -KILL $test
wait $test
nothing_soon KILL

# The first process of a pid namespace ends after the others there.
if unshare -Urp true 2>/dev/null; then
	outside timeout 100 "$run" \
	    unshare -Urp sh -c 'sleep 1000 & sleep 1000 &' >out 2>&1
	same 'a pid namespace: status' 0 $?
	nothing 'a pid namespace'
fi

# A test that never ends is shown, with the process that it started.
begin SCRATCH_LIMIT=1000 "$run" "$leave" wait
kill -ALRM $test
wait $test
same 'it hangs: status' 124 $?
same 'it hangs: what is shown' 2 "$(grep -c "^$leave wait (pid" out)"
nothing 'it hangs'
outside SCRATCH_LIMIT=0 "$run" "$leave" exit >out 2>&1
same 'bad limit: status' 2 $?
same 'bad limit' 'scratch_run: SCRATCH_LIMIT=0: too small' "$(cat out)"

# The test runs without scratch_run.
outside "$leave" exit >out 2>&1
same 'by hand: status' 3 $?
nothing_soon 'by hand'
begin "$leave" wait
kill -KILL $test
wait $test
nothing_soon 'by hand, killed'

# Scripts run by hand.
script killed <<'END'
kill -9 $$
END
outside sh ./killed >out 2>&1
same 'a script that is killed: status' 137 $?
nothing 'a script that is killed'
script mounted <<'END'
mkdir "$SCRATCH_SHM/small" &&
mount -t tmpfs -o size=1m tbuf "$SCRATCH_SHM/small" 2>/dev/null || exit 77
echo text >"$SCRATCH_SHM/small/file"
exit 1
END
outside sh ./mounted >out 2>&1
status=$?
if [ $status -ne 77 ]; then
	same 'a script that mounts: status' 1 $status
fi
nothing 'a script that mounts'

# Folders that no library's path may contain are not used.
mkdir 'a b'
for place in "$PWD/a b" relative; do
	found=$(env -u SCRATCH SCRATCH_SHM="$memory" TMPDIR="$place" \
	    "$run" sh -c 'echo "$SCRATCH"' 2>&1)
	case $found in
	/tmp/tbuf.??????) found=/tmp ;;
	esac
	same "TMPDIR=$place" /tmp "$found"
	nothing "TMPDIR=$place"
done

# No test makes a directory elsewhere, apart from those that run on another
# machine, test an installation, or have a /dev/shm of their own.
cd "$top_srcdir/tests" || exit 1
same 'made elsewhere' '' "$(grep -rlE 'mkdtemp|mktemp|/dev/shm|[" =]/tmp/' \
    --include='*.c' --include='*.cc' --include='*.h' --include='*.sh' . |
    grep -v -e '^\./lib/scratch\.[ch]$' -e '^\./aarch64/' \
    -e '^\./install/\(install\|packages\)\.sh$' -e '^\./lib/scratch_cleanup\.sh$' \
    -e '^\./system/all_users\.sh$')"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
