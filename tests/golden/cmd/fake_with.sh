# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# --with prints fields before the arguments, in the requested order.
play <<END
$probes
probe 3 kv kvd serve none
record 100 101 0 1 5000 1600000000000000001 7 "/a"
record 100 101 0 3 18446744073709551615 6000
record 100 101 0 3 18446744073700000042 100000000
record 100 101 0 3 99999999 99999999
END
ctl --with=time,wall,pid,tid -n kv:::
ctl --with=tid,time -n kv:::
ctl --with=pid --with=pid,wall -n kv:::
ctl --with=wall,tid --format=json -n kv:::

# A date has the local time, and changes its day with it.
play <<'END'
target 100 kvd
target 200 "a \x1b"
probe 1 kv kvd serve request-start uint64:id string:path
probe 2 "k\x1b" "m d" f none
record 100 101 0 1 5000 1600000000000001999 7 "/a"
record 100 101 3 1 5000 1600000000999999000 8 NULL
record 200 201 -1 2 4000 1600041600000000000
record 200 201 1 2 18446744073709551615 18446744073709551615
END
all=date,delta,elapsed,name,cpu,execname
ctl --with=$all --read=file -n kv:::
ctl -q --with=$all --read=file -n kv:::
ctl -q --with=name -n kv:::
ctl -F -q --with=execname -n kv:::
ctl --format=json --with=$all --read=file -n kv:::
TZ=EST5 ctl -q --with=date -n kv:::

# --format=log: a line for each record, in order, with -q as well.
ctl --format=log -n kv:::
ctl --format=log -q --with=pid,delta --read=file -n kv:::
ctl --format=log -F -n kv:::
{
	echo show
	cat script
} >shown
mv shown script
ctl --format=log -n kv::: | grep set
ctl --with=when -n kv:::
