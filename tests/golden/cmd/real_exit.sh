# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# The end of the command is reported.
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
# END fires after the last faults in targets, and after ERROR for them.
ctl -q -x noerror -n 'tt:::count { trace(1 / (number - number)); }
    ERROR { n++; @failed = count(); }
    END { printf("%d", n); printa(@failed); exit(n); }' -c "$TBUF_TARGET fire=3"
