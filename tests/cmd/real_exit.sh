# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# How the command ended.
for orders in fire=1 'fire=1 exit=3' 'fire=1 kill=9' 'fire=1 kill=15'; do
	ctl -n count -c "$TBUF_TARGET $orders"
	ctl -q -n count -c "$TBUF_TARGET $orders"
	ctl --format=json -n count -c "$TBUF_TARGET $orders"
done
ctl -n count -c ./nosuch
ctl -n count -c nosuch-command
: >plain
ctl -n count -c ./plain
ctl -n count -c ./
