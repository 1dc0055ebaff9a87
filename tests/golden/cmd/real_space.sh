# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Without enough space the size is lowered, or tracing is refused and no command
# is executed.
TBUF_MAXSIZE=64m "$TBUFCTL" -b 4g -n count -c "$TBUF_TARGET fire=1" 2>&1 |
    sed -E 's/lowered to [0-9]+[mk]$/lowered to N/' | normal
export TBUF_MAXSIZE=64m
ctl -q -b 4g -n count -c "$TBUF_TARGET fire=1"
ctl -b 4g -x bufresize=manual -n count -c 'touch executed'
unset TBUF_MAXSIZE
ls executed 2>/dev/null
ctl -b 256g -x bufresize=manual -n count -c 'touch executed'
ctl -b 8 -n count -c "$TBUF_TARGET fire=1"
ctl -b 15 -n count -c "$TBUF_TARGET fire=1"

# A file must fit into the target's window: TBUF_WINDOW, which a command may
# also set for itself.
export TBUF_WINDOW=8m
ctl -q -b 64m -n count -c "$TBUF_TARGET fire=3"
ctl -q -b 64m -x bufresize=manual -n count -c "$TBUF_TARGET fire=3"
unset TBUF_WINDOW
ctl -q -b 64m -n count -c "sh -c 'TBUF_WINDOW=8m exec $TBUF_TARGET fire=3'"
