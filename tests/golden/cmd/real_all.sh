# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Without -p and -c, all targets are traced, and those that start later.
start 3 4 enabled fire=3
"$TBUFCTL" -q -n count >out 2>err &
ctl=$!
tell 3
"$TBUF_TARGET" enabled fire=4
"$TBUF_TARGET" enabled fire=5
wait $target
kill -INT $ctl
wait $ctl
echo "= $?"
wc -l <out
normal <err
