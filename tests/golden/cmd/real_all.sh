# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# Without -p and -c, all targets are traced, and those that start later.
start 3 4 enabled fire=3
"$TBUFCTL" -q -n count >out 2>err &
ctl=$!
tell 3
"$TBUF_TARGET" enabled fire=4
"$TBUF_TARGET" enabled fire=5
# The command of another run begins with a file that has that run's session.
"$TBUFCTL" -q -n count -c "$TBUF_TARGET fire=6" 2>&1 >other | normal
wc -l <other
wait $target
kill -INT $ctl
wait $ctl
echo "= $?"
wc -l <out
# tbufctl kills its helper processes, which were targets for a moment.
grep -v 'terminated by SIGKILL' err | normal
