# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# SIGUSR1 prints the present contents of the buffers, and tracing goes on; they
# are not in the total.  Losses are reported when they are due, not by SIGUSR1.
play <<END
show
$probes
record 100 101 0 2 1 1 1 0
round
raise 10
record 100 101 0 2 2 1 2 0
snapshot
record 100 101 0 2 1 1 1 0
record 100 101 0 2 2 1 2 0
drops 100 0 full 3
round
record 100 101 0 2 3 1 3 0
END
ctl -n kv:::
ctl -q -n kv:::
ctl --format=json -n kv:::
# The snapshot may be empty.
play <<END
$probes
round
raise 10
snapshot
round
END
ctl -n kv:::
# With policy switch SIGUSR1 causes an early switch, and its records are printed
# once.
play <<END
$probes
round
raise 10
switch
record 100 101 0 2 1 1 1 0
round
record 100 101 0 2 2 1 2 0
END
ctl -n kv:::
ctl --format=json -n kv:::
# No snapshot is made at the end.
play <<END
$probes
round
raise 10
record 100 101 0 2 1 1 1 0
END
ctl -n kv:::
