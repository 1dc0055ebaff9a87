# SPDX-License-Identifier: BSD-2-Clause
#
# Slices of a real program, whose number and time are those that a D program
# finds; and work units, on tracks of their own.
. "$HERE/common_real"

# kvd serves in one thread, but for connections that are open meanwhile.
examples=$top_builddir/examples
TBUF_OPTIONS='bufsize=4m,probes=kv:::' "$examples/kvd" "$PWD/socket" \
    >/dev/null 2>&1 &
kvd=$!
until "$examples/kvload" --requests=3000 --connections=2 "$PWD/socket" \
    >/dev/null 2>&1; do
	kill -0 $kvd || break
done
kill -9 $kvd
wait $kvd 2>/dev/null
file=$(ls "$TBUF_DIR"/tbuf.$kvd.*)
"$TBUFCTL" -q --read="$file" -n '
	kv:::request-start { self->t[arg0] = timestamp; }
	kv:::request-done /self->t[arg0]/ {
		@n = count(); @s = sum(timestamp - self->t[arg0]);
		self->t[arg0] = 0;
	}
	END { printa("%@d %@d\n", @n, @s); }' 2>/dev/null | grep . >d

# Microseconds with three decimals: the points are removed, to count exactly.
"$TBUFCTL" --read="$file" --format=chrome -n kv::: 2>err >chrome
grep '"name":"request"' chrome | awk '
/"ph":"X"/ {
	match($0, /"dur":[0-9.]*/)
	sum += 1000 * substr($0, RSTART + 6, RLENGTH - 6)
	n++
}
/"ph":"[be]"/ {
	match($0, /"ts":[0-9.]*/)
	time = 1000 * substr($0, RSTART + 5, RLENGTH - 5)
	sum += /"ph":"e"/ ? time : -time
	n += /"ph":"e"/
}
END { printf("%d %.0f\n", n, sum) }' >slices
# A clause's timestamp may be rounded to another nanosecond.
paste -d ' ' d slices | awk '
{
	off = $2 - $4
	print $3, $1 == $3 && off * off <= $1 * $1 ? "as in D" : $0
}'

# Work units have no values.  All events are there in the other format, too.
"$TBUFCTL" --read="$file" --format=perfetto -n kv::: >packets 2>/dev/null
echo $?
if command -v protoc >/dev/null; then
	"$TBUFCTL" --read="$file" --format=perfetto -n kv::: 2>/dev/null |
	    protoc --decode=tbuf.Trace -I "$HERE" perfetto.proto >packets
	grep -c 'type: BEGIN' packets >begins
	grep -c 'type: END' packets | diff begins -
	diff begins - <<END
$(sed -n 's/.* drops, \([0-9]*\) slices.*/\1/p' err)
END
	grep -cE '^ *[0-9]+:' packets
else
	echo 0
fi
rm "$file"

# A unit is a slice, and its records are in it.
run()
{
	"$TBUFCTL" -x nunits=4 --format=chrome -n 'tt:::count,tt:::done' \
	    -c "$TBUF_TARGET $*" 2>err >chrome
	echo "= $?"
	grep -v '"ph":"M"' chrome |
	    sed -E 's/"(ts|dur|pid|tid)":[0-9.]+/"\1":N/g'
	# The unit comes before its records, which have its thread's number.
	tr -d '"{}' <chrome | tr ',:' '  ' | awk '
	{
		for (i = 1; i < NF; i++)
			field[$i] = $(i + 1)
	}
	/ cat unit / { from = field["ts"]; to = from + field["dur"] }
	/ ph i / && field["tid"] >= 1000000000 &&
	    (from - field["ts"] > 0.0005 || field["ts"] - to > 0.0005) {
		print "outside:", $0
	}'
}
run unit=1 fire=2 done=1 end=7 fire=1
run unit=1 fire=1 kill=9

# SIGUSR2 begins a file that a viewer can read without the one before.
start 3 4 enabled fire=3 say=3 wait fire=2 say=2
"$TBUFCTL" -x switchrate=100hz --format=chrome -o log -p $target -n tt:::count \
    2>err &
run=$!
tell 3
hear 4 3
filled log 5
mv log log.1
kill -USR2 $run
opened $run log
tell 3
hear 4 2
wait $run
for file in log.1 log; do
	sed -E 's/"(ts|pid|tid)":[0-9.]+/"\1":N/g' $file
	echo
done

# Texts have the time of their records, also before the first one that is shown.
"$TBUFCTL" -q --format=otlp -n '
	BEGIN { printf("%d", walltimestamp / 3600000000000); }
	tick-1ms { exit(0); }' 2>/dev/null |
    sed 's/{"timeUnixNano"/\n&/g' | awk '
/"body":{"stringValue":"output"}/ {
	gsub(/[^0-9]+/, " ")
	off = $1 / 3600000000000 - $3
	print(off > -0.01 && off < 1.01 ? "on time" : "off: " off, $2)
}'
"$TBUFCTL" -q --format=perfetto -n 'BEGIN { printf("a"); }
	tick-1ms { exit(0); }' 2>/dev/null >packets
if command -v protoc >/dev/null; then
	protoc --decode=tbuf.Trace -I "$HERE" perfetto.proto <packets |
	    grep -c 'clock_id: 1$'
else
	echo 1
fi
