# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# The first full buffer ends tracing, while the program goes on.
start 3 4 enabled fire=1000 say=fired wait
"$TBUFCTL" -q -x bufpolicy=fill -b 2k -n count -p $target >out 2>err &
tell 3
hear 4 fired
wait $!
echo "= $?"
sed 1q out
# A record has 32 bytes, or 40 with the CPU's number.
sed 's/number=\([0-9]*\) .*/\1/' out | awk '
    { last = $1 }
    END { if (last == NR && 32 * NR <= 2048 && 40 * (NR + 1) > 2048)
	print "full"; else print NR " lines, the last is " last }'
set -- $(total err)
[ $(wc -l <out) -eq $1 ] || echo "$1 records, $(wc -l <out) lines"
[ $3 -gt 0 ] || echo "no drops"
tell 3
wait
# Tracing does not end while no buffer is full.
ctl -q -x bufpolicy=fill -b 2k -n count -c "$TBUF_TARGET fire=3"
# The command still runs.
mkfifo in
exec 5<>in
"$TBUFCTL" -q -x bufpolicy=fill -b 100 -n count \
    -c "$TBUF_TARGET fire=10 wait" <in 2>err | sed 1q
grep -c 'left running' err
echo >&5
