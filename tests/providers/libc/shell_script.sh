#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# shell_script.sh [COMMANDS]: a shell script of so many commands (default 200),
# followed with all probes of the libc provider enabled, loses no record with
# the default buffer size.  The expected number follows from two shorter
# scripts.

set -u
: "${top_srcdir:=..}" "${top_builddir:=.}"
: "${TBUFCTL=$top_builddir/tbufctl/tbufctl}"
: "${TBUF_PROVIDERS=$top_builddir/.libs}"
commands=${1-200}

[ -z "${SANITIZER-}" ] || exit 77

. "$top_srcdir/tests/lib/scratch.sh"
dir=$SCRATCH
TBUF_DIR=$SCRATCH_SHM/tbuf
export TBUF_DIR TBUF_PROVIDERS

cat >"$dir/script" <<'EOF'
i=100
while [ $i -lt $1 ]; do
	/bin/true
	i=$((i + 1))
done
EOF

# records POLICY N: prints the number of records for a script of N commands.
records() {
	"$TBUFCTL" -q -x bufpolicy=$1 -n 'libc:::' --follow -o /dev/null \
	    -c "sh $dir/script $((100 + $2))" 2>"$dir/err"
	sed -n 's/^tbufctl: total: \([0-9]*\) records, 0 overwritten, 0 drops$/\1/p' \
	    "$dir/err"
}

for policy in switch fill; do
	few=$(records $policy 10)
	more=$(records $policy 20)
	all=$(records $policy $commands)
	expected=$((${more:-0} + (${more:-0} - ${few:-0}) / 10 * (commands - 20)))
	echo "$policy: $commands commands, ${all:-?} records of $expected"
	if [ "${few:-0}" -eq 0 ] || [ "${more:-0}" -le "$few" ] ||
	    [ "${all:-0}" -ne "$expected" ]; then
		cat "$dir/err" >&2
		exit 1
	fi
done
