# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Drops have one line for each CPU, with all causes and processes together,
# after the CPU's records.
play <<END
$probes
target 200 kvd
record 100 101 0 2 1 1 1 0
drops 100 0 full 3
drops 100 0 large 2
record 200 201 0 2 2 1 1 0
drops 200 0 nolane 1
record 100 101 1 2 3 1 1 0
drops 100 1 full 1
record 100 101 3 2 4 1 1 0
round
drops 100 3 full 18446744073709551615
drops 100 1 full 1
END
ctl -x statusrate=1day -n kv:::
# Drops are reported at every statusrate.
ctl -x statusrate=1ns -n kv:::
ctl -x droptags -q -n kv:::
ctl -x statusrate=1ns --format=json -n kv:::
