# SPDX-License-Identifier: BSD-2-Clause
#
# Functions for syscall.sh, usdt.sh and pid.sh.  Their arguments are tbufctl and the
# folder of the programs; they set the program that `run' starts.

set -u
tbufctl=${1:?usage: $0 TBUFCTL PROGRAMS}
programs=${2:?usage: $0 TBUFCTL PROGRAMS}
: "${TBUF_PROVIDERS:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
TBUF_DIR=$dir/run
export TBUF_DIR
failures=0

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}

# run DESCRIPTION KIND [OPTION ...]: traces into $dir/out; messages go to
# $dir/said.  KIND is the program's argument.
run() {
	description=$1 kind=$2
	shift 2
	rm -f "$dir/out"
	"$tbufctl" -x bufsize=2m -n "$description" -o "$dir/out" "$@" \
	    -c "$program $kind" 2>"$dir/said" ||
	    fail "$kind: $(cat "$dir/said")"
}

# trace ...: like run, and fails if a record is lost.
trace() {
	run "$@"
	grep -q ' 0 overwritten, 0 drops$' "$dir/said" ||
	    fail "$kind: $(cat "$dir/said")"
}

number='\([0-9]*\)'

# account COUNT ...: like run, and expects this sum of records and drops:
# threads do not wait for locks, but count drops.
account() {
	fires=$1
	shift
	run "$@"
	found=$(sed -n "s/^.*total: $number records, 0 overwritten, $number \
drops\$/\1 + \2/p" "$dir/said")
	[ $((found)) -eq "$fires" ] ||
	    fail "$kind: $found, not $fires: $(cat "$dir/said")"
}

# expect COUNT PATTERN: expects this number of matching lines in the trace.
expect() {
	found=$(grep -c -e "$2" "$dir/out")
	[ "$found" -eq "$1" ] ||
	    fail "$kind: $2: $found, not $1, of: $(head -n 5 "$dir/out")"
}

# finish NAME: exits with 1 if a check has failed.
finish() {
	[ $failures -eq 0 ] || exit 1
	echo "$1: ok"
}
