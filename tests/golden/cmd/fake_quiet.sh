# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_fake"

# -q prints arguments only, without the messages matched, lowered and exited.
play <<END
$probes
probe 3 kv kvd serve none
lowered 2m
command 77
record 100 101 0 1 5000 6000 7 "/a"
record 100 101 0 3 5000 6000
record 100 101 0 2 5000 6000 7 0
drops 100 0 full 2
overwritten 100 0 1
exit 100
exit 77 status 3
END
ctl -q -n kv::: -c true
ctl -q --with=tid,time -n kv::: -c true
ctl -n kv::: -c true
