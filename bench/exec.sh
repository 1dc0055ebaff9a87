#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What a program costs that begins: a shell script of so many commands, as it
# is, with the libc provider preloaded and nobody to trace it, and followed
# with all of the provider's probes enabled.  The fastest of some turns, each
# less than a script of no command takes the same way.

set -eu
: "${top_builddir:?}"

commands=100 turns=9
tbufctl=$top_builddir/tbufctl/.libs/tbufctl
TBUF_PROVIDERS=$(cd "$top_builddir/.libs" && pwd)
provider=$TBUF_PROVIDERS/libtbuf-libc.so
if ! [ -x "$tbufctl" ] || ! [ -e "$provider" ]; then
	echo "exec: no $tbufctl, or no $provider"
	exit 0
fi
# Control files belong into memory.
scratch=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$scratch"' EXIT
LD_LIBRARY_PATH=$TBUF_PROVIDERS
TBUF_DIR=$scratch/run
export LD_LIBRARY_PATH TBUF_DIR TBUF_PROVIDERS

cat >"$scratch/script" <<'EOF'
while [ $1 -gt 0 ]; do
	/bin/true
	set $(($1 - 1))
done
EOF

plain()
{
	sh "$scratch/script" "$1"
}

preloaded()
{
	LD_PRELOAD=$provider sh "$scratch/script" "$1"
}

followed()
{
	"$tbufctl" -q -n 'libc:::' --follow -o /dev/null \
	    -c "sh $scratch/script $1" 2>/dev/null
}

# spent HOW: us a command.
spent()
{
	begin=$(date +%s%N)
	"$1" 0
	middle=$(date +%s%N)
	"$1" $commands
	end=$(date +%s%N)
	echo $(((end - middle - middle + begin) / commands / 1000))
}

for _ in $(seq $turns); do
	for how in plain preloaded followed; do
		spent $how >>"$scratch/$how"
	done
done

fastest()
{
	sort -n "$scratch/$1" | head -n 1
}

# row WHAT HOW FIGURE: beside a plain one.
row()
{
	echo "$(fastest "$2") $(fastest plain)" | awk -v what="$1" \
	    -v figure="$3" '{
		printf "%-38s %9.2f  %-30s %9.2f  %+6.2f  %s\n", what,
		    $1 / 1000, "not preloaded, ms", $2 / 1000,
		    ($1 - $2) / 1000, figure
	}'
}

row 'exec, preloaded, nobody traces, ms' preloaded '<= +0.50'
row 'exec, followed, all of libc, ms' followed '<= +1.00'
