# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# OTLP: slices are spans, what is in them are events, the rest are log records.
# Arguments can join another program's trace.
play <<'END'
target 5000000 kvd
probe 1 libc libc.so malloc entry uint64:size
probe 2 libc libc.so malloc return pointer:result
probe 3 kv kvd serve request-start uint64:id string:traceparent
probe 4 kv kvd serve request-done uint64:id int32:status
probe 5 kv kvd serve step double:x
probe 6 kv kvd serve job-start uint64:trace_id uint64:span_id
probe 7 kv kvd serve job-done binary:trace_id binary:span_id
probe 8 kv kvd serve "a\x1b\xff\"" string:s binary:b bool:t
target 5000001 load
# A nested span, an event, a partner of another thread.
record 5000000 101 0 3 1000 1001000 7 00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
record 5000000 101 0 1 1100 1001100 16
record 5000000 101 0 5 1200 1001200 1.5
record 5000000 101 0 2 1300 1001300 0x10
record 5000000 101 0 5 1500 1001500 -2
record 5000000 101 0 4 2000 1002000 7 -1
# Not a trace: a wrong length, zeros, another separator.
record 5000000 101 0 3 3000 1003000 8 00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01
record 5000000 101 0 4 3001 1003001 8 0
record 5000000 101 0 3 3002 1003002 8 00-00000000000000000000000000000000-b7ad6b7169203331-01
record 5000000 101 0 4 3003 1003003 8 0
record 5000000 101 0 3 3004 1003004 8 00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01
record 5000000 101 0 4 3005 1003005 8 0
# A text that looks like an argument.
record 5000000 101 0 3 3006 1003006 8 "\"},{\"key\":\"traceparent\",\"value\":{\"stringValue\":\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
record 5000000 101 0 4 3007 1003007 8 0
# Ids as numbers.
record 5000000 102 0 6 4000 1004000 255 4096
record 5000000 102 0 7 4001 1004001 "0123456789abcdef" "01234567"
# Spans of equal times have their own ids.
record 5000000 103 0 1 5000 1005000 1
record 5000000 103 0 2 5000 1005000 1
record 5000000 103 0 1 5000 1005000 1
record 5000000 103 0 2 5000 1005000 1
# Records in no slice, losses, another process.
record 5000000 101 0 8 6000 1006000 "a\"\xff\n" "\x00\x01\xfe\xff" true
record 5000000 101 0 3 6001 1006001 9 x
record 5000000 101 0 8 6002 1006002 "" "\x00" false
drops 5000000 0 full 3 6001 6003
record 5000000 101 0 4 6003 1006003 9 0
record 5000001 201 0 1 7000 1007000 18446744073709551615
record 5000001 201 0 2 7001 1007001 0
exit 5000000
END

# Numbers ids in the order of their first places, and has a span a line.
numbered()
{
	sed 's/"host.name","value":{"stringValue":"[^"]*"/"host.name"/g
	    s/{"resource"/\n&/g; s/{"spanId"/\n&/g; s/{"timeUnixNano"/\n&/g' |
	    awk '
	function number(id)
	{
		if (!(id in ids))
			ids[id] = "ID" ++n
		return (ids[id])
	}
	{
		out = ""
		while (match($0,
		    /"(trace|span|parentSpan)Id":"[0-9a-f]*"/)) {
			split(substr($0, RSTART, RLENGTH), word, "\"")
			id = word[4]
			if (index(given, id) == 0)
				id = number(id)
			out = out substr($0, 1, RSTART - 1) "\"" word[2] \
			    "\":\"" id "\""
			$0 = substr($0, RSTART + RLENGTH)
		}
		print out $0
	}' given="0af7651916cd43dd8448eb211c80319c b7ad6b7169203331 \
	    000000000000000000000000000000ff 0000000000001000 \
	    30313233343536373839616263646566 3031323334353637"
}
ctl --format=otlp -n kv::: | numbered
ctl --format=otlp -x otlp=logs -n kv::: | numbered | sed -n 1,12p
"$TBUFCTL_FAKE" --format=otlp -n kv::: 2>&- >first
"$TBUFCTL_FAKE" --format=otlp -n kv::: 2>&- | cmp first - && echo the same
ctl --format=otlp -x otlp=traces -n kv:::
ctl --format=otlp -x otlp -n kv:::
ctl --format=otlp --stat

# What does not nest in its unit is a child of it, in the trace of the unit.
# Ids of units that come again have other spans.
play <<'END'
target 5000000 kvd
probe 1 kv kvd serve a-begin
probe 2 kv kvd serve a-end
probe 3 kv kvd serve b-begin string:traceparent
probe 4 kv kvd serve b-end
record 5000000 101 0 1 900 1000900
unit get 1 1000 1100 0
record 5000000 101 0 1 1010 1001010
record 5000000 101 0 3 1020 1001020 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
record 5000000 101 0 2 1030 1001030
record 5000000 101 0 4 1040 1001040
record 5000000 101 0 2 1050 1001050
unit get 1 1200 1300 0
record 5000000 101 0 1 1210 1001210
unit get 2 1400 1500 0
record 5000000 101 0 1 1410 1001410
unit put 1 1600 1700 0
record 5000000 101 0 1 1610 1001610
END
ctl --format=otlp -n kv::: | numbered

# The span of a unit has the same id after a snapshot.
play <<'END'
target 5000000 kvd
probe 1 kv kvd serve step int32:n
round
raise 10
snapshot
unit get 1 1000 1100 0
record 5000000 101 0 1 1010 1001010 1
round
record 5000000 101 0 1 1010 1001010 1
END
"$TBUFCTL_FAKE" --format=otlp -n kv::: 2>/dev/null |
    grep -o '"spanId":"[0-9a-f]*"' | uniq -c | sed 's/ ".*//'

# Files of two computers: each process has its own time of day.
play <<'END'
target 5000000 kvd
probe 1 kv kvd serve entry
probe 2 kv kvd serve return
target 5000001 load
unit get 1 1000 1100 0
record 5000000 101 0 1 1010 1001010
unit
record 5000000 101 0 1 1200 1001200
record 5000001 201 0 1 1300 2001300
record 5000000 101 0 2 1400 1001400
record 5000001 201 0 2 1500 2001500
record 5000001 201 0 2 1600 2001600
END
ctl --format=otlp -n kv::: | grep -o '[a-z]*TimeUnixNano":"[0-9]*"'
