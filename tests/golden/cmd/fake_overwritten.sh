# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# Overwritten records of a CPU are reported after its records.
play <<END
$probes
record 100 101 0 2 1 1 1 0
overwritten 100 0 1
record 100 101 1 2 3 1 1 0
overwritten 100 1 40
overwritten 200 1 2
overwritten 100 7 5
exit 100
END
ctl -n kv:::
ctl -q -n kv:::
