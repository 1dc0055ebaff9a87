# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Slices of two records, on tracks where they nest.  No process has such a pid,
# so that its threads have no names.
play <<'END'
target 5000000 kvd
probe 1 libc libc.so malloc entry uint64:size
probe 2 libc libc.so malloc return pointer:result
probe 3 kv kvd serve request-start uint64:id string:op
probe 4 kv kvd serve request-done uint64:id int32:status
probe 5 kv kvd serve step double:x
probe 6 kv kvd open open
probe 7 kv kvd open close
probe 8 kv kvd lock get
probe 9 kv kvd lock put
probe 10 kv kvd "a\x1b\xff" entry
# Slices of equal times nest in the order of their records.
record 5000000 101 0 3 1000 1 7 "a\"\xff"
record 5000000 101 0 1 1000 1 16
record 5000000 101 0 2 1000 1 0x10
record 5000000 101 0 5 1500 1 1.5
record 5000000 101 0 4 2000 1 7 -1
# A first argument of one name pairs by its value, on any thread.
record 5000000 101 0 3 3000 1 8 get
record 5000000 101 0 3 3001 1 9 put
record 5000000 101 0 4 3002 1 8 0
record 5000000 102 0 4 3003 1 9 0
# Two at a time are on two tracks; the first track is free again then.
record 5000000 101 0 3 4000 1 1 x
record 5000000 101 0 3 4001 1 2 x
record 5000000 101 0 3 4002 1 3 x
record 5000000 102 0 4 4003 1 2 0
record 5000000 102 0 4 4004 1 3 0
record 5000000 102 0 4 4005 1 1 0
# A call whose return is missing ends with the call around it.
record 5000000 103 0 10 5000 1
record 5000000 103 0 1 5001 1 16
record 5000000 103 0 6 5002 1
record 5000000 103 0 7 5003 1
# Records without a partner.
record 5000000 103 0 2 6000 1 0
record 5000000 103 0 2 6001 1 0
record 5000000 103 0 7 6002 1
# The pair of -x pair.
record 5000000 104 0 8 7000 1
record 5000000 104 0 9 7001 1
# Lost records make open slices incomplete.
record 5000000 104 0 3 8000 1 5 x
drops 5000000 0 full 3 8000 0
overwritten 5000000 0 6 0 500
record 5000000 104 0 4 8001 1 5 0
# Of several enablings of a probe the first one counts.
enabling 0
record 5000000 105 2 1 9000 1 16
enabling 1
record 5000000 105 2 1 9000 1 16
enabling 0
record 5000000 105 2 2 9001 1 0
enabling 1
record 5000000 105 2 2 9001 1 0
exit 5000000
END
ctl --format=chrome -x pair=get,put -n kv:::
ctl --format=chrome -q -n kv::: | grep -c '"name":"[gp][eu]t"'

# The packets of perfetto, decoded by a schema of ours, which knows all fields.
if command -v protoc >/dev/null; then
	"$TBUFCTL_FAKE" --format=perfetto -x pair=get,put -n kv::: 2>&- |
	    protoc --decode=tbuf.Trace -I "$HERE" perfetto.proto |
	    tr -d '\n' | sed 's/packet {/\n/g; s/  */ /g' |
	    sed 's/clock_id: 6 time: [0-9]*/clock_id: 6/' >decoded
else
	sed -n '/^\$ protoc/,/^\$/p' "$HERE/fake_slices.ok" |
	    sed '1d;$d' >decoded
fi
echo '$ protoc'
grep . decoded
echo '$'

# A format for viewers is for records.
for other in -l --stat --left --units -F; do
	ctl --format=perfetto $other -n kv:::
done
ctl --format=chrome -x aggtop -n 'BEGIN { @ = count(); }'
ctl --format=chrom -n kv:::
ctl -x pair=a -n kv:::
ctl -x pair=a,b,c -n kv:::
ctl -x pair -n kv:::

# Units are of one kind, id and time; ids come again.
play <<'END'
target 5000000 kvd
probe 1 kv kvd serve step int32:n
unit get 1 1000 1100 0
record 5000000 101 0 1 1010 1 1
unit put 1 1200 1300 5
record 5000000 101 0 1 1210 1 2
record 5000000 101 0 1 1220 1 3
unit put 1 1400 1500 5
record 5000000 101 0 1 1410 1 4
unit put 1 1600
record 5000000 101 0 1 1610 1 5
END
ctl --format=chrome -n kv:::

