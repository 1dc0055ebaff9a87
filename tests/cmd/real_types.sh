# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Every type, from a macro in a program to the line that is printed.
ctl -n tt::: -c "$TBUF_TARGET types"
ctl -q -n tt::: -c "$TBUF_TARGET types"
ctl --format=json -n tt::: -c "$TBUF_TARGET types"
ctl -q --with=time,wall,pid,tid -n no_arguments -c "$TBUF_TARGET types"
ctl -q -x strsize=2 -n strings,cut-strings -c "$TBUF_TARGET types"
ctl -q -x strsize=7 -n strings,cut-strings -c "$TBUF_TARGET types"
ctl -q -x strsize=8 -n strings,cut-strings -c "$TBUF_TARGET types"
