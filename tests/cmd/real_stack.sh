# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"
stacker=$(dirname "$TBUF_TARGET")/stacker

# Stacks of known depth, whatever a probe's arguments are: that of a fire ends
# with the frame that has called main() or the thread.
for order in shapes call=1 thread=1 'shapes deep=300'; do
	echo "$order"
	"$TBUFCTL" -q -n 'stacker::: {
		@[probefunc, ustackdepth] = count();
	}' -c "$stacker $order" 2>&1 | sed 's/  */ /g'
done
