# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Children are traced with --follow only.
ctl -q -n count -c "$TBUF_TARGET fire=2 fork=3"
"$TBUFCTL" -q --follow -n count -c "$TBUF_TARGET fire=2 fork=3" >out 2>err
echo "= $?"
sort out
normal <err
