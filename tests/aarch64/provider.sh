# SPDX-License-Identifier: BSD-2-Clause
#
# What syscall.sh and usdt.sh begin with.  Each is given the
# tbufctl and the folder of the programs, and says which program `run' starts.

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

# run DESCRIPTION KIND [OPTION ...]: to $dir/out, what tbufctl says to said.
# The kind is what the program is to do.
run() {
	description=$1 kind=$2
	shift 2
	rm -f "$dir/out"
	"$tbufctl" -x bufsize=2m -n "$description" -o "$dir/out" "$@" \
	    -c "$program $kind" 2>"$dir/said" ||
	    fail "$kind: $(cat "$dir/said")"
}

# trace ...: and nothing is lost.
trace() {
	run "$@"
	grep -q ' 0 overwritten, 0 drops$' "$dir/said" ||
	    fail "$kind: $(cat "$dir/said")"
}

number='\([0-9]*\)'

# account COUNT ...: so many fires; threads wait for no lock, but count drops.
account() {
	fires=$1
	shift
	run "$@"
	found=$(sed -n "s/^.*total: $number records, 0 overwritten, $number \
drops\$/\1 + \2/p" "$dir/said")
	[ $((found)) -eq "$fires" ] ||
	    fail "$kind: $found, not $fires: $(cat "$dir/said")"
}

# expect COUNT PATTERN: so many lines of the trace have it.
expect() {
	found=$(grep -c -e "$2" "$dir/out")
	[ "$found" -eq "$1" ] ||
	    fail "$kind: $2: $found, not $1, of: $(head -n 5 "$dir/out")"
}

# finish NAME: by what has failed.
finish() {
	[ $failures -eq 0 ] || exit 1
	echo "$1: ok"
}
