#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# usdt.sh TBUFCTL PROGRAMS: USDT probes of programs on aarch64 that do not use
# libtbuf are armed and recorded once each, with their arguments.  init.sh runs
# it on an emulated machine, like syscall.sh.  probes.sh tests machines that
# have a compiler.

. "${0%/*}/provider.sh"
provider=$TBUF_PROVIDERS/libtbuf-usdt.so
program=$programs/calls
module=$programs/.libs/calls_module.so

cat >"$dir/types.d" <<'END'
provider args {
	probe ints(signed char c, unsigned short s, int n, unsigned long u);
	probe places(int counter, long element, short narrow, long local,
	    int member);
	probe texts(char *text, char *array, const char *pointer, double real);
};
provider shop { probe sale(int id, const char *buyer); };
provider module { probe work(int i, const char *text); };
END

for tunables in '' glibc.pthread.rseq=0; do
	GLIBC_TUNABLES=$tunables
	export GLIBC_TUNABLES

	# Arguments are in all places that a compiler chooses.
	trace 'args:::' arguments -x usdt="$dir/types.d"
	expect 1 'symbol arg0=-43$'
	expect 1 'ints c=-2 s=65535 n=-5 u=21474836480$'
	expect 1 \
	    'places counter=42 element=1048576 narrow=-3 local=-5 member=7$'
	expect 1 'texts text=NULL array="array" pointer="heap" real=1\.5$'
	expect 1 'many arg0=1 arg1=2 arg2=3.* arg7=8 arg8=9 arg9=10$'

	account 20000 'shop:::sale' threads -x usdt="$dir/types.d"
	trace 'shop:::sale' forks -x usdt="$dir/types.d" --follow
	expect 5000 'sale id=[0-9]* buyer="ann"$'
	expect 1 'sale id=4999 buyer="ann"$'

	# A semaphore is set while its probe is traced.
	trace 'shop:::asked' ask
	expect 1 ':asked'
	trace 'shop:::sale' ask

	# A module is loaded and unloaded while a thread runs.
	trace 'module:::' "load $module" -Z -x usdt="$dir/types.d"
	expect 400 ':begin'
	expect 400 ':end'
	expect 400 'work i=9 text="text"$'
	expect 4000 'work i=[0-9] text="text"$'
done
unset GLIBC_TUNABLES

# The program is not traced, at first, and then with a setting that raises a
# semaphore.
for kind in arguments threads forks ask leaf "load $module"; do
	# shellcheck disable=SC2086 # an argument
	LD_PRELOAD=$provider $program $kind >"$dir/plain" ||
	    fail "$kind, untraced: $?"
done
[ "$(LD_PRELOAD=$provider "$program" ask)" = 'not asked' ] || fail 'raised'
[ "$(TBUF_USDT="shop:::a*" LD_PRELOAD=$provider "$program" ask)" = asked ] ||
    fail 'not raised'

# No register changes, and arguments have the values at the probe.
LD_PRELOAD=$provider "$programs/registers_aarch64" || fail "registers: $?"
kind=registers
"$tbufctl" -x bufsize=1m -q -n 'registers:::all' -o "$dir/out" \
    -c "$programs/registers_aarch64" 2>"$dir/said" ||
    fail "registers: $(cat "$dir/said")"
grep -q ' 1000 records, 0 overwritten, 0 drops$' "$dir/said" ||
    fail "registers: $(cat "$dir/said")"
# x0, x15, x16, x17, x28, x29, x30, w9.
base=1229782938247303441
expect 1000 "^arg0=$base arg1=$((base + 15)) arg2=$((base + 16)) \
arg3=$((base + 17)) arg4=$((base + 28)) arg5=$((base + 29)) \
arg6=$((base + 30)) arg7=$((286331153 + 9)) arg8=[0-9]* arg9=[0-9]*\$"
# Both are on the stack: `to' is above the stack pointer.
[ "$(sed 's/.*arg8=\([0-9]*\) arg9=\([0-9]*\)$/\1 \2/' "$dir/out" |
    awk 'NF == 2 { n += $2 > $1 && $2 - $1 < 8192 } END { print n + 0 }')" \
    -eq 1000 ] || fail "another stack pointer: $(head -n 2 "$dir/out")"

# A stack has the caller of a function without a frame, too.
"$tbufctl" -q -o "$dir/stacks" -c "$program leaf" -n '
shop:::leaf { ustack(); }' 2>"$dir/said" || fail "stacks: $(cat "$dir/said")"
tr -d ' \n' <"$dir/stacks" | grep -q \
    '`leaf\(+0x[0-9a-f]*\)*calls`caller+0x[0-9a-f]*calls`main' ||
    fail "another stack: $(cat "$dir/stacks")"

# All sites are armed, and none while tracing is off.
LD_PRELOAD=$provider TBUF_USDT_LIST=$dir/list "$program" load "$module" ||
    fail "armed: $?"
! grep -v ': armed$' "$dir/list" || fail 'not armed'
probes=$(sed 's/ at .*//; s/:.*:/:/' "$dir/list" | sort -u)
[ "$(echo "$probes" | grep -c .)" -eq 11 ] || fail "others: $probes"
rm "$dir/list"
LD_PRELOAD=$provider TBUF_USDT_LIST=$dir/list TBUF_DISABLE=1 "$program" \
    arguments || fail "not armed: $?"
! grep ': armed$' "$dir/list" || fail 'armed though tracing is off'
"$tbufctl" -l -c "$program" >"$dir/out" 2>"$dir/said" ||
    fail "list: $(cat "$dir/said")"
kind=list
expect 5 ' args *calls '

finish usdt
