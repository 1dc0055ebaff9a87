# SPDX-License-Identifier: BSD-2-Clause
. "$HERE/common_real"

# The first signal ends tracing in the orderly way; the target is unharmed.
for signal in HUP INT QUIT TERM; do
	start 3 4 enabled fire=3 say=fired wait disabled say=off
	"$TBUFCTL" -n count -p $target >out 2>&1 &
	tell 3
	hear 4 fired
	kill -$signal $!
	wait $!
	echo "= $?"
	normal <out
	tell 3
	hear 4 off
	wait
	rm in3 out4
done
