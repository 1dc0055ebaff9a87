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
# The command ends while its last records are printed, as the reader waits.
mkfifo text
end_late()
{
	"$TBUFCTL" -x bufpolicy=fill -b 256k -n count \
	    -c "$TBUF_TARGET fire=20000 wait" <in >text 2>err &
	tbufctl=$!
	exec 6<text
	read -r line <&6
	for pid in $(cat /proc/$tbufctl/task/$tbufctl/children); do
		# Others are tbufctl's helpers.
		grep -q tbufctl /proc/$pid/comm || command=$pid
	done
	echo >&5
	until grep -q '^State:.Z' /proc/$command/status; do
		:
	done
}
end_late
cat <&6 >/dev/null
wait $tbufctl
sed -n "s/pid $command /pid PID /p" err
# Signals cut the records, and the event of the end.
end_late
kill -INT $tbufctl
kill -TERM $tbufctl
kill -QUIT $tbufctl
exec 6<&-
wait $tbufctl
grep -c "pid $command left running" err
