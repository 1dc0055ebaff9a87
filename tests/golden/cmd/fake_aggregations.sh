# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Aggregations are printed at the end, in the order of their ids.
aggregations='aggregation calls 0 string
aggregation empty 0
aggregation bytes 1 long string
aggregation "" 5
aggregation size 6 long
tuple 0 -3 "read"
tuple 0 42 "a \"quoted\" name"
tuple 2 7 -1 "x"
tuple 2 -9223372036854775808 5 ""
tuple 3 14
tuple 4 -1:-1:0,0:0:2,1:1:0,2:3:6,4:7:0 10
tuple 4 -1:-1:-1,0:0:0,1:1:1,2:3:0,4:7:0 11'

play <<END
$probes
$aggregations
aggregated 100 1 1
aggregated 100 0 30
END
ctl -q -n kv:::
ctl -q -x droptags -n kv:::
ctl --format=json -n kv:::

play <<END
$probes
$aggregations
option aggsortrev 1
option agghist 1
option aggzoom 1
END
ctl -q -n kv:::

TERM=dumb
export TERM
play <<END
$probes
$aggregations
option aggpack 1
END
ctl -q -n kv:::
