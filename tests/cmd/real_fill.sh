# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# The first full buffer ends it, while the program goes on.
start 3 4 enabled fire=1000 say=fired wait
"$TBUFCTL" -q -x bufpolicy=fill -b 2k -n count -p $target >out 2>err &
tell 3
hear 4 fired
wait $!
echo "= $?"
sed -n '1p;$p' out
set -- $(total err)
echo "$(wc -l <out) lines, $1 records, $2 overwritten"
[ $3 -gt 0 ] || echo "no drops"
tell 3
wait
# What fits does not.
ctl -q -x bufpolicy=fill -b 2k -n count -c "$TBUF_TARGET fire=3"
# The command is left running.
mkfifo in
exec 5<>in
"$TBUFCTL" -q -x bufpolicy=fill -b 100 -n count \
    -c "$TBUF_TARGET fire=10 wait" <in 2>err | sed 1q
grep -c 'left running' err
echo >&5