# Of equal values the thread's own comes first.  What was called before a unit
# returns in it.
play <<'END'
target 5000000 kvd
probe 1 kv kvd serve request-start uint64:id
probe 2 kv kvd serve request-done uint64:id
probe 3 kv kvd serve entry
probe 4 kv kvd serve return
record 5000000 101 0 1 1000 1 7
record 5000000 102 0 1 1001 1 7
record 5000000 101 0 2 1002 1 7
record 5000000 102 0 2 1005 1 7
record 5000000 101 0 1 2000 1 7
record 5000000 101 0 1 2001 1 8
record 5000000 102 0 1 2002 1 7
record 5000000 101 0 2 2003 1 7
record 5000000 101 0 2 2004 1 8
record 5000000 103 0 2 2005 1 7
record 5000000 101 0 3 3000 1
unit get 1 3001 3004 0
record 5000000 101 0 3 3002 1
record 5000000 101 0 4 3003 1
record 5000000 101 0 4 3004 1
unit get 1 4000 0 5
record 5000000 101 0 3 4001 1
END
ctl --format=chrome -n kv:::

# Recursion, in which predicates of two enablings let fires through in turn.
play <<'END'
target 5000000 kvd
probe 1 kv kvd walk entry int32:n
probe 2 kv kvd walk return int32:n
enabling 0
record 5000000 101 0 1 1000 1 1
enabling 1
record 5000000 101 0 1 1001 1 2
enabling 0
record 5000000 101 0 1 1002 1 3
record 5000000 101 0 2 1003 1 3
enabling 1
record 5000000 101 0 2 1004 1 2
enabling 0
record 5000000 101 0 2 1005 1 1
END
ctl --format=chrome -n kv:::

# A file that SIGUSR2 has opened has a head before open slices that end with
# their process.  A run without records writes a file, too.
play <<'END'
target 5000000 kvd
probe 1 kv kvd serve request-start uint64:id
record 5000000 101 0 1 1000 1 7
round
raise 12
exit 5000000
END
ctl --format=chrome -o log -n kv:::
cat log
play <<'END'
target 5000000 kvd
probe 1 kv kvd serve request-start uint64:id
END
for format in chrome otlp; do
	ctl --format=$format -n kv:::
done

# Slices that were open while records were dropped are incomplete: from the last
# record before that to the CPU's next one.  Records may come later and be
# older.
play <<'END'
target 5000000 kvd
probe 1 kv kvd serve request-start uint64:id
probe 2 kv kvd serve request-done uint64:id
record 5000000 101 0 1 900 1 1
record 5000000 101 0 1 1000 1 2
drops 5000000 0 full 3 1000 0
round
record 5000000 102 1 2 950 1 1
record 5000000 103 1 1 1500 1 3
record 5000000 103 1 2 1600 1 3
record 5000000 101 0 1 2000 1 4
record 5000000 101 0 2 3000 1 4
record 5000000 101 0 2 3001 1 2
exit 5000000
END
ctl --format=chrome -n kv:::

# A slice is incomplete if it lies within a gap, though its drops are counted
# later; or if it was open when the oldest record of a ring came, but not if it
# had ended by then.
play <<'END'
target 5000000 kvd
probe 1 kv kvd serve request-start uint64:id
probe 2 kv kvd serve request-done uint64:id
record 5000000 101 0 1 900 1 1
record 5000000 101 0 2 950 1 1
gap 5000000 0 1000 2500
record 5000000 101 0 1 1100 1 2
record 5000000 102 1 1 1150 1 3
record 5000000 102 1 2 1160 1 3
record 5000000 101 0 2 1200 1 2
record 5000000 101 1 1 2600 1 4
record 5000000 101 1 2 2700 1 4
drops 5000000 0 full 3 950 2600
record 5000000 103 0 1 3000 1 5
record 5000000 103 0 1 3100 1 6
record 5000000 103 0 2 3200 1 6
gap 5000000 1 0 4000
record 5000000 103 1 2 4000 1 5
record 5000000 103 1 1 4100 1 7
record 5000000 103 1 2 4200 1 7
overwritten 5000000 1 6 0 4000
exit 5000000
END
ctl --format=chrome -n kv:::
"$TBUFCTL_FAKE" --format=otlp -n kv::: 2>&- | grep -o '"tbuf.incomplete"' |
    wc -l

# Options of formats need them; any number of pairs.
ctl -x pair=get,put -n kv:::
ctl --format=json -x otlp=logs -n kv:::
ctl --format=chrome -x otlp=logs -n kv:::
ctl --format=prometheus -x metrickeys=5 -n kv:::
ctl --format=prometheus -x metricbounds=1,2 -n kv:::
ctl --format=prometheus -x metric=@a:b --stat
ctl --format=chrome -x pair=get,get -n kv:::
ctl --format=otlp --unwrap=1
ctl --format=perfetto --set=unitslow=1s
ctl --format=chrome -h -s file.d
play <<'END'
target 5000000 kvd
probe 1 kv kvd lock get
probe 2 kv kvd lock put
record 5000000 101 0 1 1000 1
record 5000000 101 0 2 2000 1
END
set --
while [ $# -lt 80 ]; do
	set -- "$@" -x "pair=from$#,to"
done
"$TBUFCTL_FAKE" --format=chrome "$@" -x pair=get,put -n kv::: 2>&1 | tail -1
