# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# SIGUSR1: what the buffers hold now is printed, tracing goes on, and nothing
# of it is in the total.  Losses are told when they are due, not by it.
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
# None of them is a snapshot, too.
play <<END
$probes
round
raise 10
snapshot
round
END
ctl -n kv:::
# Under switch it is an early switch, and what it gives comes once.
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
# At the end there is none.
play <<END
$probes
round
raise 10
record 100 101 0 2 1 1 1 0
END
ctl -n kv:::
