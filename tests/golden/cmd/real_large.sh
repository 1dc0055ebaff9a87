# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# A record that is larger than the buffer is a drop under every policy.
for policy in switch fill ring; do
	ctl -q --format=json -x bufpolicy=$policy -x strsize=2k -b 1k \
	    -n blob -c "$TBUF_TARGET large=1500"
done
