# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# The number of probes that a description matches is reported, also if it is 0.
play <<END
$probes
matched 2 1 0
record 100 101 0 2 1 1 1 0
END
ctl -P kv -n start -n nosuch
ctl -n kv::: -n a,b -p 100
ctl -n kv::: -n a -n nosuch -p 100
ctl -n kv::: -n a -n nosuch -p 100 -q
ctl -Z -n kv::: -n a -n nosuch -p 100
ctl -Z -q -n kv::: -n a -n nosuch -p 100
# With -c it is reported with the first record, and the rest at the command's
# end.
play <<END
$probes
command 77
matched 2 1 0
round
record 77 77 0 2 1 1 1 0
exit 77 status 0
END
ctl -n kv::: -n a -c true
ctl -n kv::: -n a -n nosuch -c true
ctl -Z -n kv::: -n a -n nosuch -c true
ctl -q -n kv::: -n a -n nosuch -c true
# The command still runs, so that a probe may still be added.
play <<END
$probes
command 77
matched 2 0
raise 15
END
ctl -n kv::: -n later -c true
# Ids of programs' probes are after those of tbufctl's own probes.
play <<END
$(echo "$probes" | sed 's/^probe 1 /probe 1025 /')
matched 2 0
END
ctl -i 1025 -i 1033 -p 100
