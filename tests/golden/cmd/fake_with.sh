# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# --with prints time, wall, pid, tid before the arguments, in the requested
# order.
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
