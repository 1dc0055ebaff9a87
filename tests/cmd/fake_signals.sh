# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# The first SIGINT or SIGTERM ends the run in the orderly way, the second at
# once; a truncated control file is told.
for signal in 2 15; do
	play <<-END
	$probes
	record 100 101 0 2 1 1 1 0
	round
	raise $signal
	record 100 101 0 2 2 1 1 0
	round
	record 100 101 0 2 3 1 1 0
	drops 100 0 full 1
	END
	ctl -n kv:::
done
play <<END
$probes
record 100 101 0 2 1 1 1 0
round
raise 2
raise 2
END
ctl -n kv:::
play <<END
raise 7
END
ctl -n kv:::
