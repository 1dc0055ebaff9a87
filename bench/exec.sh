#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Cost of starting a program, in CPU time per command of a shell script:
# without a provider; with the libc provider preloaded and no consumer; and
# followed with all of the provider's probes enabled, including the consumer's
# time.  The fastest of some turns counts, less that of a script of no command.

set -eu
: "${top_builddir:?}"

commands=100 turns=21
spent=$top_builddir/bench/spent
tbufctl=$top_builddir/tbufctl/.libs/tbufctl
TBUF_PROVIDERS=$(cd "$top_builddir/.libs" && pwd)
provider=$TBUF_PROVIDERS/libtbuf-libc.so
if ! [ -x "$tbufctl" ] || ! [ -e "$provider" ] || ! [ -x "$spent" ]; then
	echo "exec: no $tbufctl, no $provider, or no $spent"
	exit 0
fi
# Control files must be in memory.
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
	"$spent" sh "$scratch/script" "$1"
}

preloaded()
{
	"$spent" env LD_PRELOAD="$provider" sh "$scratch/script" "$1"
}

followed()
{
	"$spent" "$tbufctl" -q -n 'libc:::' --follow -o /dev/null \
	    -c "sh $scratch/script $1" 2>/dev/null
}

for _ in $(seq $turns); do
	for how in plain preloaded followed; do
		$how 0 >>"$scratch/$how.none"
		$how $commands >>"$scratch/$how"
	done
done

least()
{
	sort -n "$scratch/$1" | head -n 1
}

# us HOW: us per command.
us()
{
	echo $((($(least "$1") - $(least "$1.none")) / commands))
}

# row WHAT HOW FIGURE: compares with `plain`, by difference and by ratio.
row()
{
	echo "$(us "$2") $(us plain)" | awk -v what="$1" \
	    -v figure="$3" '{
		printf "%-38s %9.2f  %-30s %9.2f  %+6.2f  %s  x%.2f\n", what,
		    $1 / 1000, "not preloaded, ms", $2 / 1000,
		    ($1 - $2) / 1000, figure, $1 / $2
	}'
}

row 'exec, preloaded, nobody traces, ms' preloaded '<= +0.50'
row 'exec, followed, all of libc, ms' followed '<= +1.00'
