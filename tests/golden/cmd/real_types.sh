# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Every type is traced, from a macro in a program to the line that is printed.
ctl -n tt::: -c "$TBUF_TARGET types"
ctl -q -n tt::: -c "$TBUF_TARGET types"
ctl --format=json -n tt::: -c "$TBUF_TARGET types"
ctl -q --with=time,wall,pid,tid -n no_arguments -c "$TBUF_TARGET types"
ctl -q -x strsize=2 -n strings,cut-strings -c "$TBUF_TARGET types"
ctl -q -x strsize=7 -n strings,cut-strings -c "$TBUF_TARGET types"
ctl -q -x strsize=8 -n strings,cut-strings -c "$TBUF_TARGET types"
# Alone in printf() and print() an argument has its own type, in sums its class.
ctl -q -n 'tt:::integers { printf("%u %u %u %u\n%x %x %x %x\n%d %d %d %d\n",
	i8, i16, i32, i64, i8, i16, i32, i64, u8, u16, u32, u64); }
    tt:::integers { printf("%x %u\n", i8 + 0, u64 + 0); print(i16); print(u32);
	print(u64); print(letter); }
    tt:::other-types { print(yes); print(third); print(big); print(pointer); }
    tt:::strings { print(array); }' -c "$TBUF_TARGET types"
ctl --format=json -n 'tt:::integers { trace(i8); trace(u8); trace(u64); }' \
    -c "$TBUF_TARGET types"
