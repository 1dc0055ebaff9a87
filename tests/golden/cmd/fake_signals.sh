# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# The first SIGHUP, SIGINT, SIGQUIT or SIGTERM ends the run in the orderly way,
# after a second signal the last records are only counted; a truncated control
# file is reported.
for signal in 1 2 3 15; do
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
for signals in '2 2' '1 15' '3 1'; do
	play <<-END
	$probes
	record 100 101 0 2 1 1 1 0
	round
	raise ${signals% *}
	raise ${signals#* }
	record 100 101 0 2 2 1 1 0
	round
	record 100 101 0 2 3 1 1 0
	drops 100 0 full 1
	END
	ctl -n kv:::
done
play <<END
raise 7
END
ctl -n kv:::
# Under nohup a SIGHUP is still ignored.
play <<END
$probes
round
raise 1
record 100 101 0 2 1 1 1 0
round
record 100 101 0 2 2 1 2 0
END
(
	trap '' HUP
	ctl -n kv:::
)
